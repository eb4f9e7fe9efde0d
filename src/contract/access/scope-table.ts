import type { KeyScope } from '../values/key-scopes.ts'

/**
 * Who may call an endpoint: a key with a scope, `any` key, the `public` without a key (section 4.9), or the holder of
 * the `control` token of a local platform.
 */
export type EndpointScope = KeyScope | 'any' | 'public' | 'control'

/**
 * The scope that each endpoint needs. Whatever can spend money, now or later, or sends data to a URL, or creates access, needs
 * `spend`. Keys of users rely on it: a higher scope breaks their programs, a lower one gives rights that were not granted.
 * `endpointScopes` has the type that an endpoint without an entry does not fit.
 */
export const scopeTable = {
  'user.me': 'read',
  'user.references': 'read',
  'user.activity': 'read',
  'user.stop': 'write',
  'user.resume': 'spend',

  'billing.summary': 'read',
  'billing.usage': 'read',

  'keys.list': 'read',
  'keys.scopes': 'read',
  'keys.create': 'spend',
  'keys.delete': 'spend',

  'approvals.list': 'any',
  'approvals.get': 'any',
  'approvals.create': 'read',
  'approvals.decide': 'approve',
  'approvals.start': 'read',
  'approvals.recordRequest': 'read',
  'approvals.end': 'read',

  'tools.list': 'read',
  'tools.get': 'read',
  'tools.create': 'spend',
  'tools.update': 'write',
  'tools.delete': 'write',

  'campaigns.list': 'read',
  'campaigns.get': 'read',
  'campaigns.create': 'write',
  'campaigns.update': 'write',
  'campaigns.updateStatus': 'write',
  'campaigns.delete': 'write',

  'leads.create': 'write',
  'leads.createBatch': 'write',
  'leads.list': 'read',
  'leads.update': 'write',
  'leads.delete': 'write',

  'numbers.search': 'read',
  'numbers.buy': 'spend',
  'numbers.list': 'read',
  'numbers.update': 'write',
  'numbers.release': 'spend',

  'assistants.list': 'read',
  'assistants.create': 'write',
  'assistants.update': 'write',
  'assistants.setStatus': 'write',
  'assistants.delete': 'write',
  'assistants.enableConversationEndedWebhook': 'spend',
  'assistants.disableConversationEndedWebhook': 'write',
  'assistants.enablePostCallWebhook': 'spend',
  'assistants.disablePostCallWebhook': 'write',
  'assistants.enableInboundWebhook': 'spend',
  'assistants.disableInboundWebhook': 'write',

  'conversations.list': 'read',
  'conversations.create': 'public',
  'conversations.get': 'public',
  'conversations.send': 'public',
  'conversations.enableAi': 'spend',
  'conversations.disableAi': 'write',

  'calls.list': 'read',
  'calls.get': 'read',
  'calls.start': 'spend',
  'calls.stop': 'write',
  'calls.delete': 'write',

  'replies.generate': 'spend',

  'messaging.senders': 'read',
  'messaging.templates': 'read',
  'messaging.listAssignments': 'read',
  'messaging.updateAssignment': 'spend',
  'messaging.list': 'read',
  'messaging.send': 'spend',
  'messaging.sendFreeform': 'spend',
  'messaging.session': 'read',
  'messaging.sessions': 'read',

  'sms.send': 'spend',

  'contacts.list': 'read',
  'contacts.block': 'write',
  'contacts.unblock': 'spend',
  'contacts.settings': 'read',
  'contacts.updateSettings': 'write',
  'contacts.waiting': 'read',
  'contacts.cancelWaiting': 'write',
  'contacts.sendWaiting': 'spend',
  'contacts.hours': 'read',
  'contacts.updateHours': 'spend',

  'automate.create': 'write',
  'automate.list': 'read',
  'automate.get': 'read',
  'automate.listDefinitions': 'read',
  'automate.update': 'write',
  'automate.delete': 'write',
  'automate.restore': 'write',
  'automate.versions': 'read',
  'automate.version': 'read',
  'automate.restoreVersion': 'write',
  'automate.runs': 'read',
  'automate.listRuns': 'read',
  'automate.getRun': 'read',
  'automate.rerun': 'spend',
  'automate.cancelRun': 'write',
  'automate.retry': 'spend',
  'automate.templates': 'read',
  'automate.apply': 'write',

  'models.list': 'read',

  'synthesizers.list': 'read',

  'transcribers.list': 'read',

  'voices.list': 'read',

  'languages.list': 'read',

  'folders.list': 'read',
  'folders.create': 'write',
  'folders.update': 'write',
  'folders.delete': 'write',

  'labels.list': 'read',
  'labels.create': 'write',
  'labels.update': 'write',
  'labels.delete': 'write',

  'knowledge.list': 'read',
  'knowledge.get': 'read',
  'knowledge.create': 'write',
  'knowledge.update': 'write',
  'knowledge.delete': 'write',
  'knowledge.search': 'read',
  'knowledge.listDocuments': 'read',
  'knowledge.getDocument': 'read',
  'knowledge.createDocument': 'write',
  'knowledge.updateDocument': 'write',
  'knowledge.deleteDocument': 'write',

  'sipTrunks.list': 'read',
  'sipTrunks.get': 'read',
  'sipTrunks.create': 'spend',
  'sipTrunks.update': 'spend',

  'accounts.list': 'control',
  'accounts.create': 'control',
  'accounts.update': 'control',
  'accounts.key': 'control',
  'accounts.senders': 'control',
  'accounts.delete': 'control',
  'accounts.ledger': 'control',

  'clock.show': 'control',
  'clock.freeze': 'control',
  'clock.advance': 'control',
  'clock.until': 'control',
  'clock.resume': 'control',

  'platform.status': 'control',
  'platform.check': 'control',
  'platform.recount': 'control',
  'platform.seed': 'control',
  'platform.export': 'control',
  'platform.reset': 'control',
  'platform.purge': 'control',
  'platform.drain': 'control',

  'faults.list': 'control',
  'faults.add': 'control',
  'faults.remove': 'control',
  'faults.clear': 'control',

  'connections.list': 'control',
  'connections.add': 'control',
  'connections.remove': 'control',
  'connections.break': 'control',

  'events.list': 'control',
  'events.listen': 'control',
  'events.fire': 'control',

  'turns.follow': 'control',

  'mails.list': 'control',

  'sheets.list': 'control',
  'sheets.rows': 'control',
  'sheets.create': 'control',
  'sheets.addRow': 'control',
  'sheets.updateRow': 'control',
  'sheets.deleteRow': 'control',

  'nodes.list': 'control',
  'nodes.drain': 'control',

  'inspector.login': 'control',
  'inspector.timeline': 'control',
  'inspector.due': 'control',
  'inspector.overview': 'control',

  'deliveries.list': 'control',
  'deliveries.show': 'control',
  'deliveries.replay': 'control',

  'webhooks.secret': 'control',
  'webhooks.rotate': 'control',
  'webhooks.runs': 'control',
  'webhooks.sender': 'control',

  'simulate.message': 'control',
  'simulate.receipt': 'control',
  'simulate.template': 'control',
  'simulate.sender': 'control',
  'simulate.call': 'control',
  'simulate.payment': 'control',
  'simulate.release': 'control',
  'simulate.failure': 'control',
  'simulate.end': 'control',
  'simulate.run': 'control',

  'requests.list': 'control',

  'snapshots.list': 'control',
  'snapshots.save': 'control',
  'snapshots.compare': 'control',
  'snapshots.restore': 'control',
  'snapshots.delete': 'control',
} as const satisfies Readonly<Record<string, EndpointScope>>

/** Returns the resource of an endpoint in the form of command lines: `sip-trunks` of `sipTrunks.list`. */
export const nounOf = (endpoint: string): string =>
  (endpoint.split('.')[0] ?? '').replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)

/** Resources that a key restricted to others may use too: its account, and what asks a person to approve its operations. */
const alwaysAllowed: readonly string[] = ['user', 'approvals']

/** Returns whether a key that is restricted to some resources may use a resource. */
export const allowsNoun = (nouns: readonly string[] | null | undefined, noun: string): boolean =>
  !nouns || alwaysAllowed.includes(noun) || nouns.includes(noun)

/**
 * Resources that a key can be restricted to, in the form of command lines. Rows of restricted keys have them: a key would
 * lose a resource that is renamed.
 */
export const keyNouns: readonly string[] = [
  ...new Set(
    Object.entries(scopeTable).flatMap(([name, scope]) =>
      (scope as EndpointScope) === 'control' ? [] : [nounOf(name)],
    ),
  ),
].filter((it) => !alwaysAllowed.includes(it))
