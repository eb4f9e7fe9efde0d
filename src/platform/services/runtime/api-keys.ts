import { Failure } from '../../../contract/errors/failures.ts'
import type { Budget } from '../../../contract/values/budgets.ts'
import { type Micros, minute } from '../../../contract/values/micros.ts'
import { crypto } from '../../../node/crypto.ts'
import {
  type AccountRow,
  type ApiKeyRow,
  deleteKey,
  findAccount,
  findKeyOwner,
  insertKey,
  type KeyLimits,
  listKeys,
  maxKeyId,
  updateKeyLastUsed,
} from '../../store/accounts/accounts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { budgetLeft } from '../billing/key-budget.ts'
import type { Deps } from './deps.ts'
import { type KeyRequest, limitsOfNewKey, type RestrictedKey, restrictionsOf } from './key-access.ts'

/** Returns the hash under which a secret is stored. Tokens are recognized by it, so it never changes. */
export const hashSecret = (secret: string): string => crypto().createHash('sha256').update(secret).digest('hex')

/** Returns the token of a key: its id and secret. Users have such tokens, so the form never changes. */
export const toToken = (id: number, secret: string): string => `${id}|${secret}`

/** Returns the id and secret of a token; undefined if it has another form. */
export function parseToken(token: string): { readonly id: number; readonly secret: string } | undefined {
  const [, id, secret = ''] = /^([1-9]\d{0,14})\|(.{1,200})$/.exec(token) ?? []
  return id === undefined ? undefined : { id: Number(id), secret }
}

/** Returns the secret of the next key of an account. With a seed it follows from the label, so the label never changes. */
export const newKeySecret = async (query: AccountQuery, secret: Deps['secret']): Promise<string> =>
  secret(`key ${query.account} ${await maxKeyId(query)}`, 40)

/** Creates an API key in the caller's transaction. The token is returned and not stored. */
export async function issueKey(
  query: AccountQuery,
  key: { name: string; secret: string; now: Micros; limits?: KeyLimits },
): Promise<{ row: ApiKeyRow; token: string }> {
  const row = await insertKey(query, {
    account_id: query.account,
    name: key.name,
    hash: hashSecret(key.secret),
    last_used_at: null,
    created_at: key.now,
    ...key.limits,
  })
  return { row, token: toToken(row.id, key.secret) }
}

/** A verified API key with its account. */
export interface AuthenticatedKey {
  readonly key: number
  readonly lastUsedAt: Micros | null
  /** Undefined for a key without restrictions. */
  readonly restrictions: RestrictedKey | undefined
  readonly account: AccountRow
}

/**
 * Returns the key and account of a token; undefined when it is invalid. Verified tokens are cached by the whole token.
 * The hash of that lookup cannot be computed from outside, so its timing reveals nothing about parts of a token.
 */
export async function authenticate(
  deps: Pick<Deps, 'connection' | 'localSecret'>,
  token: string,
): Promise<AuthenticatedKey | undefined> {
  const key = parseToken(token)
  return key && deps.connection.cachedRead(`token ${token}`, () => verifyKey(deps, key.id, key.secret))
}

/** Verifies a key by the hash of its secret, in time that does not depend on the secret (section 5.1). */
async function verifyKey(
  { connection, localSecret }: Pick<Deps, 'connection' | 'localSecret'>,
  id: number,
  secret: string,
): Promise<AuthenticatedKey | undefined> {
  const local = localSecret?.()
  const hash = (local?.secret === secret ? local.hash : undefined) ?? hashSecret(secret)
  const owner = await findKeyOwner(connection, id, hash)
  if (!owner) return undefined
  const { account, lastUsedAt } = owner
  return { key: id, lastUsedAt, restrictions: restrictionsOf(id, owner.limits), account }
}

/**
 * Returns whether `last_used_at` needs an update. It has a resolution of one minute, so that reads rarely cause writes.
 */
export const isLastUseStale = (lastUsedAt: Micros | null, now: Micros): boolean =>
  lastUsedAt === null || now - lastUsedAt > minute || now < lastUsedAt

/** The restrictions of a key now. Amounts are micro-USD. */
export interface KeyState extends Pick<RestrictedKey, 'id' | 'scope' | 'nouns' | 'expiresAt'> {
  readonly budget: (Budget & { readonly left: number; readonly renewsAt: Micros }) | null
  readonly isExpired: boolean
}

/** Lists, creates and deletes API keys. */
export function apiKeyService({ connection, clock, secret }: Pick<Deps, 'connection' | 'clock' | 'secret'>) {
  return {
    list: (account: number): Promise<ApiKeyRow[]> => listKeys(accountQuery(connection.read, account)),

    /**
     * Creates a key with at most the rights of the key that asks for it. @throws Failure 403 `keys.exceeds_own`
     */
    create: async (
      account: number,
      name: string,
      request: KeyRequest = {},
      creator?: RestrictedKey,
    ): Promise<{ row: ApiKeyRow; token: string }> =>
      connection.write({ account }, async (query) => {
        if (request.scope === 'approve')
          throw new Failure('keys.exceeds_own', {
            text: 'No API key can create a key with the scope approve. The owner of the server can: parley server accounts key <account> --scope approve.',
          })
        const now = await clock.now(query)
        const limits = limitsOfNewKey(request, now, creator)
        return issueKey(query, { name, secret: await newKeySecret(query, secret), now, limits })
      }),

    /** Returns the restrictions of all keys of an account. */
    async scopes(account: number): Promise<readonly KeyState[]> {
      const now = await clock.now()
      const rows = await listKeys(accountQuery(connection.read, account))
      const states = rows.map(async (row) => {
        const limits = restrictionsOf(row.id, row)
        const left = limits && (await budgetLeft(accountQuery(connection.read, account), limits, now))
        return {
          id: row.id,
          scope: limits?.scope ?? null,
          nouns: limits?.nouns ?? null,
          budget: limits?.budget && left ? { ...limits.budget, ...left } : null,
          expiresAt: limits?.expiresAt ?? null,
          isExpired: limits !== undefined && limits.expiresAt !== null && limits.expiresAt <= now,
        }
      })
      return Promise.all(states)
    },

    async delete(account: number, id: number): Promise<void> {
      if (!(await deleteKey(connection, account, id))) throw new Failure('keys.not_found')
    },

    recordUse: async (account: number, id: number, now: Micros): Promise<void> =>
      connection.write({ rows: account }, (query) => updateKeyLastUsed(query, id, now)),
  }
}

/** Returns the account that an authenticated user of the inspector acts for. @throws Failure `accounts.not_found` */
export async function findActingAccount({ connection }: Pick<Deps, 'connection'>, id: number): Promise<AccountRow> {
  const account = await findAccount(connection.read, id)
  if (!account) throw new Failure('accounts.not_found')
  return account
}
