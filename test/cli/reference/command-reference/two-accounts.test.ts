import { beforeAll, describe, expect, test } from 'vitest'
import { isRequired } from '../../../../src/contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { failures } from '../../../../src/contract/errors/failures.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { exampleInput } from '../../../../src/generate/example-input.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { deterministicUuid } from '../../../../src/platform/services/runtime/deterministic-uuid.ts'
import { operator, sampleSeed } from '../../../support/operator.ts'

/** A conversation of the first account. */
const conversation = deterministicUuid(createSecretGenerator(sampleSeed)('conversation 3', 40))

/** An automation of the first account, created before the tests; its name is unique. */
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
/** A run of that automation, once there is one. */
const run = { run_id: '' }
/** An operation that waits for a person, once there is one. */
const waiting = { id: '' }

/** Ids of the first account's resources, by the names under which the conformance check stores them, and by resource. */
const ids = {
  key: 2,
  number: 4,
  conversation,
  conversations: conversation,
  get automation() {
    return automation.id
  },
  get automate() {
    return automation.id
  },
  get 'automate.listRuns'() {
    return run.run_id
  },
  get approvals() {
    return waiting.id
  },
  run: 'x',
}

/** Endpoints that take more than the conformance check sends. */
const special: Readonly<Record<string, object>> = {
  'campaigns.updateStatus': { campaign_id: 1, action: 'start' },
  get 'automate.rerun'() {
    return { run_id: run.run_id }
  },
  get 'automate.cancelRun'() {
    return { run_id: run.run_id }
  },
  'contacts.cancelWaiting': { waiting_id: 1 },
  'contacts.sendWaiting': { waiting_id: 1 },
}

/** The same input with an unknown id in first place. */
function nobodys(input: object): object {
  const [name = ''] = Object.keys(input)
  return { ...input, [name]: 987_654 }
}

/** Endpoints that show nothing of an account, each with its reason. */
const open: Readonly<Record<string, string>> = {
  'user.me': 'answers who asks',
  'user.references': 'names a kind and an id: references.databases.test.ts asks as another account',
  'user.activity': 'answers who asks',
  'user.stop': 'stops who asks',
  'user.resume': 'resumes who asks',
  'billing.summary': 'answers who asks',
  'keys.create': 'makes something of the caller’s own',
  'approvals.create': 'makes something of the caller’s own',
  'approvals.decide': 'needs a key of its own: approvals.databases.test.ts tries that of another account',
  'approvals.start': 'names an operation as approvals.get does',
  'approvals.recordRequest': 'names an operation as approvals.get does',
  'approvals.end': 'names an operation as approvals.get does',
  'tools.create': 'makes something of the caller’s own',
  'folders.create': 'makes something of the caller’s own',
  'labels.create': 'makes something of the caller’s own',
  'knowledge.create': 'makes something of the caller’s own',
  'sipTrunks.create': 'makes something of the caller’s own',
  'assistants.create': 'makes something of the caller’s own',
  'contacts.block': 'makes something of the caller’s own',
  'contacts.unblock': 'names numbers: blocked-contacts.databases.test.ts tries those of another account',
  'contacts.settings': 'answers who asks',
  'contacts.hours': 'answers who asks',
  'contacts.updateSettings': 'makes something of the caller’s own',
  'contacts.updateHours': 'makes something of the caller’s own',
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

/** Lists of what an account has, which need no input. The first account has something in each. */
const lists = endpoints
  .filter((it: Endpoint) => it.items !== undefined && !Object.hasOwn(open, it.name))
  .filter(
    (it: Endpoint) => !Object.values({ ...it.params?.shape, ...it.query?.shape }).some((field) => isRequired(field)),
  )
  .map((it) => it.name as string)

/** Input that names a resource of the first account; undefined for endpoints that name none. */
const inputOf = (name: string): object | undefined => special[name] ?? exampleInput(endpointOf(name), ids)

/** Endpoints for a single resource. */
const about = endpoints
  .map((it) => it.name)
  .filter((name) => !lists.includes(name) && !Object.hasOwn(open, name) && inputOf(name) !== undefined)

describe('another account', () => {
  const by = operator({ lasts: 'file' })
  let env: { PARLEY_API_KEY: string }
  /** What `everything` answered before the other account tried to change it. */
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
    await by.json('messaging send --sender 1 --to +14155550142 --text Hello --yes')
    run.run_id = (await by.json('automate runs list'))[0].id
    await by.json('contacts block +14155550149 --channel sms')
    const today = Date.parse((await by.json('server clock get')).now)
    const days = [-1, 0, 1].map((n) => new Date(today + n * 86_400_000).toISOString().slice(0, 10))
    await by.run(`contacts update-hours --holidays ${days.join(',')}`)
    await by.run('calls start +14155550142 --assistant Recall --yes')
    const plan = {
      summary: 'Buy a number.',
      command: ['numbers', 'buy'],
      folder: '/',
      profile: 'local',
      platform: 'embedded:',
      requests: [],
    }
    const asked = await by.run([
      'api',
      'approvals.create',
      '--json',
      '--data',
      JSON.stringify({ plan, asked_by: null }),
    ])
    waiting.id = JSON.parse(asked.stdout).data.id
    untouched = await everything()
  })

  test('is tested for every endpoint', () => {
    const considered = [...about, ...lists, ...Object.keys(open)]
    expect(
      endpoints.map((it) => it.name).filter((it) => !considered.includes(it)),
      'Endpoints that no test here calls. A write needs a step in src/cli/features/doctor/conformance/write-steps.ts; others their input in "special", or a reason in "open"',
    ).toEqual([])
    expect(
      considered.filter((it) => !endpoints.some(({ name }) => name === it)),
      'Endpoints that are gone. Remove them from "special" or "open"',
    ).toEqual([])
  })

  test.each(about)('cannot read or change the first account with %s', async (name) => {
    const input = inputOf(name) as object
    const { exitCode, stdout, stderr } = await call(name, input)
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 4, stdout: '' })
    expect(endpointOf(name).errors.map((it) => failures[it].text)).toContain(messageOf(stderr))
    // The same answer as for an unknown id, so that it does not reveal whether the resource exists.
    expect(messageOf((await call(name, nobodys(input))).stderr)).toBe(messageOf(stderr))
    // And the input was valid: its owner does not get a not_found.
    if (endpointOf(name).risk === 'read') expect((await call(name, input, {} as never)).exitCode).toBe(0)
  })

  test('has changed nothing in the first account', async () => {
    expect(await everything()).toEqual(untouched)
  })

  test.each(lists)('sees no resource of the first account in %s', async (name) => {
    const [first, second] = [await by.run(`api ${name} --json`), await by.run(`api ${name} --json`, { env })].map(
      (it) => itemsOf(name, it.stdout),
    )
    expect(
      first?.length,
      `The sample data has nothing in ${name}. Add it in src/platform/control/seed, or make it in beforeAll`,
    ).toBeGreaterThan(0)
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

  test('cannot use another spelling of an id to read the first account', async () => {
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
