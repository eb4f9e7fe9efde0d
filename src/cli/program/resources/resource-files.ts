import type * as z from 'zod'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { Reference, ResourceKind } from '../../../contract/references/resource-references.ts'
import type { UnnamedId } from '../../../contract/references/step-references.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context, WriteHistory } from '../context.ts'

/** Result of a write. */
export interface WriteResult {
  readonly id: number | string
  /** The platform is unchanged: the new definition is not live. */
  readonly isUnchanged?: boolean
  /** A sentence about the result. */
  readonly remark?: string
}

/** Options of writes. */
export interface WriteOptions {
  /** Allows tests of automations to send real messages and place real calls. */
  readonly confirmed: boolean
  /** Skips the local check of new definitions. */
  readonly skipLocalTest: boolean
  /** Restores the previous version of an automation if its test fails after publishing. */
  readonly rollback: boolean
  /** What the history recorder needs of the write. */
  readonly history?: WriteHistory
  /** Absolute path of the file, to which paths in it are relative. */
  readonly path?: string
}

/** Splits a content into parts that are merged separately. */
export interface ContentMerging {
  split(content: ResourceRecord): ResourceRecord
  /** Joins merged parts. `preferred` has the parts of the preferred side, for those that the merge lacks. */
  join(parts: ResourceRecord, preferred: ResourceRecord): ResourceRecord
  /** Returns whether two changes of parts of the value at a path are a conflict. */
  isWhole(path: string): boolean
}

/** A kind of resource that can be managed as files: how it is read, converted and written. */
export interface ResourceFiles {
  /** Name of its folder in a project. Folders of users, test reports and promotions have it: it never changes. */
  readonly noun: string
  /** Singular noun for messages. */
  readonly singular: string
  /** Resource kind by which other resources reference it. */
  readonly resourceKind: ResourceKind
  /** Capability of the platform without which there are no files of this kind. */
  readonly capability?: Capability
  /** Field that identifies a resource for users (default: `name`). */
  readonly nameField?: string
  /** Sentence for resources without a file, if a push never deletes them. */
  readonly removalNote?: string
  /** Secrets that the platform never returns. Exported files reference environment variables for them. */
  readonly hiddenSecrets?: readonly string[]
  /** Fields that reference other resources. */
  readonly references: readonly Reference[]
  /** Reference fields without which a resource cannot be created. */
  readonly requiredReferences?: readonly string[]
  /** Returns references inside the content whose paths depend on the content. */
  nestedReferences?(content: ResourceRecord): readonly Reference[]
  /** Returns ids in the content of records without a name, which are valid in one account only. */
  unnamedIds?(content: ResourceRecord): readonly UnnamedId[]
  /** Schema of all fields that a file may hold. */
  readonly documentSchema: z.ZodObject
  /** The endpoints of its writes, for kinds with fields that apply only with some values of another one. */
  readonly endpoints?: { readonly create?: Endpoint; readonly update?: Endpoint }
  /** Schema of all fields that an update may change. */
  readonly updateSchema: z.ZodObject
  list(context: Context): Promise<ResourceRecord[]>
  get(context: Context, id: number | string): Promise<ResourceRecord>
  /** Returns the path of the file of another kind that has a resource with this name. */
  fileElsewhere?(context: Context, name: string): Promise<string | undefined>
  /**
   * Returns the content of its file in a stable order, with ids and secrets as the platform shows them. Hashes of it are in
   * `parley.lock.json` of users: another content of the same record looks like a change.
   */
  toContent(raw: ResourceRecord): ResourceRecord
  /**
   * Replaces an address of another resource in a content by a reference. `nameOf` returns the name for an id, or the id
   * if there is no unique one.
   */
  withReferences?(
    content: ResourceRecord,
    nameOf: (id: string, place: ReferencePlace) => Promise<unknown>,
  ): Promise<ResourceRecord>
  /** Returns the request for a content with ids, if it has fields that only files have. */
  toRequest?(context: Context, content: ResourceRecord): Promise<ResourceRecord>
  /** Returns the part of a content that can be compared with the platform (default: all of it). */
  comparable?(content: ResourceRecord): ResourceRecord
  /** Adds the parts of a file to the content of the platform that the platform does not return. */
  keepLocalParts?(remote: ResourceRecord, local: ResourceRecord): ResourceRecord
  /**
   * Checks that a file can be sent. `live` is the record of the platform, undefined for a new resource; `path` is the
   * absolute path of the file, and `changed` has the differing fields. @throws ClientFailure `usage`
   */
  check?(content: ResourceRecord, live: ResourceRecord | undefined, path: string, changed: readonly string[]): void
  /**
   * Describes a change of the value at a path that is a document, a line for each part; undefined for other values.
   * `isFull`: values are not shortened, because they are lost.
   */
  describeChange?(path: string, before: unknown, after: unknown, isFull?: boolean): string[] | undefined
  /** How two changes of a content are merged, if not field by field. */
  readonly merging?: ContentMerging
  /** Normalizes a document for writing. @throws ClientFailure `usage` with the file name */
  normalize(document: ResourceRecord, file: string): Promise<ResourceRecord>
  create(context: Context, content: ResourceRecord, file: string, options: WriteOptions): Promise<WriteResult>
  /** Returns fields to send along with changed ones, because the platform would otherwise reset them. */
  companionFields?(change: ResourceRecord): readonly string[]
  /**
   * Replaces masks by credentials if reading alone does not return them. @throws ClientFailure `usage` with the fields
   * that are not shown
   */
  resolveCredentials?(context: Context, id: number | string, change: ResourceRecord): Promise<ResourceRecord>
  /** Updates the resource. `change` has the differing fields and their companion fields. */
  update(context: Context, id: number | string, change: ResourceRecord, options: WriteOptions): Promise<WriteResult>
  /** Deletes the resource. Missing for resources that a push never deletes, which have `removalNote`. */
  remove?(context: Context, id: number | string, history: WriteHistory): Promise<void>
}

/** A reference in a content: what it refers to, and its path. */
export interface ReferencePlace {
  readonly to: ResourceKind
  readonly path: string
  /** For templates: their sender, by id or number. Undefined if it is not known. */
  readonly sender?: unknown
  /** The platform accepts a name, too. */
  readonly takesName?: true
}
