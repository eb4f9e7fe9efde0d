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

/**
 * Returns an account that a local platform accepts: voices and models that it does not have are replaced, and
 * automations that need connections it does not have are removed. @throws the error if neither is the reason
 */
export function withLocalCatalogues(data: object, error: unknown): object {
  const { errors, message } = error as { readonly errors?: object; readonly message?: string }
  const paths = Object.keys(errors ?? {})
  const { accounts } = data as { readonly accounts: readonly [Account] }
  const fields = paths.map((it) => /^accounts\.0\.assistants\.(\d+)\.(\w+)$/.exec(it))
  const isCatalogue = fields.length > 0 && fields.every((it) => it && Object.hasOwn(replacements, it[2] ?? ''))
  const isAutomation = paths.some((it) => it.includes('automations')) || /connection/i.test(message ?? '')
  if (!isCatalogue && !isAutomation) throw error
  const [account] = accounts
  const assistants = (account.assistants ?? []).map((it, n) => {
    const changed: Record<string, unknown> = { ...it }
    for (const field of fields)
      if (field && Number(field[1]) === n) {
        const replacement = replacements[field[2] as string]
        if (replacement === undefined) delete changed[field[2] as string]
        else changed[field[2] as string] = replacement
      }
    return changed
  })
  return {
    ...data,
    accounts: [
      {
        ...account,
        assistants,
        ...(isAutomation && {
          automations: [],
          tools: (account.tools ?? []).filter((it) => isObject(it) && it.type !== 'automation'),
        }),
      },
    ],
  }
}
