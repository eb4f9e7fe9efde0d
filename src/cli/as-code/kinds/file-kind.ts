import type * as z from 'zod'
import type { Reference, ResourceKind } from '../../../contract/resources/resource-references.ts'
import type { Context } from '../../context.ts'
import type { WriteHistory } from '../../history/recorder.ts'
import type { ResourceRecord } from '../../updates/previous-record.ts'

/** Result of a write, and whether its test failed. */
export interface WriteResult {
  readonly id: number | string
  readonly isFailed?: boolean
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
}

/** A kind of resource that can be managed as files: how it is read, converted and written. */
export interface FileKind {
  /** Name of its folder. */
  readonly noun: string
  /** Singular noun for messages. */
  readonly singular: string
  /** Resource kind by which other resources reference it. */
  readonly resourceKind: ResourceKind
  /** Fields that reference other resources. */
  readonly references: readonly Reference[]
  /** Returns references inside the content whose paths depend on the content. */
  nestedReferences?(content: ResourceRecord): readonly Reference[]
  /** Schema of all fields that a file may hold. */
  readonly documentSchema: z.ZodObject
  /** Schema of all fields that an update may change. */
  readonly updateSchema: z.ZodObject
  list(context: Context): Promise<ResourceRecord[]>
  get(context: Context, id: number | string): Promise<ResourceRecord>
  /** Returns the content of its file in a stable order, with ids and secrets as the platform shows them. */
  toContent(raw: ResourceRecord): ResourceRecord
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
  remove(context: Context, id: number | string, history: WriteHistory): Promise<void>
}
