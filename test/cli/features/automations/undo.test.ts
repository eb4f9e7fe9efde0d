import { describe, expect, test } from 'vitest'
import { code, hook, http, respond } from '../../../support/flow-definitions.ts'
import type { Run, RunOptions } from '../../../support/operator.ts'
import { greet, greeting, isRestore, plain, running } from './deployments.ts'

/** Takes another sample than `greet`: whatever one accepts the other refuses. */
const other = {
  trigger: hook,
  steps: [
    code('inputs.city ? 1 : inputs.nobody.city', { city: "{{trigger['body']['city']}}" }),
    respond({ text: 'Other city' }),
  ],
}
const failsThere = { trigger: hook, steps: [http('GET', 'http://127.0.0.1:9/'), respond({ text: 'There' })] }

const writes = ({ requests }: Run): readonly string[] =>
  requests.filter((it) => !it.startsWith('GET')).map((it) => it.replace(/\w{21}/, 'X'))

describe.each<[string, RunOptions]>([
  ['a Parley server', {}],
  ['a deployment that publishes before it tests', plain()],
])('on %s', (_, on) => {
  test('undoing an update restores the previous version and leaves it enabled, although the newer sample fails it', async () => {
    const by = await greeting({ 'other.json': other })
    expect(await by.run('automate update Greeting --file other.json --sample \'{"city": "Rome"}\'', on)).toMatchObject({
      exitCode: 0,
    })
    const undone = await by.run('history undo 1 --yes', on)
    expect(undone).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored automation "Greeting"/),
      stderr: expect.stringContaining('It is enabled.'),
    })
    expect(writes(undone).every((it) => /POST .*\/restore$/.test(it))).toBe(true)
    expect(await running(by)).toEqual(['enabled', 'Hello'])
    const [{ entry }] = await by.json('history list --noun automate', on)
    expect(await by.run(`history undo ${entry} --yes`, on)).toMatchObject({ exitCode: 0 })
    expect(await running(by)).toEqual(['enabled', 'Other'])
  })

  test('an undo of an update that was left disabled by its test enables it again', async () => {
    const by = await greeting({ 'there.json': failsThere })
    expect(await by.run('automate update Greeting --file there.json --no-rollback-on-failure', on)).toMatchObject({
      exitCode: 20,
    })
    expect(await running(by)).toEqual(['disabled', 'There'])
    expect(await by.run('history undo 1 --yes', on)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('It is enabled.'),
    })
    expect(await running(by)).toEqual(['enabled', 'Hello'])
  })

  test('an undo of a restore shows what changes and asks first; --dry-run sends nothing', async () => {
    const by = await greeting()
    await by.json('automate update Greeting --file bye.json', on)
    expect(await by.run('automate restore Greeting --yes', on)).toMatchObject({ exitCode: 0 })
    const [{ entry }] = await by.json('history list --noun automate', on)
    const shown = await by.run(`history undo ${entry} --dry-run`, on)
    expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/"Hello .*" -> "Bye /) })
    expect(writes(shown)).toEqual([])
    const refused = await by.run(`history undo ${entry}`, on)
    expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('No runs in progress.') })
    expect(writes(refused)).toEqual([])
    expect(await by.run(`history undo ${entry}`, { ...on, answers: [['Restore ', 'another']] })).toMatchObject({
      exitCode: 10,
    })
    expect(await by.run(`history undo ${entry} --yes`, on)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored /),
    })
    expect(await running(by)).toEqual(['enabled', 'Bye'])
  })

  test('an undo of a change of the name and state is read back', async () => {
    const by = await greeting()
    await by.json('automate update Greeting --name Other --no-enabled', on)
    expect(await by.run('history undo 1', on)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored /),
    })
    expect(await by.json('automate get Greeting')).toMatchObject({ name: 'Greeting', status: 'enabled' })
    await by.json('automate disable Greeting', on)
    const [{ entry }] = await by.json('history list --noun automate', on)
    const { json, id } = by
    const deaf = plain(async (handle, request) =>
      request.method === 'PUT'
        ? {
            status: 200,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ data: { id, name: 'Greeting', status: 'enabled', updated: true } }),
          }
        : handle(request),
    )
    expect(await by.run(`history undo ${entry}`, deaf)).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('the state (disabled, not enabled)'),
    })
    expect(await json('automate get Greeting')).toMatchObject({ status: 'disabled' })
  })
})

test('an undo to a version before the previous one sends an update with the sample of that time', async () => {
  const by = await greeting({ 'other.json': other, 'third.json': greet('Third') })
  await by.json('automate update Greeting --file other.json --sample \'{"city": "Rome"}\'', plain())
  await by.json('automate update Greeting --file third.json --sample \'{"name": "Bob"}\'', plain())
  const undone = await by.run('history undo 1 --force --yes', plain())
  expect(undone).toMatchObject({ exitCode: 0 })
  expect(writes(undone)).toEqual(['PUT /api/user/automate/flows/X'])
  expect(await running(by)).toEqual(['enabled', 'Hello'])
})

test('an undo that fails its test on the platform changes nothing: exit 20 reports what is live', async () => {
  const by = await greeting({ 'there.json': failsThere, 'third.json': greet('Third') })
  await by.run('automate update Greeting --file there.json --no-rollback-on-failure', plain())
  await by.run('automate update Greeting --file bye.json --enabled --sample \'{"name": "Ada"}\'', plain())
  await by.run('automate update Greeting --file third.json', plain())
  const before = await running(by)
  expect(before).toEqual(['enabled', 'Third'])
  const undone = await by.run('history undo 2 --force --yes', plain())
  expect(undone).toMatchObject({
    exitCode: 20,
    stdout: expect.stringMatching(/^Not undone: .*The previous version is live again.*It is enabled\./),
  })
  expect(await running(by)).toEqual(before)
})

test('an undo whose restore activates another version reverts that and sends the content', async () => {
  const by = await greeting()
  await by.json('automate update Greeting --file bye.json', plain())
  let restores = 0
  const odd = plain(async (handle, request) => {
    if (isRestore(request) && ++restores === 1) {
      // Somebody has published twice since, with the same content in the end.
      await by.json('automate restore Greeting --yes')
      await by.json('automate update Greeting --file hello.json --sample \'{"name": "X"}\'')
      await by.json('automate update Greeting --file bye.json --sample \'{"name": "X"}\'')
    }
    return handle(request)
  })
  expect(await by.run('history undo 1 --yes', odd)).toMatchObject({ exitCode: 0 })
  expect(await running(by)).toEqual(['enabled', 'Hello'])
})

test('an undo of a deletion ends with 20 if the test of the new automation fails', async () => {
  const by = await greeting({ 'there.json': failsThere })
  await by.run('automate update Greeting --file there.json --no-rollback-on-failure')
  await by.json('automate enable Greeting')
  await by.json('automate delete Greeting --yes')
  const [{ entry }] = await by.json('history list --noun automate')
  expect(await by.run(`history undo ${entry} --yes`)).toMatchObject({
    exitCode: 20,
    stderr: expect.stringContaining('it is disabled'),
  })
})

test('an undo of a deletion says that the webhook has another URL', async () => {
  const by = await greeting()
  await by.json('automate delete Greeting --yes')
  const [{ entry }] = await by.json('history list --noun automate')
  expect(await by.run(`history undo ${entry} --yes`)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('and the URL of its webhook is new.'),
  })
  // The URL is made of the id, which is new.
  const { id, webhook_url } = await by.json('automate get Greeting')
  expect(webhook_url).toContain(id)
})
