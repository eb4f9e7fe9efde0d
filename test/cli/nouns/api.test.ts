import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { operator } from '../../support/operator.ts'

test('every endpoint of the contract is listed, with its assumptions', async () => {
  const { json } = operator()
  const list = await json('api --list')
  const there = list.filter((it: { composed: string | null }) => it.composed === null)
  expect(there.map((it: { name: string }) => it.name)).toEqual(endpoints.map((it) => it.name))
  for (const listed of list)
    expect(Object.keys(listed)).toEqual(['name', 'method', 'path', 'risk', 'section', 'assumed', 'composed', 'summary'])
  expect(list.find((it: { name: string }) => it.name === 'tools.update')).toMatchObject({
    method: 'PUT',
    path: '/api/user/tools/{id}',
    assumed: null,
  })
  expect(list.find((it: { name: string }) => it.name === 'keys.create')).toMatchObject({
    assumed: 'public deployments',
  })
})

test('what the client composes of other endpoints is marked, and names its command', async () => {
  const { json, run } = operator()
  const composed = (await json('api --list')).filter((it: { composed: string | null }) => it.composed !== null)
  expect(composed.map((it: { name: string; composed: string }) => `${it.name} of ${it.composed}`)).toEqual([
    'keys.get of keys.list',
    'leads.get of leads.list',
    'numbers.get of numbers.list',
    'assistants.get of assistants.list',
  ])
  expect(await run('api assistants.get')).toMatchObject({
    exitCode: 2,
    requests: [],
    stderr: expect.stringContaining('parley assistants get <id>'),
  })
  const commands = new Map((await allCommands()).map(([words, command]) => [words, command]))
  for (const { name, composed: of } of composed) expect(commands.get(name.replace('.', ' '))?.endpoint?.name).toBe(of)
})

test.each([
  ['api --list', 87],
  ['api tools.list', 4],
  ['profile list', 2],
])('%s stops at --limit', async (line, all) => {
  const by = operator()
  await by.run('profile set ci --url https://assistants.example')
  expect((await by.json(line)).length).toBeGreaterThanOrEqual(all)
  expect(await by.json(`${line} --limit 1`)).toHaveLength(1)
})

describe('any endpoint', () => {
  test('can be called by its name, and prints the response of the platform', async () => {
    const { json } = operator()
    expect(Object.keys(await json('api keys.list'))).toEqual(['api_keys'])
    expect(await json("api tools.update --data '{id: 1, timeout: 20}'")).toMatchObject({
      message: 'Tool updated successfully',
      data: { id: 1, timeout: 20 },
    })
    expect(await json('api tools.get -f -', { stdin: 'id: 1' })).toMatchObject({ timeout: 20 })
    expect((await json("api numbers.search --data 'country_code: GB'")).data[0].country_code).toBe('GB')
  })

  test('is printed as JSON for people, and a bare list as a list', async () => {
    const { run } = operator()
    expect(JSON.parse((await run('api user.me')).stdout)).toEqual({
      name: 'Northwind Dental',
      email: 'operations@northwind.example',
      total_balance: 25,
    })
    expect((await run('api tools.list -o id')).stdout).toBe('1\n2\n3\n4\n')
  })

  test('prints the status and the headers of the response on request', async () => {
    const { run } = operator()
    const { stderr, stdout } = await run('api keys.create --data name:\\ x --headers')
    expect(stderr).toMatch(/^status: 201$/m)
    expect(stderr).toMatch(/parley-assumed: keys\.create/)
    expect(JSON.parse(stdout).api_key.name).toBe('x')
    expect((await run("api tools.update --data '{id: 1}' --headers")).stderr).not.toContain('parley-assumed')
  })

  test.each([
    ["keys.delete --data '{id: 2}'", 'keys.delete cannot be undone and requires confirmation.'],
    ["numbers.release --data '{id: 1}'", 'numbers.release cannot be undone and requires confirmation.'],
    ["numbers.buy --data '{phone_number: +15005550006}'", 'numbers.buy spends money and requires confirmation.'],
  ])('that is destructive or spends money requires confirmation: %s', async (line, sentence) => {
    const { run } = operator()
    expect(await run(`api ${line}`)).toMatchObject({
      exitCode: 10,
      stdout: '',
      requests: [],
      stderr: expect.stringContaining(sentence),
    })
    const declined = await run(`api ${line}`, { answers: [['Call ', false]] })
    expect([declined.exitCode, declined.requests.filter((it) => !it.startsWith('GET'))]).toEqual([10, []])
    expect(await run(`api ${line} --yes`)).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['', 'Missing endpoint.'],
    ['keys.lst', 'Unknown endpoint "keys.lst". Did you mean keys.list?'],
    ['tools.get', 'Missing id.'],
    ["tools.get --data '{id: ..}'", 'Invalid id "..".'],
    ["keys.create --data 'name: x' -o id", '-o id does not work here'],
  ])('that cannot be called is refused before any request: %s', async (line, sentence) => {
    expect(await operator().run(`api ${line}`)).toMatchObject({
      exitCode: 2,
      stdout: '',
      requests: [],
      stderr: expect.stringContaining(sentence),
    })
  })
})
