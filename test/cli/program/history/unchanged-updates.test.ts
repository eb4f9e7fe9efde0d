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
