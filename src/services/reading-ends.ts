import { schedule, unschedule } from '../events/due.ts'
import type { DueRow } from '../store/due.ts'
import { changePayload, findEvent } from '../store/outbox.ts'
import { beside } from './aside.ts'
import type { AssistantFields } from './assistant-state.ts'
import { eventWork } from './deliveries/announcing.ts'
import type { Deps } from './deps.ts'
import { foundByModel } from './found-by-model.ts'
import type { SaidLine } from './ports.ts'

/** Kind of the due work that has a language model read a conversation that ended, before anybody is told. Its subject is the event's id. */
export const readingWork = 'conversation.read'

interface Ended {
  readonly conversation_id: string
  readonly transcript: readonly Pick<SaidLine, 'role' | 'content'>[]
  readonly extracted_variables: Readonly<Record<string, unknown>>
}

/** Conversations that ended are read once more where a real language model thinks for their assistants. */
export function readingService(deps: Deps) {
  const { connection, clock } = deps
  return {
    /** Due work: puts what the model found in the place of what rules did, and has the event go its way. */
    read: (row: DueRow): Promise<void> =>
      beside(deps, row, async (signal) => {
        const id = Number(row.subject)
        const event = await findEvent(connection.read, id)
        const payload = event && (JSON.parse(event.payload) as Ended)
        const assistant =
          payload &&
          (await connection.read
            .selectFrom('conversation')
            .innerJoin('assistant', 'assistant.id', 'conversation.assistant_id')
            .select('assistant.settings')
            .where('conversation.uuid', '=', payload.conversation_id)
            .executeTakeFirst())
        const settings = JSON.parse(assistant?.settings ?? '{}') as Partial<AssistantFields>
        const found = payload && (await foundByModel(deps, settings, { about: `conversation ${payload.conversation_id}`, lines: payload.transcript, signal }))
        // Whoever leaves has not read it: somebody else will.
        if (found === undefined) signal.throwIfAborted()
        await connection.write(async (query) => {
          if (found) await changePayload(query, id, { ...payload, extracted_variables: { ...payload?.extracted_variables, ...found } })
          await unschedule(query, readingWork, row.subject)
          if (event && event.handled_at === null)
            await schedule(query, { account: event.account_id, kind: eventWork, subject: row.subject, at: await clock.now(query) })
        })
      }),
  }
}
