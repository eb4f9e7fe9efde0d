import { expect, test } from 'vitest'
import { event, hook, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'
import { pulled, read, write, writes } from './code-folder.ts'
import { productionUrl, stagingUrl, twoPlatforms } from './promotion/two-platforms.ts'

const webhooks = '/automate/api/v1/webhooks'
const confirmed = '--from staging --to production --confirm production --confirm-side-effects'
const file = 'tools/move-visit.yaml'

const receiver = { name: 'Move a visit', enabled: true, flow: { trigger: hook, steps: [respond({ ok: true })] } }
const tool = {
  name: 'move_visit',
  description: 'Move a visit to another day.',
  type: 'automation',
  automation_id: 'Move a visit',
  endpoint: `${stagingUrl}${webhooks}/move-visit-of-staging/sync`,
  method: 'POST',
}
const desk = {
  name: 'Front desk',
  type: 'inbound',
  mode: 'pipeline',
  voice_id: 'Amelia',
  language_id: 'English',
  llm_model_id: 'Balanced',
  timezone: 'Europe/London',
  initial_message: 'Hello',
  system_prompt: 'You answer the phone.',
  tool_ids: ['move_visit'],
}
const account = (more: object = {}) => ({ version: 1, accounts: [{ name: 'Clinic', ...more }] })
const clinic = (automation: object = {}) =>
  account({
    tools: [tool],
    assistants: [desk],
    automations: [{ ...receiver, id: 'move-visit-of-staging', ...automation }],
  })

/** Returns the tool of production, and the name of the automation that it calls. */
async function toolOfProduction(on: Awaited<ReturnType<typeof twoPlatforms>>) {
  const [found] = await on.json('production', 'tools list')
  const called = (await on.json('production', 'automate list')).find(
    ({ id }: { id: string }) => found?.endpoint === `${productionUrl}${webhooks}/${id}/sync`,
  )
  return { ...found, calls: called?.name }
}

test('a tool that runs an automation is pulled with the name of the automation, and can be named', async () => {
  const on = await twoPlatforms(account(), undefined, clinic())
  expect(await on.run('pull --profile staging')).toMatchObject({ exitCode: 0 })
  expect(read(on.by, file)).toContain('automation: Move a visit\n')
  expect(read(on.by, file)).not.toMatch(/endpoint|move-visit-of-staging/)
  expect(await on.run('diff --profile staging')).toMatchObject({ exitCode: 0 })
  expect(await on.run('pull tools/move-visit --profile staging')).toMatchObject({ exitCode: 0 })
})

test('its files are pushed to an empty account, where it calls the automation of that account', async () => {
  const on = await twoPlatforms(account(), undefined, clinic())
  await on.run('pull --profile staging')
  expect(await on.run('push --profile production --dry-run')).toMatchObject({ exitCode: 0 })
  const done = await on.run('push --profile production --yes --confirm-side-effects')
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  const created = await toolOfProduction(on)
  expect(created).toMatchObject({ name: 'move_visit', calls: 'Move a visit', method: 'POST' })
  expect((await on.json('production', 'assistants list'))[0].tool_ids).toEqual([created.id])
  on.takeWrites()
  expect(await on.run('push --profile production')).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])
})

test.each([
  ['started by a webhook', {}],
  // The tool needs the automation, which needs the assistant, which needs the tool.
  [
    'bound to the assistant that has the tool',
    { flow: { trigger: event('phoneCallEnded', { assistant: 1 }), steps: [respond({ ok: true })] } },
  ],
])('it is promoted to an empty account with an automation %s', async (_, automation) => {
  const on = await twoPlatforms(account(), undefined, clinic(automation))
  const done = await on.run(`promote ${confirmed}`)
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  const created = await toolOfProduction(on)
  expect(created).toMatchObject({ name: 'move_visit', calls: 'Move a visit' })
  expect((await on.json('production', 'assistants list'))[0].tool_ids).toEqual([created.id])
  on.takeWrites()
  expect(await on.run(`promote ${confirmed}`)).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])
  expect(await on.run('promote undo --to production --confirm production')).toMatchObject({ exitCode: 0 })
  expect(await on.json('production', 'tools list')).toEqual([])
})

test('the fields that the platform takes are pushed, and what it would ignore is refused', async () => {
  const on = await twoPlatforms(account(), undefined, clinic())
  await on.run('pull --profile staging')
  const original = read(on.by, file)
  const push = () => on.run('push tools/move-visit --profile staging --yes')
  write(on.by, file, original.replace('to another day', 'to any day'))
  on.takeWrites()
  expect(await push()).toMatchObject({ exitCode: 0 })
  expect(on.takeWrites()).toEqual(['staging PUT /api/user/tools/1'])
  write(on.by, file, original.replace('method: POST', 'method: PUT'))
  expect(await push()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('method does not apply with type automation'),
  })
  await on.run(['automate', 'create', '--profile', 'staging', '--file', '-', '--confirm-side-effects'], {
    stdin: JSON.stringify({ ...receiver, name: 'Other' }),
  })
  write(on.by, file, original.replace('automation: Move a visit', 'automation: Other'))
  expect(await push()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not change the link. Nothing was changed.'),
  })
  write(on.by, file, original)
  write(
    on.by,
    'tools/new.yaml',
    original.replaceAll(/move_visit|Move a v/g, (it) => (it === 'move_visit' ? 'new' : 'Mov a v')),
  )
  expect(await on.run('push tools/new --profile staging --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('automation "Mov a visit" not found. Did you mean "Move a visit"?'),
  })
})

test('a file with the address of its automation, as earlier versions wrote it, is unchanged', async () => {
  const on = await twoPlatforms(account(), undefined, clinic())
  const made = await on.run(
    'tools create --profile staging --from-automation "Move a visit" --name move_it --description "Move one."',
  )
  expect(made.exitCode, made.stderr).toBe(0)
  await on.run('pull --profile staging')
  const text = read(on.by, 'tools/move-it.yaml')
  expect(text).toContain('automation: Move a visit')
  for (const origin of [stagingUrl, `\${PLATFORM_URL}`]) {
    const address = `endpoint: ${origin}${webhooks}/move-visit-of-staging/sync`
    write(on.by, 'tools/move-it.yaml', text.replace('automation: Move a visit', address))
    expect(await on.run('diff --profile staging')).toMatchObject({ exitCode: 0 })
  }
})

test('a file of a tool can be used with "tools create"', async () => {
  const on = await twoPlatforms(account({ automations: [receiver] }), undefined, clinic())
  await on.run('pull --profile staging')
  const made = await on.run(`tools create --profile production --file parley/${file}`)
  expect(made.exitCode, made.stderr).toBe(0)
  expect(await toolOfProduction(on)).toMatchObject({ calls: 'Move a visit' })
})

test('endpoint and automation together are refused', async () => {
  const by = await pulled()
  write(by, 'tools/x.yaml', 'name: x\ndescription: X.\nendpoint: https://x.example\nautomation: Opening hours\n')
  expect(await by.run('push')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('endpoint and automation cannot be combined'),
  })
})

test('a tool of the local platform calls an automation of it', async () => {
  const by = operator()
  await by.run('pull')
  write(by, 'tools/hours.yaml', 'name: hours\ndescription: Opening hours.\nautomation: Opening hours\n')
  const done = await by.run('push')
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  const again = await by.run('push')
  expect([again.exitCode, writes(again.requests)]).toEqual([0, []])
})

test('a tool whose automation does not exist is named with what creates it', async () => {
  const on = await twoPlatforms(
    account(),
    undefined,
    account({
      tools: [{ ...tool, automation_id: 'gone-automation', endpoint: `${stagingUrl}${webhooks}/gone-automation/sync` }],
      assistants: [desk],
    }),
  )
  const refused = await on.run(`promote ${confirmed}`)
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('tools/move-visit.yaml: automation: no automation "gone-automation"')
  expect(refused.stderr).toContain('parley tools create --profile production --name move_visit --from-automation <id>')
  expect(on.takeWrites()).toEqual([])
})
