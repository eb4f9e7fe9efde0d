import type { PendingOperation, PlannedRequest } from '../../../client/approvals/pending-operations.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import { usd } from '../../../contract/values/money.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { openPending } from '../../program/approvals/open-pending.ts'
import type { Context } from '../../program/context.ts'
import { notFoundError, usageError } from '../../program/errors/usage-error.ts'
import type { View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordArgument } from '../../program/prompts/equivalent-command.ts'

/** A pending operation with the field names of the output. */
export interface ShownPending {
  readonly id: string
  readonly at: string
  readonly state: PendingOperation['state']
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
  readonly requests: PlannedRequest[]
  readonly steps: { readonly content: unknown; readonly allows: Record<string, number> } | null
}

/** Converts a pending operation to its printed form. */
export const toShownPending = (operation: PendingOperation): ShownPending => ({
  id: operation.id,
  at: operation.at,
  state: operation.state,
  summary: operation.plan.summary,
  maximum_usd: operation.plan.maximumUsd === undefined ? 0 : operation.plan.maximumUsd,
  command: commandLine(operation.plan.command),
  profile: operation.plan.profile,
  platform: operation.plan.platform,
  asked_by: operation.askedBy,
  expires_at: operation.expiresAt,
  decided_at: operation.decidedAt,
  reason: operation.reason,
  requests: [...operation.plan.requests],
  steps: operation.plan.steps ?? null,
})

export const pendingView: View<ShownPending> = {
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
export const listPending = (context: Context): readonly ShownPending[] =>
  openPending(context.system).list().toReversed().map(toShownPending)

/** Returns the pending operation whose id begins with a text, if there is exactly one. */
export function findPending(context: Context, id: string): ShownPending | undefined {
  const found = openPending(context.system)
    .list()
    .filter((it) => id !== '' && it.id.startsWith(id))
  return found.length === 1 ? toShownPending(found[0] as PendingOperation) : undefined
}

/** Returns what a person decides about, with every byte that would be sent. */
export function planText({ plan, askedBy, expiresAt }: PendingOperation): string {
  const cost = plan.maximumUsd === undefined ? 'none' : plan.maximumUsd === null ? 'not known' : usd(plan.maximumUsd)
  return [
    plan.summary,
    `Asked by: ${askedBy ?? 'a person or a script'}`,
    `Command: ${commandLine(plan.command)}`,
    `Folder: ${plan.folder}`,
    `Platform: ${plan.platform} (profile ${plan.profile})`,
    ...(plan.keyMark === undefined ? [] : [`API key: begins with ${plan.keyMark}`]),
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

/** Returns the pending operation for an id, or prompts for one. @throws ClientFailure `usage`, `not_found` */
export async function resolvePending(
  context: Context,
  argument: string | undefined,
  isOffered: (operation: PendingOperation) => boolean,
): Promise<PendingOperation> {
  const operations = openPending(context.system).list()
  const id = argument ?? (await pick(context, operations.filter(isOffered)))
  const found = operations.filter((it) => it.id.startsWith(id))
  if (found.length > 1 && id !== '')
    throw usageError(
      `Several operations begin with "${id}": ${found.map((it) => it.id).join(', ')}.`,
      'Pass more of the id.',
    )
  const [operation] = found
  if (!operation || id === '')
    throw notFoundError(`Operation "${id}" not found.`, 'List them: parley ops list --pending.')
  return operation
}

async function pick(context: Context, operations: readonly PendingOperation[]): Promise<string> {
  if (!context.interactive) throw usageError('Missing operation. Pass its id.', 'List them: parley ops list --pending.')
  if (operations.length === 0) throw notFoundError('No operations to choose from.')
  const prompts = await context.prompts()
  const { id } = await prompts.select(
    'Which operation?',
    promptChoices(operations.toReversed(), (it) => `${it.id.slice(0, 8)}  ${it.state}  ${it.plan.summary}`),
    { searchable: true },
  )
  recordArgument(context, id)
  return id
}
