import { day, hour, type Micros, minute } from '../../contract/values/micros.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { stringifyJson } from '../../node/json.ts'
import type { PaymentProvider } from '../../providers/ports/payments.ts'
import type { InventoryNumber } from '../../providers/ports/telephony.ts'
import type { NumberInventory } from '../../providers/telephony/number-inventory.ts'
import { orderNumber } from '../../providers/telephony/number-orders.ts'
import { topUp } from '../../services/billing/ledger.ts'
import { issueKey } from '../../services/runtime/api-keys.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import { insertAccount } from '../../store/accounts/accounts.ts'
import { updateKeyLastUsed } from '../../store/accounts/api-keys.ts'
import { insertTool } from '../../store/assistants/tools.ts'
import { insertSubscription } from '../../store/billing/subscriptions.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import { sampleNumbers } from './sample-numbers.ts'
import { type SampleTool, sampleTools } from './sample-tools.ts'
import { seedAssistants } from './seed-assistants.ts'
import { seedAutomations } from './seed-automations.ts'
import { seedCampaigns } from './seed-campaigns.ts'
import { sampleCost, seedConversations } from './seed-conversations.ts'
import { seedDeliveries } from './seed-deliveries.ts'
import { seedFoldersAndKnowledge } from './seed-folders-and-knowledge.ts'
import { seedMessaging } from './seed-messaging.ts'
import { seedSipTrunk } from './seed-sip-trunks.ts'

/** What the sample data is created from. */
export interface SeedOptions {
  readonly now: Micros
  /** Secret of the account's first key. */
  readonly secret: string
  /** Returns the secrets of the other keys. */
  readonly secrets: (label: string, length: number) => string
  readonly payments: PaymentProvider
  readonly vault: Vault
  /** The numbers of the local telephony provider. The account has bought two of them. */
  readonly inventory: NumberInventory
}

/**
 * Fills an empty platform with sample data, in the caller's transaction: one account with a balance, a payment method
 * and resources of every kind. Returns its first key.
 */
export async function seedSampleData(
  query: Query,
  { now, secret, secrets, payments, vault, inventory }: SeedOptions,
): Promise<string> {
  const account = await insertAccount(query, {
    name: 'Northwind Dental',
    email: 'operations@northwind.example',
    kind: 'tenant',
    balance: 0,
    minute_rate: 100_000,
    payment_method: 'pm_card_visa',
    created_at: now - 90 * day,
  })
  const { token } = await issueKey(query, { account: account.id, name: 'local', secret, now: now - 90 * day })
  const ci = await issueKey(query, {
    account: account.id,
    name: 'ci',
    secret: secrets('key ci', 40),
    now: now - 30 * day,
  })
  await updateKeyLastUsed(query, ci.row.id, now - 3 * hour)
  await issueKey(query, {
    account: account.id,
    name: 'dashboard',
    secret: secrets('key dashboard', 40),
    now: now - 2 * day,
  })
  await topUp(query, account, 25_000_000 + sampleCost, {
    reason: 'Opening balance',
    reference: 'seed',
    now: now - 90 * day,
  })
  for (const [n, tool] of sampleTools.entries())
    await insertTool(query, toolRow(account.id, tool, now - (sampleTools.length - n) * day))
  const folders = await seedFoldersAndKnowledge(query, account.id, now)
  const trunk = { account: account.id, now, secrets, vault }
  const buy = async ({ days, ...wanted }: (typeof sampleNumbers)[number]): Promise<number | null> => {
    const [number] = inventory.search(wanted, new Set())
    return number ? seedNumber(query, account.id, number, payments, now - days * day) : null
  }
  const [frontDeskNumber, londonNumber] = sampleNumbers
  // Examples in the documentation use these ids: a SIP trunk has id 1.
  await seedSipTrunk(query, 'first', trunk)
  await buy(londonNumber)
  await insertNumber(query, {
    account_id: account.id,
    phone_number: '+14155550199',
    country_code: 'US',
    region: 'CA',
    type: 'caller_id',
    sms_capable: 0,
    nickname: 'Office line',
    created_at: now - 15 * day,
  })
  const frontDesk = await buy(frontDeskNumber)
  await seedSipTrunk(query, 'second', trunk)
  await seedAssistants(query, { account: account.id, now, secrets, number: frontDesk, folders })
  await seedMessaging(query, { account: account.id, now, secrets })
  await seedConversations(query, { account, now, secrets, number: frontDesk })
  await seedAutomations(query, { account: account.id, now, secrets })
  await seedDeliveries(query, { account: account.id, now, secrets })
  await seedCampaigns(query, { account: account.id, now, number: frontDesk })
  return token
}

const toolRow = (account: number, tool: SampleTool, at: Micros): Parameters<typeof insertTool>[1] => ({
  ...tool,
  account_id: account,
  headers: stringifyJson(tool.headers),
  static_fields: stringifyJson(tool.static_fields),
  schema: stringifyJson(tool.schema),
  created_at: at,
  updated_at: at + 5 * minute,
})

async function seedNumber(
  query: Query,
  account: number,
  number: InventoryNumber,
  payments: PaymentProvider,
  at: Micros,
): Promise<number> {
  await orderNumber(query, `seed-${number.phoneNumber}`, number.phoneNumber, null)
  const { id } = await insertNumber(query, {
    account_id: account,
    phone_number: number.phoneNumber,
    country_code: number.country,
    region: number.region,
    type: 'normal',
    sms_capable: number.smsCapable ? 1 : 0,
    nickname: number.country === 'US' ? 'Front desk' : null,
    created_at: at,
  })
  const anchor = new Date(at / 1000).getUTCDate()
  const price = payments.price(number.country)
  const subscription = await insertSubscription(query, {
    account_id: account,
    number_id: id,
    status: 'active',
    price: price.amount,
    price_id: price.priceId,
    anchor,
    period_start: at,
    period_end: addMonths(at, 1, anchor),
  })
  await scheduleJob(query, {
    account,
    kind: 'subscription',
    subject: String(subscription.id),
    at: subscription.period_end,
  })
  return id
}
