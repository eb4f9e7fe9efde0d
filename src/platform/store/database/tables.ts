import type { AccountTables } from '../accounts/tables.ts'
import type { AssistantTables } from '../assistants/tables.ts'
import type { AutomationTables } from '../automations/tables.ts'
import type { BillingTables } from '../billing/tables.ts'
import type { CallTables } from '../calls/tables.ts'
import type { CampaignTables } from '../campaigns/tables.ts'
import type { ContactTables } from '../contacts/tables.ts'
import type { ConversationTables } from '../conversations/tables.ts'
import type { DeliveryTables } from '../deliveries/tables.ts'
import type { KnowledgeTables } from '../knowledge/tables.ts'
import type { MessagingTables } from '../messaging/tables.ts'
import type { NumberTables } from '../numbers/tables.ts'
import type { RuntimeTables } from '../runtime/tables.ts'
import type {
  ChannelSimulatorTables,
  IntegrationSimulatorTables,
  PaymentSimulatorTables,
  TelephonySimulatorTables,
} from '../simulators/tables.ts'

interface MetaTable {
  key: string
  value: string
}

/**
 * All tables. Each is defined next to the repository of its domain. Times are integer microseconds UTC, money is
 * integer millionths, JSON is text, booleans are 0 or 1. Tables of accounts have `account_id` as the first column after
 * the id; tables of simulators have no account.
 */
export interface Tables
  extends AccountTables,
    BillingTables,
    NumberTables,
    MessagingTables,
    ContactTables,
    ConversationTables,
    CallTables,
    AssistantTables,
    KnowledgeTables,
    CampaignTables,
    AutomationTables,
    DeliveryTables,
    RuntimeTables,
    TelephonySimulatorTables,
    ChannelSimulatorTables,
    PaymentSimulatorTables,
    IntegrationSimulatorTables {
  meta: MetaTable
}
