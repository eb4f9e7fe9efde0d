import type { Runner } from '../../automation/run/runner.ts'
import type { Sandbox } from '../../flow/expressions/sandbox.ts'
import type { AutomationPorts } from '../../flow/pieces/ports.ts'
import type { Clock, Micros } from '../../jobs/clock.ts'
import type { Providers } from '../../providers/ports/providers.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import type { Connection, Query } from '../../store/database/connection.ts'
import type { ReplyStreams } from '../conversations/reply-streams.ts'
import type { Deliverer } from '../deliveries/deliverer.ts'
import type { BackgroundQueue } from './background-queue.ts'
import type { Vault } from './vault.ts'

/** What services are made of; each names the part it needs. */
export interface Deps {
  readonly connection: Connection
  readonly clock: Clock
  readonly providers: Providers
  /** A secret of letters and digits: random, or made from the seed and `label` when the platform was started with a seed. */
  readonly secret: (label: string, length: number) => string
  /** Whether secrets are made from a seed. */
  readonly isSeeded: () => boolean
  /** Runs automations; there is one for each process, made when first asked for. */
  readonly runner: () => Promise<Runner>
  /** Checks and runs code of automations; one for each process, made when first asked for. */
  readonly sandbox: () => Promise<Sandbox>
  /** Sends webhooks; there is one for each process, made when first asked for. */
  readonly deliverer: () => Promise<Deliverer>
  /** Where due work goes on that waits for somebody outside; one for each process, made when first asked for. */
  readonly backgroundQueue?: (() => Promise<BackgroundQueue>) | undefined
  /** Whether automations and webhooks may ask servers of this machine and of private networks. */
  readonly privateAddresses?: boolean | undefined
  /** What automations use instead of the platform's own. */
  readonly automationPorts?: Partial<AutomationPorts> | undefined
  /** Seals what must be readable again and must not be read in the database. */
  readonly vault: Vault
  /** The data folder's own secret and its hash, where nobody but the folder's owner can ask: comparing the two needs no cryptography. */
  readonly localSecret?: () => { readonly secret: string; readonly hash?: string }
  /** Replies on their way, for whoever wants to see them come. */
  readonly replyStreams: ReplyStreams
  /** Ends a conversation from within, in the transaction of its last message; assistants can do so where it is given. */
  readonly endConversation?: (query: Query, conversation: ConversationRow, now: Micros) => Promise<unknown>
  /** Gets a line for what goes wrong and is no answer of its own. */
  readonly log: (text: string) => void
  /** This process, as leases name it. */
  readonly owner: string
  /** Wall time in milliseconds, for leases only. */
  readonly wall: () => number
}
