import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

const weather =
  'tools create --name weather --description "Tell the weather" --endpoint https://weather.example/{town} --method GET'

test('a tool is created with the given fields and defaults for the rest', async () => {
  const { json } = operator()
  const made = await json(weather)
  expect(made).toEqual({
    id: 5,
    name: 'weather',
    description: 'Tell the weather',
    type: 'http',
    endpoint: 'https://weather.example/{town}',
    method: 'GET',
    body_format: 'json',
    timeout: 10,
    headers: [],
    static_fields: [],
    schema: [],
    created_at: '2026-08-04T12:00:00.000000Z',
    updated_at: '2026-08-04T12:00:00.000000Z',
  })
  expect(await json('tools get 5')).toEqual(made)
  expect(await json('tools get weather')).toEqual(made)
  expect((await json('tools list')).at(-1)).toEqual(made)
})

test('a parameter of the assistant is optional by default, and a static value may be omitted', async () => {
  const { json } = operator()
  const lists = `--schema '[{name: town, type: string, description: Name of the town}]' --static-fields '[{key: source}]'`
  expect(await json(`${weather} ${lists}`)).toMatchObject({
    schema: [{ name: 'town', type: 'string', description: 'Name of the town', required: false }],
    static_fields: [{ key: 'source', value: '' }],
  })
})

describe('an update', () => {
  const fields: readonly [flag: string, change: object][] = [
    ['--name renamed', { name: 'renamed' }],
    ['--description "For something else"', { description: 'For something else' }],
    ['--endpoint http://other.example', { endpoint: 'http://other.example' }],
    ['--method DELETE', { method: 'DELETE' }],
    ['--body-format form', { body_format: 'form' }],
    ['--tool-timeout 1', { timeout: 1 }],
    [`--headers '[{name: X-A, value: "1"}]'`, { headers: [{ name: 'X-A', value: '1' }] }],
    [`--static-fields '[{key: a, value: b}]'`, { static_fields: [{ key: 'a', value: 'b' }] }],
    [
      `--schema '[{name: a, type: float, description: abc, required: true}]'`,
      { schema: [{ name: 'a', type: 'float', description: 'abc', required: true }] },
    ],
    ["--headers '[]'", { headers: [] }],
    ["--schema '[]'", { schema: [] }],
  ]

  test.each(fields)('%s changes only that', async (flag, change) => {
    const { json, wait } = operator()
    const before = await json('tools get 2')
    wait(60_000)
    const after = await json(`tools update 2 ${flag}`)
    expect(after).toEqual({ ...before, ...change, updated_at: '2026-08-04T12:01:00.000000Z' })
    expect(await json('tools get 2')).toEqual(after)
  })

  test('replaces whole lists, and on a terminal shows the removed entries', async () => {
    const { run, json } = operator()
    const { stderr } = await run(`tools update 2 --schema '[{name: day, type: string, description: Day}]'`, {
      terminal: true,
    })
    expect(stderr).toBe(
      'Changed:\n  schema: 3 entries -> 1 entry; removed time, new_patient; changed day\nNext: parley tools get 2\n',
    )
    expect((await json('tools get 2')).schema.map((it: { name: string }) => it.name)).toEqual(['day'])
  })

  test('of a tool that calls an automation leaves what the automation defines', async () => {
    const { run, json } = operator()
    const before = await json('tools get 4')
    expect(await run('tools update 4 --tool-timeout 5')).toMatchObject({ exitCode: 0 })
    const { updated_at: _, ...after } = await json('tools get 4')
    expect({ ...after, updated_at: before.updated_at }).toEqual({ ...before, timeout: 5 })
  })

  test.each(['json', 'yaml'])('with the output of get as %s changes only edited fields', async (form) => {
    for (const id of [1, 2, 3, 4]) {
      const { run, json, cwd } = operator()
      const file = join(cwd, `tool.${form}`)
      const { stdout } = await run(`tools get ${id} -o ${form}`)
      writeFileSync(file, stdout.replace(/(timeout"?: )\d+/, '$129'))
      const before = await json(`tools get ${id}`)
      const { exitCode, stderr } = await run(`tools update ${id} --file ${file}`)
      expect({ id, exitCode, stderr }).toMatchObject({ exitCode: 0 })
      const { updated_at: _, ...after } = await json(`tools get ${id}`)
      expect({ ...after, updated_at: before.updated_at }).toEqual({ ...before, timeout: 29 })
    }
  })

  test('sends fields of a file only if they were edited, also those that the contract does not know', async () => {
    const { run, cwd } = operator()
    const record = {
      id: 7,
      name: 'theirs',
      timeout: 5,
      retry_policy: { tries: 2 },
      tags: ['a'],
      created_at: '2026-01-01T00:00:00.000000Z',
    }
    let sent: unknown
    const through = async (_: unknown, { method, body }: { method: string; body?: string }) => {
      if (method === 'PUT') sent = JSON.parse(body ?? '')
      return {
        status: 200,
        headers: {},
        body: JSON.stringify(method === 'PUT' ? { message: 'ok', data: record } : record),
      }
    }
    const file = join(cwd, 'tool.json')
    writeFileSync(file, (await run('tools get 7 --json', { through })).stdout)
    expect((await run(`tools update 7 --tool-timeout 6 --file ${file} --json`, { through })).stdout).toContain('"tags"')
    expect(sent).toEqual({ timeout: 6 })
    writeFileSync(file, (await run('tools get 7 --json', { through })).stdout.replace('"a"', '"b"'))
    await run(`tools update 7 --file ${file} --json`, { through })
    expect(sent).toEqual({ tags: ['b'] })
  })

  test('in an editor sends the edited fields', async () => {
    const { run, json } = operator()
    const env = { EDITOR: 'vi' }
    const editor = (text: string) =>
      text.replace('timeout: 15', 'timeout: 20').replace('value: northwind', 'value: +1415')
    expect(await run('tools update 2 --edit', { env, editor, terminal: true })).toMatchObject({ exitCode: 0 })
    expect(await json('tools get 2')).toMatchObject({
      timeout: 20,
      headers: [{ name: 'X-Practice', value: '+1415' }],
      method: 'POST',
    })
    expect(await run('tools update 2 --edit', { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--edit requires a terminal.'),
    })
  })
})

describe('a deleted tool', () => {
  test('is not found, and its id is not used again', async () => {
    const { run, json } = operator()
    expect(await json('tools delete lookup_patient --confirm lookup_patient')).toEqual({
      id: 1,
      message: 'Tool deleted successfully',
    })
    for (const line of ['tools get 1', 'tools update 1 --tool-timeout 3', 'tools delete 1 --yes']) {
      const { exitCode, stderr } = await run(`${line} --json`)
      expect(exitCode, line).toBe(4)
      expect(JSON.parse(stderr).error).toMatchObject({ message: 'Tool not found', status: 404 })
    }
    await json('tools delete 4 --confirm reschedule_visit')
    expect((await json(weather)).id).toBe(5)
  })
})

test('many concurrent changes are all saved', async () => {
  const by: Operator = operator()
  const names = Array.from({ length: 8 }, (_, n) => `tool_${n}`)
  const runs = await Promise.all(
    names.map((name) => by.run(`${weather.replace('--name weather', `--name ${name}`)} -o id`)),
  )
  expect(runs.map((it) => it.exitCode)).toEqual(names.map(() => 0))
  expect(new Set(runs.map((it) => it.stdout)).size).toBe(8)
  expect(
    (await by.json('tools list'))
      .map((it: { name: string }) => it.name)
      .slice(4)
      .sort(),
  ).toEqual(names)
})
