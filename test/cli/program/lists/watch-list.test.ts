import { expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { type Handle, operator } from '../../../support/operator.ts'

/** Runs a command that watches, and calls `reads[n]` before the n-th read. After the last one it is interrupted. */
async function watch(
  line: string,
  reads: readonly ((() => Promise<unknown>) | 'fails' | undefined)[],
  options: { readonly terminal?: boolean; readonly rows?: number; readonly by?: ReturnType<typeof operator> } = {},
) {
  const { by = operator(), ...others } = options
  const interrupt = new AbortController()
  let count = 0
  const through = async (handle: Handle, request: PlainRequest): Promise<PlainResponse> => {
    const step = reads[count++]
    if (count > reads.length) interrupt.abort(130)
    if (step === 'fails') throw new Error('The connection is down.')
    await step?.()
    return handle(request)
  }
  return by.run(line, { ...others, interrupt, through })
}

test('--watch prints all records, then new and changed ones as ndjson, and ends with 130 on Ctrl-C', async () => {
  const by = operator()
  const ran = await watch(
    'tools list --watch --fields id,timeout',
    [undefined, () => by.run('tools update 2 --tool-timeout 29'), undefined, undefined],
    { by },
  )
  expect(ran).toMatchObject({ exitCode: 130, stderr: '' })
  const printed = ran.stdout
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))
  expect(printed.map(({ id }) => id)).toEqual([1, 2, 3, 4, 2])
  expect(printed.at(-1)).toEqual({ id: 2, timeout: 29 })
})

test('--watch prints only what matches --filter, in the order of --sort', async () => {
  const by = operator()
  const ran = await watch(
    'tools list --filter timeout=29 --sort -id --watch --fields id -o ndjson',
    [undefined, () => by.run('tools update 2 --tool-timeout 29'), undefined],
    { by },
  )
  expect(ran).toMatchObject({ exitCode: 130, stdout: '{"id":2}\n' })
})

test('--watch redraws a table on a terminal, and no more lines than it has', async () => {
  const by = operator()
  const ran = await watch('tools list --watch --fields name', [undefined, undefined, undefined], {
    by,
    terminal: true,
    rows: 4,
  })
  expect(ran.exitCode).toBe(130)
  const [first = '', second = ''] = ran.stdout.split('\x1b[H').slice(1)
  expect(first.replaceAll('\x1b[K', '')).toMatch(/lookup_patient[\s\S]*\n\.\.\. \d+ more lines\n/)
  expect(second).toBe(first)
  expect(first.match(/\n/g)).toHaveLength(3)
})

test('--watch is not redrawn for screen readers', async () => {
  const by = operator({ env: { ACCESSIBLE: '1' } })
  const ran = await watch('tools list --watch --fields id', [undefined, undefined], { by, terminal: true })
  expect(ran.stdout).toBe('{"id":1}\n{"id":2}\n{"id":3}\n{"id":4}\n')
})

test('--watch reads a local list too', async () => {
  const interrupt = new AbortController()
  const by = operator()
  const watching = by.run('profile list --watch --fields name', { interrupt })
  await by.run('profile list')
  interrupt.abort(130)
  expect(await watching).toMatchObject({ exitCode: 130 })
})

test.each([
  'tools list --watch -o csv',
  'tools list --watch --json',
  'tools list --watch --print-curl',
  'events list --watch --follow',
  'automate templates post-call-callback --watch',
  'tools get 1 --watch',
])('--watch is refused where it has no meaning: %s', async (line) => {
  expect(await operator().run(line)).toMatchObject({ exitCode: 2, stdout: '' })
})

test('--watch continues after a read that fails, and warns once', async () => {
  const by = operator()
  const ran = await watch(
    'tools list --watch --fields id,timeout --retries 0',
    [undefined, 'fails', 'fails', () => by.run('tools update 2 --tool-timeout 29'), undefined],
    { by },
  )
  expect(ran.exitCode).toBe(130)
  expect(ran.stdout).toMatch(/\{"id":2,"timeout":29\}\n$/)
  expect(ran.stderr.match(/Trying again every \d+ s\./g)).toHaveLength(1)
})

test('--watch ends with an error that another read would not change', async () => {
  expect((await watch('leads list --campaign 999 --watch', [undefined, undefined, undefined])).exitCode).not.toBe(0)
})
