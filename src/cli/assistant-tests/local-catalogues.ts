import { stringifyJson } from '../../node/json.ts'
import { toMockTool } from './sample-account.ts'

type Fields = Readonly<Record<string, unknown>>
type Account = Readonly<Record<string, readonly Fields[]>>

const catalogueFields = [
  'voice_id',
  'llm_model_id',
  'multimodal_model_id',
  'chat_llm_fallback_id',
  'synthesizer_provider_id',
  'transcriber_provider_id',
]

/**
 * Returns the entry of the local catalogues that is used instead of one that the local platform refuses. Without one,
 * the field is removed.
 */
function replacementOf(field: string, mode: unknown): string | undefined {
  if (field === 'voice_id') return mode === 'multimodal' ? 'Wren' : 'Amelia'
  if (field === 'llm_model_id') return 'Fast'
  if (field === 'multimodal_model_id') return mode === 'dualplex' ? 'Duplex' : 'Realtime'
  return undefined
}

/** An account that a local platform accepts, without what it refused last. */
export interface LocalAccount {
  readonly data: object
  /** What differs from the given account, a sentence each. */
  readonly replaced: readonly string[]
}

/**
 * Returns an account without what a local platform refused: voices and models that it does not have are replaced,
 * automations that it cannot load are removed, and their tools need a mock. @throws the error if it has other reasons
 */
export function withLocalCatalogues(data: object, error: unknown): LocalAccount {
  const { errors = {} } = error as { readonly errors?: Readonly<Record<string, readonly string[]>> }
  const { accounts } = data as { readonly accounts: readonly [Account] }
  const account = Object.fromEntries(
    Object.entries(accounts[0]).map(([name, it]) => [name, Array.isArray(it) ? [...it] : it]),
  ) as Record<string, Fields[]>
  const replaced: string[] = []
  const removed = new Set<Fields>()
  for (const [path, [message = '']] of Object.entries(errors)) {
    const [, list = '', index = '', field = ''] = /^accounts\.0\.(\w+)\.(\d+)(?:\.(\w+))?/.exec(path) ?? []
    const it = account[list]?.[Number(index)]
    if (!it) continue
    const reason = message
      .replaceAll(/accounts\.0\.\w+\.\d+(?:\.(?=\w)|: )?/g, '')
      .replace(field === '' ? '' : `${field}: `, '')
      .replace(/\.$/, '')
    if (list === 'automations' && !removed.has(it)) {
      removed.add(it)
      replaced.push(`automation "${it.name}" is omitted: ${reason}`)
    } else if (list === 'tools' && field === 'automation_id') {
      account.tools?.splice(Number(index), 1, toMockTool(it))
      replaced.push(`tool "${it.name}" needs a mock, because it has no automation: ${reason}`)
    } else if (list === 'assistants' && catalogueFields.includes(field)) {
      const replacement = replacementOf(field, it.mode)
      if (it[field] === replacement) continue
      const { [field]: given, ...rest } = it
      account.assistants?.splice(Number(index), 1, {
        ...rest,
        ...(replacement !== undefined && { [field]: replacement }),
      })
      const change = replacement === undefined ? 'is omitted' : `is replaced by ${replacement}`
      replaced.push(`assistant "${it.name}": ${field} ${stringifyJson(given)} ${change}: ${reason}`)
    }
  }
  if (replaced.length === 0) throw error
  if (account.automations) account.automations = account.automations.filter((it) => !removed.has(it))
  return { data: { ...data, accounts: [account] }, replaced }
}
