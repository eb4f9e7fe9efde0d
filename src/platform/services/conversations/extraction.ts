import { defaultExtraction } from '../../../contract/assistants/default-extraction.ts'
import type { TranscriptLine } from '../../../engine/ports.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import { runInBackground } from '../../jobs/background-queue.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findConversationSettings } from '../../store/conversations/conversations.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { findEvent, updateEventPayload } from '../../store/deliveries/outbox.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { eventJobKind } from '../deliveries/event-publisher.ts'
import type { Deps } from '../runtime/deps.ts'
import { selectModels } from './model-selection.ts'

type Field = NonNullable<AssistantFields['post_call_schema']>[number]

const refusalPattern = /\b(no|not|never|nope|cancel|cannot|can't|don't|won't)\b/i

/** Returns the words after `name is`, `name: ` or `my name is` in the customer's last message that contains them. */
function findStatedValue(name: string, lines: readonly TranscriptLine[]): string | undefined {
  const words = name.replaceAll('_', '[ _-]')
  const pattern = new RegExp(`\\b${words}\\b\\s*(?:is|are|=|:|will be|would be)\\s*([^.,;!?\\n]{1,100})`, 'i')
  for (const { role, content } of lines.toReversed())
    if (role === 'user') for (const match of [pattern.exec(content)]) if (match?.[1]) return match[1].trim()
  return undefined
}

const firstNumber = (lines: readonly TranscriptLine[]): number | null => {
  for (const { role, content } of lines.toReversed()) {
    const found = role === 'user' ? /-?\d+(?:\.\d+)?/.exec(content) : null
    if (found) return Number(found[0])
  }
  return null
}

const toBoolean = (value: unknown): boolean => value === true || /^(true|yes|1|y)$/i.test(String(value))

/** Converts a value to the type of its field; null when that is impossible. */
function coerceToType({ type }: Field, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (type === 'bool') return toBoolean(value)
  if (type === 'number') return Number.isFinite(Number(value)) && value !== '' ? Number(value) : null
  return typeof value === 'string' ? value : stringifyJson(value)
}

function extractField(field: Field, lines: readonly TranscriptLine[], variables: Variables): unknown {
  const stated = findStatedValue(field.name, lines)
  if (stated !== undefined) return coerceToType(field, stated)
  if (Object.hasOwn(variables, field.name)) return coerceToType(field, variables[field.name])
  const customer = lines.filter((it) => it.role === 'user')
  if (field.type === 'bool') return customer.length > 0 && !refusalPattern.test(customer.at(-1)?.content ?? '')
  if (field.type === 'number') return firstNumber(lines)
  return null
}

/** Fields that are extracted for an assistant without a schema. */
const defaultFields: readonly Field[] = defaultExtraction

const defaultSummary = (lines: readonly TranscriptLine[]): Record<string, unknown> => {
  const customer = lines.filter((it) => it.role === 'user')
  const last = customer.at(-1)?.content
  return {
    status: customer.length > 0,
    summary: last === undefined ? 'The customer said nothing.' : `The customer said last: ${last}`,
  }
}

/**
 * Extracts the values of the assistant's schema by rules, or `status` and `summary` without a schema. The result is
 * deterministic. Sources in order of precedence: values in `given` (from a script or a language model), a statement of
 * the customer (`budget is 200`), and `variables`. A `bool` without any of these is true if the customer's last message
 * refuses nothing.
 */
export function extractByRules(
  { post_call_schema }: Partial<AssistantFields>,
  lines: readonly TranscriptLine[],
  variables: Variables,
  given: Variables = {},
): Record<string, unknown> {
  const schema = post_call_schema ?? []
  if (schema.length === 0) return { ...defaultSummary(lines), ...given }
  return Object.fromEntries(
    schema.map((field) => [
      field.name,
      Object.hasOwn(given, field.name) ? coerceToType(field, given[field.name]) : extractField(field, lines, variables),
    ]),
  )
}

/** Milliseconds an extraction may take, because the notification of the webhook waits for it. */
const extractionTimeoutMs = 20_000
/** Maximum characters of a conversation that the model receives. The end is used. */
const maxTranscriptLength = 60_000

/** Returns the last lines that fit. */
function lastLines(
  lines: readonly Pick<TranscriptLine, 'role' | 'content'>[],
): Pick<TranscriptLine, 'role' | 'content'>[] {
  let remaining = maxTranscriptLength
  const fitting = lines.toReversed().filter(({ content }) => {
    remaining -= content.length
    return remaining >= 0
  })
  return fitting.toReversed()
}

/**
 * Extracts the values of the assistant's schema with a language model, in one request at temperature 0. Returns
 * undefined when the local model is used, the customer said nothing, or the model failed (which is logged). Callers
 * then use rules.
 */
export async function extractWithModel(
  { providers: { language }, log }: Pick<Deps, 'providers' | 'log'>,
  settings: Partial<AssistantFields>,
  {
    account,
    about: label,
    lines,
    signal,
  }: {
    readonly account: number
    readonly about: string
    readonly lines: readonly Pick<TranscriptLine, 'role' | 'content'>[]
    readonly signal: AbortSignal
  },
): Promise<Variables | undefined> {
  if (!language.extract || !language.canExtract?.() || !lines.some((it) => it.role === 'user')) return undefined
  const schema = settings.post_call_schema ?? []
  const [model = ''] = selectModels(settings, false)
  const request = {
    account,
    model,
    fields: schema.length > 0 ? schema : defaultFields,
    messages: lastLines(lines),
  }
  const { extract } = language
  const result = await withTimeLimit(extractionTimeoutMs, [signal], (signal) => extract({ ...request, signal })).catch(
    (error: Error) => ({ ok: false, reason: error.message }) as const,
  )
  if (result.ok) return result.values
  log(`extraction of ${label}: ${result.reason} Using rules instead.`)
  return undefined
}

/**
 * Kind of the job in which a language model extracts the variables of an ended conversation before the webhook is
 * notified. The subject is the event's id. Its rows have this name, so it never
 * changes.
 */
export const extractionJobKind = 'conversation.read'

/** What is read here of the stored payload that webhooks get when a conversation has ended. */
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
        const read = accountQuery(connection.read, row.account_id)
        const event = await findEvent(read, id)
        const payload = event && (parseJson(event.payload) as EndedPayload)
        const stored = payload && (await findConversationSettings(read, payload.conversation_id))
        const settings = parseJson(stored ?? '{}')
        const values =
          payload &&
          (await extractWithModel(deps, settings, {
            account: row.account_id,
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
