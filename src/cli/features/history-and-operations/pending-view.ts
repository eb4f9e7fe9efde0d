import type {
  ListedOperation,
  PendingOperation,
  PendingOperations,
} from '../../../client/approvals/pending-operations.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import type { PlannedRequest, PlannedSteps } from '../../../contract/resources/approvals.ts'
import { usd } from '../../../contract/values/money.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { findPlacedOperations, listPlacedOperations } from '../../program/approvals/open-pending.ts'
import type { Context } from '../../program/context.ts'
import { notFoundError, usageError } from '../../program/errors/usage-error.ts'
import type { View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordArgument } from '../../program/prompts/equivalent-command.ts'

/** A pending operation in a list, with the field names of the output. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ListedPending {
  readonly id: string
  readonly at: string
  readonly state: ListedOperation['state']
  readonly summary: string
  /** The most that it costs; null if that is not known, 0 if it spends nothing. */
  readonly maximum_usd: number | null
  readonly command: string
  readonly profile: string
  readonly platform: string
  readonly asked_by: string | null
  readonly expires_at: string
  readonly decided_at: string | null
  readonly reason: string | null
}

/** A pending operation with its whole plan, with the field names of the output. */
export interface ShownPending extends ListedPending {
  readonly requests: readonly PlannedRequest[]
  readonly steps: PlannedSteps | null
}

/** Converts a listed operation to its printed form. */
export const toListedPending = (operation: ListedOperation): ListedPending => ({
  id: operation.id,
  at: operation.at,
  state: operation.state,
  summary: operation.plan.summary,
  maximum_usd: operation.plan.maximum_usd === undefined ? 0 : operation.plan.maximum_usd,
  command: commandLine(operation.plan.command),
  profile: operation.plan.profile,
  platform: operation.plan.platform,
  asked_by: operation.askedBy,
  expires_at: operation.expiresAt,
  decided_at: operation.decidedAt,
  reason: operation.reason,
})

/** Converts a pending operation to its printed form. */
export const toShownPending = (operation: PendingOperation): ShownPending => ({
  ...toListedPending(operation),
  requests: operation.plan.requests,
  steps: operation.plan.steps ?? null,
})

/** Columns for people: they and their titles may change. Scripts read JSON, and with `-o id` what `id` returns. */
export const pendingView: View<ListedPending> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'at', title: 'When', priority: 3, kind: 'computer_time' },
    { key: 'state', title: 'State', priority: 1, kind: 'status' },
    { key: 'summary', title: 'Operation', priority: 1, flexible: true },
    { key: 'maximum_usd', title: 'Maximum', priority: 2, kind: 'money' },
    { key: 'asked_by', title: 'Asked by', priority: 4 },
    { key: 'expires_at', title: 'Expires', priority: 5, kind: 'computer_time' },
  ],
  empty: 'No operations wait for a person.',
}

export const pendingArgument = { name: 'id', describe: 'Id of the operation, or its unique beginning' } as const

/** Returns the operations that wait for a person, and those that were decided, newest first. */
export const listPending = async (context: Context): Promise<ListedPending[]> =>
  (await listPlacedOperations(context)).map(({ operation }) => toListedPending(operation))

/** Returns the pending operation whose id begins with a text, if there is exactly one. */
export async function findPending(context: Context, id: string): Promise<ShownPending | undefined> {
  const [found, ...others] = await findPlacedOperations(context, id)
  return found && others.length === 0 ? toShownPending(await found.pending.read(found.operation.id)) : undefined
}

/** Returns what a person decides about, with every byte that would be sent. */
export function planText({ plan, askedBy, expiresAt }: PendingOperation): string {
  const cost = plan.maximum_usd === undefined ? 'none' : plan.maximum_usd === null ? 'not known' : usd(plan.maximum_usd)
  return [
    plan.summary,
    `Asked by: ${askedBy ?? 'a person or a script'}`,
    `Command: ${commandLine(plan.command)}`,
    `Folder: ${plan.folder}`,
    `Platform: ${plan.platform} (profile ${plan.profile})`,
    ...(plan.key_mark === undefined ? [] : [`API key: begins with ${plan.key_mark}`]),
    `Maximum cost: ${cost}`,
    ...plan.requests.flatMap(({ method, path, body }) => [
      `Request: ${method} ${path}`,
      ...(body === null ? [] : [indent(body)]),
    ]),
    ...(plan.steps
      ? [
          `Requests: ${Object.entries(plan.steps.allows)
            .map(([name, count]) => `${name} at most ${count}`)
            .join(', ')}`,
          'Content:',
          indent(stringifyJson(plan.steps.content, null, 2)),
        ]
      : []),
    `Expires: ${describeTime(expiresAt)}`,
  ].join('\n')
}

/** Indents a body: exactly what is sent, and below it the same in lines if it is long. */
function indent(body: string): string {
  const lines = body.includes('\n') || body.length <= 160 ? body : `${body}\n${stringifyJson(parseJson(body), null, 2)}`
  return lines.replaceAll(/^/gm, '  ')
}

/** Returns the pending operation for an id, or prompts for one, and its place. @throws ClientFailure `usage`, `not_found` */
export async function resolvePending(
  context: Context,
  argument: string | undefined,
  isOffered: (operation: ListedOperation) => boolean,
): Promise<{ readonly operation: PendingOperation; readonly pending: PendingOperations }> {
  const id = argument ?? (await pick(context, isOffered))
  const [found, ...others] = await findPlacedOperations(context, id)
  if (!found)
    throw notFoundError(
      `Operation "${id}" not found.`,
      'List them: parley ops list --pending. Those of another platform: pass --profile.',
    )
  if (others.length > 0)
    throw usageError(
      `Several operations begin with "${id}": ${[found, ...others].map(({ operation }) => operation.id).join(', ')}.`,
      'Pass more of the id.',
    )
  const { pending, operation } = found
  return { operation: await pending.read(operation.id), pending }
}

async function pick(context: Context, isOffered: (operation: ListedOperation) => boolean): Promise<string> {
  if (!context.interactive) throw usageError('Missing operation. Pass its id.', 'List them: parley ops list --pending.')
  const operations = (await listPlacedOperations(context)).map(({ operation }) => operation).filter(isOffered)
  if (operations.length === 0) throw notFoundError('No operations to choose from.')
  const prompts = await context.prompts()
  const { id } = await prompts.select(
    'Which operation?',
    promptChoices(operations, (it) => `${it.id.slice(0, 8)}  ${it.state}  ${it.plan.summary}`),
    { searchable: true },
  )
  recordArgument(context, id)
  return id
}
