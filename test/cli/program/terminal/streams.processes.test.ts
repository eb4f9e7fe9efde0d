import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClosedPipe, OutputFailed, sinkFromNode, sourceFromNode } from '../../../../src/cli/program/terminal/streams.ts'

const source = new URL('../../../../src/cli/program/terminal/streams.ts', import.meta.url).pathname

let folder: string
let script: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-streams-'))
  script = join(folder, 'write.cjs')
  await build({
    input: 'entry',
    logLevel: 'silent',
    platform: 'node',
    output: { file: script, format: 'cjs' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) =>
          id === 'entry'
            ? `import { sinkFromNode } from ${JSON.stringify(source)}
               const sink = sinkFromNode(process.stdout)
               const go = async () => { for (let i = 0; i < Number(process.argv[2]); i++) await sink.write('x'.repeat(999) + '\\n') }
               go().then(() => console.error('done'), (error) => console.error(error.name + ': ' + error.message))`
            : null,
      },
    ],
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (shell: string): Promise<string> =>
  new Promise((resolve) => {
    execFile('sh', ['-c', shell, 'sh', process.execPath, script], (_error, _stdout, stderr) => resolve(stderr.trim()))
  })

describe('writing', () => {
  test('ends when the text has left the process', async () => {
    const written: string[] = []
    const slow = new Writable({
      write: (chunk, _encoding, done) => {
        setImmediate(() => {
          written.push(String(chunk))
          done()
        })
      },
    })
    const sink = sinkFromNode(slow)
    await sink.write('one')
    expect(written).toEqual(['one'])
    await Promise.all([sink.write('two'), sink.write('three')])
    expect(written).toEqual(['one', 'two', 'three'])
  })

  test('to a reader that closed the pipe is a closed pipe from then on', async () => {
    const broken = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const sink = sinkFromNode(broken)
    await expect(sink.write('x')).rejects.toBeInstanceOf(ClosedPipe)
    await expect(sink.write('y')).rejects.toBeInstanceOf(ClosedPipe)
  })

  test('that throws immediately is reported like any other failure', async () => {
    const broken = new PassThrough()
    broken.write = () => {
      throw Object.assign(new Error('nope'), { code: 'EIO' })
    }
    await expect(sinkFromNode(broken).write('x')).rejects.toThrow('Cannot write the output: the device failed (EIO).')
  })

  test('to `head` ends as a closed pipe in a real process', async () => {
    expect(await run('"$1" "$2" 5000 | head -n 1 >/dev/null')).toMatch(/^ClosedPipe: /)
  })

  test.runIf(process.platform === 'linux')('to a full disk names the cause in a real process', async () => {
    expect(await run('"$1" "$2" 3 >/dev/full')).toBe(
      'OutputFailed: Cannot write the output: no space left on the device (ENOSPC).',
    )
  })

  test('more than the size of a pipe arrives completely', async () => {
    const child = spawn(process.execPath, [script, '5000'], { stdio: ['ignore', 'pipe', 'pipe'] })
    let size = 0
    for await (const chunk of child.stdout) size += (chunk as Buffer).length
    expect(size).toBe(5_000_000)
  })

  test('errors have the exit code they cause', () => {
    expect(new ClosedPipe().exit).toBe('done')
    expect(new OutputFailed('ENOSPC', 'full').exit).toBe('internal')
  })
})

describe('reading', () => {
  test('never splits a character that arrives in two chunks', async () => {
    const stream = new PassThrough()
    const arrive = async (): Promise<void> => {
      for (const byte of Buffer.from('zażółć 🙂')) {
        stream.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      stream.end()
    }
    const received = arrive()
    let all = ''
    for await (const piece of sourceFromNode(stream).read()) {
      expect(piece).not.toContain('\uFFFD')
      all += piece
    }
    await received
    expect(all).toBe('zażółć 🙂')
  })

  test('a whole text has no byte order mark', async () => {
    const stream = new PassThrough()
    stream.end('\uFEFFname: x\n')
    expect(await sourceFromNode(stream).text()).toBe('name: x\n')
  })
})

test('a stream that is not a terminal has no width', () => {
  const sink = sinkFromNode(new PassThrough())
  expect([sink.isTTY, sink.columns]).toEqual([false, 0])
})
