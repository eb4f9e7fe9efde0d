import type { TranscriptLine } from '../../providers/ports/providers.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import type { Variables } from '../assistants/assistant-variables.ts'
import type { Deps } from '../runtime/deps.ts'
import { selectModels } from './model-selection.ts'
import { defaultFields } from './rule-extraction.ts'

/** Milliseconds a model may take to read a conversation: somebody waits for its end to be told. */
const extractionTimeoutMs = 20_000
/** Characters of a conversation a model is given: its end. */
const maxTranscriptLength = 60_000

/** The last lines that fit. */
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
 * What an assistant was to find out, as a real language model reads it in what was said: asked once, at temperature 0. Undefined where the local model
 * answers, the customer said nothing, or the model failed, which the log then tells: rules find it then.
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
  const [model] = selectModels(settings, false)
  const request = {
    model: model as string,
    fields: schema.length > 0 ? schema : defaultFields,
    messages: lastLines(lines),
    signal: AbortSignal.any([signal, AbortSignal.timeout(extractionTimeoutMs)]),
  }
  const result = await language
    .extract(request)
    .catch((error: Error) => ({ ok: false, reason: error.message }) as const)
  if (result.ok) return result.values
  log(`extraction of ${label}: ${result.reason} Using rules instead.`)
  return undefined
}
