import type { SlotEvent } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import type { Micros } from '../../../../contract/values/micros.ts'
import { toFlatTexts } from '../../../../engine/pieces/respond.ts'
import { buildEventSample, toWebhookRequest } from '../../../../engine/templates/event-samples.ts'
import { messageOf } from '../../../../node/is-error.ts'
import { parseJson } from '../../../../node/json.ts'
import { type AssistantRow, findAssistant } from '../../../store/assistants/assistants.ts'
import { findSlot } from '../../../store/assistants/event-slots.ts'
import { findAutomationById } from '../../../store/automations/automations.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import { notifyWebhook, requestVariables } from '../../deliveries/notify-webhook.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Returns a sample payload of an assistant's event, with the assistant's variables. */
export function assistantEventSample(
  event: SlotEvent,
  { uuid, settings }: AssistantRow,
  now: Micros,
): Record<string, unknown> {
  const { variables, post_call_schema } = parseJson(settings)
  return buildEventSample(event, { id: uuid, variables, post_call_schema }, now)
}

/** An event of an assistant. */
interface AssistantEvent {
  readonly account: number
  readonly assistant: number
  readonly kind: SlotEvent
  /** The payload of the event (facts section 3). Default: a sample with the assistant's variables. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
  /** Identifies the event: raising the same event twice starts one run. */
  readonly key?: string | undefined
}

/** The effect of a raised event. */
interface EventOutcome {
  /** The kind of holder of the event; null when the event has none. */
  readonly holder: 'automation' | 'webhook' | null
  /** The id of the automation, or the URL of the webhook. */
  readonly target: string | null
  /** Id of the started run. Null for a webhook, a disabled automation, and an event that was raised before. */
  readonly run: string | null
  /** Variables that an inbound call is answered with. */
  readonly variables: Readonly<Record<string, string>> | null
}

/** Milliseconds the assistant waits for variables before it answers a call. */
const answerTimeoutMs = 30_000

/**
 * The single entry point for the four events of assistants (section 6.3), whatever their source. An automation starts a
 * run; a webhook gets a delivery.
 */
export function assistantEventService(deps: Deps) {
  const { connection, clock } = deps

  return {
    /** Raises an event of an assistant. @throws Failure 404 for an unknown assistant */
    async raise({ account, assistant: id, kind, payload, key }: AssistantEvent): Promise<EventOutcome> {
      const read = accountQuery(connection.read, account)
      const assistant = await findAssistant(read, id)
      if (!assistant) throw new Failure('assistants.not_found')
      const slot = await findSlot(read, id, kind)
      if (!slot) return { holder: null, target: null, run: null, variables: null }
      const { holder, target } = slot
      if (holder === 'webhook') {
        const notification = {
          account,
          assistant: id,
          event: kind,
          url: target,
          payload: payload ?? assistantEventSample(kind, assistant, await clock.now()),
          key,
        }
        if (kind === 'inbound')
          return { holder, target, run: null, variables: await requestVariables(deps, notification) }
        await notifyWebhook(deps, notification)
        return { holder, target, run: null, variables: null }
      }
      const found = await findAutomationById(read, target)
      const version = found?.live
      if (!version || found.row.status !== 'enabled') return { holder, target, run: null, variables: null }
      const given = payload ?? assistantEventSample(kind, assistant, await clock.now())
      const trigger = version.trigger_kind === 'webhook' ? toWebhookRequest({ body: given }) : given
      const runner = await deps.runner()
      const accepted = await connection.write({ account }, async (query) =>
        runner.accept(
          query,
          {
            automation: found.row,
            version,
            payload: trigger,
            testing: false,
            // Stored and compared after a crash: it never changes.
            ...(key !== undefined && { dedupe: `event ${key}` }),
          },
          await clock.now(query),
        ),
      )
      if (!accepted) return { holder, target, run: null, variables: null }
      void runner.start(accepted)
      const run = accepted.row.id
      if (kind !== 'inbound' || accepted.isHeld) return { holder, target, run, variables: null }
      const answer = (await runner.waitForResult({ id: run, account }, answerTimeoutMs))?.answer
      return {
        holder,
        target,
        run,
        variables: answer === undefined ? null : parseVariables(answer.body, (text) => deps.log(`run ${run}: ${text}`)),
      }
    },
  }
}

function parseVariables(body: unknown, log: (text: string) => void): Record<string, string> | null {
  try {
    return toFlatTexts(body)
  } catch (error) {
    log(messageOf(error))
    return null
  }
}
