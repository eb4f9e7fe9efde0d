// Stores what needs a person's approval, and admits what was approved. A request is compared with the plan right before it is sent:
// its bytes, the platform, the account, and the price, which is read again.

import type { Admission, GatedRequest } from '../../../client/approvals/gate.ts'
import { approvalPending } from '../../../client/approvals/pending-operations.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import type { Plan, PlannedRequest } from '../../../contract/resources/approvals.ts'
import { usd } from '../../../contract/values/money.ts'
import { redactValue } from '../../../contract/values/redact.ts'
import { canonicalJson } from '../../../node/canonical-json.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { describeAgent, detectAgent } from '../configuration/agent-mode.ts'
import type { Settings } from '../configuration/settings.ts'
import { currentKeyMark, isSameAccount } from '../connection/account-cache.ts'
import { platformLabel } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { readHighestPrice } from '../operations/budget.ts'
import { type ApprovalOrigin, type ApprovedRun, type PlannedCommand, requestKey } from './approvals.ts'
import { openPending } from './open-pending.ts'

export { findLiveChange } from './live-changes.ts'

interface Origin {
  readonly settings: Settings
  readonly platform: string
  /** What the command asked a person to confirm. */
  readonly summary?: string | undefined
  /** What the request changes that is live, as a sentence. */
  readonly live?: string | undefined
}

/** Stores a single request for approval, and ends the command: exit 10. */
export async function submitRequest(
  context: Context,
  options: ApprovalOrigin,
  gated: GatedRequest,
  origin: Origin,
): Promise<never> {
  requireNoSecrets(gated.input)
  const maximumUsd = await readMaximum(context, gated)
  return submit(context, options, origin, {
    summary: describePlan(origin.settings, describeGated(gated, origin), maximumUsd),
    requests: [toPlanned(gated)],
    ...(maximumUsd !== undefined && { maximum_usd: maximumUsd }),
  })
}

/** Stores all requests of a command for one approval, and ends the command: exit 10. */
export async function submitPlan(context: Context, options: ApprovalOrigin, plan: PlannedCommand): Promise<never> {
  requireNoSecrets(plan.content)
  const { summary, content, allows, maximumUsd } = plan
  const [settings, { platform }] = [await context.settings(), await context.connection()]
  return submit(
    context,
    options,
    { settings, platform },
    {
      summary: describePlan(settings, summary, maximumUsd),
      requests: [],
      steps: { content, allows },
      ...(maximumUsd !== undefined && { maximum_usd: maximumUsd }),
    },
  )
}

async function submit(
  context: Context,
  options: ApprovalOrigin,
  { settings, platform }: Origin,
  part: Pick<Plan, 'summary' | 'requests' | 'steps' | 'maximum_usd'>,
): Promise<never> {
  const { system } = context
  requireNoSecrets(options.words)
  const keyMark = await currentKeyMark(context)
  const stdin = options.readInput()
  if (stdin === undefined)
    throw usageError('Standard input is too long to be stored for approval.', 'Pass a file with --file instead.')
  const agent = detectAgent(system.env)
  const pending = await openPending(context)
  const operation = await pending.submit(
    {
      command: [...options.words],
      folder: system.cwd,
      ...(stdin !== '' && { stdin }),
      profile: settings.profileName.value,
      platform,
      ...(keyMark !== undefined && { key_mark: keyMark }),
      ...part,
    },
    agent ? describeAgent(agent) : null,
  )
  throw approvalPending(operation, pending.place)
}

const describePlan = (settings: Settings, summary: string, maximumUsd: number | null | undefined): string =>
  `${platformLabel(settings)} ${summary}${maximumUsd === undefined ? '' : ` Maximum cost: ${maximumUsd === null ? 'not known' : usd(maximumUsd)}.`}`

/** Amounts may be lower than approved, and are compared as numbers. What else a sentence says must still be true. */
const withoutAmounts = (text: string): string => text.replaceAll(/\d+(\.\d+)?(?= USD)/g, '')

/** Returns what a request does, and what of it is live. */
const describeGated = (gated: GatedRequest, { summary, live }: Pick<Origin, 'summary' | 'live'>): string =>
  [summary ?? describeRequest(gated), ...(live === undefined ? [] : [live])].join(' ')

/**
 * Returns what a request does, with its fields if they are few. The text is stored and compared (`admitRequest`): the same request has
 * the same text.
 */
function describeRequest({ endpoint, input }: GatedRequest): string {
  const fields = Object.entries((input ?? {}) as object).filter(([, value]) => typeof value !== 'object')
  const text = fields.map(([name, value]) => `${name} ${stringifyJson(value)}`).join(', ')
  return text.length > 300 || text === '' ? `${endpoint.summary}.` : `${endpoint.summary}: ${text}.`
}

const toPlanned = ({ endpoint, request }: GatedRequest): PlannedRequest => ({
  endpoint: endpoint.name,
  method: request.method,
  path: request.url,
  body: request.body ?? null,
})

/** Returns the most that a request costs in USD: null if that is not known, undefined if it spends nothing. */
async function readMaximum(
  context: Context,
  { endpoint, input, ...prices }: GatedRequest,
): Promise<number | null | undefined> {
  if (endpoint.risk !== 'spends') return undefined
  return (await readHighestPrice(context, endpoint, input, prices)) ?? null
}

/** @throws ClientFailure `usage` if a value is a secret, which must not be stored or shown; a reference is none */
function requireNoSecrets(value: unknown): void {
  const text = stringifyJson(value ?? null).replaceAll(/"(?:(?:Bearer|Basic|Token) )?\$\{\w+\}"/g, 'null')
  const plain = parseJson(text)
  if (stringifyJson(redactValue(plain)) === stringifyJson(plain)) return
  throw new ClientFailure({
    exit: 'usage',
    code: 'secret_in_plan',
    message: 'This contains a secret, and cannot be stored for approval. Nothing was sent.',
    hint: 'Refer to the secret as ${NAME}, the name of an environment variable, in a file for "parley push". Or ask a person to run the command on a terminal.',
    sent: false,
  })
}

/** Admits the steps of a plan. @throws ClientFailure `conflict` if they are not what was approved */
export async function admitPlan(approved: ApprovedRun, plan: PlannedCommand): Promise<void> {
  const { steps, maximum_usd: maximumUsd } = approved.operation.plan
  const isApproved =
    steps !== undefined &&
    (canonicalJson(steps.content) === canonicalJson(plan.content) ||
      (approved.operation.state === 'interrupted' && plan.isRest?.(steps.content) === true))
  if (!isApproved) throw changed(approved, 'What the command would do is not what was approved.')
  requirePrice(approved, maximumUsd, plan.maximumUsd)
  approved.hasComparedSteps = true
}

const findPlanned = ({ operation }: ApprovedRun, gated: GatedRequest): number => {
  const planned = canonicalJson(toPlanned(gated))
  return operation.plan.requests.findIndex((it) => canonicalJson(it) === planned)
}

/** Returns whether exactly this request was approved. */
export const hasPlanned = (approved: ApprovedRun, gated: GatedRequest): boolean => findPlanned(approved, gated) >= 0

/**
 * Admits a request of an approved plan, once. It is recorded as open before it is sent, so that a run after a crash knows that it may
 * have been carried out. @throws ClientFailure `conflict` if it is not part of it
 */
export async function admitRequest(
  context: Context,
  approved: ApprovedRun,
  gated: GatedRequest,
  { settings, platform, ...origin }: Origin,
): Promise<Admission> {
  const { id, plan, outcomes } = approved.operation
  const { endpoint } = gated
  if (platform !== plan.platform)
    throw changed(approved, `The platform is ${platform}, but the approval is for ${plan.platform}.`)
  const mark = await currentKeyMark(context)
  if (
    plan.key_mark !== undefined &&
    mark !== plan.key_mark &&
    !(mark !== undefined && isSameAccount(context.system, settings.baseUrl.value, mark, plan.key_mark))
  )
    throw changed(approved, 'The API key is another one, which may belong to another account.')
  const { pending } = approved
  const { steps } = plan
  if (steps) {
    if (!approved.hasComparedSteps) throw changed(approved, 'What the command would do is not what was approved.')
    const left = (steps.allows[endpoint.name] ?? 0) - (approved.used[endpoint.name] ?? 0)
    if (left <= 0) throw changed(approved, `The plan has no further ${endpoint.name}.`)
    approved.used[endpoint.name] = (approved.used[endpoint.name] ?? 0) + 1
    await pending.recordRequest(id, -1, 'open')
    return { settle: settling(approved, -1) }
  }
  const planned = toPlanned(gated)
  const number = findPlanned(approved, gated)
  if (number < 0) throw changed(approved, `${planned.method} ${planned.path} differs from the approved request.`)
  if (outcomes[number] === 'done' || approved.used[number])
    throw changed(approved, `${planned.method} ${planned.path} was sent already.`)
  const maximumUsd = await readMaximum(context, gated)
  requirePrice(approved, plan.maximum_usd, maximumUsd)
  const current = describePlan(settings, describeGated(gated, origin), maximumUsd)
  // A request without a known outcome may be carried out at any time, so that repeating it adds nothing to be agreed to.
  const isUnanswered = outcomes[number] === 'open' || outcomes[number] === 'unknown'
  if (!isUnanswered && withoutAmounts(current) !== withoutAmounts(plan.summary))
    throw changed(approved, `Approved was: ${plan.summary}\nNow it is: ${current}`)
  approved.used[number] = 1
  await pending.recordRequest(id, number, 'open')
  return { idempotencyKey: requestKey(id, number), settle: settling(approved, number) }
}

/** Records the outcome of a request. If that fails, the outcome stays open, and the next run finds it under the same key. */
const settling =
  ({ pending, operation }: ApprovedRun, number: number): Admission['settle'] =>
  (outcome) =>
    pending.recordRequest(operation.id, number, outcome).catch(() => {})

/** @throws ClientFailure `conflict` if the price is higher than approved, or no longer known. A lower price is fine */
function requirePrice(
  approved: ApprovedRun,
  maximum: number | null | undefined,
  current: number | null | undefined,
): void {
  if (
    maximum === null ||
    current === undefined ||
    (maximum !== undefined && current !== null && current <= maximum + 1e-9)
  )
    return
  throw changed(
    approved,
    `The price is ${current === null ? 'not known' : usd(current)} now; ${maximum === undefined ? 'no cost' : usd(maximum)} was approved.`,
  )
}

function changed(approved: ApprovedRun, message: string): ClientFailure {
  approved.isChanged = true
  return new ClientFailure({
    exit: 'conflict',
    code: 'approval_changed',
    message: `${message} Nothing was sent.`,
    hint: `To ask again, run the command again: ${commandLine(approved.operation.plan.command)}`,
    sent: false,
  })
}
