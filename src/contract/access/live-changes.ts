import type { controlContract } from '../control/index.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { ResourceKind } from '../references/resource-references.ts'
import type { Contract } from '../resources/index.ts'

/** A resource that decides by its state, or by that of what uses it, whether a change of it has effects at once. */
export interface LiveTarget {
  readonly kind: Extract<ResourceKind, 'assistants' | 'campaigns' | 'knowledge' | 'tools'> | 'leads'
  /** Input field with its id. */
  readonly id: string
}

/**
 * When a write changes what customers meet: `never`, `always`, or while its target is live. Only writes have an entry:
 * what spends, deletes or has effects outside the platform needs a person anyway.
 */
export type LiveChange = 'never' | 'always' | LiveTarget

type WritesIn<Table> = {
  [Resource in keyof Table & string]: {
    [Verb in keyof Table[Resource] & string]: Table[Resource][Verb] extends { readonly byPerson: true }
      ? never
      : Table[Resource][Verb] extends { readonly risk: 'write' }
        ? `${Resource}.${Verb}`
        : never
  }[keyof Table[Resource] & string]
}[keyof Table & string]

const assistant = { kind: 'assistants', id: 'id' } as const
const webhook = { kind: 'assistants', id: 'assistant_id' } as const
const knowledge = { kind: 'knowledge', id: 'id' } as const

/**
 * What each write changes that is live. A write without an entry does not compile. The approvals of the command line decide by it
 * (`approvalClass`): with `never`, a coding agent makes the change without a person.
 */
export const liveChanges = {
  // They ask for approval, and record what was carried out.
  'approvals.create': 'never',
  'approvals.start': 'never',
  'approvals.recordRequest': 'never',
  'approvals.end': 'never',

  // What was stopped calls and writes to people again.
  'user.resume': 'always',

  'tools.create': 'never',
  'tools.update': { kind: 'tools', id: 'id' },

  'campaigns.create': 'never',
  'campaigns.update': { kind: 'campaigns', id: 'id' },
  // The campaign calls or writes to a lead that is added, moved or queued again.
  'leads.create': { kind: 'campaigns', id: 'campaign_id' },
  'leads.createBatch': { kind: 'campaigns', id: 'campaign_id' },
  'leads.update': { kind: 'leads', id: 'id' },

  // Only the nickname.
  'numbers.update': 'never',
  'sipTrunks.create': 'never',
  'sipTrunks.update': 'always',

  'assistants.create': 'never',
  'assistants.update': assistant,
  // Also deactivating: an assistant that customers reach would be changed in three steps, two of them without a person.
  'assistants.setStatus': 'always',
  'assistants.enableConversationEndedWebhook': webhook,
  'assistants.disableConversationEndedWebhook': webhook,
  'assistants.enablePostCallWebhook': webhook,
  'assistants.disablePostCallWebhook': webhook,
  'assistants.enableInboundWebhook': webhook,
  'assistants.disableInboundWebhook': webhook,
  'messaging.updateAssignment': 'always',

  // It only stops sends.
  'contacts.block': 'never',
  'contacts.unblock': 'always',
  'contacts.updateSettings': 'always',
  'contacts.updateHours': 'always',

  'conversations.create': 'never',
  'conversations.enableAi': 'always',
  // A person answers instead.
  'conversations.disableAi': 'never',

  'automate.cancelRun': 'never',

  'folders.create': 'never',
  'folders.update': 'never',
  'labels.create': 'never',
  'labels.update': 'never',

  'knowledge.create': 'never',
  'knowledge.update': knowledge,
  'knowledge.createDocument': knowledge,
  'knowledge.updateDocument': knowledge,

  'accounts.senders': 'always',
  'platform.recount': 'never',
  'platform.seed': 'always',
  'platform.drain': 'always',
  'nodes.drain': 'always',
  'connections.add': 'always',
  'connections.break': 'always',
  // Automations start with new rows.
  'sheets.create': 'always',
  'sheets.addRow': 'always',
  'sheets.updateRow': 'always',
  'inspector.login': 'never',
  'deliveries.replay': 'always',
  'webhooks.rotate': 'always',
  'webhooks.runs': 'always',
  'webhooks.sender': 'always',
  // Assistants and automations answer what is simulated, which costs as a real call or message does.
  'simulate.message': 'always',
  'simulate.receipt': 'always',
  'simulate.template': 'always',
  'simulate.sender': 'always',
  'simulate.call': 'always',
  'simulate.payment': 'always',
  'simulate.release': 'always',
  'simulate.failure': 'always',
  'simulate.end': 'always',
  'simulate.run': 'always',
  'snapshots.save': 'never',
} as const satisfies Readonly<Record<WritesIn<Contract> | WritesIn<typeof controlContract>, LiveChange>>

/** Returns when a write changes what is live. A write of no table does so always. */
export const liveChangeOf = ({ name }: Endpoint): LiveChange =>
  (liveChanges as Readonly<Record<string, LiveChange>>)[name] ?? 'always'

/** When a resource of a kind is live. A kind without an entry is live while a live resource uses it. */
interface LiveState {
  /** Values of `status` with which it does nothing. Any other value is live, also an unknown one. */
  readonly idle: readonly string[]
  /** It is also live while a live resource uses it. */
  readonly isLiveInUse?: true
}

/** States of the kinds that have some. `live-changes.ts` of the command line decides by them what needs a person. */
export const liveStates: Readonly<Partial<Record<ResourceKind, LiveState>>> = {
  assistants: { idle: ['inactive'], isLiveInUse: true },
  automate: { idle: ['disabled'] },
  // Those that a start is possible from (platform/services/campaigns/status-transitions.ts).
  campaigns: { idle: ['draft', 'paused', 'completed'] },
  senders: { idle: [] },
}
