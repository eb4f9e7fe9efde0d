/** Fields of a body that name what has to be the account's own. */
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

/** Where the parameters of a read come from, when not from the list of its resource. */
export const parameterSources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'messaging.templates': { senderId: 'messaging.senders' },
  'messaging.session': { sender_id: 'messaging.senders' },
  'automate.getRun': { run_id: 'automate.listRuns' },
  'knowledge.getDocument': { docId: 'knowledge.listDocuments' },
}

/** Values of reads that need more than an id, or find more with them. */
export const readQueries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'messaging.senders': { status: 'all' },
  'messaging.templates': { status: 'all' },
  'messaging.session': { recipient_phone: '+15005550006' },
  'automate.version': { number: 1 },
}

/** An id nobody has. */
export const unknownIds = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

/** The value of a filter that filters nothing. */
export const unfilteredValue = 'all'

/** Filters that refuse what is not the account's own, rather than find nothing. */
export const filtersRefusingUnknown: ReadonlySet<string> = new Set(['assistant_id', 'campaign_id'])

/** Lists of what every account has, or a new one has from the start. */
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

/** The order in which a Parley server answers lists. The specification states none, so no other platform is held to it. */
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

/** Fields that change by themselves between two looks. */
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

/** Fields that change with a field of another name. */
export const impliedFields: Readonly<Record<string, readonly string[]>> = { flow: ['definition', 'binding'] }

/** Writes that leave a thing where it is for a while. */
export const delayedDeletions: ReadonlySet<string> = new Set(['numbers.release'])
