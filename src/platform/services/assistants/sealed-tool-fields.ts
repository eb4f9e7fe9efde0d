import { isSecretName } from '../../../contract/values/secret-names.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { parseJson } from '../../../node/json.ts'
import type { ToolRow } from '../../store/assistants/tools.ts'
import type { Vault } from '../runtime/vault.ts'

/** Fields of a tool that may hold secrets. */
interface SecretFields {
  /** URL. */
  readonly endpoint?: string
  /** JSON, as are the static fields. */
  readonly headers?: string
  readonly static_fields?: string
}

/** Headers that never hold a secret. All others are sealed, because any name can carry a key. */
const harmlessHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

/** Returns the vault label of the fields of an account's tools. Stored values open only with it, so it never changes. */
const fieldLabel = (account: number): string => `tool fields of account ${account}`

const hasSecretHeader = (json: string): boolean =>
  (parseJson(json) as { name: string; value: string }[]).some(
    ({ name, value }) => value !== '' && !harmlessHeaders.has(name.toLowerCase()),
  )

const hasSecretField = (json: string): boolean =>
  (parseJson(json) as { key: string; value: string }[]).some(
    ({ key, value }) => value !== '' && isSecretName(key, value),
  )

/** Returns whether a URL has a password, or a parameter with a key. */
const hasSecretPart = (url: string): boolean => maskValue(url) !== url

/** Returns the stored form of the fields of a tool: sealed if they may hold secrets. */
export function sealToolFields<T extends SecretFields>(vault: Vault, account: number, fields: T): T {
  const { endpoint, headers, static_fields } = fields
  const seal = (text: string): string => vault.seal(text, fieldLabel(account))
  return {
    ...fields,
    ...(endpoint !== undefined && { endpoint: hasSecretPart(endpoint) ? seal(endpoint) : endpoint }),
    ...(headers !== undefined && { headers: hasSecretHeader(headers) ? seal(headers) : headers }),
    ...(static_fields !== undefined && {
      static_fields: hasSecretField(static_fields) ? seal(static_fields) : static_fields,
    }),
  }
}

/** Returns a stored tool with readable fields. Rows of earlier versions are not sealed. @throws VaultError */
export function openToolFields<T extends ToolRow | undefined>(vault: Vault, row: T): T {
  if (!row || !(isSealed(row.endpoint) || isSealedJson(row.headers) || isSealedJson(row.static_fields))) return row
  const open = (stored: string): string => vault.open(stored, fieldLabel(row.account_id))
  return {
    ...row,
    endpoint: isSealed(row.endpoint) ? open(row.endpoint) : row.endpoint,
    headers: isSealedJson(row.headers) ? open(row.headers) : row.headers,
    static_fields: isSealedJson(row.static_fields) ? open(row.static_fields) : row.static_fields,
  }
}

/** Also true for forms of later versions, which the vault refuses by name. */
const isSealed = (url: string): boolean => /^v\d+\./.test(url)

const isSealedJson = (text: string): boolean => !text.startsWith('[')
