import type { ListedMessage, messageStatuses } from '../../../../contract/resources/message-records.ts'
import { messaging } from '../../../../contract/resources/messaging.ts'
import { messageConditions } from '../../../nouns/messaging/wait.ts'
import type { Waitable, WaitIds, WaitReader } from '../../../program/waiting/waitable.ts'
import { formatCount } from '../progress-bar.ts'

/** Statuses that a message passes through, in their order. */
const stages = ['sending', 'queued', 'sent', 'delivered'] as const
const failures = ['failed', 'undelivered'] as const

/**
 * How many messages of a bulk job are in each status, except those that were read. Scripts read it as JSON: words are
 * added, not renamed.
 */
interface Deliveries {
  readonly deliveries: Readonly<Record<(typeof stages)[number] | (typeof failures)[number], number>>
}

/** What identifies the messages of a job. `started_at` is the time of this computer at which the first run began. */
interface JobMessages {
  readonly sender_id: number
  readonly template_id: number
  readonly started_at: string
}

const pageSize = 100
/** Milliseconds by which the clock of the platform may differ from what is known of it. */
const clockMarginMs = 5000

/** Counts the messages in a status. A list of many messages is not read whole: its total may include earlier ones of that day. */
async function countMessages(
  { call }: WaitReader,
  { sender_id, template_id }: JobMessages,
  since: number,
  status: (typeof messageStatuses)[number],
): Promise<number> {
  const date_from = new Date(since).toISOString().slice(0, 10)
  const page = await call(messaging.list, { sender_id, template_id, status, date_from, per_page: pageSize })
  const own = page.data.filter(({ created_at }: ListedMessage) => Date.parse(created_at) >= since).length
  return own < pageSize ? own : Number(page.total) || own
}

const withFailures = (state: string): string => `${state}, with failures`

/**
 * How the messages of a bulk job are waited for, in all its runs: those with its template of its sender since its first run. Its state is that
 * of the message that is behind all others. A message that failed ends the wait only after all others were delivered.
 */
export const deliveriesWait: Waitable = {
  singular: 'bulk job',
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
    const counts: Record<string, number> = {}
    for (const status of [...stages, ...failures]) counts[status] = await countMessages(from, job, since, status)
    return { deliveries: counts }
  },
  stateOf(record) {
    const { deliveries } = record as Deliveries
    const state = stages.find((it) => deliveries[it] > 0) ?? 'read'
    return failures.some((it) => deliveries[it] > 0) ? withFailures(state) : state
  },
  async detailOf(_, record) {
    const { deliveries } = record as Deliveries
    const counted = [...stages, ...failures].filter((it) => deliveries[it] > 0)
    return counted.map((it) => `${formatCount(deliveries[it])} ${it}`).join(', ')
  },
  addsToResult: true,
}
