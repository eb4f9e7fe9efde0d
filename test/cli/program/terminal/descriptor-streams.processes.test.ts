import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const source = new URL('../../../../src/cli/program/terminal/standard-streams.ts', import.meta.url).pathname

/** Writes the given number of lines of the given size, then says on stderr how it went and whether Node's own stream was needed. */
const entry = `
  import { createDescriptorSink, createDescriptorSource } from ${JSON.stringify(source)}
  let opened = false
  const sink = createDescriptorSink(1, () => { opened = true; return process.stdout })
  const [count, size] = process.argv.slice(2).map(Number)
  const go = async () => { for (let i = 0; i < count; i++) await sink.write('é'.repeat(size - 1) + '\\n') }
  const told = (text) => console.error(text + (opened ? ', stream' : ', direct') + (sink.isTTY ? ', terminal' : '') + ', ' + sink.columns)
  if (process.argv[4] === 'read') createDescriptorSource(0, () => process.stdin).text().then((text) => console.error(text))
  else go().then(() => told('done'), async (error) => { await sink.write('x').catch((again) => told(error.name + (again === error || again.name === error.name ? ' for good' : ''))) })
`

let folder: string
let script: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-descriptor-'))
  script = join(folder, 'write.cjs')
  await build({
    input: 'entry',
    logLevel: 'silent',
    platform: 'node',
    output: { file: script, format: 'cjs' },
    plugins: [
      { name: 'entry', resolveId: (id) => (id === 'entry' ? id : null), load: (id) => (id === 'entry' ? entry : null) },
    ],
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (shell: string): Promise<string> =>
  new Promise((resolve) => {
    execFile('sh', ['-c', shell, 'sh', process.execPath, script], (_error, _stdout, stderr) => resolve(stderr.trim()))
  })

describe.runIf(process.platform !== 'win32')('short text', () => {
  test('to a pipe and to a file is written directly', async () => {
    expect(await run('"$1" "$2" 3 10 | wc -c >&2')).toBe('done, direct, 0\n57')
    expect(await run(`"$1" "$2" 3 10 > '${folder}/text'; wc -c < '${folder}/text' >&2`)).toBe('done, direct, 0\n57')
  })

  test('to a reader that closed the pipe is a closed pipe from then on', async () => {
    expect(await run('{ sleep 0.5; "$1" "$2" 3 10; } | true')).toBe('ClosedPipe for good, direct, 0')
  })

  test.runIf(process.platform === 'linux')('to a full disk fails', async () => {
    expect(await run('"$1" "$2" 3 10 >/dev/full')).toBe('OutputFailed for good, stream, 0')
  })
})

describe.runIf(process.platform !== 'win32')('long text', () => {
  test('is written in order after text that was written directly', async () => {
    const child = spawn(process.execPath, [script, '5000', '500'], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    let shown = ''
    child.stderr.on('data', (chunk: Buffer) => {
      shown += String(chunk)
    })
    await new Promise((resolve) => child.on('close', resolve))
    expect(shown.trim()).toBe('done, stream, 0')
    expect(text).toBe(`${'é'.repeat(499)}\n`.repeat(5000))
  })

  test('in one piece arrives completely at a slow reader', async () => {
    expect(await run('"$1" "$2" 1 200000 | { sleep 0.3; wc -c >&2; }')).toBe('done, stream, 0\n399999')
  })
})

test('piped input is read', async () => {
  expect(await run('printf "zażółć" | "$1" "$2" 0 0 read')).toBe('zażółć')
})
