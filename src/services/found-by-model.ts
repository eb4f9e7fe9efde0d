import type { AssistantFields } from './assistant-state.ts'
import type { Deps } from './deps.ts'
import { defaultFields } from './extraction.ts'
import { modelsOf } from './models-asked.ts'
import type { SaidLine } from './ports.ts'
import type { Variables } from './variables.ts'

/** Milliseconds a model may take to read a conversation: somebody waits for its end to be told. */
const patience = 20_000
/** Characters of a conversation a model is given: its end. */
const mostSaid = 60_000

/** The last lines that fit. */
function lastOf(lines: readonly Pick<SaidLine, 'role' | 'content'>[]): Pick<SaidLine, 'role' | 'content'>[] {
  let room = mostSaid
  const fitting = lines.toReversed().filter(({ content }) => {
    room -= content.length
    return room >= 0
  })
  return fitting.toReversed()
}

/**
 * What an assistant was to find out, as a real language model reads it in what was said: asked once, at temperature 0. Undefined where the local model
 * answers, the customer said nothing, or the model failed, which the log then tells: rules find it then.
 */
export async function foundByModel(
  { providers: { language }, log }: Pick<Deps, 'providers' | 'log'>,
  settings: Partial<AssistantFields>,
  { about, lines, signal }: { readonly about: string; readonly lines: readonly Pick<SaidLine, 'role' | 'content'>[]; readonly signal: AbortSignal },
): Promise<Variables | undefined> {
  if (!language.extract || !language.extracts?.() || !lines.some((it) => it.role === 'user')) return undefined
  const schema = settings.post_call_schema ?? []
  const [model] = modelsOf(settings, false)
  const wanted = {
    model: model as string,
    fields: schema.length > 0 ? schema : defaultFields,
    said: lastOf(lines),
    signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
  }
  const found = await language.extract(wanted).catch((error: Error) => ({ ok: false, reason: error.message }) as const)
  if (found.ok) return found.values
  log(`what ${about} was about: ${found.reason} Found by rules instead.`)
  return undefined
}
