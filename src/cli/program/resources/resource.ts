import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Contract } from '../../../contract/resources/index.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import type { Action, HistoryEntry } from '../history/entries.ts'
import type { UndoOutcome } from '../history/undo-result.ts'
import type { AuditRules } from './audit-rules.ts'
import type { ResourceFiles } from './resource-files.ts'

/** Parts of the contract that are operations, not resources with an id. */
type OperationGroup = 'approvals' | 'billing' | 'contacts' | 'messaging' | 'replies' | 'sms' | 'user'

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
 * views are loaded by functions. What every new resource must decide is null where it does not apply, so that it is not
 * forgotten; what only a few resources need is optional.
 */
export interface Resource {
  /** Noun of its commands; after `parley refs` and in the history, whose entries on the disk have it: it never changes. */
  readonly noun: string
  /** Singular noun for messages. `kindToken` makes of it the `kind` that scripts read. */
  readonly singular: string
  readonly plural: string
  /** The command that shows one resource, without its id. */
  readonly showCommand: string
  /** Name of the endpoint that lists it, which completes ids and names. */
  readonly list: string
  /** The list it is part of, and the flag that names an item of that list. */
  readonly parent: { readonly list: string; readonly flag: string } | null
  /** Flags that take its id or name: one that is missing here takes ids only, and is not completed. */
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
  readonly loadReaders?: () => Promise<ResourceHistory['readers']>
  readonly loadHistory: (() => Promise<ResourceHistory>) | null
  /** How it is found by id or name; null for a catalog, found by name or `catalogCode`. */
  readonly loadTarget: (() => Promise<Target>) | null
  /** How it is found within an item of its `parent`, by the id of that item. */
  readonly loadTargetWithin?: () => Promise<(parentId: number) => Target>
  /** Only groups other resources: nothing depends on it. */
  readonly isGrouping?: true
  /**
   * Whether an item uses its references now. Without it, an item is in use if an active resource references it. What is in use is
   * deleted only with a confirmation by its name.
   */
  readonly isActive?: (item: Fields) => boolean
  /** Whether an item has ended and no longer uses its references. */
  readonly hasEnded?: (item: Fields) => boolean
  /** Field with the short code of a catalog item. */
  readonly catalogCode?: string
  /** How it is written to files. */
  readonly loadFiles: (() => Promise<ResourceFiles>) | null
  /** What the audit asks about it. */
  readonly loadAudit?: () => Promise<AuditRules>
  /** Endpoints that the conformance check needs help with, by name. */
  readonly endpointChecks: Readonly<Record<string, EndpointCheck>>
}

/** A row of a list of the platform. */
export type ListedItem = Record<string, unknown> & { readonly id: number | string }

/** How an argument finds a resource: by id, by name or by other fields of its list. */
export interface Target {
  /** Singular noun for messages: `tool`, `key`. */
  readonly singular: string
  /** The endpoint that lists candidates. */
  readonly list: Endpoint
  /** Input of the list endpoint, such as the knowledge base of a document. */
  readonly within?: Readonly<Record<string, unknown>>
  /** Maximum number of candidates to read (default: all). */
  readonly limit?: number
  /** The command that lists candidates (default: the name of the endpoint). */
  readonly listCommand?: string
  /** Fields that may match a name, in order: `name`, `phone_number`, `nickname`. */
  readonly by: readonly string[]
  /** Its ids are not numbers, so digits are a name. */
  readonly hasTextIds?: true
  /** The form of its complete ids, if commands may use one without reading the list. */
  readonly idPattern?: RegExp
  /** The list does not show all fields of a resource, so its rows are not saved as the previous state for an undo. */
  readonly isListPartial?: true
  /** Numbers may be as short as an id, so the list is read before digits are interpreted. */
  readonly hasShortNumbers?: true
  /** The label in a prompt. */
  readonly label: (item: ListedItem) => string
}

/** The endpoints with which the history reads a resource before a write and undoes the write. */
export interface ResourceHistory {
  /** The endpoints that return the complete resource; the first is used by default. */
  readonly readers: readonly [Endpoint, ...Endpoint[]]
  readonly update?: Endpoint
  /** The endpoint that recreates it. */
  readonly create?: Endpoint
  readonly remove?: Endpoint
  /** The command that lists it (default: `list` of its noun). */
  readonly listCommand?: string
  /** A sentence about parts that are not restored, or why it cannot be recreated. */
  readonly notRestored?: string
  /** Path parameters, the last of which is the id (default: `id`). */
  readonly pathParameters?: readonly string[]
  /** Fields that `get` prints and computes itself. --if-unchanged ignores them. */
  readonly computedFields?: readonly string[]
  /** Fields of its definition that neither create nor update accepts. The platform sets all other fields itself. */
  readonly definitionFields?: readonly string[]
  /** Fields that an undo restores with an endpoint of their own; null or a missing value removes the field. */
  readonly separateWrites?: Readonly<Record<string, SeparateWrite>>
  /** How the command line sets a field that no flag of its name in "update" sets alone. */
  readonly fieldCommands?: Readonly<Record<string, FieldCommand>>
  /** Fields whose entries the platform merges into the previous ones. */
  readonly mergedFields?: readonly string[]
  /** Field whose change also resets other fields, which no response shows. */
  readonly modeField?: string
  /** Removes what the platform sets inside the fields of the definition. */
  readonly withoutPlatformValues?: (record: ResourceRecord) => ResourceRecord
  /** Returns the resource with masked credentials, as `get` prints it. */
  readonly toShown?: (record: ResourceRecord) => ResourceRecord
  /** Adds fields that only its creation has to the input that recreates it. */
  readonly completeDraft?: (draft: Record<string, unknown>) => void
  /** Secrets that its creation needs. The history does not save them. */
  readonly requiredSecrets?: readonly string[]
  /** The kind whose dependents are listed before an undo deletes it. */
  readonly dependentsOf?: ResourceKind
  /** Confirms its deletion, if it has a confirmation of its own. */
  readonly confirmDeletion?: (
    context: Context,
    live: ResourceRecord,
    confirmed: string | boolean | undefined,
  ) => Promise<ConfirmedDeletion>
  /** For a resource whose content is a document instead of plain fields. */
  readonly document?: DocumentHistory
}

/** A resource whose deletion was agreed to, and the lists that were read to find dependents. */
export interface ConfirmedDeletion {
  readonly item: ListedItem
  readonly list?: (resourceKind: ResourceKind) => Promise<readonly ResourceRecord[]>
}

/** The verb (default: `update`) and the flags with values that set a field, without its secrets. */
interface FieldCommand {
  readonly verb?: string
  readonly flagsFor: (value: unknown) => readonly (readonly [flag: string, value: string])[]
}

/** Returns the endpoint and the input that set a field of the resource with this id. */
export type SeparateWrite = (value: unknown, id: number | string) => readonly [Endpoint, ResourceRecord]

/** How the history treats a resource whose content is a document. Its update fills in masked secrets. */
export interface DocumentHistory {
  /** Returns the resource without its secrets. */
  redact(record: ResourceRecord): Promise<ResourceRecord>
  /** Returns the fields that its update, or its creation, accepts. */
  toFields(record: ResourceRecord, isUpdate: boolean): Promise<ResourceRecord>
  /** Returns whether the resource is read after a write, because the response does not contain it. */
  isReadBack(action: Action, input: ResourceRecord): boolean
  /**
   * Compares two definitions by their steps; undefined if one of them has none. `fields` are the names of the definition in
   * records and updates, `lines` is the difference for people.
   */
  compare(
    before: ResourceRecord,
    now: ResourceRecord,
  ): { readonly fields: readonly string[]; readonly steps: object; readonly lines: readonly string[] } | undefined
  /**
   * Describes a change of a field that is a definition, step by step; undefined for other values. `isFull`: values are not
   * shortened, because they are lost.
   */
  describeChange(field: string, before: unknown, after: unknown, isFull?: boolean): string[] | undefined
  undoUpdate(
    context: Context,
    copy: HistoryEntry,
    label: string,
    change: ResourceRecord,
    options: UndoOptions,
  ): Promise<UndoOutcome | undefined>
  /** Recreates a deleted resource with its previous state. Returns undefined if it was only previewed. */
  recreate(
    context: Context,
    copy: HistoryEntry,
    draft: ResourceRecord,
    options: UndoOptions,
  ): Promise<RecreatedDocument | undefined>
}

/** A deleted resource that was created again, with its new id. */
export interface RecreatedDocument {
  readonly id: string
  readonly record: ResourceRecord
  /** Set if the resource does not work as it did before. */
  readonly problem?: string
  /** Writes that restore settings which the creation does not take. */
  readonly remaining?: readonly RemainingWrite[]
}

/** A write that restores a field of a recreated resource. */
export interface RemainingWrite {
  readonly field: string
  write(): Promise<unknown>
}

/** What the user has agreed to for an undo. */
export interface UndoOptions {
  /** Whether test steps that send messages or place calls may run. */
  readonly confirmsSideEffects: boolean
  /** Value of `--confirm`. */
  readonly confirmed: string | boolean | undefined
}
