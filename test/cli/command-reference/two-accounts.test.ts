import { beforeAll, describe, expect, test } from 'vitest'
import { failures } from '../../../src/contract/errors/failures.ts'
import type { Endpoint } from '../../../src/contract/mechanics/endpoint.ts'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { createSecretGenerator } from '../../../src/control/data-folder/secret-generator.ts'
import { deterministicUuid } from '../../../src/services/runtime/deterministic-uuid.ts'
import { operator, sampleSeed } from '../../support/operator.ts'

/** A conversation of the first account. */
const conversation = deterministicUuid(createSecretGenerator(sampleSeed)('conversation 3', 40))

/** An automation of the first account, which is made before the tests; nobody has one of another name. */
const automation = { id: '' }
const trigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
const flow = {
  trigger,
  steps: [
    {
      type: 'CODE',
      settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
    },
  ],
}
const ofAutomation = (more: object = {}) => ({
  get id() {
    return automation.id
  },
  ...more,
})

/** A run of that automation, once there is one. */
const run = { run_id: '' }

/** Endpoints about one thing, with input that names one of the first account's. */
const about: Readonly<Record<string, object>> = {
  'keys.delete': { id: 2 },
  'tools.get': { id: 1 },
  'tools.update': { id: 1, timeout: 9 },
  'tools.delete': { id: 1 },
  'numbers.update': { id: 4, nickname: 'mine' },
  'numbers.release': { id: 4 },
  'folders.update': { id: 1, name: 'mine' },
  'folders.delete': { id: 1 },
  'labels.update': { id: 1, name: 'mine' },
  'labels.delete': { id: 1 },
  'knowledge.get': { id: 1 },
  'knowledge.update': { id: 1, name: 'mine' },
  'knowledge.delete': { id: 1 },
  'knowledge.listDocuments': { id: 1 },
  'knowledge.getDocument': { id: 1, docId: 1 },
  'knowledge.createDocument': { id: 1, name: 'mine', type: 'website', url: 'https://mine.example' },
  'knowledge.updateDocument': { id: 1, docId: 1, name: 'mine' },
  'knowledge.deleteDocument': { id: 1, docId: 1 },
  'assistants.setStatus': { id: 1, status: 'active' },
  'assistants.update': { id: 1, name: 'mine' },
  'assistants.delete': { id: 1 },
  'assistants.enableConversationEndedWebhook': { assistant_id: 1, webhook_url: 'https://mine.example' },
  'assistants.disableConversationEndedWebhook': { assistant_id: 1 },
  'assistants.enablePostCallWebhook': { assistant_id: 1, webhook_url: 'https://mine.example' },
  'assistants.disablePostCallWebhook': { assistant_id: 1 },
  'assistants.enableInboundWebhook': { assistant_id: 1, webhook_url: 'https://mine.example' },
  'assistants.disableInboundWebhook': { assistant_id: 1 },
  'messaging.templates': { senderId: 1 },
  'messaging.send': { sender_id: 1, template_id: 1, recipient_phone: '+14155550123' },
  'messaging.sendFreeform': { sender_id: 1, recipient_phone: '+14155550123', message: 'Hello' },
  'messaging.session': { sender_id: 1, recipient_phone: '+14155550123' },
  'conversations.enableAi': { uuid: conversation },
  'conversations.disableAi': { uuid: conversation },
  'calls.get': { id: 1 },
  'calls.start': { assistant_id: 1, phone_number: '+14155550123' },
  'calls.delete': { id: 1 },
  'replies.generate': { assistant_id: 1, customer_identifier: 'mine', message: 'Hello' },
  'sms.send': { from: 1, to: '+14155550123', body: 'Hello' },
  'campaigns.get': { id: 1 },
  'campaigns.updateStatus': { campaign_id: 1, action: 'start' },
  'campaigns.delete': { id: 1 },
  'leads.create': { campaign_id: 1, phone_number: '+14155550123' },
  'leads.update': { id: 1, status: 'completed' },
  'leads.delete': { id: 1 },
  'sipTrunks.get': { id: 1 },
  'sipTrunks.update': { id: 1, nickname: 'mine' },
  'automate.get': ofAutomation(),
  'automate.update': ofAutomation({ name: 'mine' }),
  'automate.delete': ofAutomation(),
  'automate.restore': ofAutomation(),
  'automate.versions': ofAutomation(),
  'automate.version': ofAutomation({ number: 1 }),
  'automate.restoreVersion': ofAutomation({ number: 1 }),
  'automate.runs': ofAutomation(),
  'automate.getRun': run,
  'automate.retry': ofAutomation({ run_id: 'x' }),
}

/** The same input about something that nobody has: its first id is another one. */
function nobodys(input: object): object {
  const [name = ''] = Object.keys(input)
  return { ...input, [name]: 987_654 }
}

/** Lists of what an account has; the first one has something in each. */
const lists = [
  'keys.list',
  'tools.list',
  'numbers.list',
  'folders.list',
  'labels.list',
  'knowledge.list',
  'sipTrunks.list',
  'assistants.list',
  'messaging.senders',
  'conversations.list',
  'calls.list',
  'campaigns.list',
  'leads.list',
  'automate.list',
  'automate.listRuns',
]

/** Endpoints that are about nobody's things, each with its reason. */
const open: Readonly<Record<string, string>> = {
  'user.me': 'answers who asks',
  'keys.create': 'makes something of the caller’s own',
  'tools.create': 'makes something of the caller’s own',
  'folders.create': 'makes something of the caller’s own',
  'labels.create': 'makes something of the caller’s own',
  'knowledge.create': 'makes something of the caller’s own',
  'sipTrunks.create': 'makes something of the caller’s own',
  'assistants.create': 'makes something of the caller’s own',
  'conversations.create': 'is asked without a key, by the UUID of an assistant',
  'conversations.get': 'is asked without a key, by the UUID of a conversation',
  'conversations.send': 'is asked without a key, by the UUID of a conversation',
  'campaigns.create': 'makes something of the caller’s own',
  'automate.create': 'makes something of the caller’s own',
  'automate.apply': 'makes something of the caller’s own',
  'automate.templates': 'is the same for everybody',
  'numbers.search': 'shows what is for sale to anybody',
  'numbers.buy': 'refuses a number that anybody has, whoever that is: tested below',
  'models.list': 'is the same for everybody',
  'synthesizers.list': 'is the same for everybody',
  'transcribers.list': 'is the same for everybody',
  'voices.list': 'is the same for everybody',
  'languages.list': 'is the same for everybody',
}

const endpointOf = (name: string): Endpoint => endpoints.find((it) => it.name === name) as Endpoint

describe('another account', () => {
  const by = operator({ lasts: 'file' })
  let env: { PARLEY_API_KEY: string }
  /** What `everything` answers as long as nobody changes anything. */
  let untouched: unknown
  /** Everything the first account has, and every movement of its money. */
  const everything = async () =>
    Promise.all([...lists.map((name) => by.json(`api ${name}`)), by.json('server accounts ledger 1')])
  const call = (name: string, input: object, as = env) =>
    by.run(['api', name, '--data', JSON.stringify(input), '--yes', '--json'], { env: as })
  const messageOf = (stderr: string): string => JSON.parse(stderr).error.message
  const itemsOf = (name: string, stdout: string): { id: unknown }[] => {
    const { items = '' } = endpointOf(name)
    return items === '' ? JSON.parse(stdout) : JSON.parse(stdout)[items]
  }

  beforeAll(async () => {
    env = {
      PARLEY_API_KEY: (await by.json('server accounts create --name Second --payment-method pm_card_visa --balance 10'))
        .key,
    }
    automation.id = (
      await by.json(
        ['automate', 'create', '--name', 'Greeting', '--flow', JSON.stringify(flow)]
          .join(' ')
          .replace(/--flow (.*)$/, "--flow '$1'"),
      )
    ).automation_id
    run.run_id = (await by.json('automate runs list'))[0].id
  })

  test('is considered for every endpoint there is', () => {
    const considered = [...Object.keys(about), ...lists, ...Object.keys(open)]
    expect(endpoints.map((it) => it.name).filter((it) => !considered.includes(it))).toEqual([])
    expect(considered.filter((it) => !endpoints.some(({ name }) => name === it))).toEqual([])
  })

  test.each(Object.keys(about))('finds nothing of the first with %s, and changes nothing', async (name) => {
    untouched ??= await everything()
    const input = about[name] as object
    const { exitCode, stdout, stderr } = await call(name, input)
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(endpointOf(name).errors.map((it) => failures[it].text)).toContain(messageOf(stderr))
    expect(await everything()).toEqual(untouched)
    // The same answer as for an id that nobody has: whether somebody has it is nobody else's business.
    expect(messageOf((await call(name, nobodys(input))).stderr)).toBe(messageOf(stderr))
    // And the input was right: its owner is not told that it is not there.
    if (endpointOf(name).risk === 'read') expect((await call(name, input, {} as never)).exitCode).toBe(0)
  })

  test.each(lists)('sees nothing of the first in %s', async (name) => {
    const [first, second] = [await by.run(`api ${name} --json`), await by.run(`api ${name} --json`, { env })].map(
      (it) => itemsOf(name, it.stdout),
    )
    expect(first?.length).toBeGreaterThan(0)
    const theirs = new Set(first?.map((it) => it.id))
    expect(second?.filter((it) => theirs.has(it.id))).toEqual([])
  })

  test('has its own name, balance, key and purchases', async () => {
    expect(await by.json('whoami --fields name,total_balance', { env })).toEqual({ name: 'Second', total_balance: 10 })
    expect((await by.json('keys list', { env })).map((it: { name: string }) => it.name)).toEqual(['first'])
    const numbers = async (as = {}): Promise<string[]> =>
      (await by.json('numbers list', { env: as })).map((it: { phone_number: string }) => it.phone_number)
    const theirs = (await numbers()).find((it) => it.startsWith('+'))
    expect(await by.run(`numbers buy ${theirs} --yes`, { env })).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('already in use'),
    })
    expect(await by.json('numbers buy +15005550006 --yes', { env })).toMatchObject({ phone_number: '+15005550006' })
    expect(await numbers(env)).toEqual(['+15005550006'])
    expect(await numbers()).not.toContain('+15005550006')
    expect(await by.run('numbers buy +15005550006 --yes')).toMatchObject({ exitCode: 5 })
  })

  test('cannot use an id in any other spelling to get at the first', async () => {
    for (const id of [
      '1 ',
      '01',
      '1.0',
      '+1',
      '0x1',
      '1e0',
      '%31',
      '1/../1',
      '1?x=',
      '1;',
      'lookup_patient',
      '-1',
      '0',
      '9007199254740993',
    ]) {
      const { exitCode } = await call('tools.get', { id })
      expect({ id, exitCode }).toEqual({ id, exitCode: 4 })
    }
  })
})
