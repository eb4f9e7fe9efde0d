import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('the history of an automation names what changed, in words of its readers', async () => {
  const by = operator({ supports: 'neutral' })
  const [{ name }] = await by.json('automate list')
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify(await by.json(`automate get "${name}"`)))
  const updated = await by.run([
    'automate',
    'update',
    name,
    '--file',
    'flow.json',
    '--name',
    name,
    '--sample',
    '{"a":1}',
  ])
  expect(updated.stderr).not.toContain('error')
  const [first] = await by.json('history list')
  expect(first.fields).not.toContain('name')
  const { stdout } = await by.run('history list --fields Fields')
  expect(stdout).toContain('test input')
  expect(stdout).not.toMatch(/\b(flow|sample)\b/)
})

test('the history of a resource names only the fields that an update changed', async () => {
  const by = operator({ supports: 'neutral' })
  const { name } = await by.json('assistants get 1')
  await by.run(['assistants', 'update', '1', '--name', `${name} 2`])
  expect((await by.json('history list'))[0].fields).toEqual(['name'])
})
