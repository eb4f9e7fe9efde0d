import type { TranscriptLine } from '../../../engine/ports/telephony.ts'
import { parseJson } from '../../../node/json.ts'
import { runInBackground } from '../../jobs/background-queue.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findConversationSettings } from '../../store/conversations/conversations.ts'
import { findEvent, updateEventPayload } from '../../store/deliveries/outbox.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { eventJobKind } from '../deliveries/event-publisher.ts'
import type { Deps } from '../runtime/deps.ts'
import { extractWithModel } from './llm-extraction.ts'

/**
 * Kind of the job in which a language model extracts the variables of an ended conversation before the webhook is
 * notified. The subject is the event's id.
 */
export const extractionJobKind = 'conversation.read'

interface EndedPayload {
  readonly conversation_id: string
  readonly transcript: readonly Pick<TranscriptLine, 'role' | 'content'>[]
  readonly extracted_variables: Readonly<Record<string, unknown>>
}

/** Extracts the variables of ended conversations with a language model, if a real one is configured. */
export function extractionService(deps: Deps) {
  const { connection, clock } = deps
  return {
    /**
     * Scheduled job: merges the extracted values over those that rules found, and schedules the dispatch of the event.
     */
    extract: (row: JobRow): Promise<void> =>
      runInBackground(deps, row, async (signal) => {
        const id = Number(row.subject)
        const event = await findEvent(connection.read, id)
        const payload = event && (parseJson(event.payload) as EndedPayload)
        const stored = payload && (await findConversationSettings(connection.read, payload.conversation_id))
        const settings = parseJson(stored ?? '{}')
        const values =
          payload &&
          (await extractWithModel(deps, settings, {
            about: `conversation ${payload.conversation_id}`,
            lines: payload.transcript,
            signal,
          }))
        // After an aborted extraction, another process repeats it.
        if (values === undefined) signal.throwIfAborted()
        await connection.write({ account: row.account_id }, async (query) => {
          if (values)
            await updateEventPayload(query, id, {
              ...payload,
              extracted_variables: { ...payload?.extracted_variables, ...values },
            })
          await unscheduleJob(query, extractionJobKind, row.subject)
          if (event && event.handled_at === null)
            await scheduleJob(query, {
              account: event.account_id,
              kind: eventJobKind,
              subject: row.subject,
              at: await clock.now(query),
            })
        })
      }),
  }
}
