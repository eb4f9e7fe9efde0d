import { contacts } from '../../../../contract/resources/contacts.ts'
import { type MessageStatus, messageStatuses } from '../../../../contract/resources/message-records.ts'
import { messaging } from '../../../../contract/resources/messaging.ts'
import { maxPerPage } from '../../../../contract/values/page-size.ts'
import { localReceipt } from '../../../nouns/messaging/local-receipt.ts'
import { messageConditions } from '../../../nouns/messaging/wait.ts'
import type { Waitable, WaitIds, WaitReader } from '../../../program/waiting/waitable.ts'
import { formatCount } from '../progress-bar.ts'
import type { OpenedRows } from '../row-operation.ts'

/** Statuses that a message passes through before it was read, in their order. One that waits for the contact hours is not sent yet. */
const stages = ['waiting', 'sending', 'queued', 'sent', 'delivered'] as const satisfies readonly (
  | MessageStatus
  | 'waiting'
)[]
const failures = ['failed', 'undelivered', 'cancelled'] as const
/** Those that only some jobs have are named only if a message has them. */
const always = messageStatuses.filter((it) => it !== 'read')

type Word = (typeof stages)[number] | (typeof failures)[number] | 'read'

/** How many messages of a bulk job are in each status. Scripts read it as JSON: words are added, not renamed. */
interface Deliveries {
  readonly deliveries: Readonly<Partial<Record<Word, number>>>
}

/** What identifies the messages of a job. `started_at` is the time of this computer at which the first run began. */
interface JobMessages {
  readonly sender_id: number
  readonly template_id: number
  readonly started_at: string
}

/** Milliseconds by which the clock of the platform may differ from what is known of it. */
const clockMarginMs = 5000

interface Listed {
  readonly created_at: string
}

/**
 * Counts what is listed to the recipients of the job since its first run, newest first. A list of many is not read whole: its total may
 * include others of that day, but is never more than the rows.
 */
function countOwn<T extends Listed>(
  page: { readonly data: readonly T[]; readonly total: unknown },
  since: number,
  numberOf: (listed: T) => string | null,
  { checkResult: { numbers } }: OpenedRows,
): number {
  const recent = page.data.filter(({ created_at }) => Date.parse(created_at) >= since)
  if (recent.length === maxPerPage) return Math.min(Number(page.total) || maxPerPage, numbers.rows)
  return recent.filter((it) => numbers.has(numberOf(it) ?? '')).length
}

/** Counts the messages in a status. */
async function countMessages(
  { call }: WaitReader,
  { sender_id, template_id }: JobMessages,
  since: number,
  status: MessageStatus,
  rows: OpenedRows,
): Promise<number> {
  const date_from = new Date(since).toISOString().slice(0, 10)
  const page = await call(messaging.list, { sender_id, template_id, status, date_from, per_page: maxPerPage })
  return countOwn(page, since, (it) => it.recipient_phone, rows)
}

/** Counts the messages that wait, or waited, for the contact hours, in a state. */
async function countWaiting(
  { call }: WaitReader,
  since: number,
  state: 'waiting' | 'failed' | 'cancelled',
  rows: OpenedRows,
): Promise<number> {
  const page = await call(contacts.waiting, { channel: 'messaging', state, per_page: maxPerPage })
  return Math.min(
    countOwn(page, since, (it) => it.phone_number, rows),
    rows.progress.count('waiting'),
  )
}

const withFailures = (state: string): string => `${state}, with failures`

/**
 * How the messages of a bulk job are waited for, in all its runs: those with its template of its sender to its recipients since its first run.
 * Its state is that of the message that is behind all others. A message that failed ends the wait only after all others were delivered.
 */
export const deliveriesWait = (rows: OpenedRows): Waitable => ({
  singular: 'bulk job',
  continuing: 'Its messages continue on the platform.',
  conditions: Object.fromEntries(
    Object.entries(messageConditions).map(([name, { reached, pending }]) => [
      name,
      { reached, pending: [...pending, ...pending.map(withFailures)] },
    ]),
  ),
  endpoint: messaging.list,
  async read(from, ids) {
    const job = ids as WaitIds & JobMessages
    const since = (await from.context.platformTime(job.started_at)) - clockMarginMs
    const counts: Partial<Record<Word, number>> = {}
    for (const status of [...always, 'read'] as const)
      counts[status] = await countMessages(from, job, since, status, rows)
    const { progress } = rows
    if (progress.count('waiting') > 0) {
      for (const state of ['waiting', 'cancelled'] as const)
        counts[state] = await countWaiting(from, since, state, rows)
      counts.failed = (counts.failed ?? 0) + (await countWaiting(from, since, 'failed', rows))
    }
    // A message that was accepted may be listed a moment later.
    const listed = Object.values(counts).reduce((sum, it) => sum + it, 0)
    const missing = Math.max(0, progress.count('done') + progress.count('waiting') - listed)
    counts.sending = (counts.sending ?? 0) + missing
    const named = Object.entries(counts).filter(([word, n]) => n > 0 || always.some((it) => it === word))
    return { deliveries: Object.fromEntries(named) }
  },
  stateOf(record) {
    const { deliveries } = record as Deliveries
    const has = (word: Word): boolean => (deliveries[word] ?? 0) > 0
    const state = stages.find(has) ?? (has('read') ? 'read' : undefined)
    const failed = failures.filter(has)
    if (state === undefined)
      return failed.length === 0 ? 'not_sent' : failed.length === 1 ? String(failed[0]) : 'failed'
    return failed.length > 0 ? withFailures(state) : state
  },
  async detailOf({ context }, record) {
    const { deliveries } = record as Deliveries
    const isOnTheWay = (deliveries.queued ?? 0) + (deliveries.sent ?? 0) > 0
    const receipt = isOnTheWay ? await localReceipt(context, 'sent') : undefined
    const counted = ([...stages, 'read', ...failures] as const).filter((it) => (deliveries[it] ?? 0) > 0)
    return counted.length === 0
      ? undefined
      : [
          ...counted.map((it) => `${formatCount(deliveries[it] ?? 0)} ${it}`),
          ...(receipt === undefined ? [] : [`which they stay on the local platform until: ${receipt}`]),
        ].join(', ')
  },
  addsToResult: true,
})
