import type { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { ContentHash } from './content-hash.ts'
import type { RowFields } from './rows/column-mapping.ts'

/** One thing that is wrong with a row. */
export interface Problem {
  /** The field, or the column where it feeds none. */
  readonly field: string
  /** A sentence that says the way out too. */
  readonly message: string
}

/**
 * What a failure means for a row: `failed` is the row's own fault, `already` what is there need not be made, `again` is worth another try,
 * `unknown` nobody can say, and `stop` would be the same for every row.
 */
export type Verdict = 'failed' | 'already' | 'again' | 'unknown' | 'stop'

/** What is done for each row. */
export interface RowOperation {
  /** `lead`, `leads`; `message`, `messages`. */
  readonly nouns: readonly [one: string, many: string]
  /** `Importing`, and `imported` for when it is done. */
  readonly progressVerb: string
  readonly doneVerb: string
  readonly endpoint: Endpoint
  /** Where it all goes, for the ledger: the same file may go elsewhere too. */
  readonly target: string
  /** The field with the number that makes a row unique. */
  readonly phoneField: string
  readonly fields: RowFields
  /** Whether the same number may stand in several rows. */
  readonly allowsDuplicates: boolean
  /** How to allow that. */
  readonly duplicateHint: string
  /** Whether a row may be sent again when it is not known what became of it, as the platform tells what it has already. */
  readonly isRepeatable: boolean
  /** Whether rows go out under a key that a platform of ours honours. */
  readonly usesIdempotencyKeys: boolean
  /** How many rows are under way at one time. */
  readonly concurrency: number
  /** Fields of the body that are its content: who gets the same again has been reached. */
  readonly contentFields: readonly string[]
  /** Number and content of an operation in the journal, where it is of this target. */
  rowOf?(input: unknown): { readonly phone: string; readonly content: ContentHash } | undefined
  bodyOf(fields: Record<string, unknown>, variables: Record<string, unknown>): Record<string, unknown>
  /** What the body's schema does not say. */
  problemsOf(body: Record<string, unknown>): readonly Problem[]
  classifyFailure(failure: ClientFailure): Verdict
  /** The id of what was made. */
  idOf(answer: unknown): number | string | undefined
}
