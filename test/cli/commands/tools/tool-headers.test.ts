import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const creating = (headers: unknown): readonly string[] => [
  ...['tools', 'create', '--name', 'h_tool', '--description', 'Test it.', '--endpoint', 'https://x.example'],
  ...['--method', 'GET', '--headers', JSON.stringify(headers)],
]

test.each([
  ['X Y', '1', 'headers.0.name'],
  ['X:Y', '1', 'headers.0.name'],
  ['X-Ä', '1', 'headers.0.name'],
  ['X-Y', 'one\ntwo', 'headers.0.value'],
  ['X-Y', 'one\rtwo', 'headers.0.value'],
  ['X-Y', 'one\u0000two', 'headers.0.value'],
  ['X-Y', 'zł ł', 'headers.0.value'],
])('a tool with the header %j: %j, which HTTP cannot send, is refused when it is saved', async (name, value, field) => {
  const by = operator()
  const created = await by.run(creating([{ name, value }]) as string[])
  expect([2, 6]).toContain(created.exitCode)
  expect(created.stderr).toContain(field)
  expect((await by.run(['tools', 'update', '1', '--headers', JSON.stringify([{ name, value }])])).exitCode).not.toBe(0)
})

test('spaces and line breaks around a header are removed, with a note', async () => {
  const by = operator()
  const { exitCode, stderr } = await by.run(creating([{ name: ' X-Note ', value: 'one two\r\n' }]) as string[])
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('Removed spaces or line breaks around header X-Note.')
  expect(await by.json('tools get h_tool')).toMatchObject({
    headers: [{ name: 'X-Note', value: 'one two' }],
  })
})

test('tabs, Latin-1 and placeholders in a header are saved unchanged', async () => {
  const by = operator()
  const headers = [{ name: 'X-Note', value: 'café\t{{customer_phone}}' }]
  expect((await by.run(creating(headers) as string[])).exitCode).toBe(0)
  expect(await by.json('tools get h_tool')).toMatchObject({ headers })
})
