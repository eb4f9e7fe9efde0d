import type { PlainRequest, PlainResponse } from '../contract/endpoint/http-message.ts'
import type { Vocabulary } from '../contract/vocabulary/vocabulary.ts'

/** Settings of a PostgreSQL database. Times are in milliseconds. */
export interface DatabaseOptions {
  /** URLs in order of priority, each with its flag or variable, and what it is used for. */
  readonly urls: readonly {
    readonly url: string
    readonly source: string
    readonly use: 'given' | 'new_folder' | 'password'
  }[]
  /** Key that seals secrets in the database, with its flag or variable. */
  readonly secretKey?: { readonly text: string; readonly source: string; readonly isStored: boolean }
  readonly connections?: number
  readonly isPooled?: boolean
  /** URL of the database past its pooler, for a session that listens. */
  readonly directUrl?: string
  readonly isolation?: 'locks' | 'serializable'
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
}

/** Options of a local platform. */
export interface LocalPlatformOptions {
  readonly dataDir: string
  /** The PostgreSQL database (default: what the folder has used before, otherwise its SQLite file). */
  readonly database?: DatabaseOptions
  readonly seed?: number
  /** Freezes the clock at this time, ISO 8601. A reset returns to it. */
  readonly frozenAt?: string
  /** Leaves a new platform empty. */
  readonly empty?: boolean
  /** Opens a used folder that has lost its database or encryption key, because they are replaced. */
  readonly acceptsMissingData?: boolean
  /** The vocabulary of its API (default: neutral). */
  readonly vocabulary?: 'public' | Vocabulary
  /** Receives the lines of each internal problem, and the reason if it is one of the database. */
  readonly log?: (text: string, fields?: { readonly reason?: string | undefined }) => void
}

/** The language model of a server from command-line flags. API keys are never passed as flags. */
export interface LanguageFlags {
  /** Base URL of an OpenAI-compatible endpoint. */
  readonly url?: string
  readonly model?: string
  /** Path of a script for the local model. */
  readonly script?: string
}

/** Options of a server. */
export interface ServeOptions extends LocalPlatformOptions {
  readonly language?: LanguageFlags
  /** Reader of websites. */
  readonly reader?: 'local' | 'http'
  readonly host: string
  /** Port to listen on; 0 uses a free one. */
  readonly port: number
  /** URL under which clients reach the server, for URLs in responses. */
  readonly publicUrl?: string
  /** Hosts with private addresses that webhooks, tools and automations may contact; true for all. */
  readonly privateAddresses?: boolean | readonly string[]
  /** Messages of chats without an API key: a minute in a conversation, from an address, to an assistant; a day to an assistant. */
  readonly chatLimits?: Readonly<Record<'conversation' | 'address' | 'assistant' | 'day', number>>
  /** Whether the control API answers requests from other machines. */
  readonly controlPublic?: boolean
  readonly limit?: { readonly name: string; readonly max: number; readonly seconds: number }
  readonly log: (text: string) => void
  /** Format of the log (default: only problems, as text). */
  readonly logFormat?: 'json' | 'pretty' | 'none'
  /** Writes lines of the log in a format. */
  readonly writeLog?: (text: string) => Promise<void>
  /** Maximum milliseconds that `stop` will take, for the command that waits for it. */
  readonly stopLimitMs?: number
  /** Receiver of traces (OTLP over HTTP), headers for it, and the name of this service. */
  readonly otlp?: {
    readonly endpoint: string
    readonly headers: Readonly<Record<string, string>>
    readonly service: string
  }
  /** Whether other machines may read the metrics. */
  readonly publicMetrics?: boolean
  /** Whether other machines may use the inspector, after they signed in. */
  readonly publicInspector?: boolean
}

/** A server on a socket. */
export interface RunningServer {
  readonly url: string
  readonly key: string | null
  /** Token of the control API, for requests with the header `parley-control`. */
  readonly controlToken: string
  /** Whether it has just filled an empty platform. */
  readonly isNew: boolean
  /** Host, port and name of its PostgreSQL database; null for SQLite. */
  readonly database: string | null
  /** Whether the tables of accounts are distributed over nodes. */
  readonly isDistributed: boolean
  /** Returns settings in front of the database that servers work badly with, and what to do about each. */
  findSettingProblems(): Promise<readonly { readonly problem: string; readonly fix: string }[]>
  /** URL of the inspector; null if it has none. */
  readonly inspector: string | null
  /** Calls the control API without a socket. */
  control(method: string, url: string, body?: object): Promise<{ readonly status: number; readonly body: string }>
  /** Resolves when a command or another server asks this server to stop. */
  readonly drainRequested: Promise<void>
  /**
   * Stops: reports not ready, answers further requests for `delayMs`, finishes those in progress, hands leases back and
   * closes the data. What is not finished after `limitMs` is aborted.
   */
  stop(limits?: { readonly delayMs?: number; readonly limitMs?: number }): Promise<void>
}

/** The platform of a data folder, opened in this process. */
export interface LocalPlatform {
  handle(request: PlainRequest): Promise<PlainResponse>
  /** Returns the credentials. `key` is null while the platform is empty; `control` is the token of control routes. */
  credentials(): { readonly key: string | null; readonly control: string }
  /** Runs due jobs for at most `budgetMs` milliseconds. */
  drain(budgetMs: number): Promise<void>
  close(): Promise<void>
}
