import type { Generated } from 'kysely'
import type {
  AssistantLabelTable,
  AssistantTable,
  AssistantToolTable,
  ChannelMessageTable,
  ConversationCountTable,
  ConversationTable,
  EventSlotTable,
  FolderTable,
  LabelTable,
  LocalChannelSendTable,
  LocalTrunkTable,
  MessageTable,
  MessageTemplateTable,
  ProvisionedTrunkTable,
  RequestLogTable,
  SenderTable,
  SipTrunkTable,
} from '../assistants/tables.ts'
import type {
  AutomationActTable,
  AutomationConnectionTable,
  AutomationRunTable,
  AutomationStepTable,
  AutomationTable,
  AutomationValueTable,
  AutomationVersionTable,
  AutomationWaitTable,
  AutomationWebhookTable,
} from '../automations/tables.ts'
import type { LocalCallTable, LocalSmsTable, PhoneCallTable, SmsMessageTable } from '../calls/tables.ts'
import type {
  CampaignNumberTable,
  CampaignTable,
  LeadContactTable,
  LeadCountTable,
  LeadTable,
} from '../campaigns/tables.ts'
import type {
  DeliveryAttemptTable,
  DeliveryTable,
  LocalScriptTable,
  LocalSenderTable,
  LocalTemplateTable,
  WebhookSecretTable,
} from '../deliveries/tables.ts'
import type { KnowledgeTables } from '../knowledge/tables.ts'
import type { FaultTable } from '../runtime/tables.ts'
import type {
  LocalActTable,
  LocalBookingTable,
  LocalContactTable,
  LocalMailTable,
  LocalNoteTable,
  LocalSheetChangeTable,
  LocalSheetTable,
} from '../simulators/tables.ts'

/** Account. All tables: integer microseconds UTC, integer millionths of money, JSON text, booleans 0/1, account_id. */

export interface AccountTable {
  id: Generated<number>
  name: string
  email: string
  /** `tenant` pays in credits (1 credit = 1 USD), `direct` in minutes. */
  kind: 'tenant' | 'direct'
  /** Millionths of a credit or of a minute. */
  balance: number
  /** Micro-USD per minute, for direct accounts. */
  minute_rate: number
  /** Payment method on file at the payment processor, or null. */
  payment_method: string | null
  created_at: number
}

export interface ApiKeyTable {
  id: Generated<number>
  account_id: number
  name: string
  /** SHA-256 hash of the random part of the token, in hexadecimal. */
  hash: string
  last_used_at: number | null
  created_at: number
}

export interface ToolTable {
  id: Generated<number>
  account_id: number
  type: 'http' | 'automation'
  name: string
  description: string
  endpoint: string
  method: string
  body_format: string
  timeout: number
  headers: string
  static_fields: string
  schema: string
  /** Automation behind the tool, if its type is `automation`. */
  automation_id: string | null
  created_at: number
  updated_at: number
}

export interface NumberTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  country_code: string
  region: string | null
  type: 'normal' | 'sip' | 'caller_id'
  sms_capable: number
  nickname: string | null
  created_at: number
}

export interface SubscriptionTable {
  id: Generated<number>
  account_id: number
  number_id: number
  status: 'active' | 'ending' | 'past_due' | 'ended'
  price: number
  price_id: string
  /** Day of the month when the first period started, so that short months do not change the renewal day permanently. */
  anchor: number
  period_start: number
  period_end: number
}

/** Purchase: reserved -> paid -> provisioned -> owned, or refunded. A number has at most one active purchase. */
export interface PurchaseTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  state: 'reserved' | 'paid' | 'provisioned' | 'owned' | 'refunding' | 'refunded' | 'declined' | 'released'
  /** Idempotency-Key of the caller, unique per account. A repeated request finds this row. */
  idempotency_key: string | null
  country_code: string
  region: string | null
  sms_capable: number
  price: number
  price_id: string
  charge_id: string | null
  order_sid: string | null
  number_id: number | null
  failure: string | null
  created_at: number
  updated_at: number
}

/** Movement of money, in millionths of `unit`. `balance_after` is null for payments by payment method. */
export interface LedgerTable {
  id: Generated<number>
  account_id: number
  kind: 'top_up' | 'charge' | 'refund' | 'card_charge' | 'card_refund'
  unit: 'credit' | 'minute' | 'usd'
  amount: number
  balance_after: number | null
  reason: string
  /** Unique per account if set, so that the same movement is not booked twice. */
  reference: string | null
  created_at: number
}

/** Event, written in the transaction that caused it. */
export interface OutboxTable {
  id: Generated<number>
  account_id: number
  kind: string
  subject: string
  payload: string
  created_at: number
  /** Time when every consumer has handled it. */
  handled_at: number | null
  /** Subject of the event, and the event that is delivered to a receiver; null if there is none. */
  assistant_id: Generated<number | null>
  sender_id: Generated<number | null>
  event: Generated<string | null>
}

/** Scheduled job, such as a delivery, a renewal or an unfinished purchase. */
export interface ScheduledJobTable {
  id: Generated<number>
  account_id: number
  kind: string
  subject: string
  due_at: number
  attempts: number
  lease_until: number
  lease_owner: string | null
}

export interface ClockTable {
  id: number
  /** Platform time while frozen, otherwise null. */
  frozen_at: number | null
  /** Added to real time while running. */
  offset: number
  /** Number of fault rules. It is in the row of the clock, which every request reads. */
  faults: Generated<number>
}

export interface IdempotencyTable {
  account_id: number
  key: string
  /** SHA-256 hash of method, path and body. */
  request: string
  status: number | null
  body: string | null
  created_at: number
}

export interface RequestLimitTable {
  account_id: number
  name: string
  /** Start of the window. */
  window_start: number
  used: number
}

/** Orders recorded by the simulated telephony provider, separate from the data of the platform. */
export interface LocalOrderTable {
  key: string
  phone_number: string
  sid: string | null
  failure: string | null
  released: number
}

/** Charges recorded by the simulated payment processor. */
export interface LocalChargeTable {
  key: string
  charge_id: string | null
  method: string
  amount: number
  about: string
  failure: string | null
  refunded: number
}

export interface MetaTable {
  key: string
  value: string
}

export interface Tables extends KnowledgeTables {
  account: AccountTable
  api_key: ApiKeyTable
  tool: ToolTable
  phone_number: NumberTable
  subscription: SubscriptionTable
  purchase: PurchaseTable
  ledger: LedgerTable
  outbox: OutboxTable
  due: ScheduledJobTable
  clock: ClockTable
  idempotency: IdempotencyTable
  request_limit: RequestLimitTable
  local_order: LocalOrderTable
  local_charge: LocalChargeTable
  meta: MetaTable
  fault: FaultTable
  folder: FolderTable
  label: LabelTable
  assistant: AssistantTable
  assistant_label: AssistantLabelTable
  assistant_tool: AssistantToolTable
  event_slot: EventSlotTable
  sender: SenderTable
  message_template: MessageTemplateTable
  conversation: ConversationTable
  message: MessageTable
  channel_message: ChannelMessageTable
  sip_trunk: SipTrunkTable
  provisioned_trunk: ProvisionedTrunkTable
  local_channel_send: LocalChannelSendTable
  local_trunk: LocalTrunkTable
  request_log: RequestLogTable
  conversation_count: ConversationCountTable
  phone_call: PhoneCallTable
  sms_message: SmsMessageTable
  local_call: LocalCallTable
  local_sms: LocalSmsTable
  campaign: CampaignTable
  campaign_number: CampaignNumberTable
  lead: LeadTable
  lead_contact: LeadContactTable
  lead_count: LeadCountTable
  automation: AutomationTable
  automation_version: AutomationVersionTable
  automation_run: AutomationRunTable
  automation_step: AutomationStepTable
  automation_wait: AutomationWaitTable
  automation_value: AutomationValueTable
  automation_act: AutomationActTable
  automation_connection: AutomationConnectionTable
  automation_webhook: AutomationWebhookTable
  local_act: LocalActTable
  local_mail: LocalMailTable
  local_sheet: LocalSheetTable
  local_sheet_change: LocalSheetChangeTable
  local_booking: LocalBookingTable
  local_contact: LocalContactTable
  local_note: LocalNoteTable
  delivery: DeliveryTable
  delivery_attempt: DeliveryAttemptTable
  webhook_secret: WebhookSecretTable
  local_script: LocalScriptTable
  local_sender: LocalSenderTable
  local_template: LocalTemplateTable
}
