import { Failure, invalidField } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { isWebAddress } from '../../../../engine/pieces/http-connection.ts'
import { httpHeaders } from '../../../../engine/pieces/input-fields.ts'
import type { ConnectionKind, ConnectionsPort } from '../../../../engine/pieces/ports.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  insertConnection,
  listConnections,
  renewConnection,
  setConnectionStatus,
} from '../../../store/automations/account-connections.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Returns the vault label of the credentials of a connection. Stored values open only with it, so it never changes. */
const secretLabel = (account: number, name: string): string => `connection ${account} ${name}`

/** Returns the credentials of a connection. @throws VaultError */
export const openConnectionSecret = (
  vault: Deps['vault'],
  { account_id, name, secret }: Pick<ConnectionRow, 'account_id' | 'name' | 'secret'>,
): unknown => parseJson(vault.open(secret, secretLabel(account_id, name)))

/** Reads the stored secrets of connections for the steps that use them. */
export function connectionsPort({ connection, vault }: Pick<Deps, 'connection' | 'vault'>): ConnectionsPort {
  return {
    async find(account, name) {
      const row = await findConnection(accountQuery(connection.read, account), name)
      if (!row) return { status: 'missing' }
      if (row.status === 'expired') return { status: 'expired' }
      return { status: 'active', secret: openConnectionSecret(vault, row) }
    },
  }
}

/**
 * Checks that the named connections exist and are active. @throws Failure `automate.needs_connection` or
 * `automate.needs_reconnection`, which names the first one that is missing or expired
 */
export async function requireConnections(
  query: AccountQuery,
  account: number,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const row = await findConnection(accountQuery(query, account), name)
    if (!row) throw new Failure('automate.needs_connection', { text: `An account connection is missing: ${name}.` })
    if (row.status === 'expired')
      throw new Failure('automate.needs_reconnection', { text: `An account connection has expired: ${name}.` })
  }
}

/** Checks what HTTP steps need of a connection to any service. Other fields are free. @throws Failure 422 */
function requireCustomSecret(secret: unknown): void {
  const { base_url: baseUrl, headers = {} } = isObject(secret) ? secret : {}
  if (baseUrl !== undefined && !(typeof baseUrl === 'string' && isWebAddress(baseUrl)))
    throw invalidField('secret.base_url', 'The secret.base_url field must be an http or https URL.')
  if (!isObject(headers) || Object.values(headers).some((it) => typeof it !== 'string'))
    throw invalidField('secret.headers', 'The secret.headers field must be an object with text values.')
  const [unsendable] = httpHeaders.safeParse(headers).error?.issues ?? []
  if (unsendable) {
    const path = ['secret.headers', ...unsendable.path].join('.')
    throw invalidField(path, `The ${path} field ${unsendable.message}`)
  }
  if (baseUrl === undefined && Object.keys(headers).length > 0)
    throw invalidField('secret.base_url', 'The secret.base_url field is required with secret.headers.')
}

/** The input for a new connection. */
interface ConnectionDraft {
  readonly kind: ConnectionKind
  /** Default: the kind. */
  readonly name?: string | undefined
  /** The credentials, in the form that the kind needs. */
  readonly secret: unknown
}

/** Connections to external services that automations use. A person creates each of them once (section 4.20). */
export function connectionService({ connection, clock, vault }: Pick<Deps, 'connection' | 'clock' | 'vault'>) {
  return {
    list: (account: number): Promise<ConnectionRow[]> => listConnections(accountQuery(connection.read, account)),

    /** Adds a connection. An existing connection of that name gets the new secret and becomes active again. */
    add: (account: number, { kind, name = kind, secret }: ConnectionDraft): Promise<ConnectionRow> => {
      if (kind === 'custom') requireCustomSecret(secret)
      return connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const sealed = vault.seal(stringifyJson(secret ?? null), secretLabel(account, name))
        const found = await findConnection(query, name)
        const existing = found?.name === name ? found : undefined
        if (existing && existing.kind !== kind) throw new Failure('connections.other_kind')
        const fresh = { secret: sealed, status: 'active' as const, updated_at: now }
        if (!existing) return insertConnection(query, { account_id: account, kind, name, created_at: now, ...fresh })
        await renewConnection(query, existing.id, fresh)
        return { ...existing, ...fresh }
      })
    },

    /** Removes a connection. @throws Failure 404 */
    async remove(account: number, id: number): Promise<void> {
      if (!(await connection.write({ account }, (query) => deleteConnection(query, id))))
        throw new Failure('connections.not_found')
    },

    /**
     * Marks a connection as expired, as if its password had been changed at the service, so that it must be connected
     * again. @throws Failure 404
     */
    break: (account: number, id: number): Promise<ConnectionRow> =>
      connection.write({ account }, async (query) => {
        const row = await setConnectionStatus(query, id, 'expired', await clock.now(query))
        if (!row) throw new Failure('connections.not_found')
        return row
      }),
  }
}
