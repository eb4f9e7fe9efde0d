import { type SampleData, sampleDataVersion } from '../../contract/control/sample-data.ts'
import { AccountRecord } from '../../contract/control/sample-data-records.ts'
import { fromMillionths } from '../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type AccountRow, listAccounts } from '../../store/accounts/accounts.ts'
import { listAutomations } from '../../store/automations/automations.ts'
import { readCampaignLimit } from '../../store/billing/plan-limits.ts'
import type { Query } from '../../store/database/connection.ts'
import { exportAssistants, exportAutomations, exportSenders } from './export-assistants.ts'
import { exportCampaigns } from './export-campaigns.ts'
import { type Exporting, RecordNames } from './export-context.ts'
import { exportCalls, exportConversations } from './export-conversations.ts'
import { exportNumbers, exportTrunks } from './export-numbers.ts'
import { exportConnections, exportGroupings, exportKeys, exportKnowledge, exportTools } from './export-resources.ts'
import { omitDefaultFields } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns all accounts with their records as sample data, as of one moment. Secrets only if they are asked for. */
export const exportSampleData = (
  { connection, vault }: Pick<Deps, 'connection' | 'vault'>,
  { hasSecrets }: { readonly hasSecrets: boolean },
): Promise<SampleData> =>
  connection.write('everything', async (query) => {
    const accounts: Fields[] = []
    for (const account of await listAccounts(query))
      accounts.push(
        await exportAccount({ query, account, vault, hasSecrets, names: new RecordNames() }, accounts.length === 0),
      )
    return { version: sampleDataVersion, accounts } as unknown as SampleData
  })

async function exportAccount(exporting: Exporting, isFirst: boolean): Promise<Fields> {
  const { query, account } = exporting
  // In this order, records come after those whose names they contain.
  const lists = {
    keys: await exportKeys(exporting, isFirst),
    folders: await exportGroupings(exporting, 'folder'),
    labels: await exportGroupings(exporting, 'label'),
    connections: await exportConnections(exporting),
    tools: await exportTools(exporting, await automationNames(query, account)),
    knowledge: await exportKnowledge(exporting),
    numbers: await exportNumbers(exporting),
    sip_trunks: await exportTrunks(exporting),
    assistants: await exportAssistants(exporting),
    senders: await exportSenders(exporting),
    campaigns: await exportCampaigns(exporting),
    automations: await exportAutomations(exporting),
    conversations: await exportConversations(exporting),
    calls: await exportCalls(exporting),
  }
  return {
    ...omitDefaultFields(AccountRecord, {
      ...account,
      balance: fromMillionths(Math.max(0, account.balance)),
      minute_rate: fromMillionths(account.minute_rate),
      max_campaigns: await readCampaignLimit(query, account.id),
      created_at: toIsoMicros(account.created_at),
    }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  }
}

/** Returns the names of automations by id, for the tools of automations. */
async function automationNames(query: Query, account: AccountRow): Promise<ReadonlyMap<string, string>> {
  const names = new RecordNames()
  const rows = (await listAutomations(query, account.id)).filter((it) => it.live_version !== null)
  return new Map(rows.map(({ id, name }) => [id, names.add('automate', id, name).ref ?? name]))
}
