import type { Call } from '../../../client/create-client.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'

/** What the audit of a resource may read. */
export interface AuditScope {
  /** Reads another list completely, once. */
  read(what: string, endpoint: Endpoint, input: ResourceRecord): Promise<readonly ResourceRecord[]>
  readonly call: Call
  readonly signal: AbortSignal
  /** Time of the platform in milliseconds since 1970. */
  readonly now: number
  /** Milliseconds without use or change after which something is stale. */
  readonly staleMs: number
  isOffered(capability: Capability): Promise<boolean>
  /** The API keys that this command and the profiles of this computer use on the platform, by their ids as text. */
  readonly keysInUse: ReadonlyMap<string, KeyUse>
}

/** Who uses an API key. */
export interface KeyUse {
  /** A sentence, such as `Profile "production" uses it.` */
  readonly text: string
  /** The command that replaces it; undefined if it comes from where no command replaces it. */
  readonly rotateCommand: string | undefined
}

/** A resource that refers to the audited one. */
interface AuditUser {
  readonly from: ResourceKind
}

/** Why a resource is a finding. `parley audit` prints it as JSON under these names, which scripts read; `detail` is for people. */
export interface AuditReason {
  /** Continues a sentence that begins with the name of the resource; ends with a period. */
  readonly detail: string
  /** Time of the last use or change, ISO 8601; null if there was none. */
  readonly since?: string | null
  /** The commands that help, in order (default: `removeCommand`). */
  readonly commands?: readonly string[]
}

/**
 * What `parley audit` asks about the resources of a noun. `doctor` says what does not work, and the audit what is
 * superfluous or risky: no rule repeats a check.
 */
export interface AuditRules {
  /** Reads its rows (default: the list of its kind). */
  readonly list?: (scope: AuditScope) => Promise<readonly ResourceRecord[]>
  /** Kind by which other resources refer to it (default: its own). */
  readonly referredAs?: ResourceKind
  /** The command that removes one. */
  readonly removeCommand: (item: ResourceRecord) => string
  /**
   * Why an item is unused if nothing refers to it, or only `users` that are switched off; undefined if it has another use.
   * Without this rule, references do not matter.
   */
  readonly unused?: (
    item: ResourceRecord,
    scope: AuditScope,
    users: readonly AuditUser[],
  ) => AuditReason | undefined | Promise<AuditReason | undefined>
  /** Text by which duplicates are compared: the one with the greatest stays (default: the first of the list). */
  readonly keepOrder?: (item: ResourceRecord) => string
  /** Who uses an item besides other resources, and what helps then instead of its removal; undefined if none is known. */
  readonly usedHere?: (
    item: ResourceRecord,
    scope: AuditScope,
  ) => Pick<Required<AuditReason>, 'detail' | 'commands'> | undefined
  /** Whether an item is switched off, so that what only such items use is orphaned. */
  readonly isOff?: (item: ResourceRecord) => boolean
  /** Why an item is stale. */
  readonly stale?: (
    item: ResourceRecord,
    scope: AuditScope,
  ) => AuditReason | undefined | Promise<AuditReason | undefined>
  /** What is equal in duplicates, besides the name; undefined for an item without a duplicate. */
  readonly contentOf?: (item: ResourceRecord) => unknown
  /** What an item may do without need. */
  readonly overPrivileged?: (item: ResourceRecord, scope: AuditScope) => AuditReason | undefined
  /** Its price in USD per month; null if the platform does not show it. */
  readonly monthlyUsd?: (item: ResourceRecord) => number | null
}

/** Returns whether a time is longer ago than the audit allows. What has no time, such as a key that was never used, is judged by another one. */
export const isStale = (since: unknown, { now, staleMs }: Pick<AuditScope, 'now' | 'staleMs'>): since is string =>
  typeof since === 'string' && now - Date.parse(since) > staleMs

/** Returns whether an assistant has a number. If it is inactive, `doctor` reports it. */
export const hasAssistant = (users: readonly AuditUser[]): boolean => users.some((it) => it.from === 'assistants')
