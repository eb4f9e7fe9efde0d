// `doctor --conformance`: the order of all checks, and the accounts in which they write. The rules of single checks are in
// the other files of this folder, and results are collected by conformance-checker.ts.

import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { property } from '../../../../client/response-body.ts'
import { isLoopback } from '../../../../client/transport/platform-address.ts'
import { accounts } from '../../../../contract/control/accounts.ts'
import { deliveries } from '../../../../contract/control/deliveries.ts'
import { platform } from '../../../../contract/control/platform.ts'
import { simulate } from '../../../../contract/control/simulate.ts'
import { webhooks } from '../../../../contract/control/webhooks.ts'
import type { FailureName } from '../../../../contract/errors/failures.ts'
import { calls } from '../../../../contract/resources/calls.ts'
import { contacts } from '../../../../contract/resources/contacts.ts'
import { endpoints } from '../../../../contract/resources/index.ts'
import { waitingOf } from '../../../../contract/values/waiting-answer.ts'
import { realTime } from '../../../../node/real-time.ts'
import type { Settings } from '../../../program/configuration/settings.ts'
import type { Connection } from '../../../program/connection/connect.ts'
import type { Context } from '../../../program/context.ts'
import { userAgentOf } from '../../../program/system.ts'
import { ConformanceChecker, endpointOf } from './conformance-checker.ts'
import { ConformanceReport, type ConformanceResult } from './conformance-report.ts'
import { CheckBudget, type SessionOptions } from './conformance-session.ts'
import { unknownIds } from './endpoint-tables.ts'
import {
  checkDeliveries,
  type DeliveryCheck,
  type ReceiverOptions,
  retriedPaths,
  WebhookReceiver,
} from './webhook-deliveries.ts'
import { codeFlow } from './write-step.ts'
import {
  createSteps,
  deleteSteps,
  lookupSteps,
  messageLookupSteps,
  messageSteps,
  plantedSecrets,
  senderSteps,
  testNumber,
  waitingSteps,
} from './write-steps.ts'

const webhookFlow = (steps: readonly object[], trigger: object = {}): object => ({
  ...(codeFlow('1') as object),
  steps,
  ...trigger,
})
const postingStep = {
  name: 'step_1',
  displayName: 'Tell',
  type: 'PIECE',
  settings: {
    pieceName: '@engine/piece-http',
    actionName: 'send_request',
    input: { method: 'POST', url: 'https://example.com/', headers: {}, body: {} },
  },
}
const eventTrigger = (name: string): object => ({
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@platform/piece-platform', triggerName: name, input: {} },
  },
})

/** Requests that must be refused with the given failure; `$` names a stored value, as in the steps. */
const refusalCases: readonly (readonly [
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  failure: FailureName,
])[] = [
  ['numbers.buy', { phone_number: '+15005550006' }, 'numbers.in_use'],
  ['numbers.buy', { phone_number: '+15005550001' }, 'numbers.not_available'],
  ['numbers.buy', { phone_number: 'conformance' }, 'numbers.unparseable'],
  ['conversations.send', { uuid: unknownIds.text, message: 'Hello' }, 'conversations.not_found'],
  ['leads.create', { campaign_id: unknownIds.integer, phone_number: '+14155550142' }, 'leads.campaign_not_found'],
  ['leads.create', { campaign_id: '$campaign', phone_number: 'conformance' }, 'leads.invalid_phone'],
  ['leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'leads.duplicate'],
  ['automate.create', { name: '$name', flow: webhookFlow([]) }, 'automate.no_steps'],
  [
    'automate.create',
    { name: '$name', flow: webhookFlow([postingStep]) },
    'automate.side_effects_require_confirmation',
  ],
  [
    'automate.create',
    { name: '$name', flow: { ...(codeFlow('1') as object), ...eventTrigger('conformance') } },
    'automate.unsupported_trigger',
  ],
  [
    'automate.create',
    { name: '$name', flow: { ...(codeFlow('1') as object), ...eventTrigger('phoneCallEnded') } },
    'automate.assistant_required',
  ],
  [
    'automate.create',
    {
      name: 'Conformance',
      flow: { ...(codeFlow('1') as object), ...eventTrigger('phoneCallEnded') },
      assistant_id: unknownIds.integer,
    },
    'automate.assistant_not_found',
  ],
  ['automate.restore', { id: '$masked' }, 'automate.no_previous_version'],
  ['automate.apply', { key: 'conformance' }, 'automate.template_not_found'],
  ['automate.apply', { key: 'lead-intake-webhook', confirm_side_effects: true }, 'automate.missing_params'],
  [
    'automate.apply',
    { key: 'lead-intake-webhook', params: { campaign_id: '$campaign' } },
    'automate.side_effects_require_confirmation',
  ],
]

/** Refusals of messages, which need senders. */
const messageRefusalCases: typeof refusalCases = [
  [
    'messaging.send',
    { sender_id: '$sender', template_id: unknownIds.integer, recipient_phone: '+14155550142' },
    'messaging.template_not_found',
  ],
  [
    'messaging.send',
    { sender_id: '$sender', template_id: '$template', recipient_phone: 'conformance' },
    'messaging.invalid_phone',
  ],
  [
    'messaging.send',
    {
      sender_id: '$sender',
      template_id: '$template',
      recipient_phone: '+14155550142',
      variables: { conformance: 'x' },
    },
    'messaging.template_mismatch',
  ],
  [
    'messaging.send',
    { sender_id: '$offline', template_id: '$offlineTemplate', recipient_phone: '+14155550142' },
    'messaging.sender_offline',
  ],
]

interface ConformanceOptions {
  /** Also writes on a platform without test accounts, in the account of the key. */
  readonly writes?: boolean
  /** Limits what these writes cost in USD. Without it, nothing that costs money is sent. */
  readonly budgetUsd?: number | undefined
  /** Settings with a key of another account. */
  readonly other?: Settings | undefined
  /** Where the receiver of webhooks listens, and how the platform reaches it. */
  readonly receiver?: ReceiverOptions
}

/** The rows of a check, and what its writes cost and left. */
interface ConformanceOutcome {
  readonly rows: readonly ConformanceResult[]
  /** Highest amount in USD that the writes can have cost; undefined without writes in the account. */
  readonly costUsd?: number
  /** What could not be deleted. */
  readonly remaining: readonly string[]
}

/**
 * Compares the responses of a platform with the contract: reads everywhere, and writes in test accounts where the
 * platform has them, or on request in the account of the key. Every endpoint gets a row; what is not checked has a
 * reason. @throws ClientFailure if the platform cannot be reached
 */
export async function checkConformance(
  context: Context,
  settings: Settings,
  { writes = false, budgetUsd, other, receiver: receiverOptions = {} }: ConformanceOptions = {},
): Promise<ConformanceOutcome> {
  const connected = await context.connectTo(settings)
  let receiver: WebhookReceiver | undefined
  try {
    // If this request fails, no other can succeed.
    await connected.call
      .raw(endpointOf('user.me'), {}, { acceptsAnyStatus: true })
      .then(({ status, output }) => requireAuthorized(status, output))
    const report = new ConformanceReport()
    const deepChecked = new Set<string>()
    const { signal } = context.system
    const budget = new CheckBudget(budgetUsd)
    const marker = `Conformance ${context.system.random().toString(36).slice(2, 8)}`
    const options: SessionOptions = { budget, signal, time: timeOf(context), marker }
    const checker = new ConformanceChecker(connected.call, report, deepChecked, options)
    await checker.checkWithoutKey()
    await withKey(context, settings, wrongKey, (call) =>
      new ConformanceChecker(call, report, deepChecked, { signal }).checkWithoutKey('key', 'user.me'),
    )
    await checker.checkReads()
    const reason = await skipReason(settings, connected, writes)
    const isReachable = receiverOptions.url !== undefined || connected.via !== 'remote' || isLoopback(connected.base)
    if (isReachable && (reason === 'own account' || reason === undefined))
      receiver = await WebhookReceiver.start({ ...receiverOptions, now: context.system.now })
    const tunnelProblem =
      receiver && receiverOptions.url !== undefined ? await probeTunnel(context, receiver) : undefined
    const deliveryCheck: DeliveryCheck = {
      receiver,
      reason: 'The platform cannot reach this machine. Pass --receiver-url with a public URL that forwards to it.',
      secret: context.system.env.PARLEY_WEBHOOK_SECRET,
      refusal: async () => tunnelProblem,
      now: context.system.now,
      async wait(ms) {
        await connected.runDueJobs()
        await context.system.sleep(ms, context.system.signal)
      },
    }
    let remaining: readonly string[] = []
    if (reason === 'own account')
      remaining = await checkInOwnAccount(context, checker, report, deepChecked, {
        marker,
        signal,
        budget,
        other,
        deliveryCheck,
      })
    else if (reason === undefined)
      await checkWithTestAccounts(context, settings, connected, report, deepChecked, deliveryCheck)
    const note = reason === 'own account' ? undefined : reason
    const seen = new Set(report.rows().flatMap((it) => (it.case === 'answer' ? [it.endpoint] : [])))
    for (const { name } of endpoints) if (!seen.has(name)) report.skip(name, note ?? 'Not covered by this check.')
    if (note !== undefined) {
      report.skip('messaging.send', note, 'rate_limit')
      report.skip('tools.update', note, 'limits')
      report.skip('tools.get', note, 'scoping')
      report.skip('assistants.enableConversationEndedWebhook', note, 'deliveries')
      report.skip('messaging.send', note, 'deliveries')
    }
    return { rows: report.rows(), ...(reason === 'own account' && { costUsd: budget.usedUsd }), remaining }
  } finally {
    await receiver?.close()
    await connected.close()
  }
}

/** Milliseconds in which a public URL must answer. */
const tunnelTimeoutMs = 10_000

/**
 * Sends a request to the public URL of a receiver. Returns what is wrong if something else answers. A URL that this
 * machine cannot reach may be one that the platform reaches.
 */
async function probeTunnel({ system }: Context, receiver: WebhookReceiver): Promise<string | undefined> {
  const { origin, pathname } = new URL(receiver.urlOf('probe'))
  const headers = { 'user-agent': userAgentOf(system), 'content-type': 'application/json' }
  const status = await system
    .connect(origin, { env: system.env, insecure: true })
    .then(async (transport) => {
      try {
        const request = { method: 'POST', url: pathname, headers, body: '{}' }
        return (await transport.send(request, { timeoutMs: tunnelTimeoutMs, signal: system.signal })).status
      } finally {
        await transport.close()
      }
    })
    .catch(() => undefined)
  if (status === undefined || receiver.receivedAt('probe').length > 0) return undefined
  return `${receiver.urlOf('').replace(/\/[^/]*\/$/, '')} does not forward to port ${receiver.port} of this machine: it returns ${status}.`
}

/** Stores the addresses of the receiver for the steps that enable webhooks. */
function storeReceiver(checker: ConformanceChecker, { receiver }: DeliveryCheck): void {
  for (const name of ['ended', 'silent', 'called', 'status']) checker.store(name, receiver?.urlOf(name))
  for (const name of retriedPaths) receiver?.refuseFirst(name)
}

/** Lets two calls wait for the contact hours of a test account. One of these hours is not the present one, and the number has one time zone. */
async function letCallsWait(own: Connection['call'], assistant_id: number): Promise<void> {
  // As every request of the check, it is not recorded as an operation.
  const request = { phone_number: '+14155550142', assistant_id }
  let waiting = 0
  for (const hour of ['03', '15']) {
    await own(contacts.updateHours, { schedule_windows: [{ start: `${hour}:33`, end: `${hour}:34` }] })
    for (let n = waiting; n < 2; n++)
      if (waitingOf((await own.raw(calls.start, request, { acceptsAnyStatus: true })).output)) waiting++
      else break
  }
}

const wrongKey = '0|conformance'

const timeOf = ({ system }: Context): NonNullable<SessionOptions['time']> => ({
  sleep: (ms) => system.sleep(ms, system.signal),
  monotonicMs: realTime.monotonicMs,
})

/** Calls `use` with a client for another key of the same platform. */
async function withKey<T>(
  context: Context,
  settings: Settings,
  value: string,
  use: (call: Connection['call']) => Promise<T>,
): Promise<T> {
  const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value } })
  try {
    return await use(connected.call)
  } finally {
    await connected.close()
  }
}

/** Returns why nothing is written, undefined if writes are checked in test accounts. */
async function skipReason(
  { profile }: Settings,
  connected: Connection,
  writes: boolean,
): Promise<string | 'own account' | undefined> {
  if (profile.read_only) return 'The endpoint writes, and the profile is read-only.'
  if (profile.protected) return 'The endpoint writes, and the profile is protected.'
  if (await hasControl(connected)) return undefined
  return writes
    ? 'own account'
    : 'The endpoint writes. To check writes with records that are deleted afterwards: --writes.'
}

/** Steps that are left out in the account of the key, each with the reason: they would change what the check has not created. */
const leftOutSteps: Readonly<Record<string, string>> = {
  'messaging.updateAssignment': 'It would change a sender that the check has not created.',
  'contacts.cancelWaiting': 'It would have to close the contact hours of the account.',
  'contacts.sendWaiting': 'It would have to close the contact hours of the account.',
  'user.stop': 'It would stop everything that the account does.',
  'user.resume': 'It would continue what a person has stopped.',
}

/** Checks writes in the account of the key, and deletes what was created, also after an interrupt. */
async function checkInOwnAccount(
  context: Context,
  checker: ConformanceChecker,
  report: ConformanceReport,
  deep: Set<string>,
  {
    marker,
    signal,
    budget,
    other,
    deliveryCheck,
  }: {
    readonly marker: string
    readonly signal: AbortSignal
    readonly budget: CheckBudget
    readonly other: Settings | undefined
    readonly deliveryCheck: DeliveryCheck
  },
): Promise<readonly string[]> {
  storeReceiver(checker, deliveryCheck)
  checker.store('offer', budget.cheapestNumber())
  if (budget.cheapestNumber() === undefined) report.skip('numbers.buy', 'The search returned no number with a price.')
  for (const secret of Object.values(plantedSecrets)) checker.trackSecret(secret)
  let remaining: readonly string[] = []
  let theirs: readonly string[] = []
  try {
    const isHarmless = ({ endpoint }: { readonly endpoint: string }): boolean => !(endpoint in leftOutSteps)
    await checker.runSteps(createSteps.filter(isHarmless))
    await checker.checkRefusals(refusalCases.filter(([, input]) => input.phone_number !== testNumber))
    await checker.runSteps(messageSteps.filter(isHarmless))
    for (const [name, why] of Object.entries(leftOutSteps)) report.skip(name, why)
    await checker.runSteps(messageLookupSteps)
    await pauseForRateLimit(context)
    await checker.checkRefusals(messageRefusalCases)
    await checker.checkReads()
    await pauseForRateLimit(context)
    await checker.checkRejections()
    if (budget.isGiven) await checker.checkRateLimit()
    else report.skip('messaging.send', 'It sends messages. Pass --budget <usd>.', 'rate_limit')
    if (other) {
      const connected = await context.connectTo(other)
      const stranger = new ConformanceChecker(connected.call, report, deep, { signal, budget, marker })
      try {
        await stranger.checkScoping(checker, deleteSteps)
      } finally {
        // An endpoint that accepts a record of the first account may create one in the second.
        theirs = (await stranger.cleanUp()).map((it) => `${it} in the second account`)
        await connected.close()
      }
    } else report.skip('tools.get', 'It needs a key of another account. Pass --second-profile <name>.', 'scoping')
    await checkDeliveries(checker, deliveryCheck)
    await checker.runSteps(deleteSteps)
  } finally {
    remaining = [...(await checker.cleanUp()), ...theirs]
    if (signal.aborted && remaining.length > 0)
      await context.notes.warn(`Not deleted: ${remaining.join(', ')}. Look for the name "${marker}".`)
  }
  return remaining
}

/** Waits until earlier messages do not count against the rate limit. */
const pauseForRateLimit = ({ system }: Context): Promise<void> => system.sleep(1100, system.signal).catch(() => {})

function requireAuthorized(status: number, output: unknown): void {
  if (status !== 401 && status !== 403) return
  const message = property(output, 'message')
  throw new ClientFailure({
    exit: 'auth',
    code: 'unauthenticated',
    message: typeof message === 'string' ? message : `The platform returned ${status}.`,
    hint: 'Sign in: parley login.',
    status,
  })
}

const hasControl = (connected: Connection): Promise<boolean> =>
  connected.call(platform.status, {}).then(
    () => true,
    () => false,
  )

/** Checks writes in two test accounts, because refused messages count against the rate limit of their account. */
async function checkWithTestAccounts(
  context: Context,
  settings: Settings,
  { call }: Connection,
  report: ConformanceReport,
  deep: Set<string>,
  deliveryCheck: DeliveryCheck,
): Promise<void> {
  const withTestAccount = async (
    work: (
      checker: ConformanceChecker,
      giveSenders: () => Promise<unknown>,
      account: number,
      own: Connection['call'],
    ) => Promise<void>,
  ): Promise<void> => {
    const { data, token } = await call(accounts.create, {
      name: 'Conformance check',
      payment_method: 'pm_card_visa',
      balance: 5,
    })
    const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value: token } })
    try {
      const checker = new ConformanceChecker(connected.call, report, deep, {
        time: timeOf(context),
        marker: 'Conformance',
      })
      checker.store('offer', testNumber)
      for (const secret of [token, ...Object.values(plantedSecrets)]) checker.trackSecret(secret)
      // Without an assistant that answers for them, no senders can be created.
      await work(checker, () => call(accounts.senders, { id: data.id }).catch(() => {}), data.id, connected.call)
    } finally {
      await connected.close()
      // Also after an interrupt, which aborts every other request.
      await call(accounts.delete, { id: data.id }, { signal: new AbortController().signal })
    }
  }
  await withTestAccount(async (looker, giveSenders, account, own) => {
    storeReceiver(looker, deliveryCheck)
    await looker.checkReads(true)
    await looker.runSteps(createSteps)
    await letCallsWait(own, looker.stored('notified') as number).catch(() => {})
    await looker.runSteps(waitingSteps)
    await own(contacts.updateHours, { schedule_windows: null }).catch(() => {})
    for (const name of ['notifiedConversation', 'silencedConversation'])
      await call(simulate.end, { account, conversation: looker.stored(name) as string }).catch(() => {})
    const { secret } = await call(webhooks.secret, { account })
    const check: DeliveryCheck = {
      ...deliveryCheck,
      secret,
      async retryPlanned(url) {
        const [last] = (await call(deliveries.list, { account, limit: 20 })).data.filter((it) => it.url === url)
        const [tried] = last ? (await call(deliveries.show, { id: last.id })).data.tries : []
        return tried && last?.next_attempt_at != null
          ? (Date.parse(last.next_attempt_at) - Date.parse(tried.at)) / 1000
          : undefined
      },
      async refusal() {
        const problem = await deliveryCheck.refusal()
        if (problem !== undefined) return problem
        const { data } = await call(deliveries.list, { account, limit: 10 })
        const failed = data.find((it) => it.last_status === null && it.last_error !== null)
        return failed && `The platform could not deliver to ${new URL(failed.url).origin}: ${failed.last_error}`
      },
    }
    await checkDeliveries(looker, check, ['ended', 'called'])
    await looker.checkRefusals(refusalCases)
    await giveSenders()
    await looker.runSteps(senderSteps)
    const [sender, url] = [looker.stored('sender'), looker.stored('status')]
    if (typeof sender === 'number' && typeof url === 'string') {
      const { data } = await call(webhooks.sender, { account, id: sender, webhook_url: url })
      looker.store('statusSecret', data.webhook_secret)
    }
    await looker.runSteps(messageSteps)
    // The clock of the platform may be frozen, so the status is changed here.
    await call(simulate.run, { account, steps: [{ receipt: { status: 'sent' } }] }).catch(() => {})
    await checkDeliveries(looker, check, ['status'])
    await looker.checkReads()
    await looker.checkRejections()
    await withTestAccount((stranger) => stranger.checkScoping(looker, deleteSteps))
    await looker.runSteps(deleteSteps)
  })
  await withTestAccount(async (looker, giveSenders) => {
    await looker.runSteps(lookupSteps)
    await looker.runSteps(createSteps.filter((it) => it.endpoint === 'assistants.create'))
    await giveSenders()
    await looker.runSteps(messageLookupSteps)
    await looker.checkRefusals(messageRefusalCases)
  })
}
