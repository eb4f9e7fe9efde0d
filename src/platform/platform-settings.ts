import type { ChangeFeed } from '../contract/control/change-feed.ts'
import type { RateLimit } from '../contract/endpoint/endpoint.ts'
import type { LogFields } from '../contract/endpoint/http-message.ts'
import type { Vocabulary } from '../contract/vocabulary/vocabulary.ts'
import type { AutomationPorts } from '../engine/pieces/ports.ts'
import type { PrivateAccess } from '../engine/ports.ts'
import type { Credentials } from './control/data-folder/credentials.ts'
import type { DatabaseSettings } from './control/data-folder/database-settings.ts'
import type { ProcessUsage } from './control/handlers/pages.ts'
import type { JobLoop } from './jobs/job-loop.ts'
import type { ModelOptions } from './providers/language-model/model-settings.ts'
import type { FaultInjector } from './providers/local/fault-injection.ts'
import type { ReaderName } from './providers/website-reader/website-reader.ts'
import type { App, RequestHandler } from './server/app.ts'
import type { Monitor } from './server/monitoring/monitor.ts'
import type { ChatLimits } from './services/runtime/deps.ts'

/** Settings of a platform. */
export interface PlatformSettings {
  /** Folder of the database, the credentials and the lock. It is created if missing, readable by its owner only. */
  readonly dataDir: string
  /**
   * `postgres://...` to store the data there, or more settings (default: what the folder has used before, otherwise its
   * SQLite file).
   */
  readonly database?: string | DatabaseSettings
  /** Makes the sample data of an empty platform reproducible, including its secrets. */
  readonly seed?: number
  /** Sample data for an empty platform, in the format of `parley server export` (default: the built-in one). */
  readonly data?: object
  /** Freezes the clock at this time, ISO 8601, before a new platform is filled. A reset returns to it. */
  readonly frozenAt?: string
  /** Fault rules that a reset adds again. */
  readonly faults?: readonly object[]
  /** Leaves a new platform empty. */
  readonly empty?: boolean
  /** Opens a used folder that has lost its database or encryption key, because they are replaced (default: refused). */
  readonly acceptsMissingData?: boolean
  readonly limit?: RateLimit
  /** Messages of chats without an API key: a minute in a conversation, from an address, to an assistant; a day to it. */
  readonly chatLimits?: ChatLimits | undefined
  /** The vocabulary of its API (default: neutral). */
  readonly vocabulary?: 'public' | Vocabulary
  /** Returns the wall time in milliseconds. */
  readonly wall?: () => number
  readonly gate?: FaultInjector
  /** Private addresses that automations, tools and webhooks may connect to (default: all with `inProcess`, else none). */
  readonly privateAddresses?: PrivateAccess
  /** Whether the control API answers requests from other machines (default: false). */
  readonly controlPublic?: boolean
  /** Returns the URL of the server of this platform. */
  readonly ownUrl?: () => string | undefined
  /** Replaces ports of automations, for example with simulated servers. */
  readonly automationPorts?: Partial<AutomationPorts>
  /** Language model of the assistants, merged with the folder's settings (default: the local model). */
  readonly language?: ModelOptions
  /** Reader of websites: `http` fetches them, `local` generates content from URLs (default: `local`). */
  readonly reader?: ReaderName | undefined
  /** Only this process uses the platform, and it has read the credentials of the folder. */
  readonly inProcess?: boolean
  /** Other machines can reach the platform, so that seeds are not allowed. */
  readonly reachable?: boolean
  readonly requestLog?: boolean
  /** Measures and logs requests and work. */
  readonly monitor?: Monitor | undefined
  readonly processUsage?: ProcessUsage | undefined
  /** Called when a command or another server asks this server to finish its work and stop. */
  readonly onDrainRequested?: (() => void) | undefined
  /** Creates a code to sign in to the inspector of the server with, if it has one. */
  readonly createInspectorLogin?: (() => Promise<string>) | undefined
  readonly maxPages?: number
  /** False for data that need not survive a power loss. */
  readonly durable?: boolean
  /** Connects to no other server: webhooks, tools, automations and mail end with an error. */
  readonly isOffline?: boolean
  /** Whether the folder is deleted when the platform is closed. */
  readonly isTemporary?: boolean
  /** Cache file that a new SQLite database is copied from. It is created if missing. */
  readonly template?: string | undefined
  readonly version?: string
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
  readonly log?: (text: string, fields?: LogFields) => void
}

/** A running platform. */
export interface Platform {
  readonly handle: RequestHandler
  /** The API for the inspector: unmeasured, in neutral words. */
  readonly inspection: {
    readonly send: RequestHandler
    readonly find: App['find']
    readonly changes: () => Promise<ChangeFeed>
    /** The time of the platform in milliseconds since 1970. */
    readonly now: () => Promise<number>
  }
  /** Returns the credentials; `key` is null while the platform is empty. */
  readonly credentials: () => Credentials
  /** Returns the seed of the sample data and secrets; null when they are random. */
  readonly seed: () => number | null
  /** Whether this process has just filled an empty platform. */
  readonly isNew: boolean
  /** Host, port and name of its PostgreSQL database; null for SQLite. */
  readonly database: string | null
  /** Whether the tables of accounts are distributed over nodes. */
  readonly isDistributed: boolean
  /** Returns settings in front of the database that servers work badly with. */
  findSettingProblems(): Promise<readonly { readonly problem: string; readonly fix: string }[]>
  readonly due: JobLoop
  /** Runs due jobs for at most `budgetMs` milliseconds. */
  drain(budgetMs: number): Promise<void>
  /** Sets the URL under which other servers and commands see this one. */
  announce(url: string): Promise<void>
  /** Reports this server as not ready. */
  startDraining(): Promise<void>
  /** Hands the leases of this server back to the other servers of the database. `close` does it too. */
  leaveServers(): Promise<void>
  /** Waits for background work, then closes the database. */
  close(): Promise<void>
}
