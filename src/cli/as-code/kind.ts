import type * as z from 'zod'
import type { Reference, Thing } from '../../contract/references.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'

/** What a write made, and whether the test of it failed. */
export interface Sent {
  readonly id: number | string
  readonly isFailed?: boolean
  /** The platform is as it was before: what was sent is not live. */
  readonly isUnchanged?: boolean
  /** What is said of it; a sentence. */
  readonly remark?: string
}

/** How things are written. */
export interface WriteOptions {
  /** Steps that really send or call may run in the tests of automations. */
  readonly confirmed: boolean
  /** Leaves out the local check of new definitions. */
  readonly skipLocalTest: boolean
  /** Puts the previous version of an automation back when its test fails after publishing. */
  readonly rollback: boolean
}

/** A kind of thing that is kept as files: how it is read, what its file holds, how it is written. */
export interface AsCode {
  /** Name of its folder. */
  readonly noun: string
  /** For sentences. */
  readonly thing: string
  /** What others point to it as. */
  readonly named: Thing
  /** What of it points to others. */
  readonly references: readonly Reference[]
  /** Paths inside its content that point to others and cannot be told by name alone. */
  further?(content: Known): readonly Reference[]
  /** Every field a file may hold. */
  readonly document: z.ZodObject
  /** Every field an update may change. */
  readonly changes: z.ZodObject
  all(context: Context): Promise<Known[]>
  one(context: Context, id: number | string): Promise<Known>
  /** What a file of it holds, with ids and secrets as the platform shows them, in an order that stays. */
  content(raw: Known): Known
  /** A document as it would be written. @throws ClientFailure `usage` naming the file */
  normal(document: Known, file: string): Promise<Known>
  create(context: Context, content: Known, file: string, options: WriteOptions): Promise<Sent>
  /** Fields to send along with others that differ, as the platform would take them back to what it thinks best. */
  along?(change: Known): readonly string[]
  /** The same change with credentials in place of masks, where reading alone does not show them. @throws ClientFailure `usage` naming what is not shown */
  credentials?(context: Context, id: number | string, change: Known): Promise<Known>
  /** `change`: the fields that differ, and those along with them. */
  update(context: Context, id: number | string, change: Known, options: WriteOptions): Promise<Sent>
  remove(context: Context, id: number | string): Promise<void>
}
