import { flatTexts } from '../../automation/steps/respond.ts'
import type { EventKind } from '../../contract/events.ts'
import { crypto } from '../../crypto.ts'
import { appendEvent, findEvent } from '../../store/outbox.ts'
import type { SlotEvent } from '../../store/slots.ts'
import type { Deps } from '../deps.ts'
import { addDelivery, messageIdOf } from './dispatching.ts'
import { webhookPayload } from './switches.ts'

interface Told {
  readonly account: number
  readonly assistant: number
  readonly event: SlotEvent
  readonly url: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The same event told twice under it is delivered once. */
  readonly key?: string | undefined
}

const kindOf = (event: SlotEvent): EventKind => `fired.${event}`

/** What a payload says it is about, so that what is told of one conversation or call keeps its order. */
const subjectOf = ({ conversation_id, id }: Readonly<Record<string, unknown>>): string =>
  conversation_id !== undefined ? `conversation ${conversation_id}` : `call ${id}`

/** Puts an event on its way to the webhook that holds it. */
export const tellWebhook = (deps: Deps, { account, assistant, event, url, payload, key }: Told): Promise<void> =>
  deps.connection.write(async (query) => {
    const now = await deps.clock.now(query)
    const told = { event, assistant }
    const id = await appendEvent(query, { account, kind: kindOf(event), subject: subjectOf(payload), payload, now, told })
    const row = await findEvent(query, id)
    const sent = row && (await webhookPayload(query, row))
    const known = key === undefined ? undefined : crypto().createHash('sha256').update(`${account} ${assistant} ${event} ${key}`).digest('hex').slice(0, 32)
    const message = known === undefined ? messageIdOf(deps, `event ${id} ${now}`) : `msg_${known}`
    if (row && sent) await addDelivery(query, { ...row, url, payload: sent, message, now })
    await query.updateTable('outbox').set({ handled_at: now }).where('id', '=', id).execute()
  })

/** Asks the webhook of inbound calls for variables before the assistant answers; null when it gives none. */
export async function askWebhook(deps: Deps, { account, assistant, event, url, payload }: Told): Promise<Record<string, string> | null> {
  const answer = await (await deps.deliverer()).ask({ account, assistant, event, url, payload })
  if (answer === undefined || answer === '') return null
  try {
    return flatTexts(JSON.parse(answer))
  } catch (error) {
    deps.log(`inbound webhook of assistant ${assistant}: ${(error as Error).message}`)
    return null
  }
}
