import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'
import { pulled, read, tool, write, writes } from '../../features/as-code/code-folder.ts'

const lookup = 'tools/lookup-patient.yaml'
const draft = (headers: unknown) => ({
  ...{ name: 'h_tool', description: 'Test it.', endpoint: 'https://x.example', method: 'GET' },
  headers,
})
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
  const updating = ['tools', 'update', '1', '--headers', JSON.stringify([{ name, value }])]
  const attempts = [created, await by.run([...creating([{ name, value }]), '--dry-run'])]
  for (const extra of [[], ['--dry-run']]) attempts.push(await by.run([...updating, ...extra]))
  for (const { exitCode, stdout, stderr, requests } of attempts) {
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(field)
    expect(stderr).toMatch(/A header (?:name|value) has /)
    expect(writes(requests)).toEqual([])
  }
  const asJson = JSON.parse((await by.run([...updating, '--json'])).stderr)
  expect(asJson.error).toMatchObject({ code: 'usage', details: [{ path: field }] })
  const direct = await by.run([
    'api',
    'tools.create',
    '--yes',
    '--data',
    JSON.stringify(draft([{ name, value }])),
    '--json',
  ])
  expect([direct.exitCode, direct.stderr]).toEqual([6, expect.stringContaining(field)])
})

test('a push names the file and the header, and changes nothing', async () => {
  const by = await pulled()
  write(by, lookup, tool('lookup_patient', 'headers:\n  - name: X-Y\n    value: "one\\ntwo"\n'))
  for (const line of ['push', 'push --dry-run']) {
    const { exitCode, stderr, requests } = await by.run(line)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/lookup-patient\.yaml: headers\.0\.value \(X-Y\)/)])
    expect(writes(requests)).toEqual([])
  }
  write(by, lookup, read(by, lookup).replace('"one\\ntwo"', '"one two\\n"'))
  await by.run('push --yes')
  expect(await by.json('tools get lookup_patient')).toMatchObject({ headers: [{ name: 'X-Y', value: 'one two' }] })
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
