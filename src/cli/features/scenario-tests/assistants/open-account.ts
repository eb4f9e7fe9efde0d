import { isError } from '../../../../node/is-error.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { ProjectFiles } from './project-files.ts'
import { toMockTool } from './sample-account.ts'
import type { TestPlatform } from './test-platform.ts'

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
 * the field is removed. The names are those of platform/services/catalogues/catalogues.ts.
 */
function replacementOf(field: string, mode: unknown): string | undefined {
  if (field === 'voice_id') return mode === 'multimodal' ? 'Wren' : 'Amelia'
  if (field === 'llm_model_id') return 'Fast'
  if (field === 'multimodal_model_id') return mode === 'dualplex' ? 'Duplex' : 'Realtime'
  return undefined
}

/** An account that a local platform accepts, without what it refused last. */
interface LocalAccount {
  readonly data: object
  /** What differs from the given account, a sentence each. */
  readonly replaced: readonly string[]
}

/**
 * Returns an account without what a local platform refused: voices and models that it does not have are replaced,
 * automations that it cannot load are removed, and their tools need a mock. It reads the paths of fields in the error, as
 * check-sample-data.ts of the platform writes them: `accounts.0.assistants.2.voice_id`. @throws the error if it has other reasons
 */
function withLocalCatalogues(data: object, error: unknown): LocalAccount {
  const { errors = {} } = error as { readonly errors?: Readonly<Record<string, readonly string[]>> }
  const { accounts } = data as { readonly accounts: readonly [Account] }
  const account = Object.fromEntries(
    Object.entries(accounts[0]).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  ) as Record<string, Fields[]>
  const replaced: string[] = []
  const removed = new Set<Fields>()
  for (const [path, [message = '']] of Object.entries(errors)) {
    const [, list = '', index = '', field = ''] = /^accounts\.0\.(\w+)\.(\d+)(?:\.(\w+))?/.exec(path) ?? []
    const document = account[list]?.[Number(index)]
    if (!document) continue
    const reason = message
      .replaceAll(/accounts\.0\.\w+\.\d+(?:\.(?=\w)|: )?/g, '')
      .replace(field === '' ? '' : `${field}: `, '')
      .replace(/\.$/, '')
    if (list === 'automations' && !removed.has(document)) {
      removed.add(document)
      replaced.push(`automation "${document.name}" is omitted: ${reason}`)
    } else if (list === 'tools' && field === 'automation_id') {
      account.tools?.splice(Number(index), 1, toMockTool(document))
      replaced.push(`tool "${document.name}" needs a mock, because it has no automation: ${reason}`)
    } else if (list === 'assistants' && catalogueFields.includes(field)) {
      const replacement = replacementOf(field, document.mode)
      if (document[field] === replacement) continue
      const { [field]: given, ...rest } = document
      account.assistants?.splice(Number(index), 1, {
        ...rest,
        ...(replacement !== undefined && { [field]: replacement }),
      })
      const change = replacement === undefined ? 'is omitted' : `is replaced by ${replacement}`
      replaced.push(`assistant "${document.name}": ${field} ${stringifyJson(given)} ${change}: ${reason}`)
    }
  }
  if (replaced.length === 0) throw error
  if (account.automations) account.automations = account.automations.filter((it) => !removed.has(it))
  return { data: { ...data, accounts: [account] }, replaced }
}

/** Where the records of an account are from, for errors. */
interface AccountSource {
  readonly project: ProjectFiles
  /** What is invalid if a record is not from a file of the project. */
  readonly own: string
  readonly hint: string
}

/** Maximum replacements of an account before its error is reported. */
const maxReplacements = 50

/** An open temporary platform, and what on it differs from the files, a sentence each. */
interface OpenAccount {
  readonly platform: TestPlatform
  readonly replaced: readonly string[]
}

/**
 * Opens a temporary platform with an account, without what the local platform cannot have. @throws ClientFailure
 * `usage` with the file and the field of what it refuses otherwise
 */
export async function openAccount(
  given: object,
  open: (data: object) => Promise<TestPlatform>,
  source: AccountSource,
): Promise<OpenAccount> {
  const replaced: string[] = []
  let data = given
  for (let n = 0; ; n++) {
    try {
      return { platform: await open(data), replaced }
    } catch (error) {
      try {
        const account = withLocalCatalogues(data, error)
        if (n === maxReplacements) throw error
        replaced.push(...account.replaced)
        data = account.data
      } catch {
        throw invalidAccount(error, data, source)
      }
    }
  }
}

/** Returns the error for an account that the platform refuses, with the file and field of each problem. */
function invalidAccount(error: unknown, data: object, { project, own: ownText, hint }: AccountSource): unknown {
  const { errors } = error as { readonly errors?: Readonly<Record<string, readonly string[]>> }
  if (!isError(error) || errors === undefined) return error
  const { accounts } = data as { readonly accounts: readonly [Readonly<Record<string, unknown>>] }
  const own: string[] = []
  const kinds = new Set<string>()
  const problems = Object.entries(errors).flatMap(([path, texts]) => {
    const [place = '', list = '', index = ''] = /^accounts\.0\.(\w+)\.(\d+)\.?/.exec(path) ?? []
    const records = accounts[0][list]
    const { name } = (Array.isArray(records) ? (records[Number(index)] as { readonly name?: string }) : undefined) ?? {}
    const file = name === undefined ? undefined : project.files?.get(`${list}/${name}`)
    const shown = texts.map((it) => (file === undefined ? it : `${file}: ${it.replace(place, '')}`))
    if (file === undefined) own.push(...shown)
    else kinds.add(list)
    return shown.map((it) => it.replaceAll(/accounts\.0\./g, ''))
  })
  return own.length === 0
    ? usageError(problems.join('\n'), `Fix the file. Its fields: parley schema file ${[...kinds][0]}.`)
    : usageError(`${ownText}:\n${problems.join('\n')}`, hint)
}
