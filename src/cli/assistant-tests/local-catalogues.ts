import { isObject } from '../../contract/values/json-object.ts'

type Account = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** What is used instead of entries that only the catalogues of a deployment have. Without a value the field is removed. */
const replacements: Readonly<Record<string, number | undefined>> = {
  voice_id: 1,
  llm_model_id: 1,
  chat_llm_fallback_id: undefined,
  synthesizer_provider_id: undefined,
  transcriber_provider_id: undefined,
}

/** An account that a local platform accepts. */
export interface LocalAccount {
  readonly data: object
  /** What of the given account it has not, a sentence each. */
  readonly replaced: readonly string[]
}

/**
 * Returns an account that a local platform accepts: voices and models that it does not have are replaced, and
 * automations that need connections it does not have are removed. @throws the error if neither is the reason
 */
export function withLocalCatalogues(data: object, error: unknown): LocalAccount {
  const { errors, message = '' } = error as {
    readonly errors?: Readonly<Record<string, readonly string[]>>
    readonly message?: string
  }
  const paths = Object.keys(errors ?? {})
  const { accounts } = data as { readonly accounts: readonly [Account] }
  const fields = paths.map((it) => /^accounts\.0\.assistants\.(\d+)\.(\w+)$/.exec(it))
  const isCatalogue = fields.length > 0 && fields.every((it) => it && Object.hasOwn(replacements, it[2] ?? ''))
  const refusedPath = paths.find((it) => it.includes('automations'))
  const isAutomation = refusedPath !== undefined || /connection/i.test(message)
  if (!isCatalogue && !isAutomation) throw error
  const [account] = accounts
  const replaced: string[] = []
  const assistants = (account.assistants ?? []).map((it, n) => {
    const changed: Record<string, unknown> = { ...it }
    for (const found of fields) {
      const [, index, field = ''] = found ?? []
      if (!isCatalogue || Number(index) !== n) continue
      const replacement = replacements[field]
      replaced.push(
        `assistant "${it.name}": ${field} ${JSON.stringify(it[field])} ${replacement === undefined ? 'is omitted' : `is replaced by ${replacement}`}`,
      )
      if (replacement === undefined) delete changed[field]
      else changed[field] = replacement
    }
    return changed
  })
  if (!isAutomation) return { data: { ...data, accounts: [{ ...account, assistants }] }, replaced }
  const isAutomationTool = (it: unknown): boolean => isObject(it) && it.type === 'automation'
  const reason = (errors?.[refusedPath ?? '']?.[0] ?? message).replaceAll(/accounts\.0\./g, '').replace(/\.$/, '')
  for (const it of account.automations ?? []) replaced.push(`automation "${it.name}" is omitted: ${reason}`)
  const tools = account.tools ?? []
  for (const it of tools.filter(isAutomationTool)) replaced.push(`tool "${it.name}" is omitted with its automation`)
  return {
    data: {
      ...data,
      accounts: [{ ...account, assistants, automations: [], tools: tools.filter((it) => !isAutomationTool(it)) }],
    },
    replaced,
  }
}
