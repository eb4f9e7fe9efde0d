import type * as z from 'zod'
import type { Reference, ResourceKind } from '../../../contract/resources/resource-references.ts'
import type { Context } from '../../context.ts'
import type { WriteHistory } from '../../history/recorder.ts'
import type { ResourceRecord } from '../../updates/previous-record.ts'

/** What a write made, and whether the test of it failed. */
export interface WriteResult {
  readonly id: number | string
  readonly isFailed?: boolean
  /** The platform is as it was before: what was sent is not live. */
  readonly isUnchanged?: boolean
  /** What is said of it; a sentence. */
  readonly remark?: string
}

/** How things are written. */
export interface WriteOptions {
  /** Allow the test to send real messages and place real callss of automations. */
  readonly confirmed: boolean
  /** Leaves out the local check of new definitions. */
  readonly skipLocalTest: boolean
  /** Puts the previous version of an automation back when its test fails after publishing. */
  readonly rollback: boolean
  /** What the history recorder needs of the write. */
  readonly history?: WriteHistory
}

/** A kind of thing that is kept as files: how it is read, what its file holds, how it is written. */
export interface FileKind {
  /** Name of its folder. */
  readonly noun: string
  /** For sentences. */
  readonly singular: string
  /** What others point to it as. */
  readonly resourceKind: ResourceKind
  /** What of it points to others. */
  readonly references: readonly Reference[]
  /** Paths inside its content that point to others and cannot be told by name alone. */
  nestedReferences?(content: ResourceRecord): readonly Reference[]
  /** Every field a file may hold. */
  readonly documentSchema: z.ZodObject
  /** Every field an update may change. */
  readonly updateSchema: z.ZodObject
  list(context: Context): Promise<ResourceRecord[]>
  get(context: Context, id: number | string): Promise<ResourceRecord>
  /** What a file of it holds, with ids and secrets as the platform shows them, in an order that stays. */
  toContent(raw: ResourceRecord): ResourceRecord
  /** A document as it would be written. @throws ClientFailure `usage` naming the file */
  normalize(document: ResourceRecord, file: string): Promise<ResourceRecord>
  create(context: Context, content: ResourceRecord, file: string, options: WriteOptions): Promise<WriteResult>
  /** Fields to send along with others that differ, as the platform would take them back to what it thinks best. */
  companionFields?(change: ResourceRecord): readonly string[]
  /** The same change with credentials in place of masks, where reading alone does not show them. @throws ClientFailure `usage` naming what is not shown */
  resolveCredentials?(context: Context, id: number | string, change: ResourceRecord): Promise<ResourceRecord>
  /** `change`: the fields that differ, and those along with them. */
  update(context: Context, id: number | string, change: ResourceRecord, options: WriteOptions): Promise<WriteResult>
  remove(context: Context, id: number | string, history: WriteHistory): Promise<void>
}
