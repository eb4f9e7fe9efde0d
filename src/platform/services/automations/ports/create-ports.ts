import { Failure } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { normalizedNumber } from '../../../../contract/values/phone-number.ts'
import { createHttpClient, defaultPolicy } from '../../../../engine/http/http-client.ts'
import type {
  ActionKey,
  ApprovalsPort,
  AutomationPorts,
  CalendarPort,
  CallsPort,
  ConnectedPort,
  ConnectionKind,
  CrmPort,
  LeadsPort,
  MailPort,
  MessagingPort,
  SheetsPort,
  SmsPort,
  StorePort,
  StoreScope,
  SubflowsPort,
} from '../../../../engine/pieces/ports.ts'
import { StepFailure } from '../../../../engine/pieces/step-failure.ts'
import type {
  CalendarProvider,
  ConnectionAccess,
  CrmProvider,
  MailProvider,
  Provider,
  ProviderRefusal,
  ProviderResult,
  SpreadsheetProvider,
} from '../../../../engine/ports.ts'
import { runOfKey } from '../../../../engine/runs/run-keys.ts'
import { maxStored } from '../../../../engine/runs/step-limits.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { requireValue } from '../../../../node/require-value.ts'
import { callerOf, callKey, callResult } from '../../../runs/called-runs.ts'
import { findAccount } from '../../../store/accounts/accounts.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation, listAutomations } from '../../../store/automations/automations.ts'
import { findActionResult, insertActionResult, serviceKeyOf } from '../../../store/automations/run-retention.ts'
import { findRun, findRunByDedupe } from '../../../store/automations/runs.ts'
import { readAutomationValue, valuesOwner, writeAutomationValue } from '../../../store/automations/stored-values.ts'
import { findLeadByNumber } from '../../../store/campaigns/leads.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import { listTemplates } from '../../../store/messaging/message-templates.ts'
import { findSender } from '../../../store/messaging/senders.ts'
import { type Payer, payerOf } from '../../billing/key-budget.ts'
import { callService } from '../../calls/call-service.ts'
import { leadService } from '../../campaigns/lead-service.ts'
import { type OutsideHours, WaitingFailure } from '../../contacts/outside-hours.ts'
import { sendService } from '../../messaging/send-service.ts'
import { smsService } from '../../messaging/sms-service.ts'
import type { Deps } from '../../runtime/deps.ts'
import { approvalPath, createApprovalToken } from '../triggers/webhook-paths.ts'
import { connectionsPort } from './connection-service.ts'

/** Runs the body and turns a refusal of the platform into a step failure, but for that of a stopped account, which the run waits for. */
async function withStepFailures<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'user.stopped') throw error
    if (error instanceof WaitingFailure)
      throw new StepFailure(error.message, { until: error.opensAt, classification: 'wiring_error' })
    const isMissing = error.kind.endsWith('not_found') || error.kind.endsWith('not_yours')
    throw new StepFailure(error.message, {
      classification: isMissing ? 'missing_record' : 'wiring_error',
    })
  }
}

/**
 * Returns the idempotency key that a service receives for an action of a step. The prefix separates it from the keys of
 * API callers. The service knows the action by it after a crash, so it never changes.
 */
const actionKey = ({ key }: ActionKey): string => serviceKeyOf(key)

/** Outside the hours of the account, the run of an action waits, and repeats its step when they are open. */
const runWaits = ({ key }: ActionKey): OutsideHours => ({ run: runOfKey(key) })

/** Returns the account, with the key that pays for the run of an action. @throws StepFailure when it was deleted */
async function requireAccount({ connection }: Pick<Deps, 'connection'>, { account, key }: ActionKey): Promise<Payer> {
  const owner = await findAccount(connection.read, account)
  if (!owner) throw new StepFailure('The account was deleted.')
  const run = await findRun(accountQuery(connection.read, account), runOfKey(key))
  return payerOf(owner, run?.key_id)
}

/**
 * Sends SMS messages for steps. What this and the other ports return is the output of a step, is stored, and expressions
 * of users refer to its fields: they are added, not renamed.
 */
function smsPort(deps: Deps): SmsPort {
  const service = smsService(deps)
  return {
    send: (action, { from, to, body }) =>
      withStepFailures(async () => {
        const row = await service.send(
          await requireAccount(deps, action),
          { from, to: await normalizedNumber(to), body },
          actionKey(action),
          runWaits(action),
        )
        return {
          id: row.id,
          to: row.recipient,
          body: row.body,
          segments: row.segments,
          status: row.delivery_status,
          sms_sid: row.sms_sid,
        }
      }),
  }
}

/** Starts calls for steps. */
function callsPort(deps: Deps): CallsPort {
  const service = callService(deps)
  return {
    start: (action, { assistant, phone, variables }) =>
      withStepFailures(async () => {
        await service.start(
          await requireAccount(deps, action),
          { phone: await normalizedNumber(phone), assistantId: assistant, variables: toTexts(variables) },
          actionKey(action),
          runWaits(action),
        )
        return { message: 'Call initiated successfully', phone_number: phone, assistant_id: assistant }
      }),
  }
}

const toTexts = (variables: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      typeof variable === 'string' ? variable : (stringifyJson(variable) ?? ''),
    ]),
  )

/** Sends channel messages for steps. */
function messagingPort(deps: Deps): MessagingPort {
  const service = sendService(deps)
  const toOutput = (row: Awaited<ReturnType<typeof service.template>>) => ({
    message_id: row.message_id,
    message_sid: row.message_sid,
    status: row.delivery_status,
    conversation_id: row.conversation_id,
    to: row.recipient_phone,
    body: row.body,
  })
  /**
   * Returns the id of a template given by id or name. Where several templates have the name, an approved one is
   * preferred.
   */
  async function resolveTemplateId(account: number, senderId: number, template: number | string): Promise<number> {
    if (typeof template === 'number' || /^\d+$/.test(template)) return Number(template)
    const read = accountQuery(deps.connection.read, account)
    const sender = await findSender(read, senderId)
    const named = sender ? (await listTemplates(read, sender, undefined)).filter((it) => it.name === template) : []
    const found = named.find((it) => it.status === 'approved') ?? named[0]
    if (!sender) throw new Failure('messaging.sender_not_found')
    if (!found) throw new Failure('messaging.template_not_found')
    return found.id
  }
  return {
    sendTemplate: (action, { sender, template, to, variables }) =>
      withStepFailures(async () => {
        const draft = {
          senderId: sender,
          templateId: await resolveTemplateId(action.account, sender, template),
          recipient: await normalizedNumber(to),
          variables,
        }
        return toOutput(
          await service.template(await requireAccount(deps, action), draft, actionKey(action), runWaits(action)),
        )
      }),
    sendText: (action, { sender, to, body }) =>
      withStepFailures(async () =>
        toOutput(
          await service.freeform(
            await requireAccount(deps, action),
            { senderId: sender, recipient: await normalizedNumber(to), message: body },
            actionKey(action),
            runWaits(action),
          ),
        ),
      ),
  }
}

/**
 * Creates the links that answer an approval. They have a token, because the caller of a webhook knows the id of its run,
 * and must not be able to approve it.
 */
const approvalsPort = ({ vault, ownUrl }: Pick<Deps, 'vault' | 'ownUrl'>): ApprovalsPort => ({
  async createLinks(run) {
    const origin = ownUrl?.()
    if (origin === undefined) throw new StepFailure('Approval links need a server. Start one: parley server start.')
    const token = encodeURIComponent(createApprovalToken(vault, run))
    const link = (action: string): string => `${origin}${approvalPath(run)}?action=${action}&token=${token}`
    return { approvalLink: link('approve'), disapprovalLink: link('disapprove') }
  },
})

type AccessResolver = (account: number) => Promise<ConnectionAccess>

/**
 * Returns a function that finds the credentials of an account's connection. @throws StepFailure for an expired
 * connection, or for a missing one that is required
 */
function accessResolver(deps: Deps, kind: ConnectionKind, isRequired: boolean): AccessResolver {
  const connections = connectionsPort(deps)
  return async (account) => {
    const found = await connections.find(account, kind)
    if (found.status === 'expired')
      throw new StepFailure(`The connection ${kind} has expired.`, { classification: 'missing_connection' })
    if (found.status === 'missing' && isRequired)
      throw new StepFailure(`The connection ${kind} is missing.`, { classification: 'missing_connection' })
    const secret = found.status === 'active' ? found.secret : {}
    return {
      account,
      secret: isObject(secret) ? secret : {},
      now: await deps.clock.now(),
    }
  }
}

function toStepFailure({ reason, because }: ProviderRefusal): StepFailure {
  const classification =
    because === 'missing' ? 'missing_record' : because === 'access' ? 'missing_connection' : 'wiring_error'
  return new StepFailure(reason, { classification })
}

interface ConnectedOptions<P extends Provider> {
  readonly kind: ConnectionKind
  readonly isRequired: boolean
  readonly provider: () => P
  /** The methods of the provider by name. The compiler reports a missing one. */
  readonly methods: Readonly<Record<keyof ConnectedPort<P>, true>>
}

type ConnectedMethod = (...values: unknown[]) => Promise<ProviderResult<{ readonly value: unknown }>>

/** Returns the port of a provider: it adds the credentials of the account, and throws refusals as StepFailure. */
function connectedPort<P extends Provider>(
  deps: Deps,
  { kind, isRequired, provider, methods }: ConnectedOptions<P>,
): ConnectedPort<P> {
  const resolveAccess = accessResolver(deps, kind, isRequired)
  const call = async (name: string, by: ActionKey | number, rest: readonly unknown[]): Promise<unknown> => {
    const caller = typeof by === 'number' ? [await resolveAccess(by)] : [actionKey(by), await resolveAccess(by.account)]
    const method = requireValue((provider() as unknown as Record<string, ConnectedMethod>)[name])
    const result = await method(...caller, ...rest)
    if (!result.ok) throw toStepFailure(result)
    return result.value
  }
  const entries = Object.keys(methods).map((name) => [
    name,
    (by: ActionKey | number, ...rest: readonly unknown[]) => call(name, by, rest),
  ])
  return Object.fromEntries(entries) as ConnectedPort<P>
}

/** Sends mail through the account's mail connection. */
const mailPort = (deps: Deps): MailPort =>
  connectedPort<MailProvider>(deps, {
    kind: 'mail',
    isRequired: true,
    provider: () => deps.providers.mail,
    methods: { send: true },
  })

/** Reads and writes spreadsheets through the account's spreadsheet connection. */
const sheetsPort = (deps: Deps): SheetsPort =>
  connectedPort<SpreadsheetProvider>(deps, {
    kind: 'spreadsheet',
    isRequired: true,
    provider: () => deps.providers.sheets,
    methods: { append: true, update: true, remove: true, rows: true },
  })

const calendarMethods = { find: true, book: true, move: true, cancel: true } as const

/** Returns the calendar port. It needs no connection: an account without one uses the calendar of its assistants. */
const calendarPort = (deps: Deps, kind: 'calendar-a' | 'calendar-b'): CalendarPort =>
  connectedPort<CalendarProvider>(deps, {
    kind,
    isRequired: false,
    provider: () => (kind === 'calendar-a' ? deps.providers.calendarA : deps.providers.calendarB),
    methods: calendarMethods,
  })

/** Manages contacts and appointments through the account's CRM connection. */
const crmPort = (deps: Deps): CrmPort =>
  connectedPort<CrmProvider>(deps, {
    kind: 'crm-b',
    isRequired: true,
    provider: () => deps.providers.crmB,
    methods: { ...calendarMethods, findContact: true, saveContact: true, addNote: true, contactsAfter: true },
  })

/** Adds, requeues and removes leads of campaigns. */
export function leadsPort(deps: Deps): LeadsPort {
  const service = leadService(deps)
  return {
    add: (action, { campaign, phone, variables, allowDuplicate, secondary }) =>
      withStepFailures(async () => {
        const contacts = await Promise.all(
          secondary.map(async (it) => ({ ...it, phone: await normalizedNumber(it.phone) })),
        )
        const draft = { campaign, phone: await normalizedNumber(phone), variables, duplicate: allowDuplicate, contacts }
        const { row } = await service.create(action.account, draft, actionKey(action))
        return {
          id: row.id,
          campaign_id: row.campaign_id,
          phone_number: row.phone_number,
          status: row.status,
          variables: parseJson(row.variables),
        }
      }),

    requeue: (action, lead, variables) =>
      withStepFailures(async () => {
        const id = 'id' in lead ? lead.id : await findLeadId(action.account, lead.campaign, lead.phone)
        await service.update(
          action.account,
          id,
          { status: 'created', ...(Object.keys(variables).length > 0 && { variables }) },
          actionKey(action),
        )
        return { id, status: 'created' }
      }),

    remove: (action, id) => withStepFailures(() => service.delete(action.account, id, actionKey(action))),
  }

  async function findLeadId(account: number, campaign: number, phone: string): Promise<number> {
    const number = await normalizedNumber(phone)
    const found = await findLeadByNumber(accountQuery(deps.connection.read, account), campaign, number)
    if (!found)
      throw new StepFailure(`Campaign ${campaign} has no lead with the phone number ${number}.`, {
        classification: 'missing_record',
      })
    return found
  }
}

const scopeOwner = ({ owner }: StoreScope): string =>
  owner.kind === 'account' ? '' : valuesOwner(owner.kind, owner.id)

function requireStoreKey(key: string): void {
  if (key === '' || [...key].length > maxStored.key)
    throw new StepFailure(`The key of a stored value must have 1 to ${maxStored.key} characters.`)
}

/**
 * Stores values between runs of automations. Each step changes a value exactly once, even if its process crashes and
 * the step is repeated.
 */
function storePort({ connection, clock }: Pick<Deps, 'connection' | 'clock'>): StorePort {
  return {
    async get(scope, key) {
      requireStoreKey(key)
      const value = await readAutomationValue(accountQuery(connection.read, scope.account), scopeOwner(scope), key)
      return value === undefined ? undefined : parseJson(value)
    },
    async change(action, scope, key, change) {
      requireStoreKey(key)
      const result = await connection.write({ account: action.account }, async (query) => {
        const before = await findActionResult(query, action.key)
        if (before !== undefined) return before
        const value = await readAutomationValue(query, scopeOwner(scope), key)
        const next = change(value === undefined ? undefined : parseJson(value))
        const json = next === undefined ? undefined : stringifyJson(next)
        if (json !== undefined && Buffer.byteLength(json) > maxStored.bytes)
          throw new StepFailure('A stored value can be at most 512 KB as JSON.')
        await writeAutomationValue(query, scopeOwner(scope), key, json)
        const result = json ?? 'null'
        await insertActionResult(query, {
          key: action.key,
          result,
          now: await clock.now(query),
        })
        return result
      })
      return parseJson(result)
    },
  }
}

/** Maximum depth of nested calls, so that automations that call each other in a circle end. */
const maxDepth = 10

/** Milliseconds a test waits for an automation that it called. */
const testWaitMs = 60_000

/** Starts the runs of automations that steps call. */
export const subflowsPort = (deps: Pick<Deps, 'connection' | 'clock' | 'runner'>): SubflowsPort => ({
  async start({ account, key }, { automation: named, data, caller, testing }, waits) {
    const { connection, clock } = deps
    const runner = await deps.runner()
    const dedupe = callKey(key)
    const { run, accepted } = await connection.write({ account }, async (query) => {
      const automation = await findCalled(query, account, named)
      // After a crash, the step is repeated and its run may have started, whatever the automation is now.
      const started = await findRunByDedupe(query, automation.id, dedupe)
      if (started) return { run: started.id, accepted: undefined }
      const version = automation.live_version === null ? undefined : await findVersion(query, automation.live_version)
      const title = stringifyJson(automation.name)
      if (version?.trigger_kind !== 'call')
        throw new StepFailure(`The automation ${title} cannot be called: its trigger is not callableFlow.`)
      if (automation.status === 'disabled') throw new StepFailure(`The automation ${title} is disabled.`)
      await requireRunning(query, caller)
      await requireDepth(query, caller)
      const payload = { data, parentRunId: caller }
      const now = await clock.now(query)
      // What a restricted key calls counts against that key.
      const by = (await findRun(query, caller))?.key_id ?? automation.key_id
      const called = { ...automation, key_id: by }
      const found = await runner.accept(query, { automation: called, version, payload, testing, dedupe }, now)
      if (!found) throw new StepFailure(`The automation ${title} could not be started.`)
      return { run: found.row.id, accepted: found }
    })
    if (accepted) void runner.start(accepted)
    if (!testing || !waits) return { run }
    await runner.waitForRun(run, testWaitMs)
    const ended = await findRun(accountQuery(connection.read, account), run)
    return { run, result: ended && callResult(ended) }
  },
})

/** Returns the automation with this id or name. @throws StepFailure if none or several have it */
async function findCalled(query: AccountQuery, account: number, named: string): Promise<AutomationRow> {
  const byId = await findAutomation(accountQuery(query, account), named)
  if (byId) return byId
  const [found, ...others] = (await listAutomations(accountQuery(query, account))).filter((it) => it.name === named)
  if (!found)
    throw new StepFailure(`There is no automation with the name or id ${stringifyJson(named)}.`, {
      classification: 'missing_record',
    })
  if (others.length > 0)
    throw new StepFailure(
      `${others.length + 1} automations have the name ${stringifyJson(named)}. Use an id: ${[found, ...others].map((it) => it.id).join(', ')}.`,
    )
  return found
}

/** Rejects a call of a run that was cancelled, so that no run is left that it would wait for. @throws StepFailure */
async function requireRunning(query: AccountQuery, caller: string): Promise<void> {
  const run = await findRun(query, caller)
  if (run && run.cancelled_at !== null && run.finished_at !== null)
    throw new StepFailure('The calling run was cancelled.')
}

/** Limits the depth of nested calls. @throws StepFailure */
async function requireDepth(query: AccountQuery, caller: string): Promise<void> {
  let depth = 1
  for (let id: string | undefined = caller; id !== undefined; depth++) {
    if (depth > maxDepth)
      throw new StepFailure(
        `Calls can be nested at most ${maxDepth} deep. Do the automations call each other in a circle?`,
      )
    const run = await findRun(query, id)
    id = run && callerOf(run)
  }
}

/** Returns the ports that steps use. The platform's services and its providers implement them. */
export const createPorts = (deps: Deps): AutomationPorts => ({
  http: createHttpClient({ ...defaultPolicy, allowPrivate: deps.privateAddresses ?? false, isOffline: deps.isOffline }),
  mail: mailPort(deps),
  sheets: sheetsPort(deps),
  leads: leadsPort(deps),
  calendarA: calendarPort(deps, 'calendar-a'),
  calendarB: calendarPort(deps, 'calendar-b'),
  crmB: crmPort(deps),
  sms: smsPort(deps),
  messaging: messagingPort(deps),
  calls: callsPort(deps),
  store: storePort(deps),
  connections: connectionsPort(deps),
  approvals: approvalsPort(deps),
  subflows: subflowsPort(deps),
  ...deps.automationPorts,
})
