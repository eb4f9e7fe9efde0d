import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

describe('history diff', () => {
  test('prints the differences from the live resource with exit 20, and nothing without differences', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    expect(await by.run('history diff 1')).toMatchObject({ exitCode: 20, stdout: 'timeout: 15 -> 20\n' })
    expect(JSON.parse((await by.run('history diff 1 --json')).stdout)).toMatchObject({
      gone: false,
      differences: [{ field: 'timeout', copy: 15, live: 20 }],
    })
    await by.run('tools update 2 --tool-timeout 15')
    expect(await by.run('history diff 1')).toMatchObject({ exitCode: 0, stdout: 'No differences.\n' })
    await by.run('tools delete 2 --confirm book_appointment')
    expect(await by.run('history diff 1')).toMatchObject({
      exitCode: 20,
      stdout: 'The tool "book_appointment" (2) no longer exists.\n',
    })
  })

  test('says that a secret which was replaced cannot be compared', async () => {
    const by = operator()
    await by.run(['tools', 'update', '2', '--header', 'X-Practice: another-1'])
    expect((await by.run('history diff 1')).stdout).toBe(
      'Not compared: headers. The history does not save secrets, which may have changed.\n',
    )
    expect(await by.json('history diff 1')).toMatchObject({ not_compared: ['headers'] })
  })

  test('ignores counts and status that the platform changes', async () => {
    const by = operator()
    const before = await by.json('knowledge get 1')
    await by.run('knowledge update 1 --name Other')
    await by.run(['knowledge', 'update', '1', '--name', before.name])
    const added = 'knowledge documents create 1 --name Site --url https://docs.example'
    expect(await by.run(added)).toMatchObject({ exitCode: 0 })
    const { status, documents_count } = await by.json('knowledge get 1')
    expect([status, documents_count]).not.toEqual([before.status, before.documents_count])
    expect(await by.run('history diff 1')).toMatchObject({ exitCode: 0, stdout: 'No differences.\n' })
    await by.run('knowledge update 1 --name New')
    expect(await by.run('history diff 1')).toMatchObject({
      exitCode: 20,
      stdout: `name: "${before.name}" -> "New"\n`,
    })
  })

  test.each([
    ['', 2],
    ['x', 2],
    ['0', 2],
    ['7', 4],
  ])('of the entry "%s" ends with %i', async (entry, exitCode) => {
    for (const verb of ['diff', 'undo'])
      expect(await operator().run(`history ${verb} ${entry}`)).toMatchObject({ exitCode, stdout: '' })
  })

  test('of one profile does not show another', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    mkdirSync(by.configDir, { recursive: true, mode: 0o700 })
    writeFileSync(
      join(by.configDir, 'config.json'),
      JSON.stringify({ current: 'other', profiles: { other: { base_url: 'https://x.example', api_key: 'k' } } }),
    )
    expect(await by.json('history list')).toEqual([])
    expect(await by.json('history list --profile local')).toHaveLength(1)
    expect(await by.run('history diff 1')).toMatchObject({ exitCode: 4 })
  })
})

test('of an automation shows the steps that differ, like automate diff, and so does its undo', async () => {
  const by = operator()
  for (const [name, text] of Object.entries({ one: '1', two: '2' }))
    writeFileSync(join(by.cwd, `${name}.json`), JSON.stringify({ trigger: hook, steps: [code(text)] }))
  await by.run('automate create --name Note --file one.json')
  await by.run('automate update Note --name "Other note" --file two.json')
  const entry = (await by.run('history list --noun automate --limit 1 -o id')).stdout.trim()
  const expected = (await by.run('automate diff "Other note"')).stdout
  expect(expected).toContain('step_1')
  const run = await by.run(`history diff ${entry}`)
  expect(run).toMatchObject({ exitCode: 20, stdout: expect.stringContaining(expected) })
  expect(run.stdout).toBe(`name: "Note" -> "Other note"\n${expected}`)
  const [, definition] = JSON.parse((await by.run(`history diff ${entry} --json`)).stdout).differences
  expect(definition).toMatchObject({
    field: 'definition',
    copy: {},
    live: {},
    steps: JSON.parse((await by.run('automate diff "Other note" --json')).stdout),
  })
  const { stderr } = await by.run(`history undo ${entry} --yes`)
  expect(stderr).toMatch(/~ step_1.* changed\n +settings\.sourceCode\.code: /)
  expect(stderr).not.toContain('flow:')
})
