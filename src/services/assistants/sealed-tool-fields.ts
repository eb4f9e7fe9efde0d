import { isSecretName } from '../../contract/values/secret-names.ts'
import type { ToolRow } from '../../store/assistants/tools.ts'
import type { Vault } from '../runtime/vault.ts'

/** Fields of a tool that may hold secrets, as JSON. */
interface SecretFields {
  readonly headers?: string
  readonly static_fields?: string
}

/** Headers that never hold a secret. All others are sealed, because any name can carry a key. */
const harmlessHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

/** Returns the vault label of the fields of an account's tools. */
const fieldLabel = (account: number): string => `tool fields of account ${account}`

const hasSecretHeader = (json: string): boolean =>
  (JSON.parse(json) as { name: string; value: string }[]).some(
    ({ name, value }) => value !== '' && !harmlessHeaders.has(name.toLowerCase()),
  )

const hasSecretField = (json: string): boolean =>
  (JSON.parse(json) as { key: string; value: string }[]).some(
    ({ key, value }) => value !== '' && isSecretName(key, value),
  )

/** Returns the stored form of the fields of a tool: sealed if they may hold secrets. */
export function sealToolFields<T extends SecretFields>(vault: Vault, account: number, fields: T): T {
  const { headers, static_fields } = fields
  const seal = (text: string): string => vault.seal(text, fieldLabel(account))
  return {
    ...fields,
    ...(headers !== undefined && { headers: hasSecretHeader(headers) ? seal(headers) : headers }),
    ...(static_fields !== undefined && {
      static_fields: hasSecretField(static_fields) ? seal(static_fields) : static_fields,
    }),
  }
}

/** Returns a stored tool with readable fields. Rows of earlier versions are not sealed. @throws VaultError */
export function openToolFields<T extends ToolRow | undefined>(vault: Vault, row: T): T {
  if (!row || (row.headers.startsWith('[') && row.static_fields.startsWith('['))) return row
  const open = (stored: string): string =>
    stored.startsWith('[') ? stored : vault.open(stored, fieldLabel(row.account_id))
  return { ...row, headers: open(row.headers), static_fields: open(row.static_fields) }
}
