import type { Journal } from '../client/journal/open-operations.ts'
import type { ChangeFeed } from '../contract/control/change-feed.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'

/** What the page shows about its platform and its user. The page has a copy of it (page/data/session.ts). */
export interface InspectorSession {
  /** `local`: the server of the platform; `remote`: a deployment, which is only read. */
  readonly mode: 'local' | 'remote'
  readonly read_only: boolean
  /** Base URL of the platform. */
  readonly platform: string
  readonly profile: string
  readonly version: string
  /** Id of the account that the page starts with. */
  readonly account: number
  readonly accounts: readonly { readonly id: number; readonly name: string }[]
  /** Pages by name: true, or why the platform does not offer the page. */
  readonly pages: Readonly<Record<string, true | string>>
}

/** A request of the page, without credentials. */
export interface InspectorRequest {
  readonly method: string
  /** Path and query of the API. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Id of the account that it acts for. */
  readonly account: number
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
}

/** The platform that an inspector shows. */
export interface InspectorBackend {
  session(): Promise<InspectorSession>
  /** Returns the endpoint of a method and a path; undefined for an unknown one. */
  find(
    method: string,
    path: string,
  ): Promise<{ readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> } | undefined>
  /** Sends a request with the credentials of its account. */
  send(request: InspectorRequest): Promise<{ readonly status: number; readonly body: unknown }>
  /** Returns the operations journal of this machine. Absent if nothing is bought or sent. */
  readonly journal?: () => Promise<Journal>
  /** Undefined if the platform does not report changes. */
  readonly changes?: ChangeFeed | undefined
}

/** Names of the pages. page/app/routes.ts and `parley open` (cli/nouns/ui/commands.ts) have the same names. */
export const inspectorPages = [
  'overview',
  'timeline',
  'conversations',
  'calls',
  'automations',
  'deliveries',
  'messaging',
  'numbers',
  'approvals',
  'clock',
  'faults',
] as const
