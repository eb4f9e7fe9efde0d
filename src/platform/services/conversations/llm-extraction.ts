import type { TranscriptLine } from '../../../engine/ports/telephony.ts'
import type { Variables } from '../../../engine/tools/assistant-variables.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import type { Deps } from '../runtime/deps.ts'
import { selectModels } from './model-selection.ts'
import { defaultFields } from './rule-extraction.ts'

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
    about: label,
    lines,
    signal,
  }: {
    readonly about: string
    readonly lines: readonly Pick<TranscriptLine, 'role' | 'content'>[]
    readonly signal: AbortSignal
  },
): Promise<Variables | undefined> {
  if (!language.extract || !language.canExtract?.() || !lines.some((it) => it.role === 'user')) return undefined
  const schema = settings.post_call_schema ?? []
  const [model = ''] = selectModels(settings, false)
  const request = {
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
