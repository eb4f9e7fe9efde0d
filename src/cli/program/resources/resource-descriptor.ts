import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Contract } from '../../../contract/resources/index.ts'
import type { FileKind } from '../../features/as-code/kinds/file-kind.ts'
import type { Target } from '../input/resolve-target.ts'
import type { HistoryEndpoints } from './history-descriptor.ts'

/** Parts of the contract that are operations, not resources with an id. */
type OperationGroup = 'billing' | 'messaging' | 'replies' | 'sms' | 'user'

/** Every resource. A new part of the contract without a descriptor does not compile. */
export type ResourceName = ResourceKind | Exclude<keyof Contract, OperationGroup> | 'documents'

type Writes<Group extends keyof Contract> = {
  [Verb in keyof Contract[Group] & string]: Contract[Group][Verb] extends { readonly risk: 'read' | 'spends' }
    ? never
    : `${Group}.${Verb}`
}[keyof Contract[Group] & string]

/** Names of all endpoints that change a resource. Those of messaging change a sender. */
export type WriteName =
  | { [Group in keyof Contract]: Writes<Group> }[Exclude<keyof Contract, OperationGroup>]
  | Writes<'messaging'>

/** How a write changes a resource. */
export const actions = ['update', 'delete', 'restore', 'create'] as const
export type Action = (typeof actions)[number]

type Fields = Readonly<Record<string, unknown>>

/** What the conformance check needs to know of an endpoint beyond the contract. */
export interface EndpointCheck {
  /** Query values that the read needs, or returns more with. */
  readonly query?: Readonly<Record<string, unknown>>
  /** Lists that provide its parameters, if not the list of the same resource. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Order of the list on a Parley server; on every platform if it is documented. */
  readonly order?: { readonly by: string; readonly newest?: true; readonly isDocumented?: true }
  /** Field of the rows that is absent with one value of a parameter, and present with the others. */
  readonly absentField?: { readonly field: string; readonly parameter: string; readonly value: string }
  /** The list has rows in every account, including a new one. */
  readonly isShared?: true
  /** Body fields whose values depend on other fields. */
  readonly dependentFields?: readonly string[]
  /** Body field that must reference a resource of the account. */
  readonly ownedReference?: string
}

/**
 * What the command line knows of a resource beside its contract. All of it is in the start-up path, so endpoints and
 * views are loaded by functions. Parts that do not apply are null, so that none is forgotten.
 */
export interface ResourceDescriptor {
  /** Noun of its commands; after `parley refs` and in the history. */
  readonly noun: string
  /** Singular noun for messages. */
  readonly singular: string
  readonly plural: string
  /** The command that shows one resource, without its id. */
  readonly showCommand: string
  /** Name of the endpoint that lists it, which completes ids and names. */
  readonly list: string
  /** The list it is part of, and the flag that names an item of that list. */
  readonly parent: { readonly list: string; readonly flag: string } | null
  /** Flags that take its id or name. */
  readonly flags: readonly string[]
  /** Queries of its list that together return what a field can reference (default: one without filters). */
  readonly listQueries?: (field: string) => readonly Readonly<Record<string, unknown>>[]
  /** Commands whose argument is its id or name, besides those of its own noun. */
  readonly argumentOf: readonly string[]
  /** Its writes, each with how the history records it; null for writes without a previous state. */
  readonly writes: Readonly<Partial<Record<WriteName, Action | null>>>
  /** Writes of another resource that change this one in commands of its noun. */
  readonly sharedWrites: Readonly<Partial<Record<WriteName, Action>>>
  /** Fields by which a creation is found again when its response is lost; null for a resource without any. */
  readonly naturalKey: readonly string[] | null
  /** What a write sets, where the fields of the resource differ from those of the request. */
  readonly writtenFields?: Readonly<Partial<Record<WriteName, (input: Fields) => Fields>>>
  /** The endpoints that show the resource after a write, if it has no history. */
  readonly loadReaders?: () => Promise<HistoryEndpoints['readers']>
  readonly loadHistory: (() => Promise<HistoryEndpoints>) | null
  /** How it is found by id or name; null for a catalog, found by name or `catalogCode`. */
  readonly loadTarget: (() => Promise<Target>) | null
  /** Only groups other resources: nothing depends on it. */
  readonly isGrouping?: true
  /** Whether an item uses its references now. Without it, an item is in use if an active resource references it. */
  readonly isActive?: (item: Fields) => boolean
  /** Whether an item has ended and no longer uses its references. */
  readonly hasEnded?: (item: Fields) => boolean
  /** Its list omits the definition, which is read for each item and has references in its steps. */
  readonly hasDefinition?: true
  /** Whether URLs in fields of other resources can reference it. */
  readonly hasAddress?: true
  /** Field with the short code of a catalog item. */
  readonly catalogCode?: string
  /** How it is written to files. */
  readonly loadFileKind: (() => Promise<FileKind>) | null
  /** Endpoints that the conformance check needs help with, by name. */
  readonly endpointChecks: Readonly<Record<string, EndpointCheck>>
}
