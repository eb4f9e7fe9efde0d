import { toMillionths } from '../../contract/values/millionths.ts'
import { topUp } from '../../services/billing/ledger.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type AccountRow, insertAccount } from '../../store/accounts/accounts.ts'
import { writeCampaignLimit } from '../../store/billing/plan-limits.ts'
import type { Query } from '../../store/database/connection.ts'
import type { SeedOptions } from '../seed/seed-sample-data.ts'
import { checkSampleData, type SampleAccount } from './check-sample-data.ts'
import { loadAssistants, loadSenders } from './load-assistants.ts'
import { loadAutomations } from './load-automations.ts'
import { loadCampaigns } from './load-campaigns.ts'
import { loadCalls, loadConversations } from './load-conversations.ts'
import { loadNumbers } from './load-numbers.ts'
import { linkTools, loadKeys, loadResources } from './load-resources.ts'
import { type Loading, timeOf } from './loading.ts'
import { prepareAutomations } from './prepare-automations.ts'

/** Inserts sample data, in the caller's transaction, and returns the first key. */
export type InsertSampleData = (query: Query, options: SeedOptions) => Promise<string>

/**
 * Checks sample data and returns the function that inserts it. @throws Failure 422 with the place of each problem; the
 * function does so for problems that only the database shows
 */
export async function prepareSampleData(deps: Deps, data: unknown): Promise<InsertSampleData> {
  const accounts = checkSampleData(data)
  const automations = await prepareAutomations(deps, accounts)
  return async (query, options) => {
    let key = ''
    // Checked again, because the names collect the ids of the records and the transaction may run again.
    for (const [n, checked] of checkSampleData(data).entries()) {
      const account = await insertSampleAccount(query, options, checked)
      const loading: Loading = { ...options, query, deps, account, data: checked, automations }
      key += (await loadKeys(loading, n === 0)) ?? ''
      await loadResources(loading)
      await loadNumbers(loading)
      await loadAssistants(loading)
      await loadSenders(loading)
      await loadAutomations(loading)
      await linkTools(loading)
      await loadCampaigns(loading)
      await loadConversations(loading)
      await loadCalls(loading)
      const limit = checked.account.max_campaigns as number | null
      if (limit !== null) await writeCampaignLimit(query, account.id, limit)
    }
    return key
  }
}

async function insertSampleAccount(
  query: Query,
  options: SeedOptions,
  { account: it }: SampleAccount,
): Promise<AccountRow> {
  const createdAt = timeOf(options, it.created_at, options.now)
  const account = await insertAccount(query, {
    name: String(it.name),
    email: String(it.email ?? 'owner@account.example'),
    kind: it.kind as AccountRow['kind'],
    balance: 0,
    minute_rate: toMillionths(it.minute_rate as number),
    payment_method: it.payment_method as string | null,
    created_at: createdAt,
  })
  const balance = toMillionths(it.balance as number)
  if (balance > 0)
    await topUp(query, account, balance, { reason: 'Opening balance', reference: 'opening', now: createdAt })
  return account
}
