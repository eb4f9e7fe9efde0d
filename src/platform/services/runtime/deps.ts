import type { LogFields } from '../../../contract/endpoint/http-message.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import type { Sandbox } from '../../../engine/expressions/sandbox.ts'
import type { AutomationPorts } from '../../../engine/pieces/ports.ts'
import type { PrivateAccess, Providers } from '../../../engine/ports.ts'
import type { MeasureWork } from '../../../node/spans.ts'
import type { BackgroundQueue } from '../../jobs/background-queue.ts'
import type { Clock } from '../../jobs/clock.ts'
import type { OwnLeases } from '../../jobs/leases.ts'
import type { Runner } from '../../runs/runner.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import type { AccountQuery, Connection } from '../../store/database/connection.ts'
import type { ReplyStreams } from '../conversations/reply-streams.ts'
import type { EventPort } from '../deliveries/event-port.ts'
import type { AccountIds } from './account-ids.ts'
import type { AttemptLimiter } from './attempt-limiter.ts'
import type { Vault } from './vault.ts'

/** Events that are counted for the metrics of a server. */
export type CountedEvent = 'job' | 'delivery' | 'run' | 'refusal' | 'span' | 'databaseFailure'

/** Counts an event, such as a job (`subject` is its kind) that failed (`outcome`), once or several times (`by`). */
export type CountEvent = (
  event: CountedEvent,
  labels: { readonly subject?: string; readonly outcome?: string; readonly by?: number },
) => void

/**
 * Messages that a server accepts without an API key: a minute in a conversation, from an address and to an assistant,
 * and widget messages a day to an assistant. New conversations have the same limits for an address and an assistant.
 * With IPv6, a /64 network counts as one address. 0 is unlimited.
 */
export interface ChatLimits {
  readonly conversation: number
  readonly address: number
  readonly assistant: number
  readonly day: number
}

/** Dependencies of the services. Each service names the ones it needs. */
export interface Deps {
  readonly connection: Connection
  readonly clock: Clock
  readonly providers: Providers
  /** Returns a secret of letters and digits: random, or derived from the seed and `label` on a seeded platform. */
  readonly secret: (label: string, length: number) => string
  /** Ids that carry their account, for rows that are created without a seed. */
  readonly accountIds: AccountIds
  /** Whether secrets are derived from a seed. */
  readonly isSeeded: () => boolean
  /** Runs automations. There is one for each process, created on first use. */
  readonly runner: () => Promise<Runner>
  /** Checks and runs code of automations. There is one for each process, created on first use. */
  readonly sandbox: () => Promise<Sandbox>
  /** Sends events to webhooks. There is one for each process, created on first use. */
  readonly events: () => Promise<EventPort>
  /** Runs jobs that wait on external services. There is one for each process, created on first use. */
  readonly backgroundQueue?: (() => Promise<BackgroundQueue>) | undefined
  /** Servers of this machine and of private networks that automations and webhooks may connect to (default: none). */
  readonly privateAddresses?: PrivateAccess | undefined
  /** Whether automations and webhooks connect to no server at all. */
  readonly isOffline?: boolean | undefined
  /** Limits failed attempts to authenticate. There is one for each process, created on first use. */
  readonly attempts?: (() => Promise<AttemptLimiter>) | undefined
  /** Limits of chats without an API key (default: `chatLimits`). */
  readonly chatLimits?: ChatLimits | undefined
  /** Returns the URL at which this server is reached; undefined without a server. */
  readonly ownUrl?: (() => string | undefined) | undefined
  /** Replaces ports of automations. */
  readonly automationPorts?: Partial<AutomationPorts> | undefined
  /** Seals secrets that must be readable again but must not be readable in the database. */
  readonly vault: Vault
  /**
   * The secret and its hash from the data folder, only where the caller is the owner of the folder. Comparing them
   * needs no cryptography.
   */
  readonly localSecret?: () => { readonly secret: string; readonly hash?: string }
  /** Streams of replies in progress. */
  readonly replyStreams: ReplyStreams
  /**
   * Ends a conversation in the transaction of its last message. Assistants can end conversations only if this is set.
   */
  readonly endConversation?: (query: AccountQuery, conversation: ConversationRow, now: Micros) => Promise<unknown>
  /** Logs a problem that no response reports. */
  readonly log: (text: string, fields?: LogFields) => void
  /** Counts events, if somebody can read the counters. */
  readonly countEvent?: CountEvent | undefined
  /** Records work in traces, if they are exported. */
  readonly measure?: MeasureWork | undefined
  /** Identifies this process as the owner of leases. */
  readonly owner: string
  /** The leases of this process. */
  readonly leases: OwnLeases
  /** Returns whether the owner of a lease may still run: false only for a process of this machine that has ended. */
  readonly isOwnerAlive?: (owner: string) => boolean
  /** Returns the wall time in milliseconds. Used for leases only. */
  readonly wall: () => number
}
