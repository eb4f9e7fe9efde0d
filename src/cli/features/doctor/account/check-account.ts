import type { Call } from '../../../../client/create-client.ts'
import { itemsOf } from '../../../../client/paginate.ts'
import { isLoopback } from '../../../../client/transport/base-url.ts'
import { TransportError } from '../../../../client/transport/transport.ts'
import { type EngineMode, engineModes } from '../../../../contract/assistants/engine-modes.ts'
import { toolsPath } from '../../../../contract/references/reference-paths.ts'
import type { Link, LinkedItem } from '../../../../contract/references/resource-links.ts'
import { type ResourceKind, references } from '../../../../contract/references/resource-references.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { type BillingSummary, billing } from '../../../../contract/resources/billing.ts'
import type { Capability } from '../../../../contract/resources/index.ts'
import { leads } from '../../../../contract/resources/leads.ts'
import { user } from '../../../../contract/resources/user.ts'
import { amountText, estimateText } from '../../../../contract/values/money.ts'
import { isNumericId } from '../../../../contract/values/numeric-id.ts'
import { hostReach } from '../../../../engine/http/address-policy.ts'
import { stringifyJson } from '../../../../node/json.ts'
import type { Context } from '../../../program/context.ts'
import {
  createAccountReader,
  describeFailures,
  mapConcurrently,
  offeredToReader,
} from '../../../program/dependencies/account-reader.ts'
import { findLinkTarget, linksFrom } from '../../../program/dependencies/usages.ts'
import { describeStopTime, readStopTime } from '../../../program/operations/stopped-account.ts'
import { resources } from '../../../program/resources/registry.ts'
import { userAgentOf } from '../../../program/system.ts'
import { type Finding, ok, warning } from '../finding.ts'
import { type AccountScope, isActiveCampaign, resourceFinding } from './account-scope.ts'
import { automationFindings, engineFindings, variableFindings } from './automation-checks.ts'
import { idleFindings } from './idle-resources.ts'
import { type BillingScope, listedBalanceFindings, topUpHint } from './listed-balance.ts'
import { messageFindings } from './messaging-checks.ts'
import { numberFindings } from './number-checks.ts'
import { slotConflictFindings } from './slot-conflicts.ts'
import { speechFindings } from './speech-mismatches.ts'
import {
  addressOrigin,
  type CalledAddress,
  listAddresses,
  privateAddressFindings,
  fixCommand as webhookAddressesFixCommand,
} from './webhook-addresses.ts'

/** Timeout of one address in milliseconds. */
const timeoutMs = 5000

/**
 * Sends OPTIONS to every address of tools and webhooks from this machine, without API key or payload, so that nothing
 * is triggered. Any response counts as reachable. Link-local addresses and metadata services are not contacted.
 */
async function reachabilityFindings(context: Context, scope: AccountScope): Promise<Finding[]> {
  const calledAddresses = await listAddresses(scope)
  const addresses = [...new Set(calledAddresses.map(({ address }) => address))]
  const answers = new Map(
    await mapConcurrently(addresses, async (address) => [address, await probeAddress(context, address)] as const),
  )
  const bad = calledAddresses.flatMap((called) => {
    const problem = answers.get(called.address)
    return problem ? [toFinding(called, problem)] : []
  })
  const sentence = `Sent OPTIONS to ${addresses.length} ${addresses.length === 1 ? 'address' : 'addresses'} from this machine. The network of a remote deployment may differ.`
  return [...bad, ok('webhooks', sentence)]
}

interface Problem {
  readonly status: 'warning' | 'failed'
  readonly text: string
}

function toFinding(called: CalledAddress, { status, text }: Problem): Finding {
  const { resource, purpose, address } = called
  const origin = addressOrigin(address)
  return resourceFinding(
    status,
    'webhooks',
    resource,
    `has its ${purpose} at ${origin?.host ?? address}, ${text}`,
    origin ? `curl -i -X OPTIONS '${optionsUrl(address, origin)}'` : webhookAddressesFixCommand(called),
  )
}

/**
 * Returns the URL to probe, without its query, which may hold secrets. An address with placeholders is reduced to its
 * origin.
 */
function optionsUrl(address: string, origin: URL): string {
  const plain = address.includes('{') || !URL.canParse(address) ? origin : new URL(address)
  return `${plain.origin}${plain.pathname.replaceAll("'", '%27')}`
}

async function probeAddress({ system }: Context, address: string): Promise<Problem | undefined> {
  const origin = addressOrigin(address)
  if (!origin) return { status: 'failed', text: 'which is not a valid URL.' }
  if (hostReach(origin.hostname) === 'never')
    return { status: 'failed', text: 'an address to which requests are never sent.' }
  const { pathname } = new URL(optionsUrl(address, origin))
  try {
    const transport = await system.connect(origin.origin, { env: system.env, insecure: true })
    try {
      const headers = { 'user-agent': userAgentOf(system), accept: '*/*' }
      const { status } = await transport.send(
        { method: 'OPTIONS', url: pathname, headers },
        { timeoutMs, signal: system.signal },
      )
      return status >= 500 && status !== 501 ? { status: 'warning', text: `which returns ${status}.` } : undefined
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (system.signal.aborted) throw error
    return {
      status: 'failed',
      text:
        error instanceof TransportError
          ? `which is not reachable: ${reasons[error.reason]}.`
          : `which is not reachable: ${(error as Error).message}`,
    }
  }
}

const reasons: Readonly<Record<TransportError['reason'], string>> = {
  refused: 'connection refused',
  dns: 'DNS lookup failed',
  tls: 'its certificate is not trusted',
  timeout: `no answer within ${timeoutMs / 1000} s`,
  reset: 'the connection was closed',
  truncated: 'the response is incomplete',
  proxy: 'the proxy rejected the request',
  aborted: 'interrupted',
  other: 'the connection failed',
}

/** Days that a balance should last at least, also if the next charge is earlier. */
const minDays = 7
const dayMs = 24 * 60 * 60 * 1000

const paymentHint =
  'Add a payment method in the billing settings of the platform. On a local platform: parley server accounts update <id> --payment-method pm_card_visa.'

/**
 * Warns about a balance that will not last until the next charges, and about renewals that cannot be paid. Without the
 * capability, it only says what the lists of the platform report.
 */
async function billingFindings(scope: BillingScope): Promise<Finding[]> {
  const { call, signal, isOffered } = scope
  const summary = isOffered
    ? await call(billing.summary, {}, { signal }).then(
        ({ data }) => data,
        () => undefined,
      )
    : undefined
  signal.throwIfAborted()
  if (summary && summary.balance !== null)
    return [balanceFinding(summary, summary.balance), ...renewalFindings(summary)]
  const me: { readonly total_balance?: unknown } = await call(user.me, {}, { signal })
  return typeof me.total_balance === 'number' ? listedBalanceFindings(scope, me.total_balance) : []
}

function balanceFinding({ at, unit, forecast, subscriptions }: BillingSummary, balance: number): Finding {
  const text = `The balance is ${amountText(balance, unit)}`
  if (balance <= 0) return warning('balance', `${text}. Calls and messages are refused.`, topUpHint)
  const next = subscriptions.next_charge_at
  const daysToCharge = next === null ? 0 : (Date.parse(next) - Date.parse(at)) / dayMs
  const { days_left: days, average_per_day: average } = forecast
  if (days === null || days >= Math.max(minDays, daysToCharge)) return ok('balance', `${text}.`)
  const lasts = days < 1 ? 'less than a day' : `about ${days} ${days === 1 ? 'day' : 'days'}`
  const charge = next === null ? '' : ` The next charges are due ${next.slice(0, 10)}.`
  return warning('balance', `${text} and lasts ${lasts} at ${estimateText(average, unit)} per day.${charge}`, topUpHint)
}

function renewalFindings({ has_payment_method: hasMethod, subscriptions }: BillingSummary): Finding[] {
  const { active, past_due: overdue, monthly_usd: monthly, next_charge_at: next } = subscriptions
  const count = (active ?? 0) + (overdue ?? 0)
  if (count === 0) return []
  if (hasMethod === false)
    return [
      warning(
        'payment_method',
        `No payment method is on file. ${count} ${count === 1 ? 'number' : 'numbers'} (${amountText(monthly, 'usd')} per month) cannot be renewed${next === null ? '' : ` on ${next.slice(0, 10)}`}.`,
        paymentHint,
      ),
    ]
  return overdue
    ? [
        warning(
          'payment_method',
          `The renewal of ${overdue} ${overdue === 1 ? 'number' : 'numbers'} was declined. Numbers that are not paid are released.`,
          paymentHint,
        ),
      ]
    : []
}

/** Warns that everything of the account is stopped. */
async function stopFindings(call: Call, signal: AbortSignal): Promise<Finding[]> {
  const at = await readStopTime(call, signal)
  return at === null
    ? []
    : [warning('stopped', `${describeStopTime(at)}, so nothing is started or sent.`, 'parley resume')]
}

/** Kinds of resources that belong to the account and may reference others. */
const kinds = [
  ...new Set<ResourceKind>([...(Object.keys(references) as ResourceKind[]).filter((it) => it !== 'voices'), 'tools']),
]

/** Reports references to missing resources: as a warning for disabled, draft or completed resources. */
async function danglingReferenceFindings({ account, origin }: AccountScope): Promise<Finding[]> {
  const found = await Promise.all(
    kinds.map(async (resourceKind) => {
      const links = await linksFrom(account, resourceKind)
      const targets = await Promise.all(links.map((it) => findLinkTarget(account, it, origin)))
      return links.filter((_, n) => targets[n] === 'missing')
    }),
  )
  return found.flat().map(findingOfLink)
}

function findingOfLink(link: Link): Finding {
  const { from, item, path, to, id } = link
  const { singular } = resources[to]
  const isIdle =
    item.status === 'disabled' || item.status === 'completed' || item.status === 'draft' || item.status === 'inactive'
  const where = link.sender === undefined ? 'does not exist' : `does not belong to sender ${link.sender}`
  const named = link.step === undefined ? path : `${path} ("${link.step}")`
  return resourceFinding(
    isIdle ? 'warning' : 'failed',
    'reference',
    [from, item],
    `references ${singular} ${id} in ${named}, which ${where}.`,
    fixCommand(link),
  )
}

const clearable = new Set([
  'phone_number_id',
  'folder_id',
  'knowledgebase_id',
  'synthesizer_provider_id',
  'transcriber_provider_id',
  'chat_llm_fallback_id',
])

/** Returns the command that fixes the reference, or one that lists the choices. */
function fixCommand({ from, item, by, to, id }: Link): string {
  const self = `${resources[from].noun} update ${item.id}`
  if (from === 'assistants') {
    if (by === toolsPath) return `parley ${self} --tool-ids '${stringifyJson(remainingIds(item, 'tool_ids', id))}'`
    if (by.endsWith('_ids[]'))
      return `parley ${self} --${by.replaceAll('_', '-').replace('[]', '')} '${stringifyJson(remainingIds(item, by.replace('[]', ''), id))}'`
    if (clearable.has(by)) return `parley ${self} --unset ${by}`
    if (by === 'address') return `parley ${self} --edit`
    if (by.startsWith('tools[]')) return `parley ${self} --edit`
    const fitting = engineModes.includes(item.mode as EngineMode) ? ` --mode ${item.mode}` : ''
    return to === 'voices' ? `parley voices list${fitting}` : `parley ${resources[to].noun} list`
  }
  if (from === 'senders') return `parley messaging assign ${item.id} --assistant-id null`
  return `parley ${resources[from].showCommand} ${item.id}`
}

const remainingIds = (item: LinkedItem, field: string, id: unknown): unknown[] =>
  Array.isArray(item[field]) ? item[field].filter((it) => isNumericId(it) && String(it) !== String(id)) : []

/** Fields that are read of a run. Only a Parley server reports why it failed and whether it was a test. */
interface RunResult {
  readonly id: string
  readonly status: string
  readonly error?: string | null
}

/** Number of runs checked for each automation. */
const maxRuns = 10

/** Reports enabled automations whose last live runs failed. */
async function failedRunFindings({ account }: AccountScope, call: Call, isOffered: boolean): Promise<Finding[]> {
  const enabled = (await account.list('automate')).filter((it) => it.status === 'enabled')
  const found = await mapConcurrently(enabled, async (flow) =>
    findingOf(flow, await runsOf(call, String(flow.id), isOffered)),
  )
  return found.flatMap((it) => it ?? [])
}

/** Returns the newest runs; none if they cannot be read, which is not a problem of the automation. */
async function runsOf(call: Call, id: string, isOffered: boolean): Promise<readonly RunResult[]> {
  try {
    if (isOffered) return (await call(automate.listRuns, { automation_id: id, test: false, limit: maxRuns })).data
    const answer = await call(automate.runs, { id, limit: maxRuns })
    return 'runs' in answer && Array.isArray(answer.runs) ? answer.runs : []
  } catch {
    return []
  }
}

function findingOf(automation: LinkedItem, runs: readonly RunResult[]): Finding | undefined {
  const ended = runs.filter((it) => it.status === 'FAILED' || it.status === 'SUCCEEDED')
  const good = ended.findIndex((it) => it.status === 'SUCCEEDED')
  const failures = good < 0 ? ended.length : good
  if (failures === 0) return undefined
  const what =
    failures === 1
      ? 'is enabled and its last run failed'
      : `is enabled and its last ${good < 0 && failures === maxRuns ? 'ten' : failures} runs failed`
  const why = typeof ended[0]?.error === 'string' ? `: ${ended[0].error}` : '.'
  const finding = resourceFinding(
    'warning',
    'automation_runs',
    ['automate', automation],
    `${what}${why}`,
    `parley automate runs list ${automation.id} --status FAILED`,
  )
  return { ...finding, record: { noun: 'run', id: String(ended[0]?.id) } }
}

/** Reports running or scheduled campaigns without leads. */
async function idleCampaignFindings({ account }: AccountScope, call: Call): Promise<Finding[]> {
  const running = (await account.list('campaigns')).filter(isActiveCampaign)
  const found = await mapConcurrently(running, async (campaign) => {
    const answer = await call(leads.list, { campaign_id: campaign.id as number, per_page: 1 }).catch(() => undefined)
    return answer !== undefined && itemsOf(leads.list, answer).length === 0
  })
  return running
    .filter((_, n) => found[n])
    .map((campaign) =>
      resourceFinding(
        'warning',
        'campaign_leads',
        ['campaigns', campaign],
        `is ${campaign.status} and has no leads.`,
        `parley leads create --campaign ${campaign.id}`,
      ),
    )
}

/** What the checks need of a command. */
interface AccountCheckContext extends Pick<Context, 'supports'> {
  readonly system: Pick<Context['system'], 'signal'>
}

interface AccountCheckOptions {
  readonly call: Call
  /** Base URL of the platform. */
  readonly base: string
  /** Time of the platform in milliseconds since 1970. */
  readonly now: number
  /** Gets a text about what is being read. */
  readonly onProgress?: (text: string) => void
  /** The command that also probes the addresses of tools and webhooks, or false. */
  readonly reach: Context | false
}

/**
 * Checks the resources of an account. Only reads, and reads each list once. Without problems it reports the balance and one
 * sentence.
 */
export async function checkAccount(
  context: AccountCheckContext,
  { call, base, now, reach, onProgress }: AccountCheckOptions,
): Promise<Finding[]> {
  const isOffered = (capability: Capability): Promise<boolean> => context.supports(capability).catch(() => false)
  const account = createAccountReader(call, context.system.signal, {
    onlyEnabled: true,
    offered: await offeredToReader(isOffered),
    ...(onProgress && { onProgress }),
  })
  const url = URL.canParse(base) && /^https?:/.test(base) ? new URL(base) : undefined
  const scope: AccountScope = {
    account,
    isRemote: url !== undefined && !isLoopback(url.hostname),
    origin: url?.origin,
  }
  const { signal } = context.system
  const hasVersions = await isOffered('versions')
  const stop = (await isOffered('stop')) ? await stopFindings(call, signal) : []
  const balance = await billingFindings({ call, signal, now, isOffered: await isOffered('billing') })
  const checks = await Promise.all([
    danglingReferenceFindings(scope),
    speechFindings(scope),
    numberFindings(scope),
    messageFindings(scope),
    slotConflictFindings(scope),
    automationFindings(scope, hasVersions),
    variableFindings(scope),
    engineFindings(scope, call, hasVersions),
    failedRunFindings(scope, call, await isOffered('runs')),
    idleCampaignFindings(scope, call),
    privateAddressFindings(scope),
    idleFindings(scope),
  ])
  const found = [...checks.flat(), ...(reach ? await reachabilityFindings(reach, scope) : [])]
  const isWell = [...stop, ...balance, ...found].every(({ status }) => status === 'ok')
  return [
    ...stop,
    ...balance,
    ...(isWell ? [ok('account', await summaryText(scope))] : []),
    ...found,
    ...unreadFindings(account.failures),
  ]
}

async function summaryText({ account }: AccountScope): Promise<string> {
  const kinds = ['assistants', 'tools', 'numbers', 'campaigns', 'automate'] as const
  const counts = await Promise.all(kinds.map(async (it) => [resources[it], (await account.list(it)).length] as const))
  const countTexts = counts.map(([{ singular, plural }, count]) => `${count} ${count === 1 ? singular : plural}`)
  return `No problems found: ${countTexts.join(', ')}.`
}

/** Reports lists that could not be read. A list that the platform does not have is not a problem. */
function unreadFindings(troubles: AccountScope['account']['failures']): Finding[] {
  const { refused, absent } = describeFailures(troubles)
  return [
    ...(absent ? [ok('account_lists', absent)] : []),
    ...(refused
      ? [
          warning(
            'account_lists',
            refused,
            'Try again: parley doctor --voice. The API key may not have permission to read them.',
          ),
        ]
      : []),
  ]
}
