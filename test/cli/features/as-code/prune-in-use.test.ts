import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { code, event } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

/** An operator with the enabled automation "Bound", which the end of a call of "Front desk" starts. */
async function bound(): Promise<Operator> {
  const by = operator()
  const definition = { trigger: event('phoneCallEnded', { assistant: 1 }), steps: [code('1')] }
  writeFileSync(join(by.cwd, 'bound.json'), JSON.stringify(definition))
  await by.json('automate create --name Bound --file bound.json')
  return by
}

test.each([
  ['automate pull', 'automate push --prune', 'automations/bound.yaml'],
  ['pull', 'push --prune', 'parley/automations/bound.yaml'],
])(
  'after %s, "%s" deletes an automation in use only after confirmation by name, as automate delete does',
  async (pull, push, file) => {
    const by = await bound()
    const deleted = await by.run('automate delete Bound --yes')
    await by.run(pull)
    rmSync(join(by.cwd, file))
    const refused = await by.run(`${push} --yes`)
    expect([deleted.exitCode, refused.exitCode]).toEqual([10, 10])
    const effect = 'no longer starts an automation.'
    expect([deleted.stderr, refused.stderr]).toEqual([expect.stringContaining(effect), expect.stringContaining(effect)])
    expect(refused.stderr).toContain('Pass --confirm "Bound", or')
    expect((await by.run(push)).stderr).toContain('Pass --confirm "Bound" and --yes, or')
    expect(await by.json('automate list')).toContainEqual(expect.objectContaining({ name: 'Bound' }))
    await by.run(`${push} --yes --confirm Bound`)
    expect(await by.json('automate list')).not.toContainEqual(expect.objectContaining({ name: 'Bound' }))
  },
)

test('an update that sends a definition and disables an automation in use requires confirmation, as automate disable does', async () => {
  const by = await bound()
  const disabled = await by.run('automate disable Bound')
  const updated = await by.run('automate update Bound --file bound.json --no-enabled')
  expect([disabled.exitCode, updated.exitCode]).toEqual([10, 10])
  expect(updated.stderr).toContain(disabled.stderr)
  expect(updated.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  const { exitCode } = await by.run('automate update Bound --file bound.json --no-enabled --yes')
  expect(exitCode).toBe(0)
  expect(await by.json('automate get Bound')).toMatchObject({ status: 'disabled' })
})

test('a push of a file with enabled: false asks before it disables an automation in use', async () => {
  const by = await bound()
  await by.run('automate pull')
  const file = join(by.cwd, 'automations/bound.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('enabled: true', 'enabled: false'))
  const refused = await by.run('automate push')
  expect(refused).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('Disabling "Bound" requires confirmation: it is in use.'),
  })
  expect(refused.stderr).toContain('no longer starts an automation.')
  expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  expect(await by.run('automate push --yes')).toMatchObject({ exitCode: 0 })
  expect(await by.json('automate get Bound')).toMatchObject({ status: 'disabled' })
})
