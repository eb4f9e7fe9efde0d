// Generated from the contract by "npm run generate".

/** Options of one call. */
export interface CallOptions {
  /** Key under which the platform carries out a billable operation once, also if it is sent again. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Timeout of one attempt in milliseconds. */
  readonly timeoutMs?: number
}

/** Reads one page of a list; `all` reads the items of all pages, one page at a time. */
export interface ListMethod<Input, Output, Item> {
  (input?: Input, options?: CallOptions): Promise<Output>
  all(input?: Input, options?: CallOptions): AsyncIterable<Item>
}

/** Like `ListMethod`, for a list that needs an input. */
export interface RequiredListMethod<Input, Output, Item> {
  (input: Input, options?: CallOptions): Promise<Output>
  all(input: Input, options?: CallOptions): AsyncIterable<Item>
}

/** The methods of the client: one for every endpoint, by resource. Every failure is a ClientError. */
export interface Resources {
  readonly user: {
    /** Show the account and its balance. */
    me(input?: Record<string, never>, options?: CallOptions): Promise<UserMeOutput>
    /** List the references to a resource. Only on a Parley server. */
    readonly references: RequiredListMethod<UserReferencesInput, UserReferencesOutput, FoundReference>
    /** Show what runs, and whether all of it is stopped. Only on a Parley server. */
    activity(input?: Record<string, never>, options?: CallOptions): Promise<UserActivityOutput>
    /** Stop campaigns, runs, calls and sends until resumed. Only on a Parley server. */
    stop(input?: Record<string, never>, options?: CallOptions): Promise<UserStopOutput>
    /** Continue everything that was stopped. Only on a Parley server. */
    resume(input?: UserResumeInput, options?: CallOptions): Promise<UserResumeOutput>
  }
  readonly billing: {
    /** Show balance, usage, subscriptions, forecast and limits. Only on a Parley server. */
    summary(input?: Record<string, never>, options?: CallOptions): Promise<BillingSummaryOutput>
    /** Show usage by day, assistant, campaign or kind. Only on a Parley server. */
    readonly usage: ListMethod<BillingUsageInput, BillingUsageOutput, UsageRow>
  }
  readonly keys: {
    /** List API keys (metadata only). */
    readonly list: ListMethod<Record<string, never>, KeysListOutput, ApiKey>
    /** List scopes, budgets and expiry of API keys. Only on a Parley server. */
    readonly scopes: ListMethod<Record<string, never>, KeysScopesOutput, KeysScopesItem>
    /** Create an API key and show its token once. */
    create(input: KeysCreateInput, options?: CallOptions): Promise<KeysCreateOutput>
    /** Delete an API key; its clients lose access. */
    delete(input: KeysDeleteInput, options?: CallOptions): Promise<KeysDeleteOutput>
  }
  readonly approvals: {
    /** List operations that wait for the approval of a person, and decided ones, newest first. Only on a Parley server. */
    readonly list: ListMethod<Record<string, never>, ApprovalsListOutput, Approval>
    /** Show an operation with its whole plan. Only on a Parley server. */
    get(input: ApprovalsGetInput, options?: CallOptions): Promise<ApprovalsGetOutput>
    /** Ask a person to approve an operation. Only on a Parley server. */
    create(input: ApprovalsCreateInput, options?: CallOptions): Promise<ApprovalsCreateOutput>
    /** Approve or decline an operation. Only on a Parley server. */
    decide(input: ApprovalsDecideInput, options?: CallOptions): Promise<ApprovalsDecideOutput>
    /** Claim an approved operation for one process. Only on a Parley server. */
    start(input: ApprovalsStartInput, options?: CallOptions): Promise<ApprovalsStartOutput>
    /** Record that a request of a running operation is sent, or its outcome. Only on a Parley server. */
    recordRequest(input: ApprovalsRecordRequestInput, options?: CallOptions): Promise<ApprovalsRecordRequestOutput>
    /** Record how a run of an operation ended. Only on a Parley server. */
    end(input: ApprovalsEndInput, options?: CallOptions): Promise<ApprovalsEndOutput>
  }
  readonly tools: {
    /** List mid-call tools. */
    readonly list: ListMethod<Record<string, never>, ToolsListOutput, Tool>
    /** Show a mid-call tool. */
    get(input: ToolsGetInput, options?: CallOptions): Promise<ToolsGetOutput>
    /** Create a mid-call tool. */
    create(input: ToolsCreateInput, options?: CallOptions): Promise<ToolsCreateOutput>
    /** Update a mid-call tool; omitted fields are unchanged. */
    update(input: ToolsUpdateInput, options?: CallOptions): Promise<ToolsUpdateOutput>
    /** Delete a mid-call tool; assistants lose access to it. */
    delete(input: ToolsDeleteInput, options?: CallOptions): Promise<ToolsDeleteOutput>
  }
  readonly campaigns: {
    /** List campaigns. */
    readonly list: ListMethod<Record<string, never>, CampaignsListOutput, Campaign>
    /** Show one campaign. */
    get(input: CampaignsGetInput, options?: CallOptions): Promise<CampaignsGetOutput>
    /** Create a draft campaign. */
    create(input: CampaignsCreateInput, options?: CallOptions): Promise<CampaignsCreateOutput>
    /** Update a campaign that is not running. Only on a Parley server. */
    update(input: CampaignsUpdateInput, options?: CallOptions): Promise<CampaignsUpdateOutput>
    /** Start or stop contacting the leads of a campaign. */
    updateStatus(input: CampaignsUpdateStatusInput, options?: CallOptions): Promise<CampaignsUpdateStatusOutput>
    /** Stop and delete a campaign and its leads. */
    delete(input: CampaignsDeleteInput, options?: CallOptions): Promise<CampaignsDeleteOutput>
  }
  readonly leads: {
    /** Create a lead in a campaign. */
    create(input: LeadsCreateInput, options?: CallOptions): Promise<LeadsCreateOutput>
    /** Create many leads in a campaign. Only on a Parley server. */
    createBatch(input: LeadsCreateBatchInput, options?: CallOptions): Promise<LeadsCreateBatchOutput>
    /** List leads. */
    readonly list: ListMethod<LeadsListInput, LeadsListOutput, Lead>
    /** Update a lead; variables are merged. */
    update(input: LeadsUpdateInput, options?: CallOptions): Promise<LeadsUpdateOutput>
    /** Delete a lead and its secondary contacts. */
    delete(input: LeadsDeleteInput, options?: CallOptions): Promise<LeadsDeleteOutput>
  }
  readonly numbers: {
    /** Search for phone numbers to buy. */
    readonly search: ListMethod<NumbersSearchInput, NumbersSearchOutput, AvailableNumber>
    /** Buy a phone number (monthly, non-refundable). */
    buy(input: NumbersBuyInput, options?: CallOptions): Promise<NumbersBuyOutput>
    /** List your phone numbers. */
    readonly list: ListMethod<Record<string, never>, NumbersListOutput, PhoneNumber>
    /** Update the nickname of a phone number. */
    update(input: NumbersUpdateInput, options?: CallOptions): Promise<NumbersUpdateOutput>
    /** Release a phone number. */
    release(input: NumbersReleaseInput, options?: CallOptions): Promise<NumbersReleaseOutput>
  }
  readonly assistants: {
    /** List assistants. */
    readonly list: ListMethod<AssistantsListInput, AssistantsListOutput, Assistant>
    /** Create an assistant. */
    create(input: AssistantsCreateInput, options?: CallOptions): Promise<AssistantsCreateOutput>
    /** Update an assistant; omitted fields are unchanged. */
    update(input: AssistantsUpdateInput, options?: CallOptions): Promise<AssistantsUpdateOutput>
    /** Activate or deactivate an assistant. Only on a Parley server. */
    setStatus(input: AssistantsSetStatusInput, options?: CallOptions): Promise<AssistantsSetStatusOutput>
    /** Delete an assistant. */
    delete(input: AssistantsDeleteInput, options?: CallOptions): Promise<AssistantsDeleteOutput>
    /** Enable the webhook sent when a conversation ends. */
    enableConversationEndedWebhook(input: AssistantsEnableConversationEndedWebhookInput, options?: CallOptions): Promise<AssistantsEnableConversationEndedWebhookOutput>
    /** Disable the webhook sent when a conversation ends. */
    disableConversationEndedWebhook(input: AssistantsDisableConversationEndedWebhookInput, options?: CallOptions): Promise<AssistantsDisableConversationEndedWebhookOutput>
    /** Enable the webhook sent after a call. */
    enablePostCallWebhook(input: AssistantsEnablePostCallWebhookInput, options?: CallOptions): Promise<AssistantsEnablePostCallWebhookOutput>
    /** Disable the webhook sent after a call. */
    disablePostCallWebhook(input: AssistantsDisablePostCallWebhookInput, options?: CallOptions): Promise<AssistantsDisablePostCallWebhookOutput>
    /** Enable the webhook called before answering inbound calls. */
    enableInboundWebhook(input: AssistantsEnableInboundWebhookInput, options?: CallOptions): Promise<AssistantsEnableInboundWebhookOutput>
    /** Disable the webhook called before answering inbound calls. */
    disableInboundWebhook(input: AssistantsDisableInboundWebhookInput, options?: CallOptions): Promise<AssistantsDisableInboundWebhookOutput>
  }
  readonly conversations: {
    /** List conversations. */
    readonly list: ListMethod<ConversationsListInput, ConversationsListOutput, Conversation>
    /** Start a conversation with an assistant. */
    create(input: ConversationsCreateInput, options?: CallOptions): Promise<ConversationsCreateOutput>
    /** Show a conversation and its messages. */
    get(input: ConversationsGetInput, options?: CallOptions): Promise<ConversationsGetOutput>
    /** Send a message and get the reply (widget: 0.01 USD). */
    send(input: ConversationsSendInput, options?: CallOptions): Promise<ConversationsSendOutput>
    /** Enable AI replies in a conversation. */
    enableAi(input: ConversationsEnableAiInput, options?: CallOptions): Promise<ConversationsEnableAiOutput>
    /** Disable AI replies in a conversation. */
    disableAi(input: ConversationsDisableAiInput, options?: CallOptions): Promise<ConversationsDisableAiOutput>
  }
  readonly calls: {
    /** List calls. */
    readonly list: ListMethod<CallsListInput, CallsListOutput, Call>
    /** Show one call. */
    get(input: CallsGetInput, options?: CallOptions): Promise<CallsGetOutput>
    /** Place a call with an assistant, charged to the balance. */
    start(input: CallsStartInput, options?: CallOptions): Promise<CallsStartOutput>
    /** End a call in progress. Only on a Parley server. */
    stop(input: CallsStopInput, options?: CallOptions): Promise<CallsStopOutput>
    /** Delete a call. */
    delete(input: CallsDeleteInput, options?: CallOptions): Promise<CallsDeleteOutput>
  }
  readonly replies: {
    /** Generate a reply for another channel (5 per minute). */
    generate(input: RepliesGenerateInput, options?: CallOptions): Promise<RepliesGenerateOutput>
  }
  readonly messaging: {
    /** List messaging senders. */
    readonly senders: ListMethod<MessagingSendersInput, MessagingSendersOutput, Sender>
    /** List message templates of a sender. */
    readonly templates: RequiredListMethod<MessagingTemplatesInput, MessagingTemplatesOutput, MessageTemplate>
    /** List messaging senders with their assistants. Only on a Parley server. */
    readonly listAssignments: ListMethod<Record<string, never>, MessagingListAssignmentsOutput, SenderAssignment>
    /** Assign an assistant to a messaging sender. Only on a Parley server. */
    updateAssignment(input: MessagingUpdateAssignmentInput, options?: CallOptions): Promise<MessagingUpdateAssignmentOutput>
    /** List messages sent by messaging senders. Only on a Parley server. */
    readonly list: ListMethod<MessagingListInput, MessagingListOutput, Messaging>
    /** Send a template message, charged to the balance. */
    send(input: MessagingSendInput, options?: CallOptions): Promise<MessagingSendOutput>
    /** Send text or media within 24 hours, charged to the balance. */
    sendFreeform(input: MessagingSendFreeformInput, options?: CallOptions): Promise<MessagingSendFreeformOutput>
    /** Show whether the 24-hour window of a recipient is open. */
    session(input: MessagingSessionInput, options?: CallOptions): Promise<MessagingSessionOutput>
    /** List recipients and their 24-hour windows. Only on a Parley server. */
    readonly sessions: ListMethod<MessagingSessionsInput, MessagingSessionsOutput, MessagingSession>
  }
  readonly sms: {
    /** Send an SMS, charged to the balance. */
    send(input: SmsSendInput, options?: CallOptions): Promise<SmsSendOutput>
  }
  readonly contacts: {
    /** List blocked contacts. Only on a Parley server. */
    readonly list: ListMethod<ContactsListInput, ContactsListOutput, Contact>
    /** Block contacts on a channel, or on all. Only on a Parley server. */
    block(input: ContactsBlockInput, options?: CallOptions): Promise<ContactsBlockOutput>
    /** Unblock contacts on a channel, or on all. Only on a Parley server. */
    unblock(input: ContactsUnblockInput, options?: CallOptions): Promise<ContactsUnblockOutput>
    /** Show the words that opt out by reply. Only on a Parley server. */
    settings(input?: Record<string, never>, options?: CallOptions): Promise<ContactsSettingsOutput>
    /** Change the words that opt out by reply. Only on a Parley server. */
    updateSettings(input?: ContactsUpdateSettingsInput, options?: CallOptions): Promise<ContactsUpdateSettingsOutput>
    /** List what waits. Only on a Parley server. */
    readonly waiting: ListMethod<ContactsWaitingInput, ContactsWaitingOutput, ContactsWaitingItem>
    /** Cancel what waits. Only on a Parley server. */
    cancelWaiting(input: ContactsCancelWaitingInput, options?: CallOptions): Promise<ContactsCancelWaitingOutput>
    /** Send or call at once. Only on a Parley server. */
    sendWaiting(input: ContactsSendWaitingInput, options?: CallOptions): Promise<ContactsSendWaitingOutput>
    /** Show the contact hours. Only on a Parley server. */
    hours(input?: Record<string, never>, options?: CallOptions): Promise<ContactsHoursOutput>
    /** Change the contact hours. Only on a Parley server. */
    updateHours(input?: ContactsUpdateHoursInput, options?: CallOptions): Promise<ContactsUpdateHoursOutput>
  }
  readonly automate: {
    /** Create, test and enable an automation. */
    create(input: AutomateCreateInput, options?: CallOptions): Promise<AutomateCreateOutput>
    /** List automations. */
    readonly list: ListMethod<Record<string, never>, AutomateListOutput, Automation>
    /** Show one automation and its definition. */
    get(input: AutomateGetInput, options?: CallOptions): Promise<AutomateGetOutput>
    /** List automations with their definitions, oldest first. Only on a Parley server. */
    readonly listDefinitions: ListMethod<AutomateListDefinitionsInput, AutomateListDefinitionsOutput, Automation>
    /** Rename, enable, disable or redefine an automation. */
    update(input: AutomateUpdateInput, options?: CallOptions): Promise<AutomateUpdateOutput>
    /** Delete an automation and release its assistant. */
    delete(input: AutomateDeleteInput, options?: CallOptions): Promise<AutomateDeleteOutput>
    /** Restore the previously published version. */
    restore(input: AutomateRestoreInput, options?: CallOptions): Promise<AutomateRestoreOutput>
    /** List published versions of an automation. Only on a Parley server. */
    readonly versions: RequiredListMethod<AutomateVersionsInput, AutomateVersionsOutput, AutomationVersion>
    /** Show one published version of an automation. Only on a Parley server. */
    version(input: AutomateVersionInput, options?: CallOptions): Promise<AutomateVersionOutput>
    /** Restore an earlier version as a new live version. Only on a Parley server. */
    restoreVersion(input: AutomateRestoreVersionInput, options?: CallOptions): Promise<AutomateRestoreVersionOutput>
    /** List runs of an automation, or show one with its steps. */
    readonly runs: RequiredListMethod<AutomateRunsInput, AutomateRunsOutput, AutomationRun>
    /** List runs of all automations, newest first. Only on a Parley server. */
    readonly listRuns: ListMethod<AutomateListRunsInput, AutomateListRunsOutput, AccountRun>
    /** Show a run: steps with input, output and error. Only on a Parley server. */
    getRun(input: AutomateGetRunInput, options?: CallOptions): Promise<AutomateGetRunOutput>
    /** Start a new run with the input of an earlier one. Only on a Parley server. */
    rerun(input: AutomateRerunInput, options?: CallOptions): Promise<AutomateRerunOutput>
    /** Cancel a run and those it waits for. Only on a Parley server. */
    cancelRun(input: AutomateCancelRunInput, options?: CallOptions): Promise<AutomateCancelRunOutput>
    /** Resume a failed run at the failed step. */
    retry(input: AutomateRetryInput, options?: CallOptions): Promise<AutomateRetryOutput>
    /** List automation templates. */
    readonly templates: ListMethod<Record<string, never>, AutomateTemplatesOutput, AutomationTemplate>
    /** Create an automation from a template. */
    apply(input: AutomateApplyInput, options?: CallOptions): Promise<AutomateApplyOutput>
  }
  readonly models: {
    /** List models. */
    readonly list: ListMethod<ModelsListInput, ModelsListOutput, Model>
  }
  readonly synthesizers: {
    /** List text-to-speech providers. */
    readonly list: ListMethod<SynthesizersListInput, SynthesizersListOutput, Synthesizer>
  }
  readonly transcribers: {
    /** List speech-to-text providers. */
    readonly list: ListMethod<TranscribersListInput, TranscribersListOutput, Transcriber>
  }
  readonly voices: {
    /** List voices. */
    readonly list: ListMethod<VoicesListInput, VoicesListOutput, Voice>
  }
  readonly languages: {
    /** List languages. */
    readonly list: ListMethod<Record<string, never>, LanguagesListOutput, Language>
  }
  readonly folders: {
    /** List folders of assistants. */
    readonly list: ListMethod<FoldersListInput, FoldersListOutput, Folder>
    /** Create a folder. */
    create(input: FoldersCreateInput, options?: CallOptions): Promise<FoldersCreateOutput>
    /** Update a folder; omitted fields are unchanged. */
    update(input: FoldersUpdateInput, options?: CallOptions): Promise<FoldersUpdateOutput>
    /** Delete a folder; its assistants become uncategorized. */
    delete(input: FoldersDeleteInput, options?: CallOptions): Promise<FoldersDeleteOutput>
  }
  readonly labels: {
    /** List labels of assistants. */
    readonly list: ListMethod<LabelsListInput, LabelsListOutput, Label>
    /** Create a label. */
    create(input: LabelsCreateInput, options?: CallOptions): Promise<LabelsCreateOutput>
    /** Update a label; omitted fields are unchanged. */
    update(input: LabelsUpdateInput, options?: CallOptions): Promise<LabelsUpdateOutput>
    /** Delete a label; it is removed from its assistants. */
    delete(input: LabelsDeleteInput, options?: CallOptions): Promise<LabelsDeleteOutput>
  }
  readonly knowledge: {
    /** List knowledge bases. */
    readonly list: ListMethod<Record<string, never>, KnowledgeListOutput, KnowledgeBase>
    /** Show a knowledge base. */
    get(input: KnowledgeGetInput, options?: CallOptions): Promise<KnowledgeGetOutput>
    /** Create a knowledge base. */
    create(input: KnowledgeCreateInput, options?: CallOptions): Promise<KnowledgeCreateOutput>
    /** Update a knowledge base; omitted fields are unchanged. */
    update(input: KnowledgeUpdateInput, options?: CallOptions): Promise<KnowledgeUpdateOutput>
    /** Delete a knowledge base; assistants lose access to it. */
    delete(input: KnowledgeDeleteInput, options?: CallOptions): Promise<KnowledgeDeleteOutput>
    /** Search a knowledge base for passages. Only on a Parley server. */
    readonly search: RequiredListMethod<KnowledgeSearchInput, KnowledgeSearchOutput, KnowledgePassage>
    /** List the documents of a knowledge base. */
    readonly listDocuments: RequiredListMethod<KnowledgeListDocumentsInput, KnowledgeListDocumentsOutput, KnowledgeDocument>
    /** Show a document. */
    getDocument(input: KnowledgeGetDocumentInput, options?: CallOptions): Promise<KnowledgeGetDocumentOutput>
    /** Add a website or file to a knowledge base. */
    createDocument(input: KnowledgeCreateDocumentInput, options?: CallOptions): Promise<KnowledgeCreateDocumentOutput>
    /** Rename or describe a document. */
    updateDocument(input: KnowledgeUpdateDocumentInput, options?: CallOptions): Promise<KnowledgeUpdateDocumentOutput>
    /** Delete a document. */
    deleteDocument(input: KnowledgeDeleteDocumentInput, options?: CallOptions): Promise<KnowledgeDeleteDocumentOutput>
  }
  readonly sipTrunks: {
    /** List SIP trunks. */
    readonly list: ListMethod<Record<string, never>, SipTrunksListOutput, SipTrunk>
    /** Show a SIP trunk. */
    get(input: SipTrunksGetInput, options?: CallOptions): Promise<SipTrunksGetOutput>
    /** Create a SIP trunk. */
    create(input: SipTrunksCreateInput, options?: CallOptions): Promise<SipTrunksCreateOutput>
    /** Update a SIP trunk; omitted fields are unchanged. */
    update(input: SipTrunksUpdateInput, options?: CallOptions): Promise<SipTrunksUpdateOutput>
  }
}

export type FoundReference = {
  /** Kind of the resource that has the reference: assistants, automate, campaigns, senders, tools */
  from: string
  /** The resource that has the reference */
  item: {
    id: number | string
    name: string | null
    phone_number?: string
    display_name?: string
    type?: string
    status?: string
    is_webhook_active?: boolean
  }
  /** Place of the reference: tool_ids[1], step_2.from */
  path: string
  /** Field of the reference without positions; step or address in a step or a URL */
  by: string
  /** Kind of the referenced resource */
  to: string
  /** Id or name of the referenced resource; null for an expression */
  id: number | string | null
  /** Expression whose value is the id when the automation runs */
  expression?: string
  /** Sender of a referenced template */
  sender?: number | string
  /** Display name of the step */
  step?: string
  /** URL that references an automation */
  address?: string
}

export type UsageRow = {
  /** Day, id or kind; null for usage without an assistant or campaign */
  key: string | null
  /** Name of the assistant or campaign */
  name: string | null
  unit: 'usd' | 'minute' | null
  /** Charges less refunds */
  amount: number
  charges: number
  /** Balance, or the payment method on file */
  paid_from: 'balance' | 'card'
}

export type ApiKey = {
  id: number
  name: string
  last_used_at: string | null
  created_at: string
}

export type KeysScopesItem = {
  id: number
  /** null for a key with every right but approve */
  scope: 'read' | 'write' | 'spend' | 'approve' | null
  /** Resources that the key may use; null for all */
  nouns: string[] | null
  budget: {
    /** USD */
    amount: number
    period: 'day' | 'month'
    /** USD that the key can still spend in this period */
    left: number
    renews_at: string
  } | null
  expires_at: string | null
  is_expired: boolean
}

export type Approval = {
  id: string
  created_at: string
  expires_at: string
  /** The coding agent that asked; null if it was not one */
  asked_by: string | null
  state: 'pending' | 'approved' | 'declined' | 'expired' | 'running' | 'interrupted' | 'done' | 'changed'
  /** SHA-256 hash of the canonical JSON of the plan, which an approval is for */
  hash: string
  decided_at: string | null
  reason: string | null
  /** The process that runs it, as it named itself */
  runner: string | null
  /** The last outcome of each request that was sent, by its number in the plan */
  outcomes: Record<string, 'open' | 'done' | 'refused' | 'unknown' | 'cancelled'>
  plan: {
    /** One sentence for the person */
    summary: string
    /** The words after parley */
    command: string[]
    /** The folder in which the command runs */
    folder: string
    /** Name of the profile that the command uses */
    profile: string
    /** embedded:, or the base URL */
    platform: string
    /** Beginning of the API key, which identifies the account */
    key_mark?: string
    /** The most that it costs in USD: null if that is not known, absent if it spends nothing */
    maximum_usd?: number | null
  }
}

export type Tool = {
  id: number
  name: string
  description: string
  type: 'http' | 'automation'
  endpoint: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body_format: 'json' | 'form'
  timeout: number
  headers: {
    name: string
    value: string
  }[]
  static_fields: {
    key: string
    value: string
  }[]
  schema: {
    name: string
    type: string
    description: string
    required: boolean
  }[]
  created_at: string
  updated_at: string
}

export type Campaign = {
  id: number
  status: 'draft' | 'scheduled' | 'in-progress' | 'paused' | 'completed'
  name: string
  /** Channel used to contact leads */
  channel: 'call' | 'messaging' | 'sms'
  timezone: string | null
  schedule_windows: {
    /** Start time, HH:MM */
    start: string
    /** HH:MM at which it closes (23:59: midnight); may be on the next day */
    end: string
  }[] | null
  allowed_hours_start_time: string | null
  allowed_hours_end_time: string | null
  scheduled_start_at: string | null
  allowed_days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[] | null
  window_timezone?: 'campaign' | 'recipient' | null
  timezone_variable?: string | null
  holidays?: string[] | null
  max_retries: number | null
  retry_interval: number | null
  mark_complete_when_no_leads: boolean | null
  assistant_id: number | null
  max_calls_in_parallel: number | null
  phone_number_ids: number[] | null
  retry_on_voicemail: boolean | null
  retry_on_goal_incomplete: boolean | null
  goal_completion_variable: string | null
  fallback_channel: 'messaging' | 'sms' | null
  fallback_messaging_sender_id: number | null
  fallback_messaging_template_id: number | null
  fallback_sms_from_phone_number_id: number | null
  fallback_sms_body: string | null
  fallback_variable_mapping: Record<string, string> | null
  messaging_sender_id: number | null
  messaging_template_id: number | null
  text_variable_mapping: Record<string, string> | null
  messages_per_minute: number | null
  sms_from_phone_number_id: number | null
  sms_body: string | null
  created_at: string
  updated_at: string
}

export type Lead = {
  id: number
  campaign_id: number
  phone_number: string
  variables: Record<string, unknown>
  status: 'created' | 'scheduled' | 'processing' | 'completed' | 'rescheduled' | 'reached-max-retries' | 'blacklisted'
  created_at: string
  updated_at: string
  campaign: {
    id: number
    name: string
    channel?: 'call' | 'messaging' | 'sms'
  }
  secondary_contacts: {
    id: number
    phone_number: string
    variables: Record<string, unknown>
    status: 'created' | 'scheduled' | 'processing' | 'completed' | 'rescheduled' | 'reached-max-retries' | 'blacklisted'
    created_at: string
    updated_at: string
  }[]
  fallback_sent_at: string | null
  /** When the lead may be contacted, if this depends on the time zone of the lead */
  contact_hours?: {
    /** Time zones in which the lead may be */
    timezones: string[]
    /** Where they come from: a variable of the lead, its number, or the campaign */
    timezone_source: 'variable' | 'number' | 'campaign'
    /** Value of the variable that is ignored because no time zone has this name */
    invalid_timezone: string | null
    /** Whether the hours are open in all of them; no-common-hour: never in the next two months */
    state: 'open' | 'closed' | 'no-common-hour'
    /** When closed hours open next (UTC); null for a lead that is not contacted any more */
    opens_at: string | null
  }
}

export type AvailableNumber = {
  phone_number: string
  phone_number_formatted: string
  country_code: string
  /** USD per month */
  price: number
  payment_price_id: string
  address_requirements: 'none' | 'local' | 'foreign' | 'inventory'
  sms_capable: boolean
}

export type PhoneNumber = {
  id: number
  phone_number: string
  country_code: string
  type: 'normal' | 'sip' | 'caller_id'
  sms_capable: boolean
  nickname: string | null
  type_label: string
  region: string | null
  has_active_subscription: boolean
  /** USD per month; null without a subscription; not on public deployments */
  price: number | null
  /** When the subscription renews; not on public deployments */
  renews_at: string | null
  /** When a released number is removed; not on public deployments */
  ends_at: string | null
  created_at: string
}

export type Assistant = {
  id: number
  uuid: string
  status: 'active' | 'inactive'
  /** Name, at most 255 characters */
  name: string
  /** Id of the voice (parley voices list) */
  voice_id: number
  /** Id of the language (parley languages list) */
  language_id: number
  /** Call direction */
  type: 'inbound' | 'outbound'
  /** Engine mode */
  mode: 'pipeline' | 'multimodal' | 'dualplex'
  /** Time zone (IANA name) */
  timezone: string
  /** First message, at most 200 characters */
  initial_message: string
  /** Instructions for the assistant */
  system_prompt: string
  llm_model_id: number | null
  multimodal_model_id: number | null
  secondary_language_ids: number[] | null
  knowledgebase_mode: 'function_call' | 'prompt' | null
  label_ids: number[] | null
  tool_ids: number[] | null
  tools: {
    /** Type of built-in tool */
    type: 'call_transfer'
    /** Number to transfer to, E.164 */
    phone_number: string
    /** When the assistant should use it */
    description?: string
    /** Let the assistant choose the number */
    custom?: boolean
    /** Time zone of the transfer (IANA name) */
    timezone?: string
    /** Speak with the recipient before transferring */
    warm_transfer: boolean
    /** Prompt for the message before transferring */
    warm_transfer_message?: string
  } | {
    /** Type of built-in tool */
    type: 'warm_call_transfer'
    /** Number of the supervisor, E.164; a SIP address or extension if custom_sip is true */
    supervisor_phone: string
    /** Id of the number used to dial the supervisor */
    outbound_phone_id: number
    /** When to transfer */
    description: string
    /** Reach the supervisor over SIP */
    custom_sip: boolean
    /** Caller ID that the supervisor sees */
    caller_id_mode: 'outbound_number' | 'customer_number' | 'custom'
    /** Caller ID if caller_id_mode is custom */
    custom_caller_id?: string
    /** Audio for the waiting caller */
    hold_music: 'hold_music' | 'none'
    /** Volume of the hold music, 0-100 */
    hold_music_volume: number
    /** Message that asks the caller to hold */
    hold_message: string
    /** Instructions for briefing the supervisor */
    summary_instructions: string
    /** First message to the supervisor */
    briefing_initial_message: string
    /** Message to the caller after connecting */
    connected_message: string
  } | {
    /** Type of built-in tool */
    type: 'end_call'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'dtmf_input'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'collect_keypad'
    /** Seconds to wait for a key, 1-30 */
    timeout: number
    /** Key that ends the input */
    stop_key: '#' | '*'
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type: 'cal_a'
    /** When the assistant should use it */
    description?: string
    /** API key of the calendar */
    cal_a_api_key: string
    /** Slug of the event */
    cal_a_event_slug: string
    /** Slug of the team */
    cal_a_team_slug?: string
    /** Deployment of the calendar */
    cal_a_endpoint: 'us' | 'eu' | 'custom'
    /** Base URL if cal_a_endpoint is custom */
    cal_a_custom_endpoint?: string
    /** Id of the event; the name is resolved from it */
    cal_a_event_id?: number | string
    /** Name of the event */
    cal_a_event_name?: string
    /** Fields of the booking form */
    cal_a_booking_fields?: {
      /** Identifier of the field */
      slug: string
      /** Field type, such as text, email, phone, select */
      type: string
      /** Label of the field */
      label: string
      /** Whether the field is required */
      required: boolean
      /** Choices of a select field */
      options?: string[]
    }[]
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type: 'cal_b'
    /** When the assistant should use it */
    description?: string
    /** Personal access token of the calendar */
    cal_b_api_key: string
    /** URL of the event type in the token's account: https://<host>/event_types/<uuid> */
    cal_b_event_type_uri: string
  } | {
    /** Type of built-in tool */
    type: 'assistant_transfer'
    /** Id of the assistant to transfer to */
    assistant_id: number
    /** When to transfer */
    description: string
    /** Message before the transfer */
    message_before_transfer?: string
    /** Let the other assistant speak its initial message */
    speak_transfer_greeting: boolean
  }[] | null
  tts_emotion_enabled: boolean | null
  voice_stability: number | null
  voice_similarity: number | null
  speech_speed: number | null
  llm_temperature: number | null
  allow_interruptions: boolean | null
  fillers: boolean | null
  filler_config: {
    /** Words after a positive statement */
    positive?: string[]
    /** Words after a negative statement */
    negative?: string[]
    /** Words after a question */
    question?: string[]
    /** Words in all other cases */
    neutral?: string[]
  } | null
  record: boolean | null
  enable_noise_cancellation: boolean | null
  wait_for_customer: boolean | null
  max_duration: number | null
  max_silence_duration: number | null
  ringing_time: number | null
  reengagement_interval: number | null
  end_call_on_voicemail: boolean | null
  endpoint_type: 'vad' | 'ai' | null
  endpoint_sensitivity: number | null
  interrupt_sensitivity: number | null
  ambient_sound: 'off' | 'office' | 'city' | 'forest' | 'crowded_room' | 'cafe' | 'nature' | null
  ambient_sound_volume: number | null
  is_webhook_active: boolean | null
  send_webhook_only_on_completed: boolean | null
  include_recording_in_webhook: boolean | null
  post_call_evaluation: boolean | null
  post_call_schema: {
    /** Name: 3-16 lower-case letters, digits, underscores */
    name: string
    /** Type of the value */
    type: 'string' | 'number' | 'bool'
    /** What to extract */
    description: string
  }[] | null
  variables: Record<string, unknown> | null
  conversation_ended_retrigger: boolean | null
  chat_llm_fallback_id: number | null
  turn_detection_threshold: number | null
  knowledgebase_id: number | null
  folder_id: number | null
  phone_number_id: number | null
  synthesizer_provider_id: number | null
  transcriber_provider_id: number | null
  max_initial_silence_duration: number | null
  reengagement_prompt: string | null
  voice_mail_message: string | null
  min_interrupt_words: number | null
  webhook_url: string | null
  conversation_inactivity_timeout: number | null
  conversation_ended_webhook_url: string | null
  inbound_webhook_url: string | null
  created_at: string
  updated_at: string
}

export type Conversation = {
  id: string
  assistant_id: string
  assistant_name: string
  type: 'test' | 'widget' | 'messaging' | 'api'
  message_count: number
  /** USD */
  total_cost: number
  ai_enabled: boolean
  /** Whether the conversation has ended; with Parley-Details: full */
  status?: 'open' | 'ended'
  /** Customer of a message channel; with Parley-Details: full */
  customer?: {
    name: string | null
    phone: string
  } | null
  /** Identifier of the customer in a conversation of the type api; with Parley-Details: full */
  external_identifier?: string | null
  created_at: string
  updated_at: string
}

export type Call = {
  id: number
  assistant_name: string | null
  campaign_name: string | null
  type: 'inbound' | 'outbound' | 'web'
  /** Seconds */
  duration: number
  assistant_phone_number: string | null
  client_phone_number: string | null
  status: 'initiated' | 'ringing' | 'busy' | 'in-progress' | 'ended' | 'completed' | 'ended_by_customer' | 'ended_by_assistant' | 'no-answer' | 'failed'
  transcript: string | null
  variables: Record<string, unknown>
  evaluation: Record<string, unknown> | null
  webhook_response?: unknown
  /** USD */
  carrier_cost: number
  /** USD */
  total_cost: number
  answered_by: 'human' | 'machine' | 'unknown' | null
  recording_url: string | null
  created_at: string
  updated_at: string
}

export type Sender = {
  id: number
  phone_number: string
  display_name: string
  status: 'online' | 'offline'
  quality_rating: 'GREEN' | 'YELLOW' | 'RED'
  /** Unique recipients per 24 hours; null means unlimited, 0 means not known yet */
  messaging_limit: number | null
  messaging_limit_formatted: string
  voice_calling_enabled?: boolean
}

export type MessageTemplate = {
  id: number
  name: string
  language: string
  category: 'marketing' | 'utility' | 'authentication'
  status: 'approved' | 'pending' | 'rejected'
  body_text: string
  variables: string[]
  has_variables: boolean
}

export type SenderAssignment = {
  id: number
  phone_number: string
  display_name: string
  status: 'online' | 'offline'
  /** Id of the assistant; null without one */
  assistant_id: number | null
  assistant_name: string | null
}

export type Messaging = {
  id: number
  sender_id: number
  recipient_phone: string
  /** Id of the template; null for a message without one */
  template_id: number | null
  conversation_id: number | null
  message_sid: string | null
  status: 'sending' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'undelivered'
  /** Why the channel refused the message */
  error: string | null
  body: string
  media_url: string | null
  /** USD */
  cost: number
  created_at: string
  updated_at: string
}

export type MessagingSession = {
  sender_id: number
  recipient_phone: string
  customer_name: string | null
  /** Id of their conversation */
  conversation_id: number
  /** ISO 8601 UTC */
  last_customer_message_at: string | null
  session_status: {
    is_open: boolean
    can_send_freeform: boolean
    requires_template: boolean
    message: string
    minutes_remaining?: number | null
    /** When an open window closes, ISO 8601 UTC */
    expires_at?: string | null
    /** When a closed window closed, ISO 8601 UTC */
    expired_at?: string | null
  }
}

export type Contact = {
  phone_number: string
  channel: 'call' | 'messaging' | 'sms'
  reason: string | null
  /** Where the block comes from, such as reply, api or the name of an import */
  source: string
  created_at: string
}

export type ContactsWaitingItem = {
  id: number
  channel: 'call' | 'messaging' | 'sms'
  phone_number: string
  /** Text or address of media that is sent, or the name of the assistant that calls; null if it was deleted */
  content: string | null
  /** Most that it costs when it starts (USD); null if unknown, as of a call without a longest duration */
  max_cost: number | null
  /** When the hours open next */
  opens_at: string
  /** Time zones in which the recipient may be */
  timezones: string[]
  /** Where they come from: the number, or the hours of the account for a number that tells none */
  timezone_source: 'number' | 'account'
  /** What closes the hours now: a holiday, a day, or the time of day; null if they are open, or it does not wait */
  closed_by: 'holiday' | 'day' | 'hours' | null
  /** First of the time zones in which the hours are closed now */
  closed_in: string | null
  state: 'waiting' | 'started' | 'failed' | 'cancelled'
  /** Id of the message, SMS or call that was started */
  started_id: number | null
  /** Why it could not be started any more */
  error: string | null
  created_at: string
  updated_at: string
}

export type Automation = {
  id: string
  name: string
  status: 'enabled' | 'disabled'
  updated_at: string
  definition: AutomationNode
  binding: {
    type: 'post_call' | 'inbound' | 'conversation' | 'conversation_ended'
    assistant_id: number
    assistant_name: string
  } | null
}

export type AutomationNode = {
  /** Name, such as trigger or step_1; later steps reference it */
  name?: string
  /** PIECE_TRIGGER, PIECE, CODE, BRANCH, LOOP_ON_ITEMS */
  type?: string
  /** Display name */
  displayName?: string
  /** Whether its settings are complete */
  valid?: boolean
  /** What the node does */
  settings?: {
    /** Piece, such as @engine/piece-http */
    pieceName?: string
    /** Version of the piece */
    pieceVersion?: string
    /** Trigger of the piece */
    triggerName?: string
    /** Action of the piece */
    actionName?: string
    /** Input of the piece; may reference earlier steps as {{step_1['body']['field']}} */
    input?: Record<string, unknown>
  } & Record<string, unknown>
  /** Next step */
  nextAction?: AutomationNode | null
  /** First step if the conditions of a branch are true */
  onSuccessAction?: AutomationNode | null
  /** First step if the conditions of a branch are false */
  onFailureAction?: AutomationNode | null
  /** First step of a loop */
  firstLoopAction?: AutomationNode | null
  /** Steps of a CODE or PIECE step that continues on failure, which run before the next step */
  continueOnFailureBranches?: {
    /** First step if the step succeeded */
    onSuccess?: AutomationNode | null
    /** First step if the step failed */
    onFailure?: AutomationNode | null
  } & Record<string, unknown> | null
} & Record<string, unknown>

export type AutomationVersion = {
  /** 1 for the first published version */
  number: number
  id: string
  published_at: string
  /** Whether it is the live version */
  live: boolean
  /** Number of the version that it restored */
  restored_from: number | null
  /** Generation of the engine that it was published for */
  engine?: number
  /** Live runs of this version, of those that the platform keeps */
  runs?: number
  /** Live runs of this version that failed */
  failures?: number
  /** Names of steps that differ from the previous version; null for the first */
  changes: {
    added: string[]
    removed: string[]
    moved: string[]
    changed: {
      step: string
      fields: string[]
    }[]
  } | null
}

export type AutomationRun = {
  id: string
  status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING'
  start_time: string
  duration_ms: number | null
  /** Whether it was a test */
  testing?: boolean
}

export type AccountRun = {
  id: string
  automation_id: string
  automation_name: string
  /** Number of the version it runs; null for a draft */
  version: number | null
  status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'CANCELLED'
  /** Whether it is a test run */
  testing: boolean
  start_time: string
  end_time: string | null
  /** Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished */
  duration_ms: number | null
  /** Why it failed */
  error: string | null
}

export type AutomationTemplate = {
  key: string
  name: string
  description: string
  use_when: string
  binding: 'post_call' | 'inbound' | 'conversation_ended' | null
  requires_assistant: boolean
  required_connections: string[]
  side_effects: boolean
  params: {
    key: string
    label: string
    description: string
    required: boolean
    /** Default value */
    default?: string
    /** Example value, never applied */
    example?: string
    /** Source of the default value, such as assistant_timezone */
    auto?: string
    /** Allowed values */
    choices?: string[]
  }[]
  test_sample?: Record<string, unknown>
}

export type Model = {
  id: number
  name: string
  code?: string
}

export type Synthesizer = {
  id: number
  name: string
  code: string
}

export type Transcriber = Synthesizer

export type Voice = {
  id: number
  name: string
  language_id: number
  gender: string
  preview_url: string | null
  accent?: string | null
  age?: string | null
  synthesizer_provider_id?: number | null
}

export type Language = {
  id: number
  name: string
  iso_2: string
}

export type Folder = {
  id: number
  name: string
  color: 'gray' | 'slate' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'blue' | 'purple' | 'pink' | null
  assistants_count: number
}

export type Label = Folder

export type KnowledgeBase = {
  id: number
  name: string
  description: string | null
  status: 'empty' | 'processing' | 'active' | 'failed'
  status_label: string
  documents_count: number
  assistants_count: number
  created_at: string
  updated_at: string
}

export type KnowledgePassage = {
  /** Id of the document */
  document_id: number
  /** Name of the document */
  document: string
  /** How well it matches; comparable only within one search */
  score: number
  text: string
  /** Page that it is from; null for an uploaded file */
  url: string | null
}

export type KnowledgeDocument = {
  id: number
  name: string
  description: string | null
  type: 'website' | 'pdf' | 'txt' | 'docx'
  status: 'processing' | 'active' | 'failed'
  status_label: string
  /** Why processing failed; not on every deployment */
  error?: string | null
  created_at: string
  updated_at: string
}

export type SipTrunk = {
  id: number
  phone_number: string
  nickname: string | null
  sip_username: string
  sip_address: string
  sip_calling_format: '+e164' | 'e164' | 'national'
  inbound_authorization_type: 'auth' | 'ip'
  allowed_inbound_ips: string[] | null
  outbound_proxy: boolean
  country_code: string
  created_at: string
  updated_at: string
}

export type UserMeOutput = {
  name: string
  email: string
  total_balance: number
}

export type UserReferencesInput = {
  /** Kind of the resource, such as tools, assistants or automate */
  kind: string
  /** Id of the resource */
  id: string
  /** Name of the resource, by which steps may reference it */
  name?: string
}

export type UserReferencesOutput = {
  /** References to it, and those of assistants to the tools among them */
  data: FoundReference[]
  /** Kinds of resources in which references were searched */
  searched: string[]
}

export type UserActivityOutput = {
  data: {
    /** null while nothing is stopped */
    stopped_at: string | null
    /** Campaigns that are running or scheduled */
    campaigns: number
    /** Runs of automations that are running or waiting */
    runs: number
    /** Outbound calls in progress */
    calls: number
    /** Messages, SMS and calls that wait for the contact hours */
    waiting: number
    /** Steps, messages and calls that began before and have not ended */
    finishing: number
  }
}

export type UserStopOutput = {
  message: string
  data: {
    /** null while nothing is stopped */
    stopped_at: string | null
    /** Campaigns that are running or scheduled */
    campaigns: number
    /** Runs of automations that are running or waiting */
    runs: number
    /** Outbound calls in progress */
    calls: number
    /** Messages, SMS and calls that wait for the contact hours */
    waiting: number
    /** Steps, messages and calls that began before and have not ended */
    finishing: number
  }
}

export type UserResumeInput = {
  /** Only if this is still the stop, as activity reports it (default: whichever stop it is) */
  stopped_at?: string
}

export type UserResumeOutput = UserStopOutput

export type BillingSummaryOutput = {
  data: {
    at: string
    /** Unit of the balance: usd for tenant accounts, minute for direct accounts */
    unit: 'usd' | 'minute' | null
    balance: number | null
    has_payment_method: boolean | null
    month: {
      since: string
      /** End of the month */
      until: string
      kinds: {
        /** Same as usage_kind */
        kind: 'calls' | 'conversations' | 'messages' | 'sms' | 'numbers' | 'other'
        /** What was paid for */
        usage_kind: 'calls' | 'conversations' | 'messages' | 'sms' | 'numbers' | 'other'
        unit: 'usd' | 'minute' | null
        /** Charges less refunds */
        amount: number
        charges: number
        /** Balance, or the payment method on file */
        paid_from: 'balance' | 'card'
      }[]
      /** Charged to the balance, less refunds: the sum of the kinds that it pays for */
      charged: number | null
      topped_up: number | null
      /** Charged to the payment method, less refunds: the sum of the other kinds */
      card_usd: number | null
      /** False if more was spent than could be read */
      is_complete: boolean
    }
    numbers: {
      id: number
      phone_number: string
      nickname: string | null
      type: string
      /** USD per month; 0 without a subscription; null if unknown */
      price_usd: number | null
      /** Status of its subscription */
      status: 'active' | 'past_due' | 'ending' | 'none' | null
      next_charge_at: string | null
      /** When a released number is removed */
      ends_at: string | null
    }[]
    subscriptions: {
      active: number | null
      past_due: number | null
      ending: number | null
      /** Price of the active and past due subscriptions */
      monthly_usd: number | null
      next_charge_at: string | null
    }
    forecast: {
      /** Days that the average is taken over */
      basis_days: number
      /** Charged to the balance */
      average_per_day: number | null
      /** Expected charges to the balance in the whole month */
      month_charged: number | null
      /** Card charges of the month, with the renewals that are due */
      month_card_usd: number | null
      /** Days that the balance lasts; null if nothing was spent or unknown */
      days_left: number | null
    }
    limits: {
      limit: 'campaigns' | 'recipients_per_day'
      /** Sender that the limit applies to */
      subject: string | null
      used: number | null
      max: number | null
      state: 'limited' | 'unlimited' | 'unknown'
    }[]
    prices: {
      /** Each started minute of a call */
      call_minute: number
      /** Each reply in a widget or API conversation */
      chat_message: number
      sms_segment: number
      /** By category of the template; freeform inside the 24-hour window */
      messages: Record<string, number>
    } | null
    sources: {
      balance: 'ledger' | 'subscriptions' | 'account' | 'number_list' | 'calls_and_conversations' | 'unknown'
      month: 'ledger' | 'subscriptions' | 'account' | 'number_list' | 'calls_and_conversations' | 'unknown'
      numbers: 'ledger' | 'subscriptions' | 'account' | 'number_list' | 'calls_and_conversations' | 'unknown'
      forecast: 'ledger' | 'subscriptions' | 'account' | 'number_list' | 'calls_and_conversations' | 'unknown'
      limits: 'ledger' | 'subscriptions' | 'account' | 'number_list' | 'calls_and_conversations' | 'unknown'
    }
  }
}

export type BillingUsageInput = {
  /** Grouping */
  by?: 'day' | 'assistant' | 'campaign' | 'kind'
  /** Only charges at or after this time, ISO 8601 (default: start of the month) */
  since?: string
  /** Only charges before this time, ISO 8601 */
  until?: string
}

export type BillingUsageOutput = {
  data: UsageRow[]
}

export type KeysListOutput = {
  api_keys: ApiKey[]
}

export type KeysScopesOutput = {
  data: KeysScopesItem[]
}

export type KeysCreateInput = {
  /** Name of the key */
  name: string
  /** What the key may do; write includes read, spend includes write (default: all but approve) */
  scope?: 'read' | 'write' | 'spend' | 'approve'
  /** Resources that the key may use, such as tools and campaigns (default: all) */
  nouns?: ('billing' | 'keys' | 'tools' | 'campaigns' | 'leads' | 'numbers' | 'assistants' | 'conversations' | 'calls' | 'replies' | 'messaging' | 'sms' | 'contacts' | 'automate' | 'models' | 'synthesizers' | 'transcribers' | 'voices' | 'languages' | 'folders' | 'labels' | 'knowledge' | 'sip-trunks')[]
  /** Most that the key may spend in a UTC day or month, in USD: 20/day, 100/month (default: no limit) */
  budget?: string
  /** Time until the key expires: 30d, 12h (default: never) */
  expires?: string
}

export type KeysCreateOutput = {
  message: string
  api_key: {
    name: string
    token: string
    created_at: string
  }
}

export type KeysDeleteInput = {
  /** Id of the key */
  id: number
}

export type KeysDeleteOutput = {
  message: string
}

export type ApprovalsListOutput = {
  data: Approval[]
}

export type ApprovalsGetInput = {
  /** Id of the operation */
  id: string
}

export type ApprovalsGetOutput = {
  data: {
    id: string
    created_at: string
    expires_at: string
    /** The coding agent that asked; null if it was not one */
    asked_by: string | null
    state: 'pending' | 'approved' | 'declined' | 'expired' | 'running' | 'interrupted' | 'done' | 'changed'
    /** SHA-256 hash of the canonical JSON of the plan, which an approval is for */
    hash: string
    decided_at: string | null
    reason: string | null
    /** The process that runs it, as it named itself */
    runner: string | null
    /** The last outcome of each request that was sent, by its number in the plan */
    outcomes: Record<string, 'open' | 'done' | 'refused' | 'unknown' | 'cancelled'>
    plan: {
      /** One sentence for the person */
      summary: string
      /** The words after parley */
      command: string[]
      /** The folder in which the command runs */
      folder: string
      /** Name of the profile that the command uses */
      profile: string
      /** embedded:, or the base URL */
      platform: string
      /** Beginning of the API key, which identifies the account */
      key_mark?: string
      /** The most that it costs in USD: null if that is not known, absent if it spends nothing */
      maximum_usd?: number | null
      /** Text that the command read from standard input */
      stdin?: string
      /** Requests that each may be sent once, byte for byte */
      requests: {
        /** Name of the endpoint, such as numbers.buy */
        endpoint: string
        /** Method of the request */
        method: string
        /** Path and query */
        path: string
        /** The exact body; null without one */
        body: string | null
      }[]
      /** What several requests do that depend on each other */
      steps?: {
        /** What the command computed that it will do. It must be equal when the plan runs */
        content: unknown
        /** How often each endpoint that needs approval may be called, by its name */
        allows: Record<string, number>
      }
    }
  }
}

export type ApprovalsCreateInput = {
  /** What the person approves */
  plan: {
    /** One sentence for the person */
    summary: string
    /** The words after parley */
    command: string[]
    /** The folder in which the command runs */
    folder: string
    /** Name of the profile that the command uses */
    profile: string
    /** embedded:, or the base URL */
    platform: string
    /** Beginning of the API key, which identifies the account */
    key_mark?: string
    /** The most that it costs in USD: null if that is not known, absent if it spends nothing */
    maximum_usd?: number | null
    /** Text that the command read from standard input */
    stdin?: string
    /** Requests that each may be sent once, byte for byte */
    requests: {
      /** Name of the endpoint, such as numbers.buy */
      endpoint: string
      /** Method of the request */
      method: string
      /** Path and query */
      path: string
      /** The exact body; null without one */
      body: string | null
    }[]
    /** What several requests do that depend on each other */
    steps?: {
      /** What the command computed that it will do. It must be equal when the plan runs */
      content: unknown
      /** How often each endpoint that needs approval may be called, by its name */
      allows: Record<string, number>
    }
  }
  /** The coding agent that asks */
  asked_by: string | null
}

export type ApprovalsCreateOutput = ApprovalsGetOutput

export type ApprovalsDecideInput = {
  /** Id of the operation */
  id: string
} & {
  /** The decision of the person */
  decision: 'approved' | 'declined'
  /** Hash of the plan that the person read */
  hash: string
  /** Why, for the agent that asked */
  reason?: string | null
}

export type ApprovalsDecideOutput = ApprovalsGetOutput

export type ApprovalsStartInput = {
  /** Id of the operation */
  id: string
} & {
  /** Names the process that runs the operation */
  runner: string
  /** A process that was running it and has ended */
  replaces?: string | null
}

export type ApprovalsStartOutput = ApprovalsGetOutput

export type ApprovalsRecordRequestInput = {
  /** Id of the operation */
  id: string
} & {
  /** Names the process that runs the operation */
  runner: string
  /** Its position in the plan; -1 for one of several steps */
  number: number
  /** open when it is sent, then its outcome */
  outcome: 'open' | 'done' | 'refused' | 'unknown' | 'cancelled'
}

export type ApprovalsRecordRequestOutput = KeysDeleteOutput

export type ApprovalsEndInput = {
  /** Id of the operation */
  id: string
} & {
  /** Names the process that runs the operation */
  runner: string
  /** How the run ended */
  end: 'done' | 'changed' | 'not_sent' | 'resumable'
}

export type ApprovalsEndOutput = KeysDeleteOutput

export type ToolsListOutput = Tool[]

export type ToolsGetInput = {
  /** Id of the tool */
  id: number
}

export type ToolsGetOutput = Tool

export type ToolsCreateInput = {
  /** Name: letters, digits, underscores; at most 64 characters */
  name: string
  /** When and how the assistant should use it */
  description: string
  /** URL to call; {param} and {{variable}} are replaced */
  endpoint: string
  /** HTTP method */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Body encoding for write methods */
  body_format?: 'json' | 'form'
  /** Timeout of the endpoint in seconds */
  timeout?: number
  /** Headers to send */
  headers?: {
    /** Header name */
    name: string
    /** Header value */
    value: string
  }[]
  /** Static fields to send with every call */
  static_fields?: {
    /** Field name */
    key: string
    /** Field value */
    value?: string | null
  }[]
  /** Parameters that the assistant supplies */
  schema?: {
    /** Parameter name */
    name: string
    /** Parameter type */
    type: 'string' | 'number' | 'float' | 'boolean'
    /** Description of the value for the assistant */
    description: string
    /** Whether the assistant must collect the value */
    required?: boolean
  }[]
}

export type ToolsCreateOutput = {
  message: string
  data: Tool
}

export type ToolsUpdateInput = {
  /** Id of the tool */
  id: number
} & {
  /** Name: letters, digits, underscores; at most 64 characters */
  name?: string
  /** When and how the assistant should use it */
  description?: string
  /** URL to call; {param} and {{variable}} are replaced */
  endpoint?: string
  /** HTTP method */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Body encoding for write methods */
  body_format?: 'json' | 'form'
  /** Timeout of the endpoint in seconds */
  timeout?: number
  /** Headers to send */
  headers?: {
    /** Header name */
    name: string
    /** Header value */
    value: string
  }[]
  /** Static fields to send with every call */
  static_fields?: {
    /** Field name */
    key: string
    /** Field value */
    value?: string | null
  }[]
  /** Parameters that the assistant supplies */
  schema?: {
    /** Parameter name */
    name: string
    /** Parameter type */
    type: 'string' | 'number' | 'float' | 'boolean'
    /** Description of the value for the assistant */
    description: string
    /** Whether the assistant must collect the value */
    required?: boolean
  }[]
}

export type ToolsUpdateOutput = ToolsCreateOutput

export type ToolsDeleteInput = ToolsGetInput

export type ToolsDeleteOutput = KeysDeleteOutput

export type CampaignsListOutput = Campaign[]

export type CampaignsGetInput = {
  /** Id of the campaign */
  id: number
}

export type CampaignsGetOutput = {
  data: Campaign
}

export type CampaignsCreateInput = {
  /** Name, at most 255 characters */
  name: string
  /** Channel used to contact leads */
  channel?: 'call' | 'messaging' | 'sms'
  /** Time zone of the campaign hours (IANA name) */
  timezone?: string
  /** Hours in which leads are contacted */
  schedule_windows?: {
    /** Start time, HH:MM */
    start: string
    /** HH:MM at which it closes (23:59: midnight); may be on the next day */
    end: string
  }[]
  /** Start of the daily hours, HH:MM; schedule_windows take precedence */
  allowed_hours_start_time?: string
  /** HH:MM at which the daily hours close; 23:59 is midnight */
  allowed_hours_end_time?: string
  /** Scheduled start, such as 2026-01-31T09:00 (default time zone: that of the campaign) */
  scheduled_start_at?: string
  /** Days on which leads are contacted */
  allowed_days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
  /** Time zone of hours, days and holidays: that of the campaign, or of each recipient (default: campaign) */
  window_timezone?: 'campaign' | 'recipient'
  /** Variable of a lead with its time zone (IANA name); else its number tells the zone */
  timezone_variable?: string
  /** Dates without contacts: YYYY-MM-DD, or MM-DD for every year */
  holidays?: string[]
  /** Attempts per lead, 1-5 */
  max_retries?: number
  /** Minutes between attempts, 10-4320 */
  retry_interval?: number
  /** Complete the campaign when no leads remain */
  mark_complete_when_no_leads?: boolean
  /** Id of the assistant, required for call campaigns */
  assistant_id?: number
  /** Maximum parallel calls, 1-10 */
  max_calls_in_parallel?: number
  /** Ids of the numbers to call from */
  phone_number_ids?: number[]
  /** Retry if voicemail answers */
  retry_on_voicemail?: boolean
  /** Retry if the goal is not reached */
  retry_on_goal_incomplete?: boolean
  /** Extracted variable that says whether the goal was reached */
  goal_completion_variable?: string
  /** Channel for leads that no call reached */
  fallback_channel?: 'messaging' | 'sms'
  /** Id of the fallback sender */
  fallback_messaging_sender_id?: number
  /** Id of the fallback template */
  fallback_messaging_template_id?: number
  /** Id of the number to send the fallback SMS from */
  fallback_sms_from_phone_number_id?: number
  /** Text of the fallback SMS, at most 1600 characters */
  fallback_sms_body?: string
  /** Lead variable for each placeholder of the fallback */
  fallback_variable_mapping?: Record<string, string>
  /** Id of the sender, required for messaging campaigns */
  messaging_sender_id?: number
  /** Id of the template, required for messaging campaigns */
  messaging_template_id?: number
  /** Lead variable for each placeholder of the template */
  text_variable_mapping?: Record<string, string>
  /** Messages per minute, 1-10 */
  messages_per_minute?: number
  /** Id of the number to send from, required for SMS campaigns */
  sms_from_phone_number_id?: number
  /** Text, at most 1600 characters, required for SMS campaigns */
  sms_body?: string
}

export type CampaignsCreateOutput = {
  message: string
  data: Campaign
}

export type CampaignsUpdateInput = {
  /** Id of the campaign */
  id: number
} & {
  /** Name, at most 255 characters */
  name?: string
  timezone?: string | null
  schedule_windows?: {
    /** Start time, HH:MM */
    start: string
    /** HH:MM at which it closes (23:59: midnight); may be on the next day */
    end: string
  }[] | null
  /** Start of the daily hours, HH:MM; schedule_windows take precedence */
  allowed_hours_start_time?: string
  /** HH:MM at which the daily hours close; 23:59 is midnight */
  allowed_hours_end_time?: string
  scheduled_start_at?: string | null
  /** Days on which leads are contacted */
  allowed_days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[]
  window_timezone?: 'campaign' | 'recipient' | null
  timezone_variable?: string | null
  holidays?: string[] | null
  /** Attempts per lead, 1-5 */
  max_retries?: number
  /** Minutes between attempts, 10-4320 */
  retry_interval?: number
  /** Complete the campaign when no leads remain */
  mark_complete_when_no_leads?: boolean
  assistant_id?: number | null
  /** Maximum parallel calls, 1-10 */
  max_calls_in_parallel?: number
  phone_number_ids?: number[] | null
  /** Retry if voicemail answers */
  retry_on_voicemail?: boolean
  /** Retry if the goal is not reached */
  retry_on_goal_incomplete?: boolean
  goal_completion_variable?: string | null
  fallback_channel?: 'messaging' | 'sms' | null
  fallback_messaging_sender_id?: number | null
  fallback_messaging_template_id?: number | null
  fallback_sms_from_phone_number_id?: number | null
  fallback_sms_body?: string | null
  fallback_variable_mapping?: Record<string, string> | null
  messaging_sender_id?: number | null
  messaging_template_id?: number | null
  text_variable_mapping?: Record<string, string> | null
  messages_per_minute?: number | null
  sms_from_phone_number_id?: number | null
  sms_body?: string | null
}

export type CampaignsUpdateOutput = CampaignsCreateOutput

export type CampaignsUpdateStatusInput = {
  /** Id of the campaign */
  campaign_id: number
  /** start or stop */
  action: 'start' | 'stop'
}

export type CampaignsUpdateStatusOutput = {
  message: string
  success: true
  data: {
    campaign_id: number
    status: 'draft' | 'scheduled' | 'in-progress' | 'paused' | 'completed'
    channel: 'call' | 'messaging' | 'sms'
  }
}

export type CampaignsDeleteInput = CampaignsGetInput

export type CampaignsDeleteOutput = KeysDeleteOutput

export type LeadsCreateInput = {
  /** Phone number, E.164 */
  phone_number: string
  /** Id of the campaign */
  campaign_id: number
  /** Variables for the assistant or the message template */
  variables?: Record<string, unknown>
  /** Add the lead even if the campaign already has this number */
  allow_dupplicate?: boolean
  /** Secondary contacts (call campaigns only) */
  secondary_contacts?: {
    /** Phone number, E.164 */
    phone_number: string
    /** Variables for this contact */
    variables?: Record<string, unknown>
  }[]
}

export type LeadsCreateOutput = {
  message: string
  data: {
    id: number
    campaign_id: number
    phone_number: string
    variables: Record<string, unknown>
    status: 'created' | 'scheduled' | 'processing' | 'completed' | 'rescheduled' | 'reached-max-retries' | 'blacklisted'
    created_at: string
    updated_at: string
    campaign: {
      id: number
      name: string
      channel?: 'call' | 'messaging' | 'sms'
    }
    secondary_contacts: {
      id: number
      phone_number: string
      variables: Record<string, unknown>
      status: 'created' | 'scheduled' | 'processing' | 'completed' | 'rescheduled' | 'reached-max-retries' | 'blacklisted'
      created_at: string
      updated_at: string
    }[]
  }
}

export type LeadsCreateBatchInput = {
  /** Id of the campaign */
  campaign_id: number
  /** Add leads even if the campaign already has their numbers */
  allow_dupplicate?: boolean
  /** The leads, each with the other fields of a request for one lead */
  leads: unknown[]
}

export type LeadsCreateBatchOutput = {
  message: string
  /** Result of each lead, in the order of the request */
  results: {
    /** Status of the response to a request for this lead alone */
    status: number
    /** Id of the lead; null if it was refused */
    id: number | null
    /** Body of the response to a request for this lead alone, if it was refused */
    error: Record<string, unknown> | null
  }[]
}

export type LeadsListInput = {
  /** Status of the lead */
  status?: 'created' | 'scheduled' | 'processing' | 'completed' | 'rescheduled' | 'reached-max-retries' | 'blacklisted'
  /** Id of the campaign */
  campaign_id?: number
  /** Part of the phone number */
  phone_number?: string
  /** First day, YYYY-MM-DD (UTC) */
  date_from?: string
  /** Last day, YYYY-MM-DD (UTC) */
  date_to?: string
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type LeadsListOutput = {
  current_page: number
  data: Lead[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type LeadsUpdateInput = {
  /** Id of the lead */
  id: number
} & {
  /** Id of the campaign to move it to */
  campaign_id?: number
  /** Phone number, E.164 */
  phone_number?: string
  /** Status; created queues the lead again */
  status?: 'created' | 'completed' | 'reached-max-retries'
  /** Variables to merge into the existing ones */
  variables?: Record<string, unknown>
}

export type LeadsUpdateOutput = KeysDeleteOutput

export type LeadsDeleteInput = {
  /** Id of the lead */
  id: number
}

export type LeadsDeleteOutput = KeysDeleteOutput

export type NumbersSearchInput = {
  /** Country (ISO 3166-1 alpha-2) */
  country_code?: 'US' | 'CA' | 'GB' | 'AU' | 'IL' | 'PL' | 'FI' | 'NL' | 'DK' | 'IT'
  /** Digits that the number must contain, at most 10 */
  contains?: string
}

export type NumbersSearchOutput = {
  data: AvailableNumber[]
}

export type NumbersBuyInput = {
  /** Number to buy, E.164, as returned by the search */
  phone_number: string
}

export type NumbersBuyOutput = {
  message: string
  data: {
    id: number
    phone_number: string
    country_code: string
    type: 'normal' | 'sip' | 'caller_id'
    sms_capable: boolean
  }
}

export type NumbersListOutput = {
  data: PhoneNumber[]
}

export type NumbersUpdateInput = {
  /** Id of the number */
  id: number
} & {
  /** Nickname, at most 50 characters */
  nickname?: string | null
}

export type NumbersUpdateOutput = {
  message: string
  data: PhoneNumber
}

export type NumbersReleaseInput = {
  /** Id of the number */
  id: number
}

export type NumbersReleaseOutput = KeysDeleteOutput

export type AssistantsListInput = {
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type AssistantsListOutput = {
  current_page: number
  data: Assistant[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type AssistantsCreateInput = {
  /** Name, at most 255 characters */
  name: string
  /** Id of the voice (parley voices list) */
  voice_id: number
  /** Id of the language (parley languages list) */
  language_id: number
  /** Call direction */
  type: 'inbound' | 'outbound'
  /** Engine mode */
  mode: 'pipeline' | 'multimodal' | 'dualplex'
  /** Time zone (IANA name) */
  timezone: string
  /** First message, at most 200 characters */
  initial_message: string
  /** Instructions for the assistant */
  system_prompt: string
  /** Id of the model, required in pipeline mode (parley models list --type llm) */
  llm_model_id?: number
  /** Id of the model, required in multimodal and dualplex mode */
  multimodal_model_id?: number
  /** Ids of additional languages to detect and switch to */
  secondary_language_ids?: number[]
  /** How to use the knowledge base; prompt works in pipeline mode only */
  knowledgebase_mode?: 'function_call' | 'prompt'
  /** Ids of labels */
  label_ids?: number[]
  /** Ids of mid-call tools */
  tool_ids?: number[]
  /** Built-in tools, each with a type */
  tools?: {
    /** Type of built-in tool */
    type: 'call_transfer'
    /** Number to transfer to, E.164 */
    phone_number: string
    /** When the assistant should use it */
    description?: string
    /** Let the assistant choose the number */
    custom?: boolean
    /** Time zone of the transfer (IANA name) */
    timezone?: string
    /** Speak with the recipient before transferring */
    warm_transfer?: boolean
    /** Prompt for the message before transferring */
    warm_transfer_message?: string
  } | {
    /** Type of built-in tool */
    type: 'warm_call_transfer'
    /** Number of the supervisor, E.164; a SIP address or extension if custom_sip is true */
    supervisor_phone: string
    /** Id of the number used to dial the supervisor */
    outbound_phone_id: number
    /** When to transfer */
    description: string
    /** Reach the supervisor over SIP */
    custom_sip?: boolean
    /** Caller ID that the supervisor sees */
    caller_id_mode?: 'outbound_number' | 'customer_number' | 'custom'
    /** Caller ID if caller_id_mode is custom */
    custom_caller_id?: string
    /** Audio for the waiting caller */
    hold_music?: 'hold_music' | 'none'
    /** Volume of the hold music, 0-100 */
    hold_music_volume?: number
    /** Message that asks the caller to hold */
    hold_message?: string
    /** Instructions for briefing the supervisor */
    summary_instructions?: string
    /** First message to the supervisor */
    briefing_initial_message?: string
    /** Message to the caller after connecting */
    connected_message?: string
  } | {
    /** Type of built-in tool */
    type: 'end_call'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'dtmf_input'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'collect_keypad'
    /** Seconds to wait for a key, 1-30 */
    timeout?: number
    /** Key that ends the input */
    stop_key?: '#' | '*'
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type?: 'cal_a'
    /** When the assistant should use it */
    description?: string
    /** API key of the calendar */
    cal_a_api_key: string
    /** Slug of the event */
    cal_a_event_slug: string
    /** Slug of the team */
    cal_a_team_slug?: string
    /** Deployment of the calendar */
    cal_a_endpoint?: 'us' | 'eu' | 'custom'
    /** Base URL if cal_a_endpoint is custom */
    cal_a_custom_endpoint?: string
    /** Id of the event; the name is resolved from it */
    cal_a_event_id?: number | string
    /** Name of the event */
    cal_a_event_name?: string
    /** Fields of the booking form */
    cal_a_booking_fields?: {
      /** Identifier of the field */
      slug: string
      /** Field type, such as text, email, phone, select */
      type: string
      /** Label of the field */
      label: string
      /** Whether the field is required */
      required?: boolean
      /** Choices of a select field */
      options?: string[]
    }[]
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type: 'cal_b'
    /** When the assistant should use it */
    description?: string
    /** Personal access token of the calendar */
    cal_b_api_key: string
    /** URL of the event type in the token's account: https://<host>/event_types/<uuid> */
    cal_b_event_type_uri: string
  } | {
    /** Type of built-in tool */
    type: 'assistant_transfer'
    /** Id of the assistant to transfer to */
    assistant_id: number
    /** When to transfer */
    description?: string
    /** Message before the transfer */
    message_before_transfer?: string
    /** Let the other assistant speak its initial message */
    speak_transfer_greeting?: boolean
  }[]
  /** Speak with emotion */
  tts_emotion_enabled?: boolean
  /** Voice stability, 0-1 */
  voice_stability?: number
  /** Voice similarity, 0-1 */
  voice_similarity?: number
  /** Speech speed, 0.7-1.2 */
  speech_speed?: number
  /** Model temperature, 0-1 */
  llm_temperature?: number
  /** Let callers interrupt; always on in multimodal and dualplex mode */
  allow_interruptions?: boolean
  /** Use filler words (pipeline mode only) */
  fillers?: boolean
  /** Filler words by mood: positive, negative, question, neutral; empty uses the defaults of the language */
  filler_config?: {
    /** Words after a positive statement */
    positive?: string[]
    /** Words after a negative statement */
    negative?: string[]
    /** Words after a question */
    question?: string[]
    /** Words in all other cases */
    neutral?: string[]
  }
  /** Record calls */
  record?: boolean
  /** Cancel background noise */
  enable_noise_cancellation?: boolean
  /** Wait for the customer to speak first */
  wait_for_customer?: boolean
  /** Maximum call duration, 20-1200 seconds */
  max_duration?: number
  /** Maximum silence, 1-360 seconds */
  max_silence_duration?: number
  /** Ringing time, 1-60 seconds */
  ringing_time?: number
  /** Seconds of silence before the assistant speaks again, 7-600 */
  reengagement_interval?: number
  /** End the call if voicemail answers */
  end_call_on_voicemail?: boolean
  /** Method to detect the end of a sentence */
  endpoint_type?: 'vad' | 'ai'
  /** Sensitivity of sentence-end detection, 0-5 */
  endpoint_sensitivity?: number
  /** Sensitivity to interruptions, 0-5 */
  interrupt_sensitivity?: number
  /** Background sound */
  ambient_sound?: 'off' | 'office' | 'city' | 'forest' | 'crowded_room' | 'cafe' | 'nature'
  /** Background sound volume, 0-1 */
  ambient_sound_volume?: number
  /** Send the post-call webhook */
  is_webhook_active?: boolean
  /** Send the webhook only for completed calls, not for failed or unanswered ones */
  send_webhook_only_on_completed?: boolean
  /** Include the recording in the post-call webhook */
  include_recording_in_webhook?: boolean
  /** Evaluate calls when they end */
  post_call_evaluation?: boolean
  /** Values to extract when a call ends */
  post_call_schema?: {
    /** Name: 3-16 lower-case letters, digits, underscores */
    name: string
    /** Type of the value */
    type: 'string' | 'number' | 'bool'
    /** What to extract */
    description: string
  }[]
  /** Variables for the prompts, used as {{name}} */
  variables?: Record<string, unknown>
  /** Send the webhook again when a conversation resumes and ends again */
  conversation_ended_retrigger?: boolean
  /** Id of the model that runs tools in multimodal and dualplex mode */
  chat_llm_fallback_id?: number
  /** Turn detection threshold, 0-1, in multimodal and dualplex mode (default: automatic) */
  turn_detection_threshold?: number
  /** Id of the knowledge base */
  knowledgebase_id?: number
  folder_id?: number | null
  /** Id of the phone number */
  phone_number_id?: number
  /** Id of the text-to-speech provider (default: by language) */
  synthesizer_provider_id?: number
  /** Id of the speech-to-text provider, in pipeline mode (default: by language) */
  transcriber_provider_id?: number
  /** Maximum silence at the start of a call, 1-120 seconds */
  max_initial_silence_duration?: number
  /** Prompt used to speak again after silence, at most 1000 characters */
  reengagement_prompt?: string
  /** Voicemail message, at most 1000 characters */
  voice_mail_message?: string
  /** Minimum number of words that count as an interruption, 0-10 */
  min_interrupt_words?: number
  /** URL of the post-call webhook */
  webhook_url?: string
  /** Minutes of inactivity before a conversation ends, 1-1440 */
  conversation_inactivity_timeout?: number
  /** URL of the conversation-ended webhook */
  conversation_ended_webhook_url?: string
}

export type AssistantsCreateOutput = {
  message: string
  data: {
    id: number
    /** Name, at most 255 characters */
    name: string
    status: 'active' | 'inactive'
    /** Call direction */
    type: 'inbound' | 'outbound'
    /** Engine mode */
    mode: 'pipeline' | 'multimodal' | 'dualplex'
  }
}

export type AssistantsUpdateInput = {
  /** Id of the assistant */
  id: number
} & {
  /** Name, at most 255 characters */
  name?: string
  /** Id of the voice (parley voices list) */
  voice_id?: number
  /** Id of the language (parley languages list) */
  language_id?: number
  /** Call direction */
  type?: 'inbound' | 'outbound'
  /** Engine mode */
  mode?: 'pipeline' | 'multimodal' | 'dualplex'
  /** Time zone (IANA name) */
  timezone?: string
  /** First message, at most 200 characters */
  initial_message?: string
  /** Instructions for the assistant */
  system_prompt?: string
  /** Id of the model, required in pipeline mode (parley models list --type llm) */
  llm_model_id?: number
  /** Id of the model, required in multimodal and dualplex mode */
  multimodal_model_id?: number
  /** Ids of additional languages to detect and switch to */
  secondary_language_ids?: number[]
  /** How to use the knowledge base; prompt works in pipeline mode only */
  knowledgebase_mode?: 'function_call' | 'prompt'
  /** Ids of labels */
  label_ids?: number[]
  /** Ids of mid-call tools */
  tool_ids?: number[]
  /** Built-in tools, each with a type */
  tools?: {
    /** Type of built-in tool */
    type: 'call_transfer'
    /** Number to transfer to, E.164 */
    phone_number: string
    /** When the assistant should use it */
    description?: string
    /** Let the assistant choose the number */
    custom?: boolean
    /** Time zone of the transfer (IANA name) */
    timezone?: string
    /** Speak with the recipient before transferring */
    warm_transfer?: boolean
    /** Prompt for the message before transferring */
    warm_transfer_message?: string
  } | {
    /** Type of built-in tool */
    type: 'warm_call_transfer'
    /** Number of the supervisor, E.164; a SIP address or extension if custom_sip is true */
    supervisor_phone: string
    /** Id of the number used to dial the supervisor */
    outbound_phone_id: number
    /** When to transfer */
    description: string
    /** Reach the supervisor over SIP */
    custom_sip?: boolean
    /** Caller ID that the supervisor sees */
    caller_id_mode?: 'outbound_number' | 'customer_number' | 'custom'
    /** Caller ID if caller_id_mode is custom */
    custom_caller_id?: string
    /** Audio for the waiting caller */
    hold_music?: 'hold_music' | 'none'
    /** Volume of the hold music, 0-100 */
    hold_music_volume?: number
    /** Message that asks the caller to hold */
    hold_message?: string
    /** Instructions for briefing the supervisor */
    summary_instructions?: string
    /** First message to the supervisor */
    briefing_initial_message?: string
    /** Message to the caller after connecting */
    connected_message?: string
  } | {
    /** Type of built-in tool */
    type: 'end_call'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'dtmf_input'
    /** When the assistant should use it */
    description?: string
  } | {
    /** Type of built-in tool */
    type: 'collect_keypad'
    /** Seconds to wait for a key, 1-30 */
    timeout?: number
    /** Key that ends the input */
    stop_key?: '#' | '*'
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type?: 'cal_a'
    /** When the assistant should use it */
    description?: string
    /** API key of the calendar */
    cal_a_api_key: string
    /** Slug of the event */
    cal_a_event_slug: string
    /** Slug of the team */
    cal_a_team_slug?: string
    /** Deployment of the calendar */
    cal_a_endpoint?: 'us' | 'eu' | 'custom'
    /** Base URL if cal_a_endpoint is custom */
    cal_a_custom_endpoint?: string
    /** Id of the event; the name is resolved from it */
    cal_a_event_id?: number | string
    /** Name of the event */
    cal_a_event_name?: string
    /** Fields of the booking form */
    cal_a_booking_fields?: {
      /** Identifier of the field */
      slug: string
      /** Field type, such as text, email, phone, select */
      type: string
      /** Label of the field */
      label: string
      /** Whether the field is required */
      required?: boolean
      /** Choices of a select field */
      options?: string[]
    }[]
  } | {
    /** Type of built-in tool */
    type: 'calendar_integration'
    /** Calendar provider */
    calendar_type: 'cal_b'
    /** When the assistant should use it */
    description?: string
    /** Personal access token of the calendar */
    cal_b_api_key: string
    /** URL of the event type in the token's account: https://<host>/event_types/<uuid> */
    cal_b_event_type_uri: string
  } | {
    /** Type of built-in tool */
    type: 'assistant_transfer'
    /** Id of the assistant to transfer to */
    assistant_id: number
    /** When to transfer */
    description?: string
    /** Message before the transfer */
    message_before_transfer?: string
    /** Let the other assistant speak its initial message */
    speak_transfer_greeting?: boolean
  }[]
  /** Speak with emotion */
  tts_emotion_enabled?: boolean
  /** Voice stability, 0-1 */
  voice_stability?: number
  /** Voice similarity, 0-1 */
  voice_similarity?: number
  /** Speech speed, 0.7-1.2 */
  speech_speed?: number
  /** Model temperature, 0-1 */
  llm_temperature?: number
  /** Let callers interrupt; always on in multimodal and dualplex mode */
  allow_interruptions?: boolean
  /** Use filler words (pipeline mode only) */
  fillers?: boolean
  /** Filler words by mood: positive, negative, question, neutral; empty uses the defaults of the language */
  filler_config?: {
    /** Words after a positive statement */
    positive?: string[]
    /** Words after a negative statement */
    negative?: string[]
    /** Words after a question */
    question?: string[]
    /** Words in all other cases */
    neutral?: string[]
  }
  /** Record calls */
  record?: boolean
  /** Cancel background noise */
  enable_noise_cancellation?: boolean
  /** Wait for the customer to speak first */
  wait_for_customer?: boolean
  /** Maximum call duration, 20-1200 seconds */
  max_duration?: number
  /** Maximum silence, 1-360 seconds */
  max_silence_duration?: number
  /** Ringing time, 1-60 seconds */
  ringing_time?: number
  /** Seconds of silence before the assistant speaks again, 7-600 */
  reengagement_interval?: number
  /** End the call if voicemail answers */
  end_call_on_voicemail?: boolean
  /** Method to detect the end of a sentence */
  endpoint_type?: 'vad' | 'ai'
  /** Sensitivity of sentence-end detection, 0-5 */
  endpoint_sensitivity?: number
  /** Sensitivity to interruptions, 0-5 */
  interrupt_sensitivity?: number
  /** Background sound */
  ambient_sound?: 'off' | 'office' | 'city' | 'forest' | 'crowded_room' | 'cafe' | 'nature'
  /** Background sound volume, 0-1 */
  ambient_sound_volume?: number
  /** Send the post-call webhook */
  is_webhook_active?: boolean
  /** Send the webhook only for completed calls, not for failed or unanswered ones */
  send_webhook_only_on_completed?: boolean
  /** Include the recording in the post-call webhook */
  include_recording_in_webhook?: boolean
  /** Evaluate calls when they end */
  post_call_evaluation?: boolean
  /** Values to extract when a call ends */
  post_call_schema?: {
    /** Name: 3-16 lower-case letters, digits, underscores */
    name: string
    /** Type of the value */
    type: 'string' | 'number' | 'bool'
    /** What to extract */
    description: string
  }[]
  /** Variables for the prompts, used as {{name}} */
  variables?: Record<string, unknown>
  /** Send the webhook again when a conversation resumes and ends again */
  conversation_ended_retrigger?: boolean
  chat_llm_fallback_id?: number | null
  turn_detection_threshold?: number | null
  knowledgebase_id?: number | null
  folder_id?: number | null
  phone_number_id?: number | null
  synthesizer_provider_id?: number | null
  transcriber_provider_id?: number | null
  max_initial_silence_duration?: number | null
  reengagement_prompt?: string | null
  voice_mail_message?: string | null
  min_interrupt_words?: number | null
  webhook_url?: string | null
  conversation_inactivity_timeout?: number | null
  conversation_ended_webhook_url?: string | null
}

export type AssistantsUpdateOutput = AssistantsCreateOutput

export type AssistantsSetStatusInput = {
  /** Id of the assistant */
  id: number
} & {
  /** active or inactive */
  status: 'active' | 'inactive'
}

export type AssistantsSetStatusOutput = AssistantsCreateOutput

export type AssistantsDeleteInput = {
  /** Id of the assistant */
  id: number
}

export type AssistantsDeleteOutput = KeysDeleteOutput

export type AssistantsEnableConversationEndedWebhookInput = {
  /** Id of the assistant */
  assistant_id: number
  /** URL that receives the webhook */
  webhook_url: string
}

export type AssistantsEnableConversationEndedWebhookOutput = {
  message: string
  data: unknown[]
}

export type AssistantsDisableConversationEndedWebhookInput = {
  /** Id of the assistant */
  assistant_id: number
}

export type AssistantsDisableConversationEndedWebhookOutput = AssistantsEnableConversationEndedWebhookOutput

export type AssistantsEnablePostCallWebhookInput = AssistantsEnableConversationEndedWebhookInput

export type AssistantsEnablePostCallWebhookOutput = AssistantsEnableConversationEndedWebhookOutput

export type AssistantsDisablePostCallWebhookInput = AssistantsDisableConversationEndedWebhookInput

export type AssistantsDisablePostCallWebhookOutput = AssistantsEnableConversationEndedWebhookOutput

export type AssistantsEnableInboundWebhookInput = AssistantsEnableConversationEndedWebhookInput

export type AssistantsEnableInboundWebhookOutput = AssistantsEnableConversationEndedWebhookOutput

export type AssistantsDisableInboundWebhookInput = AssistantsDisableConversationEndedWebhookInput

export type AssistantsDisableInboundWebhookOutput = AssistantsEnableConversationEndedWebhookOutput

export type ConversationsListInput = {
  /** Type of conversation */
  type?: 'test' | 'widget' | 'messaging' | 'api'
  /** Id of the assistant */
  assistant_id?: number
  /** First day, YYYY-MM-DD (UTC) */
  date_from?: string
  /** Last day, YYYY-MM-DD (UTC) */
  date_to?: string
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type ConversationsListOutput = {
  current_page: number
  data: Conversation[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type ConversationsCreateInput = {
  /** UUID of the assistant */
  assistant_id: string
  /** Type: widget costs 0.01 USD per message, test is free */
  type?: 'widget' | 'test'
  /** Variables for the assistant */
  variables?: Record<string, unknown>
}

export type ConversationsCreateOutput = {
  status: true
  conversation_id: string
  history: {
    role: 'user' | 'assistant'
    content: string
    function_calls?: {
      name: string
      arguments: Record<string, unknown>
      result: Record<string, unknown>
    }[]
  }[]
}

export type ConversationsGetInput = {
  /** UUID of the conversation */
  uuid: string
}

export type ConversationsGetOutput = {
  status: true
  history: {
    role: 'user' | 'assistant'
    content: string
    function_calls?: {
      name: string
      arguments: Record<string, unknown>
      result: Record<string, unknown>
    }[]
  }[]
  variables?: Record<string, unknown>
  external_identifier?: string | null
  messaging_sender?: {
    name: string | null
    phone: string
  } | null
  customer?: {
    name: string | null
    phone: string
  } | null
}

export type ConversationsSendInput = {
  /** UUID of the conversation */
  uuid: string
} & {
  /** Message, at most 2000 characters */
  message: string
}

export type ConversationsSendOutput = {
  status: boolean
  /** Empty while AI replies are disabled */
  message: string
  function_calls: {
    name: string
    arguments: Record<string, unknown>
    result: Record<string, unknown>
  }[]
}

export type ConversationsEnableAiInput = ConversationsGetInput

export type ConversationsEnableAiOutput = {
  status: true
  ai_enabled: boolean
}

export type ConversationsDisableAiInput = ConversationsGetInput

export type ConversationsDisableAiOutput = ConversationsEnableAiOutput

export type CallsListInput = {
  /** Status of the call */
  status?: 'initiated' | 'ringing' | 'busy' | 'in-progress' | 'ended' | 'completed' | 'ended_by_customer' | 'ended_by_assistant' | 'no-answer' | 'failed'
  /** Direction of the call */
  type?: 'inbound' | 'outbound' | 'web'
  /** Phone number of the customer */
  phone_number?: string
  /** Id of the assistant */
  assistant_id?: number
  /** Id of the campaign */
  campaign_id?: number
  /** First day, YYYY-MM-DD (UTC) */
  date_from?: string
  /** Last day, YYYY-MM-DD (UTC) */
  date_to?: string
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type CallsListOutput = {
  current_page: number
  data: Call[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type CallsGetInput = {
  /** Id of the call */
  id: number
}

export type CallsGetOutput = Call

export type CallsStartInput = {
  /** Number to call, E.164 */
  phone_number: string
  /** Id of the assistant */
  assistant_id: number
  /** Variables for the assistant */
  variables?: Record<string, unknown>
  /** Send or call at once, also outside the contact hours */
  now?: boolean
}

export type CallsStartOutput = {
  message: string
  data: Record<string, unknown>
}

export type CallsStopInput = CallsGetInput

export type CallsStopOutput = {
  data: Call
}

export type CallsDeleteInput = CallsGetInput

export type CallsDeleteOutput = KeysDeleteOutput

export type RepliesGenerateInput = {
  /** Id of the assistant */
  assistant_id: number
  /** Identifier of the customer on that channel, at most 255 characters */
  customer_identifier: string
  /** Message from the customer */
  message: string
  /** Variables for the assistant, merged with those of the conversation */
  variables?: Record<string, unknown>
}

export type RepliesGenerateOutput = {
  success: true
  conversation_id: string
  customer_identifier: string
  /** Null while AI replies are disabled in the conversation */
  reply: string | null
  function_calls: {
    name: string
    arguments: Record<string, unknown>
    result: Record<string, unknown>
  }[]
  ai_disabled: boolean
}

export type MessagingSendersInput = {
  /** Filter by status; all lists every sender */
  status?: 'online' | 'offline' | 'all'
}

export type MessagingSendersOutput = {
  data: Sender[]
}

export type MessagingTemplatesInput = {
  /** Id of the sender */
  senderId: number
} & {
  /** Filter by status; all lists every template */
  status?: 'approved' | 'pending' | 'rejected' | 'all'
}

export type MessagingTemplatesOutput = {
  data: MessageTemplate[]
}

export type MessagingListAssignmentsOutput = {
  data: SenderAssignment[]
}

export type MessagingUpdateAssignmentInput = {
  /** Id of the sender */
  id: number
} & {
  /** Id of the assistant that answers for the sender */
  assistant_id?: number | null
}

export type MessagingUpdateAssignmentOutput = {
  message: string
  data: SenderAssignment
}

export type MessagingListInput = {
  /** Only messages of this sender */
  sender_id?: number
  /** Only messages with this template */
  template_id?: number
  /** Only messages to this number, E.164 */
  recipient_phone?: string
  /** Delivery status of the message */
  status?: 'sending' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'undelivered'
  /** First day, YYYY-MM-DD (UTC) */
  date_from?: string
  /** Last day, YYYY-MM-DD (UTC) */
  date_to?: string
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type MessagingListOutput = {
  current_page: number
  data: Messaging[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type MessagingSendInput = {
  /** Id of the sender (parley messaging senders) */
  sender_id: number
  /** Number of the recipient, E.164 */
  recipient_phone: string
  /** Id of the template (parley messaging templates) */
  template_id: number
  /** Name of the recipient, at most 255 characters */
  recipient_name?: string
  /** Values of the placeholders, by number or name */
  variables?: Record<string, string>
  /** Send or call at once, also outside the contact hours */
  now?: boolean
}

export type MessagingSendOutput = {
  success: true
  conversation_id: number
  message_id: number
  channel_message_id: number
  message_sid: string
  /** First delivery status, such as queued or sent */
  status: string
}

export type MessagingSendFreeformInput = {
  /** Id of the sender (parley messaging senders) */
  sender_id: number
  /** Number of the recipient, E.164 */
  recipient_phone: string
  /** Text or media caption, at most 4096 characters; required without media */
  message?: string
  /** URL of an image, video, audio file or document; audio has no caption */
  media_url?: string
  /** Name of the document */
  filename?: string
  /** Send or call at once, also outside the contact hours */
  now?: boolean
}

export type MessagingSendFreeformOutput = {
  success: true
  conversation_id: number
  message_id: number
  channel_message_id: number
  message_sid: string
  session_status: {
    is_open: boolean
    can_send_freeform: boolean
    requires_template: boolean
    message: string
    minutes_remaining?: number | null
    /** When an open window closes, ISO 8601 UTC */
    expires_at?: string | null
    /** When a closed window closed, ISO 8601 UTC */
    expired_at?: string | null
  }
}

export type MessagingSessionInput = {
  /** Id of the sender (parley messaging senders) */
  sender_id: number
  /** Number of the recipient, E.164 */
  recipient_phone: string
}

export type MessagingSessionOutput = {
  success: true
  has_conversation: boolean
  conversation_id?: number | null
  customer_name?: string | null
  /** ISO 8601 UTC */
  last_customer_message_at?: string | null
  session_status: {
    is_open: boolean
    can_send_freeform: boolean
    requires_template: boolean
    message: string
    minutes_remaining?: number | null
    /** When an open window closes, ISO 8601 UTC */
    expires_at?: string | null
    /** When a closed window closed, ISO 8601 UTC */
    expired_at?: string | null
  }
}

export type MessagingSessionsInput = {
  /** Only windows of this sender */
  sender_id?: number
  /** Filter by status; all lists every window */
  status?: 'open' | 'closed' | 'all'
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type MessagingSessionsOutput = {
  current_page: number
  data: MessagingSession[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type SmsSendInput = {
  /** Id of the number to send from */
  from: number
  /** Number of the recipient, E.164 */
  to: string
  /** Text, at most 300 characters */
  body: string
  /** Send or call at once, also outside the contact hours */
  now?: boolean
}

export type SmsSendOutput = {
  message: string
  data: {
    id: number
    phone_number_id: number
    to: string
    body: string
    user_id: number
    segments: number
    /** USD */
    segment_price: number
    /** USD */
    total_cost: number
    status: string
    sms_sid: string
    created_at: string
    updated_at: string
  }
}

export type ContactsListInput = {
  /** Channel on which they are blocked */
  channel?: 'call' | 'messaging' | 'sms'
  /** Phone number, or its beginning, E.164 */
  phone_number?: string
  /** Up to 100 phone numbers in E.164, separated by commas */
  phone_numbers?: string
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type ContactsListOutput = {
  current_page: number
  data: Contact[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type ContactsBlockInput = {
  /** The contacts */
  contacts: {
    /** Phone number, E.164 */
    phone_number: string
    /** Channel: call, messaging, sms, or all of them */
    channel: 'call' | 'messaging' | 'sms' | 'all'
    /** Reason */
    reason?: string | null
    /** Where the block comes from (default: api) */
    source?: string
  }[]
}

export type ContactsBlockOutput = {
  message: string
  data: {
    /** Contacts in the request */
    received: number
    /** Blocks that were added, one for each number and channel */
    blocked: number
    /** Blocks that existed */
    already_blocked: number
    /** Sends and calls that had been handed over to their provider */
    in_progress: number
  }
}

export type ContactsUnblockInput = {
  /** The contacts */
  contacts: {
    /** Phone number, E.164 */
    phone_number: string
    /** Channel: call, messaging, sms, or all of them */
    channel: 'call' | 'messaging' | 'sms' | 'all'
  }[]
}

export type ContactsUnblockOutput = {
  message: string
  data: {
    /** Blocks that were removed, one for each number and channel */
    unblocked: number
  }
}

export type ContactsSettingsOutput = {
  data: {
    /** Languages whose words count (ISO 639-1), beside the English ones */
    languages: ('en' | 'de' | 'es' | 'fr' | 'it' | 'pt' | 'nl' | 'pl' | 'tr' | 'ru' | 'ar' | 'hi' | 'zh' | 'ja')[]
    /** Further words to opt out */
    stop_words: string[]
    /** Further words to opt in again */
    start_words: string[]
    /** Text that confirms an opt-out, in place of that of the language */
    confirmation: string | null
    /** Words of the languages that count */
    known_words: {
      language: string
      stop: string[]
      start: string[]
    }[]
  }
}

export type ContactsUpdateSettingsInput = {
  /** Languages whose words count (ISO 639-1), beside the English ones */
  languages?: ('en' | 'de' | 'es' | 'fr' | 'it' | 'pt' | 'nl' | 'pl' | 'tr' | 'ru' | 'ar' | 'hi' | 'zh' | 'ja')[]
  /** Further words to opt out */
  stop_words?: string[]
  /** Further words to opt in again */
  start_words?: string[]
  /** Text that confirms an opt-out, in place of that of the language */
  confirmation?: string | null
}

export type ContactsUpdateSettingsOutput = {
  message: string
  data: {
    /** Languages whose words count (ISO 639-1), beside the English ones */
    languages: ('en' | 'de' | 'es' | 'fr' | 'it' | 'pt' | 'nl' | 'pl' | 'tr' | 'ru' | 'ar' | 'hi' | 'zh' | 'ja')[]
    /** Further words to opt out */
    stop_words: string[]
    /** Further words to opt in again */
    start_words: string[]
    /** Text that confirms an opt-out, in place of that of the language */
    confirmation: string | null
    /** Words of the languages that count */
    known_words: {
      language: string
      stop: string[]
      start: string[]
    }[]
  }
}

export type ContactsWaitingInput = {
  /** Filter by state; all lists also what waits no more */
  state?: 'waiting' | 'started' | 'failed' | 'cancelled' | 'all'
  /** Channel over which they are sent */
  channel?: 'call' | 'messaging' | 'sms'
  /** Only the one with this id */
  waiting_id?: number
  /** Items per page */
  per_page?: number
  /** Page to show */
  page?: number
}

export type ContactsWaitingOutput = {
  current_page: number
  data: ContactsWaitingItem[]
  first_page_url: string
  from: number | null
  last_page: number
  last_page_url: string
  links: {
    url: string | null
    label: string
    active: boolean
  }[]
  next_page_url: string | null
  path: string
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export type ContactsCancelWaitingInput = {
  /** Id of what waits */
  waiting_id: number
}

export type ContactsCancelWaitingOutput = {
  data: ContactsWaitingItem
}

export type ContactsSendWaitingInput = ContactsCancelWaitingInput

export type ContactsSendWaitingOutput = ContactsCancelWaitingOutput

export type ContactsHoursOutput = {
  data: {
    schedule_windows: {
      /** Start time, HH:MM */
      start: string
      /** HH:MM at which it closes (23:59: midnight); may be on the next day */
      end: string
    }[] | null
    allowed_days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[] | null
    holidays: string[] | null
    timezone: string | null
  }
}

export type ContactsUpdateHoursInput = {
  schedule_windows?: {
    /** Start time, HH:MM */
    start: string
    /** HH:MM at which it closes (23:59: midnight); may be on the next day */
    end: string
  }[] | null
  allowed_days?: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[] | null
  holidays?: string[] | null
  timezone?: string | null
}

export type ContactsUpdateHoursOutput = {
  message: string
  data: {
    schedule_windows: {
      /** Start time, HH:MM */
      start: string
      /** HH:MM at which it closes (23:59: midnight); may be on the next day */
      end: string
    }[] | null
    allowed_days: ('monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday')[] | null
    holidays: string[] | null
    timezone: string | null
  }
}

export type AutomateCreateInput = {
  /** Name, at most 255 characters */
  name: string
  /** Definition, at most 1 MB: {trigger, steps} */
  flow: {
    /** Trigger */
    trigger?: Record<string, unknown>
    /** Steps, chained onto the trigger in order */
    steps?: Record<string, unknown>[]
  } & Record<string, unknown>
  /** Trigger input for the test, at most 256 KB */
  sample?: Record<string, unknown>
  /** Id of the assistant whose events trigger it */
  assistant_id?: number
  /** Assistant event to bind a webhook trigger to */
  bind_webhook?: 'conversation_ended'
  /** Allow the test to send real messages and place real calls */
  confirm_side_effects?: boolean
}

export type AutomateCreateOutput = {
  automation_id: string
  webhook_url: string | null
  status: 'active' | 'active_untested' | 'test_failed' | 'disabled'
  test: {
    run_status: 'SUCCEEDED' | 'PAUSED' | 'FAILED' | 'not_tested' | 'no_run'
    steps: {
      name: string
      status: 'SUCCEEDED' | 'FAILED' | 'PAUSED'
      classification: 'ok' | 'paused_at_delay' | 'wiring_error' | 'missing_connection' | 'missing_record'
      error: string | null
      /** Name with the loop iterations around it: step_5[3]/step_6 */
      path?: string
      /** Number of attempts */
      attempts?: number
      started_at?: string
      /** Milliseconds from start to end; null while it waits */
      duration_ms?: number | null
      /** Expressions that resolved to nothing */
      unresolved?: string[]
      /** Lines it wrote to the console */
      log?: string[]
    }[]
  }
  /** Response of a synchronous test */
  response: Record<string, unknown> | string | null
  binding: {
    type: 'post_call' | 'inbound' | 'conversation' | 'conversation_ended'
    assistant_id: number
    bound: boolean
  } | null
}

export type AutomateListOutput = {
  data: Automation[]
}

export type AutomateGetInput = {
  /** Id of the automation */
  id: string
} & {
  /** Show keys and tokens instead of masking them */
  include_secrets?: boolean
  /** Show the draft instead of the live definition */
  draft?: boolean
}

export type AutomateGetOutput = {
  data: Automation
}

export type AutomateListDefinitionsInput = {
  /** Automations per page, 1-500; fewer if their definitions are large */
  limit?: number
  /** next_cursor of the previous page */
  cursor?: string
}

export type AutomateListDefinitionsOutput = {
  data: Automation[]
  next_cursor: string | null
}

export type AutomateUpdateInput = {
  /** Id of the automation */
  id: string
} & {
  /** Name, at most 255 characters */
  name?: string
  /** Definition, at most 1 MB: {trigger, steps} */
  flow?: {
    /** Trigger */
    trigger?: Record<string, unknown>
    /** Steps, chained onto the trigger in order */
    steps?: Record<string, unknown>[]
  } & Record<string, unknown>
  /** Trigger input for the test, at most 256 KB */
  sample?: Record<string, unknown>
  /** Id of the assistant whose events trigger it */
  assistant_id?: number
  /** Allow the test to send real messages and place real calls */
  confirm_side_effects?: boolean
  /** Enable or disable the automation */
  enabled?: boolean
}

export type AutomateUpdateOutput = {
  data: {
    id: string
    name: string
    status: 'enabled' | 'disabled'
    updated: boolean
  }
} | {
  automation_id: string
  status: 'active' | 'active_untested' | 'test_failed' | 'disabled'
  test: {
    run_status: 'SUCCEEDED' | 'PAUSED' | 'FAILED' | 'not_tested' | 'no_run'
    steps: {
      name: string
      status: 'SUCCEEDED' | 'FAILED' | 'PAUSED'
      classification: 'ok' | 'paused_at_delay' | 'wiring_error' | 'missing_connection' | 'missing_record'
      error: string | null
      /** Name with the loop iterations around it: step_5[3]/step_6 */
      path?: string
      /** Number of attempts */
      attempts?: number
      started_at?: string
      /** Milliseconds from start to end; null while it waits */
      duration_ms?: number | null
      /** Expressions that resolved to nothing */
      unresolved?: string[]
      /** Lines it wrote to the console */
      log?: string[]
    }[]
  }
  /** Response of a synchronous test */
  response: Record<string, unknown> | string | null
  binding: {
    type: 'post_call' | 'inbound' | 'conversation' | 'conversation_ended'
    assistant_id: number
    bound: boolean
  } | null
}

export type AutomateDeleteInput = {
  /** Id of the automation */
  id: string
}

export type AutomateDeleteOutput = KeysDeleteOutput

export type AutomateRestoreInput = AutomateDeleteInput

export type AutomateRestoreOutput = {
  automation_id: string
  name: string
  status: 'enabled' | 'disabled'
  restored_version_id: string
  note: string
}

export type AutomateVersionsInput = {
  /** Id of the automation */
  id: string
} & {
  /** Maximum number of versions, 1-50 */
  limit?: number
}

export type AutomateVersionsOutput = {
  versions: AutomationVersion[]
}

export type AutomateVersionInput = {
  /** Id of the automation */
  id: string
  /** Number of the version, 1 for the first published version */
  number: number
} & {
  /** Show keys and tokens instead of masking them */
  include_secrets?: boolean
}

export type AutomateVersionOutput = {
  data: {
    /** 1 for the first published version */
    number: number
    id: string
    published_at: string
    /** Whether it is the live version */
    live: boolean
    /** Number of the version that it restored */
    restored_from: number | null
    /** Name of the automation */
    name: string
    definition: AutomationNode
    /** Binding of the version while it is live */
    binding: {
      type: 'post_call' | 'inbound' | 'conversation' | 'conversation_ended'
      assistant_id: number
      /** Null when the assistant no longer exists */
      assistant_name: string | null
    } | null
  }
}

export type AutomateRestoreVersionInput = {
  /** Id of the automation */
  id: string
  /** Number of the version, 1 for the first published version */
  number: number
}

export type AutomateRestoreVersionOutput = AutomateRestoreOutput

export type AutomateRunsInput = {
  /** Id of the automation */
  id: string
} & {
  /** Maximum number of runs, newest first, 1-20 */
  limit?: number
  /** Id of a single run to show */
  run_id?: string
}

export type AutomateRunsOutput = {
  runs: AutomationRun[]
} | {
  run: {
    id: string
    status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING'
    start_time: string
    duration_ms: number | null
    /** Whether it was a test */
    testing?: boolean
    steps: {
      name: string
      status: 'SUCCEEDED' | 'FAILED' | 'PAUSED'
      classification: 'ok' | 'paused_at_delay' | 'wiring_error' | 'missing_connection' | 'missing_record'
      error: string | null
      /** Name with the loop iterations around it: step_5[3]/step_6 */
      path?: string
      /** Number of attempts */
      attempts?: number
      started_at?: string
      /** Milliseconds from start to end; null while it waits */
      duration_ms?: number | null
      /** Expressions that resolved to nothing */
      unresolved?: string[]
      /** Lines it wrote to the console */
      log?: string[]
    }[]
    /** Why it failed */
    error?: string | null
  }
}

export type AutomateListRunsInput = {
  /** Only runs of this automation */
  automation_id?: string
  /** Only runs with this status */
  status?: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'CANCELLED'
  /** Only test runs, or only live ones */
  test?: boolean
  /** Only runs that started at this time or later, ISO 8601 */
  since?: string
  /** Only runs that started before this time, ISO 8601 */
  until?: string
  /** Runs per page, 1-100 */
  limit?: number
  /** next_cursor of the previous page */
  cursor?: string
}

export type AutomateListRunsOutput = {
  data: AccountRun[]
  next_cursor: string | null
}

export type AutomateGetRunInput = {
  /** Id of the run */
  run_id: string
} & {
  /** Only steps of this name or path */
  step?: string
  /** Show long values and long runs in full */
  full?: boolean
}

export type AutomateGetRunOutput = {
  data: {
    id: string
    automation_id: string
    automation_name: string
    /** Number of the version it runs; null for a draft */
    version: number | null
    status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'CANCELLED'
    /** Whether it is a test run */
    testing: boolean
    start_time: string
    end_time: string | null
    /** Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished */
    duration_ms: number | null
    /** Why it failed */
    error: string | null
    /** Payload of the trigger */
    trigger: unknown
    /** Response of the run: status, headers and body; null if it sent none */
    response: unknown
    steps: {
      name: string
      /** Name with the loop iterations around it: step_5[3]/step_6 */
      path: string
      display_name: string | null
      /** CODE, PIECE, BRANCH, LOOP_ON_ITEMS */
      type: string | null
      /** WAITING: waits for its next attempt */
      status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'WAITING'
      classification: 'ok' | 'paused_at_delay' | 'wiring_error' | 'missing_connection' | 'missing_record' | null
      /** Attempts that were started */
      attempts: number
      started_at: string
      /** Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished */
      duration_ms: number | null
      /** Time when a waiting step continues; null if it does not wait for a time */
      wakes_at: string | null
      /** Id of the run of another automation that it waits for */
      called_run: string | null
      /** Input of its last attempt; null if unknown */
      input: unknown
      output: unknown
      error: string | null
      /** Errors of the attempts before the last one: the first 10, each up to 1000 characters */
      earlier_errors: {
        attempt: number
        failed_at: string
        error: string
      }[]
      /** Line of code that threw the error */
      error_line: {
        number: number
        text: string
      } | null
      /** Names of the branches it took: true or false for a BRANCH */
      branches: string[] | null
      /** Items of a loop */
      iterations: {
        /** 1 for the first */
        index: number
        item: unknown
        /** Null when it has not started */
        status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | null
      }[] | null
      /** Expressions that resolved to nothing */
      unresolved: string[]
      /** Lines it wrote to the console */
      log: string[]
    }[]
    /** Number of omitted steps of a long run */
    steps_omitted: number
    /** Whether values were shortened or steps omitted; full=true shows everything */
    shortened: boolean
  }
}

export type AutomateRerunInput = {
  /** Id of the run */
  run_id: string
} & {
  /** Output of the trigger, at most 256 KB (default: that of the run) */
  payload?: unknown
  /** First step to run; the steps before it keep their recorded outputs */
  from?: string
  /** Allow the steps to send real messages and place real calls */
  confirm_side_effects?: boolean
}

export type AutomateRerunOutput = {
  data: AccountRun
}

export type AutomateCancelRunInput = {
  /** Id of the run */
  run_id: string
}

export type AutomateCancelRunOutput = {
  data: {
    id: string
    automation_id: string
    automation_name: string
    /** Number of the version it runs; null for a draft */
    version: number | null
    status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING' | 'CANCELLED'
    /** Whether it is a test run */
    testing: boolean
    start_time: string
    end_time: string | null
    /** Milliseconds from start to end, without the time between a failed attempt and its retry; null while it is not finished */
    duration_ms: number | null
    /** Why it failed */
    error: string | null
    /** Ids of runs that it waited for, directly or through other runs, and that were cancelled too */
    also_cancelled: string[]
  }
}

export type AutomateRetryInput = {
  /** Id of the automation */
  id: string
  /** Id of the run */
  run_id: string
}

export type AutomateRetryOutput = {
  run_id: string
  status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'RUNNING'
  note: string
}

export type AutomateTemplatesOutput = {
  data: AutomationTemplate[]
}

export type AutomateApplyInput = {
  /** Key of the template */
  key: string
} & {
  /** Parameters of the template, at most 64 KB */
  params?: Record<string, unknown>
  /** Id of the assistant whose events trigger it */
  assistant_id?: number
  /** Name, at most 255 characters */
  name?: string
  /** Allow the test to send real messages and place real calls */
  confirm_side_effects?: boolean
}

export type AutomateApplyOutput = AutomateCreateOutput

export type ModelsListInput = {
  /** Type: llm (pipeline mode), multimodal or dualplex */
  type?: 'llm' | 'multimodal' | 'dualplex'
}

export type ModelsListOutput = Model[]

export type SynthesizersListInput = {
  /** Filter by language id */
  language_id?: number
}

export type SynthesizersListOutput = Synthesizer[]

export type TranscribersListInput = SynthesizersListInput

export type TranscribersListOutput = Synthesizer[]

export type VoicesListInput = {
  /** Filter by engine mode */
  mode?: 'pipeline' | 'multimodal' | 'dualplex'
  /** Filter by language id */
  language_id?: number
}

export type VoicesListOutput = Voice[]

export type LanguagesListOutput = Language[]

export type FoldersListInput = AssistantsListInput

export type FoldersListOutput = {
  data: Folder[]
  current_page: number
  per_page: number
  total: number
}

export type FoldersCreateInput = {
  /** Name, unique, at most 255 characters */
  name: string
  /** Color */
  color?: 'gray' | 'slate' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'blue' | 'purple' | 'pink' | null
}

export type FoldersCreateOutput = {
  message: string
  data: Folder
}

export type FoldersUpdateInput = {
  /** Id of the folder */
  id: number
} & {
  /** Name, unique, at most 255 characters */
  name?: string
  /** Color */
  color?: 'gray' | 'slate' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'blue' | 'purple' | 'pink' | null
}

export type FoldersUpdateOutput = FoldersCreateOutput

export type FoldersDeleteInput = {
  /** Id of the folder */
  id: number
}

export type FoldersDeleteOutput = KeysDeleteOutput

export type LabelsListInput = AssistantsListInput

export type LabelsListOutput = FoldersListOutput

export type LabelsCreateInput = FoldersCreateInput

export type LabelsCreateOutput = FoldersCreateOutput

export type LabelsUpdateInput = {
  /** Id of the label */
  id: number
} & {
  /** Name, unique, at most 255 characters */
  name?: string
  /** Color */
  color?: 'gray' | 'slate' | 'red' | 'orange' | 'amber' | 'green' | 'teal' | 'blue' | 'purple' | 'pink' | null
}

export type LabelsUpdateOutput = FoldersCreateOutput

export type LabelsDeleteInput = {
  /** Id of the label */
  id: number
}

export type LabelsDeleteOutput = KeysDeleteOutput

export type KnowledgeListOutput = {
  data: KnowledgeBase[]
}

export type KnowledgeGetInput = {
  /** Id of the knowledge base */
  id: number
}

export type KnowledgeGetOutput = {
  data: KnowledgeBase
}

export type KnowledgeCreateInput = {
  /** Name, at most 255 characters */
  name: string
  /** Description, at most 255 characters */
  description?: string | null
}

export type KnowledgeCreateOutput = {
  message: string
  data: KnowledgeBase
}

export type KnowledgeUpdateInput = {
  /** Id of the knowledge base */
  id: number
} & {
  /** Name, at most 255 characters */
  name?: string
  /** Description, at most 255 characters */
  description?: string | null
}

export type KnowledgeUpdateOutput = KnowledgeCreateOutput

export type KnowledgeDeleteInput = KnowledgeGetInput

export type KnowledgeDeleteOutput = KeysDeleteOutput

export type KnowledgeSearchInput = {
  /** Id of the knowledge base */
  id: number
} & {
  /** Question, or words to search for, at most 500 characters */
  query: string
}

export type KnowledgeSearchOutput = {
  data: KnowledgePassage[]
}

export type KnowledgeListDocumentsInput = KnowledgeGetInput

export type KnowledgeListDocumentsOutput = {
  data: KnowledgeDocument[]
}

export type KnowledgeGetDocumentInput = {
  /** Id of the knowledge base */
  id: number
  /** Id of the document */
  docId: number
}

export type KnowledgeGetDocumentOutput = {
  data: KnowledgeDocument
}

export type KnowledgeCreateDocumentInput = {
  /** Id of the knowledge base */
  id: number
} & {
  /** Name, at most 255 characters */
  name: string
  /** Description, at most 255 characters */
  description?: string | null
  /** Type of document */
  type: 'website' | 'pdf' | 'txt' | 'docx'
  /** URL of the website */
  url?: string
  /** Single pages of the website, instead of url */
  links?: {
    /** URL of the page */
    link: string
  }[]
  /** Maximum number of linked pages to add, 1-50 */
  relative_links_limit?: number
  /** File to upload as multipart/form-data, at most 20 MB */
  file?: File
}

export type KnowledgeCreateDocumentOutput = {
  message: string
  data: KnowledgeDocument
}

export type KnowledgeUpdateDocumentInput = {
  /** Id of the knowledge base */
  id: number
  /** Id of the document */
  docId: number
} & {
  /** Name, at most 255 characters */
  name?: string
  /** Description, at most 255 characters */
  description?: string | null
}

export type KnowledgeUpdateDocumentOutput = KnowledgeCreateDocumentOutput

export type KnowledgeDeleteDocumentInput = KnowledgeGetDocumentInput

export type KnowledgeDeleteDocumentOutput = KeysDeleteOutput

export type SipTrunksListOutput = {
  data: SipTrunk[]
}

export type SipTrunksGetInput = {
  /** Id of the SIP trunk */
  id: number
}

export type SipTrunksGetOutput = {
  data: {
    id: number
    phone_number: string
    nickname: string | null
    sip_username: string
    sip_address: string
    sip_calling_format: '+e164' | 'e164' | 'national'
    inbound_authorization_type: 'auth' | 'ip'
    allowed_inbound_ips: string[] | null
    outbound_proxy: boolean
    country_code: string
    inbound_trunk_id: string
    outbound_trunk_id: string
    created_at: string
    updated_at: string
  }
}

export type SipTrunksCreateInput = {
  /** SIP extension or number, 1-15 characters */
  phone_number: string
  /** Nickname, at most 50 characters */
  nickname?: string | null
  /** Username, 3-128 characters */
  sip_username: string
  /** Password, at least 3 characters */
  sip_password: string
  /** Server address, without port */
  sip_address: string
  /** Format of dialed numbers */
  sip_calling_format: '+e164' | 'e164' | 'national'
  /** Authorization of inbound calls: auth (password) or ip (address); auth clears the allowed addresses */
  inbound_authorization_type: 'auth' | 'ip'
  /** IP addresses or CIDR ranges allowed for inbound calls, required for ip */
  allowed_inbound_ips?: string[] | null
  /** Country or subdivision (ISO 3166-2), such as US or US-CA */
  country_code: string
  /** Route outbound calls through a fixed IP address */
  outbound_proxy?: boolean
  /** Type of trunk: extension or number */
  sip_trunk_type: 'extension' | 'number'
}

export type SipTrunksCreateOutput = {
  message: string
  data: {
    id: number
    phone_number: string
    nickname: string | null
    sip_username: string
    sip_address: string
    sip_calling_format: '+e164' | 'e164' | 'national'
    inbound_authorization_type: 'auth' | 'ip'
    allowed_inbound_ips: string[] | null
    outbound_proxy: boolean
    country_code: string
    inbound_trunk_id: string
    outbound_trunk_id: string
    created_at: string
    updated_at: string
  }
}

export type SipTrunksUpdateInput = {
  /** Id of the SIP trunk */
  id: number
} & {
  /** SIP extension or number, 1-15 characters */
  phone_number?: string
  /** Nickname, at most 50 characters */
  nickname?: string | null
  /** Username, 3-128 characters */
  sip_username?: string
  /** Password, at least 3 characters */
  sip_password?: string
  /** Server address, without port */
  sip_address?: string
  /** Format of dialed numbers */
  sip_calling_format?: '+e164' | 'e164' | 'national'
  /** Authorization of inbound calls: auth (password) or ip (address); auth clears the allowed addresses */
  inbound_authorization_type?: 'auth' | 'ip'
  /** IP addresses or CIDR ranges allowed for inbound calls, required for ip */
  allowed_inbound_ips?: string[] | null
  /** Country or subdivision (ISO 3166-2), such as US or US-CA */
  country_code?: string
  /** Route outbound calls through a fixed IP address */
  outbound_proxy?: boolean
}

export type SipTrunksUpdateOutput = SipTrunksCreateOutput
