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

/** Times are integer microseconds UTC; money integer millionths; JSON is text; booleans are 0 or 1. Every table carries its account first. */

export interface AccountTable {
  id: Generated<number>
  name: string
  email: string
  /** `tenant` pays in credits (1 credit = 1 USD), `direct` in minutes. */
  kind: 'tenant' | 'direct'
  /** Millionths of a credit or of a minute. */
  balance: number
  /** Micro-USD a minute, for direct accounts. */
  minute_rate: number
  /** The method on file at the payment processor, or null. */
  payment_method: string | null
  created_at: number
}

export interface ApiKeyTable {
  id: Generated<number>
  account_id: number
  name: string
  /** SHA-256 of the token's random part, hex. */
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
  /** The automation behind it when type is `automation`. */
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
  /** Day of the month the first period began, so that a month of 28 days does not move the date for good. */
  anchor: number
  period_start: number
  period_end: number
}

/** A purchase on its way (decision: reserved -> paid -> provisioned -> owned, or refunded). One live row a number. */
export interface PurchaseTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  state: 'reserved' | 'paid' | 'provisioned' | 'owned' | 'refunding' | 'refunded' | 'declined' | 'released'
  /** The caller's Idempotency-Key, unique per account: asking again finds this row. */
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

/** Every movement of money, in millionths of `unit`. `balance_after` is null for what a payment method paid. */
export interface LedgerTable {
  id: Generated<number>
  account_id: number
  kind: 'top_up' | 'charge' | 'refund' | 'card_charge' | 'card_refund'
  unit: 'credit' | 'minute' | 'usd'
  amount: number
  balance_after: number | null
  reason: string
  /** Unique per account when given: the same movement is never booked twice. */
  reference: string | null
  created_at: number
}

/** What has happened, written in the transaction that made it happen. */
export interface OutboxTable {
  id: Generated<number>
  account_id: number
  kind: string
  subject: string
  payload: string
  created_at: number
  /** When every consumer has seen it. */
  handled_at: number | null
  /** Whom it is about, and the event of theirs that somebody is told of; null when nobody is. */
  assistant_id: Generated<number | null>
  sender_id: Generated<number | null>
  event: Generated<string | null>
}

/** What is to be done at a time: deliveries, renewals, unfinished purchases. */
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
  /** Platform time while frozen, else null. */
  frozen_at: number | null
  /** Added to wall time while running. */
  offset: number
  /** Rules that make requests fail on purpose: beside the time, since every request asks for that. */
  faults: Generated<number>
}

export interface IdempotencyTable {
  account_id: number
  key: string
  /** SHA-256 of method, path and body. */
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

/** The local telephony provider's own books: what the outside world knows, kept apart from the platform's. */
export interface LocalOrderTable {
  key: string
  phone_number: string
  sid: string | null
  failure: string | null
  released: number
}

/** The local payment processor's own books. */
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
