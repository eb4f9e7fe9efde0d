import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { UndoOptions } from '../../features/automations/undo-automation.ts'
import type { DeletionPlan } from '../consent/delete-resource.ts'
import type { Context } from '../context.ts'
import type { HistoryEntry } from '../history/entries.ts'
import type { UndoOutcome } from '../history/undo-result.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { Action } from './resource-descriptor.ts'

/** The endpoints with which the history reads a resource before a write and undoes the write. */
export interface HistoryEndpoints {
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
  readonly withoutPlatformValues?: (it: ResourceRecord) => ResourceRecord
  /** Returns the resource with masked credentials, as `get` prints it. */
  readonly toShown?: (it: ResourceRecord) => ResourceRecord
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
  ) => Promise<DeletionPlan>
  /** For a resource whose content is a document instead of plain fields. */
  readonly document?: DocumentHistory
}

/** The verb (default: `update`) and the flags with values that set a field, without its secrets. */
export interface FieldCommand {
  readonly verb?: string
  readonly flagsFor: (value: unknown) => readonly (readonly [flag: string, value: string])[]
}

/** Returns the endpoint and the input that set a field of the resource with this id. */
export type SeparateWrite = (value: unknown, id: number | string) => readonly [Endpoint, ResourceRecord]

/** How the history treats a resource whose content is a document. Its update fills in masked secrets. */
export interface DocumentHistory {
  /** Returns the resource without its secrets. */
  redact(it: ResourceRecord): Promise<ResourceRecord>
  /** Returns the fields that its update, or its creation, accepts. */
  toFields(it: ResourceRecord, isUpdate: boolean): Promise<ResourceRecord>
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
