/** Body fields that must reference a resource of the account. */
export const ownedReferences: Readonly<Record<string, string>> = {
  'campaigns.updateStatus': 'campaign_id',
  'leads.create': 'campaign_id',
  'calls.start': 'assistant_id',
  'replies.generate': 'assistant_id',
  'conversations.create': 'assistant_id',
  'messaging.send': 'sender_id',
  'messaging.sendFreeform': 'sender_id',
  'sms.send': 'from',
  ...Object.fromEntries(
    ['ConversationEnded', 'PostCall', 'Inbound'].flatMap((it) =>
      ['enable', 'disable'].map((verb) => [`assistants.${verb}${it}Webhook`, 'assistant_id']),
    ),
  ),
}

/** Lists that provide the parameters of a read, if not the list of the same resource. */
export const parameterSources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'messaging.templates': { senderId: 'messaging.senders' },
  'messaging.session': { sender_id: 'messaging.senders' },
  'automate.getRun': { run_id: 'automate.listRuns' },
  'knowledge.getDocument': { docId: 'knowledge.listDocuments' },
}

/** Query values of reads that need more than an id, or return more with them. */
export const readQueries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'messaging.senders': { status: 'all' },
  'messaging.templates': { status: 'all' },
  'messaging.session': { recipient_phone: '+15005550006' },
  'automate.version': { number: 1 },
}

/** Ids that no resource has. */
export const unknownIds = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

/** Filter value that filters nothing. */
export const unfilteredValue = 'all'

/** Filters that reject unknown ids instead of returning no rows. */
export const filtersRefusingUnknown: ReadonlySet<string> = new Set(['assistant_id', 'campaign_id'])

/** Lists that have rows in every account, including a new one. */
export const sharedLists: ReadonlySet<string> = new Set([
  'keys.list',
  'models.list',
  'voices.list',
  'languages.list',
  'synthesizers.list',
  'transcribers.list',
  'numbers.search',
  'automate.templates',
])

/** Order of lists on a Parley server. The specification defines none, so other platforms are not checked. */
export const listOrder: Readonly<Record<string, { readonly by: string; readonly newest?: true }>> = {
  'conversations.list': { by: 'created_at', newest: true },
  'leads.list': { by: 'created_at', newest: true },
  'calls.list': { by: 'created_at', newest: true },
  'automate.runs': { by: 'start_time', newest: true },
  'automate.versions': { by: 'number', newest: true },
  'keys.list': { by: 'id' },
  'tools.list': { by: 'id' },
  'messaging.senders': { by: 'id' },
  'messaging.templates': { by: 'id' },
  'models.list': { by: 'id' },
  'voices.list': { by: 'id' },
  'languages.list': { by: 'id' },
  'synthesizers.list': { by: 'id' },
  'transcribers.list': { by: 'id' },
}

/** Fields that may change between two reads without a write. */
export const volatileFields: ReadonlySet<string> = new Set([
  'updated_at',
  'last_used_at',
  'status',
  'status_label',
  'documents_count',
  'message_count',
  'total_cost',
  'assistants_count',
])

/** Fields that change when another field is written. */
export const impliedFields: Readonly<Record<string, readonly string[]>> = { flow: ['definition', 'binding'] }

/** Deletions that take effect later. */
export const delayedDeletions: ReadonlySet<string> = new Set(['numbers.release'])
