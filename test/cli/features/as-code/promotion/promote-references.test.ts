import { expect, test } from 'vitest'
import { hook, http, respond } from '../../../../support/flow-definitions.ts'
import { productionUrl, stagingUrl, type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

const confirmed = '--from staging --to production --confirm production --confirm-side-effects'
const [dental, surveys] = ['+14155550170', '+14155550174']
const webhooks = '/automate/api/v1/webhooks'

const template = (language: string, name = 'reminder') => ({
  name,
  language,
  category: 'utility',
  status: 'approved',
  body_text: 'See you soon.',
  variables: [],
})

interface Sender {
  readonly phone_number: string
  readonly templates: readonly object[]
}

const platformStep = (actionName: string, input: object) => ({
  name: 'step_1',
  type: 'PIECE',
  displayName: 'Act',
  settings: { pieceName: '@platform/piece-platform', actionName, input },
})

const called = {
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-subflows', triggerName: 'callableFlow', input: {} },
  },
  steps: [respond('done')],
}

const callStep = (flow: unknown) => ({
  name: 'step_1',
  type: 'PIECE',
  displayName: 'Call',
  settings: { pieceName: '@engine/piece-subflows', actionName: 'callFlow', input: { flow, waitForResponse: false } },
})

/** Returns an account with senders and automations. Their ids follow their order. */
const account = (senders: readonly Sender[], automations: readonly object[] = [], more: object = {}) => ({
  version: 1,
  accounts: [
    {
      name: 'Clinic',
      balance: 100,
      payment_method: 'pm_card_visa',
      ...more,
      assistants: [
        {
          name: 'Front desk',
          type: 'inbound',
          mode: 'pipeline',
          voice_id: 'Amelia',
          language_id: 'English',
          llm_model_id: 'Balanced',
          timezone: 'Europe/London',
          initial_message: 'Hello',
          system_prompt: 'You answer the phone.',
        },
      ],
      senders: senders.map((sender) => ({
        display_name: 'Clinic',
        status: 'online',
        assistant_id: 'Front desk',
        messaging_limit: 1000,
        ...sender,
      })),
      automations,
    },
  ],
})

const staging = [
  { phone_number: dental, templates: [template('en'), template('de')] },
  { phone_number: surveys, templates: [template('en')] },
]
const production = [
  { phone_number: surveys, templates: [template('en')] },
  { phone_number: dental, templates: [template('fr'), template('de'), template('en')] },
]

const stepInput = async (on: TwoPlatforms, name: string): Promise<Record<string, unknown>> =>
  (await on.json('production', `automate get ${name}`)).definition.nextAction.settings.input

const automation = (name: string, step: object) => ({ name, enabled: false, flow: { trigger: hook, steps: [step] } })

test('a template in a step becomes the template with its name and language of the same sender', async () => {
  const send = (template: unknown) => platformStep('sendTemplate', { sender: dental, template, to: '+14155550142' })
  const on = await twoPlatforms(
    account(production),
    undefined,
    account(staging, [
      automation('German', send(2)),
      automation('Text', send('1')),
      automation('Any', send('reminder')),
    ]),
  )
  expect(await on.run('pull files --profile staging --only automations')).toMatchObject({ exitCode: 0 })
  on.takeWrites()
  const unconfirmed = await on.run('promote --from staging --to production --confirm production')
  expect([unconfirmed.exitCode, on.takeWrites()]).toEqual([10, []])
  expect(unconfirmed.stderr).toContain('  automations/german.yaml: Act')
  const done = await on.run(`promote --only automations ${confirmed}`)
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  expect(await stepInput(on, 'German')).toMatchObject({ sender: 2, template: 3 })
  expect(await stepInput(on, 'Text')).toMatchObject({ sender: 2, template: 4 })
  expect(await stepInput(on, 'Any')).toMatchObject({ sender: 2, template: 'reminder' })
  on.takeWrites()
  expect(await on.run(`promote --only automations ${confirmed}`)).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])
  // The files of staging are those of production, too.
  expect(await on.run('diff files --profile production --only automations')).toMatchObject({ exitCode: 0 })
})

test('a template of a campaign is found by its name and language, also where the file has only its name', async () => {
  const campaign = {
    name: 'Reminders',
    channel: 'messaging',
    messaging_sender_id: dental,
    messaging_template_id: 'german',
  }
  const on = await twoPlatforms(
    account(production),
    undefined,
    account([{ phone_number: dental, templates: [template('en'), { ...template('de'), ref: 'german' }] }], [], {
      campaigns: [campaign],
    }),
  )
  const done = await on.run(`promote campaigns/reminders ${confirmed}`)
  expect(done.exitCode, done.stderr).toBe(0)
  const [{ messaging_sender_id, messaging_template_id }] = await on.json('production', 'campaigns list')
  expect([messaging_sender_id, messaging_template_id]).toEqual([2, 3])
  on.takeWrites()
  expect(await on.run(`promote campaigns/reminders ${confirmed}`)).toMatchObject({ exitCode: 0, stdout: '' })
  expect(on.takeWrites()).toEqual([])
})

test('ids that the target cannot have are all named in one error with the secrets, and nothing is sent', async () => {
  const on = await twoPlatforms(
    account([{ phone_number: dental, templates: [template('fr'), template('es'), template('es')] }]),
    undefined,
    account(staging, [
      automation('A', platformStep('sendTemplate', { sender: dental, template: 2, to: '+14155550142' })),
      automation('B', platformStep('sendTemplate', { sender: '{{trigger.sender}}', template: 2, to: '+14155550142' })),
      automation('C', platformStep('sendMessage', { sender: surveys, to: '+14155550142', body: 'Hi' })),
      automation('D', platformStep('deleteLead', { lead: 7 })),
      automation('E', callStep('Nobody')),
      automation('F', platformStep('makePhoneCall', { assistant: '99', phone_number: '+14155550142' })),
      automation('G', platformStep('sendTemplate', { sender: dental, template: 'reminder', to: '+14155550142' })),
      automation('H', platformStep('sendTemplate', { sender: dental, template: 'goodbye', to: '+14155550142' })),
      automation('I', http('GET', 'https://crm.example', { headers: { Authorization: 'Bearer secret-of-staging' } })),
    ]),
  )
  const refused = await on.run(`promote --only automations ${confirmed}`)
  expect([refused.exitCode, on.takeWrites()]).toEqual([2, []])
  const input = 'flow.steps.0.settings.input'
  for (const sentence of [
    `automations/a.yaml: ${input}.template: no template "reminder (de)"`,
    `automations/b.yaml: ${input}.template: template 2 of the source has no unique name`,
    `automations/c.yaml: ${input}.sender: no sender "${surveys}"`,
    `automations/d.yaml: ${input}.lead: lead 7 of the source has no name`,
    `automations/e.yaml: ${input}.flow: no automation "Nobody"`,
    `automations/f.yaml: ${input}.assistant: assistant 99 of the source has no unique name`,
    `automations/h.yaml: ${input}.template: no template "goodbye"`,
    'not set in the environment: I_STEP_1_AUTHORIZATION',
    'export I_STEP_1_AUTHORIZATION=…',
  ])
    expect(refused.stderr).toContain(sentence)
  expect(refused.stderr).not.toContain('automations/g.yaml: ')
})

test('a called automation is found by its name, is promoted before its callers, and may call itself', async () => {
  const on = await twoPlatforms(account([]), undefined, account([], [{ name: 'Called', flow: called }]))
  const [{ id }] = await on.json('staging', 'automate list')
  const create = async (name: string, flow: unknown): Promise<void> => {
    const file = JSON.stringify({ name, flow: { trigger: hook, steps: [callStep(flow)] } })
    const run = await on.run(`automate create --profile staging --file - --confirm-side-effects`, { stdin: file })
    expect(run.exitCode, run.stderr).toBe(0)
  }
  await create('By id', id)
  await create('An editor', { externalId: id })
  const loop = { ...called, steps: [{ ...callStep('Loop'), name: 'step_1' }] }
  await on.run('automate create --profile staging --file - --confirm-side-effects', {
    stdin: JSON.stringify({ name: 'Loop', flow: loop }),
  })
  const done = await on.run(`promote --only automations ${confirmed} --json`)
  const rows = JSON.parse(done.stdout)
  expect(rows.map((it: { name: string }) => it.name).indexOf('Called')).toBe(0)
  const live = await on.json('production', 'automate list')
  const target = live.find((it: { name: string }) => it.name === 'Called').id
  expect(target).not.toBe(id)
  expect((await stepInput(on, '"By id"')).flow).toBe(target)
  expect((await stepInput(on, '"An editor"')).flow).toEqual({ externalId: target })
  expect((await stepInput(on, 'Loop')).flow).toBe('Loop')
  expect(done.stderr + done.stdout).not.toContain(id)
})

test('the addresses of automations in steps become those of the target', async () => {
  const receiver = { name: 'Receiver', enabled: true, flow: { trigger: hook, steps: [respond('ok')] } }
  const id = 'receiver-of-staging-1'
  const second = automation('Second', { ...http('POST', `${stagingUrl}${webhooks}/${id}`), name: 'step_1' })
  const on = await twoPlatforms(account([], [receiver]), undefined, account([], [{ ...receiver, id }, second]))
  const own = (await on.json('production', 'automate list'))[0].id
  const steps = [
    http('POST', `${stagingUrl}${webhooks}/${id}/sync?from={{trigger.body.from}}`),
    http('POST', `{{trigger.body.base}}${webhooks}/${id}`),
    http('POST', `https://crm.example/hooks`, { body: { text: `Answer at ${stagingUrl}${webhooks}/${id}. Thanks` } }),
    http('POST', `${stagingUrl}${webhooks}/unknown-id`),
  ].map((it, n) => ({ ...it, name: `step_${n + 1}` }))
  await on.run('automate create --profile staging --file - --confirm-side-effects', {
    stdin: JSON.stringify({ name: 'Caller', flow: { trigger: hook, steps } }),
  })
  const promoted = await on.run(`promote automations/caller --skip-local-test ${confirmed}`)
  // The test calls addresses that do not exist here.
  expect(promoted.exitCode, promoted.stderr).toBe(20)
  const text = JSON.stringify((await on.json('production', 'automate get Caller')).definition)
  expect(text).toContain(`${productionUrl}${webhooks}/${own}/sync?from={{trigger.body.from}}`)
  expect(text).toContain(`{{trigger.body.base}}${webhooks}/${own}`)
  expect(text).toContain(`Answer at ${productionUrl}${webhooks}/${own}. Thanks`)
  expect(text).not.toContain(id)
  await on.run(['--profile', 'production', 'automate', 'update', own, '--name', 'Other'])
  on.takeWrites()
  expect(await on.run(`promote automations/second ${confirmed}`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      'automations/second.yaml: flow.steps.0.settings.input.url: no automation "Receiver", whose address it is.',
    ),
  })
  expect(on.takeWrites()).toEqual([])
})
