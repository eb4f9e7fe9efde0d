import { describe, expect, test } from 'vitest'
import { code, event } from '../../../support/flow-definitions.ts'
import type { Run, RunOptions } from '../../../support/operator.ts'
import { operator } from '../../../support/operator.ts'
import { greeting, plain, running } from '../../features/automations/deployments.ts'

const writes = ({ requests }: Run): readonly string[] => requests.filter((it) => !it.startsWith('GET'))
const newestEntry = async (json: (line: string) => Promise<{ entry: number }[]>): Promise<number> =>
  (await json('history list'))[0]!.entry

describe.each<[string, RunOptions]>([
  ['a Parley server', {}],
  ['a deployment that publishes before it tests', plain()],
])('an undo on %s asks for what the command with the same effect asks for', (_, on) => {
  test('the undo of an update publishes the earlier definition, and requires --yes or the name, as automate restore does', async () => {
    const by = await greeting()
    await by.json('automate update Greeting --file bye.json', on)
    const restored = await by.run('automate restore Greeting', on)
    const refused = await by.run('history undo 1', on)
    expect([restored.exitCode, refused.exitCode, refused.stdout]).toEqual([10, 10, ''])
    expect(refused.stderr).toContain('Restoring "Greeting" replaces the live version and requires confirmation.')
    expect(refused.stderr).toMatch(/"Bye .*" -> "Hello /)
    expect(refused.stderr.split('\n').filter((it) => it.startsWith('hint: '))).toEqual(
      restored.stderr.split('\n').filter((it) => it.startsWith('hint: ')),
    )
    expect(writes(refused)).toEqual([])
    expect(await running(by)).toEqual(['enabled', 'Bye'])
    expect(await by.run('history undo 1 --confirm Greeting', on)).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })

  test('the undo of a deletion publishes the definition again', async () => {
    const by = await greeting()
    await by.json('automate delete Greeting --yes', on)
    const entry = await newestEntry(by.json)
    const refused = await by.run(`history undo ${entry}`, on)
    expect(refused).toMatchObject({
      exitCode: 10,
      stdout: '',
      stderr: expect.stringContaining('Creating "Greeting" again publishes its definition and requires confirmation.'),
    })
    expect(refused.stderr).toContain('Pass --yes or --confirm "Greeting" to confirm.')
    expect(writes(refused)).toEqual([])
    expect((await by.run(`history undo ${entry} --dry-run`, on)).exitCode).toBe(0)
    expect(await by.run(`history undo ${entry} --yes`, on)).toMatchObject({ exitCode: 0 })
  })
})

test('the undo of a new name requires no confirmation', async () => {
  const by = await greeting()
  await by.json('automate update Greeting --name Other')
  expect(await by.run('history undo 1')).toMatchObject({ exitCode: 0 })
})

test('the undo that disables an automation in use requires confirmation, as automate disable does', async () => {
  const { run, json, id } = await greeting({
    'bound.json': { trigger: event('phoneCallEnded', { assistant: 1 }), steps: [code('1')] },
  })
  await json('automate update Greeting --file bound.json')
  await json(`automate disable ${id} --yes`)
  await json(`automate enable ${id}`)
  const disabled = await run(`automate disable ${id}`)
  const entry = await newestEntry(json)
  const refused = await run(`history undo ${entry}`)
  expect([disabled.exitCode, refused.exitCode, writes(refused)]).toEqual([10, 10, []])
  expect(refused.stderr).toBe(disabled.stderr)
  expect(await run(`history undo ${entry} --yes`)).toMatchObject({ exitCode: 0 })
  expect(await json(`automate get ${id}`)).toMatchObject({ status: 'disabled' })
})

test.each([
  ['tools', 'lookup_patient', '--yes'],
  ['assistants', 'Front desk', '--yes'],
])('the undo that deletes %s in use requires its name, as the deletion does', async (noun, name, tooLittle) => {
  const { run, json } = operator()
  await run([noun, 'delete', name, '--confirm', name])
  const { id } = await json(`history undo ${await newestEntry(json)}`)
  // The one that was created again is used as the first one was.
  if (noun === 'tools') await json(`assistants update 1 --add-tool ${id}`)
  else await json(`assistants enable-webhook ${id} --event conversation-ended --webhook-url https://there.example/a`)
  const entries = await json(`history list --noun ${noun}`)
  const created = entries.find((it: { action: string; id: string }) => it.action === 'create' && it.id === String(id))
  const deleted = await run(`${noun} delete ${id} ${tooLittle}`)
  const refused = await run(`history undo ${created.entry} ${tooLittle}`)
  expect([deleted.exitCode, refused.exitCode, writes(refused)]).toEqual([10, 10, []])
  expect(refused.stderr).toBe(deleted.stderr)
  expect(await run(['history', 'undo', String(created.entry), '--confirm', name])).toMatchObject({ exitCode: 0 })
})
