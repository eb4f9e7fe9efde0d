import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'
import { greeting } from '../../features/automations/deployments.ts'

describe('an update that changes nothing', () => {
  test.each([
    ['labels update 1 --name night', 'labels update 1 --name night'],
    ['tools update 2 --tool-timeout 20', 'tools update 2 --tool-timeout 20 --description "{description}"'],
    ['numbers update 4 --nickname Desk', 'numbers update 4 --nickname Desk'],
  ])('prints "No changes" and adds no history entry: %s', async (first, again) => {
    const { run, json } = operator()
    await run(first)
    const { description } = await json('tools get 2')
    const entries = await json('history list')
    const { exitCode, stdout, stderr } = await run(again.replace('{description}', description))
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^No changes\. Id: \d+\n$/) })
    expect(stderr).not.toContain('history undo')
    expect(await json('history list')).toEqual(entries)
  })

  test('prints the record for programs', async () => {
    const { json } = operator()
    await json('labels update 1 --name night')
    expect(await json('labels update 1 --name night')).toMatchObject({ name: 'night' })
    expect(await json('history list')).toHaveLength(1)
  })

  test('of the state of an automation adds no entry either', async () => {
    const { run, json } = await greeting()
    expect(await run('automate enable Greeting')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^No changes\./),
    })
    expect(await json('history list')).toEqual([])
  })
})

test('an update of a secret keeps its entry, because the history cannot compare it', async () => {
  const { run, json } = operator()
  const headers = '[{"name":"authorization","value":"Bearer unmistakable"}]'
  await run(['tools', 'update', '2', '--headers', headers])
  const { stdout } = await run(['tools', 'update', '2', '--headers', headers.replace('unmistakable', 'another-one')])
  expect(stdout).not.toContain('No changes')
  expect(await json('history list')).toHaveLength(2)
})

test('a file whose secrets are masked, in whole or in a URL, is unchanged until another field changes', async () => {
  const { cwd, run, json } = operator()
  const headers = '[{"name":"authorization","value":"Bearer unmistakable"}]'
  const endpoint = 'https://clinic.example/book?api_key=unmistakable-1234&day=1'
  await run(['tools', 'update', '2', '--headers', headers, '--endpoint', endpoint])
  const shown = await json('tools get 2')
  expect(JSON.stringify([shown.endpoint, shown.headers])).not.toContain('unmistakable')
  // A deployment without times of changes is compared by its fields alone.
  const { updated_at: _, ...fields } = shown
  writeFileSync(join(cwd, 'tool.json'), JSON.stringify(fields))
  const update = (timeout: number) => run(`tools update 2 --tool-timeout ${timeout} --if-unchanged tool.json`)
  expect(await update(21)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Tool updated') })
  expect(await update(22)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('since it was read: timeout.'),
  })
})
