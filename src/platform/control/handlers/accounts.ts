import { type Account, accounts } from '../../../contract/control/accounts.ts'
import { invalidField } from '../../../contract/errors/failures.ts'
import { fromMillionths, toMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { openingMovement, setBalance, topUp } from '../../services/billing/ledger.ts'
import { isUsage, unitOf, usageKindOf } from '../../services/billing/usage-figures.ts'
import { issueKey, newKeySecret } from '../../services/runtime/api-keys.ts'
import { limitsOfNewKey } from '../../services/runtime/key-access.ts'
import {
  type AccountRow,
  insertAccount,
  listAccounts,
  unknownEmail,
  updateAccount,
} from '../../store/accounts/accounts.ts'
import { listAssistantIds } from '../../store/assistants/assistants.ts'
import { listLedger } from '../../store/billing/ledger.ts'
import { readCampaignLimit, writeCampaignLimit } from '../../store/billing/subscriptions.ts'
import { accountQuery, acrossAccounts } from '../../store/database/account-query.ts'
import { eraseAccount } from '../../store/database/erase-data.ts'
import { countNumbers } from '../../store/numbers/numbers.ts'
import { type ControlDeps, findLocalKey, replaceLocalKey } from '../sample-data/fill-platform.ts'
import { requireAccount } from './require-account.ts'

/** Returns the endpoints of the resource with their handlers. */
export const accountResource = (deps: ControlDeps): LoadedResource => loadedResource(accounts, accountHandlers(deps))

/**
 * Creates the handlers of the control API for accounts. Only a local platform has them, and only the holder of the control token may
 * call them. A balance is changed by entries of the ledger alone, so that the ledger always adds up to it.
 */
function accountHandlers(deps: ControlDeps): HandlersOf<typeof accounts> {
  const { connection, clock, secret } = deps
  async function toWire(row: AccountRow): Promise<Account> {
    return {
      id: row.id,
      name: row.name,
      email: row.email,
      kind: row.kind,
      balance: fromMillionths(row.balance),
      minute_rate: row.kind === 'direct' ? fromMillionths(row.minute_rate) : null,
      payment_method: row.payment_method,
      numbers: await countNumbers(accountQuery(connection.read, row.id)),
      max_campaigns: await readCampaignLimit(accountQuery(connection.read, row.id)),
      created_at: toIsoMicros(row.created_at),
    }
  }

  return {
    list: async () => ({ data: await Promise.all((await listAccounts(connection.read)).map(toWire)) }),

    async create(draft) {
      const { row, token } = await connection.write({ name: 'new accounts' }, async (query) => {
        const now = await clock.now(query)
        const row = await insertAccount(query, {
          name: draft.name,
          email: draft.email ?? unknownEmail,
          kind: draft.kind,
          balance: 0,
          minute_rate: toMillionths(draft.minute_rate),
          payment_method: draft.payment_method,
          created_at: now,
        })
        if (draft.balance > 0)
          await topUp(accountQuery(query, row.id), row, toMillionths(draft.balance), {
            ...openingMovement,
            now,
          })
        const own = accountQuery(query, row.id)
        const { token } = await issueKey(own, { name: 'first', secret: await newKeySecret(own, secret), now })
        return { row: await requireAccount(query, row.id), token }
      })
      return { message: 'Account created successfully.', data: await toWire(row), token }
    },

    /**
     * The limit is not in the rows of the account, which may lie on another node: it has its own transaction. A top-up adds to a
     * balance that is set.
     */
    async update({ id, balance, top_up, max_campaigns: limit, ...change }) {
      if (limit !== undefined) {
        await requireAccount(connection.read, id)
        await connection.write('rows', (query) => writeCampaignLimit(query, id, limit))
      }
      const row = await connection.write({ account: id }, async (query) => {
        const account = await requireAccount(query, id)
        const now = await clock.now(query)
        if (balance !== undefined)
          await setBalance(query, account, toMillionths(balance), { reason: 'Balance set', now })
        if (top_up) await topUp(query, account, toMillionths(top_up), { reason: 'Top-up', now })
        const fields = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        if (Object.keys(fields).length > 0) await updateAccount(query, id, fields)
        return requireAccount(query, id)
      })
      return { message: 'Account updated successfully.', data: await toWire(row) }
    },

    async key({ id, name, ...request }) {
      const { token, isLost } = await connection.write({ account: id }, async (query) => {
        await requireAccount(query, id)
        // The data folder needs a key without restrictions.
        const isRestricted = Object.values(request).some((it) => it !== undefined)
        const isLost =
          !isRestricted &&
          (await findLocalKey({ ...connection, read: acrossAccounts(query) }, deps.credentials.current.secret)) ===
            undefined
        const drawn = await newKeySecret(query, secret)
        const now = await clock.now(query)
        const limits = limitsOfNewKey(request, now)
        const { token } = await issueKey(query, { name, secret: drawn, now, limits })
        if (isLost)
          await deps.shareSecrets?.(acrossAccounts(query), deps.vault, { ...deps.credentials.current, secret: drawn })
        return { token, isLost }
      })
      if (isLost) replaceLocalKey(deps, token)
      return {
        message: `API key created successfully.${isLost ? ' Commands that use this data folder now use the new key.' : ''}`,
        token,
      }
    },

    async senders({ id }) {
      const { addSampleSenders } = await import('../sample-data/sample-account.ts')
      await connection.write({ account: id }, async (query) => {
        const account = await requireAccount(query, id)
        const [assistant] = await listAssistantIds(query)
        if (assistant === undefined) throw invalidField('id', 'The account has no assistant to answer for its senders.')
        await addSampleSenders(query, { account, assistant, now: await clock.now(query) })
      })
      return { message: 'Senders added successfully.' }
    },

    async delete({ id }) {
      // Rows of the account that others insert now would prevent it from being deleted.
      await connection.write('everything', async (query) => {
        await requireAccount(query, id)
        await eraseAccount(query, connection.dialect, id)
      })
      return { message: 'Account deleted successfully.' }
    },

    async ledger({ id }) {
      await requireAccount(connection.read, id)
      const rows = await listLedger(accountQuery(connection.read, id))
      return {
        data: rows.map(({ account_id: _, ...row }) => ({
          ...row,
          usage_kind: isUsage(row) ? usageKindOf(row) : null,
          unit: unitOf(row),
          amount: fromMillionths(row.amount),
          balance_after: row.balance_after === null ? null : fromMillionths(row.balance_after),
          created_at: toIsoMicros(row.created_at),
        })),
      }
    },
  }
}
