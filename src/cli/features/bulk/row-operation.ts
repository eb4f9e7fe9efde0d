import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { BillingPrices } from '../../../contract/resources/billing.ts'
import type { BlockedContact } from '../../../contract/resources/contacts.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import type { ContentHash } from './content-hash.ts'
import type { ProgressFile } from './progress-file.ts'
import type { RowFields } from './rows/column-mapping.ts'
import type { PhoneIndex } from './rows/phone-index.ts'

/** The rows of a job: what was sent of them, and their numbers. */
export interface OpenedRows {
  readonly progress: ProgressFile
  readonly checkResult: { readonly numbers: PhoneIndex }
}

/** A problem of a row. Results in JSON have it: fields are added, not renamed. */
export interface Problem {
  /** The field, or the column if it maps to no field. */
  readonly field: string
  /** A sentence that includes the fix. */
  readonly message: string
}

/**
 * Meaning of a failure for a row: `failed` is an error of the row, `already` means the resource exists, `skipped` that the
 * recipient must not be contacted, `again` can be retried, `unknown` has no known outcome, and `stop` would fail every row in
 * the same way.
 */
export type Verdict = 'failed' | 'already' | 'skipped' | 'again' | 'unknown' | 'stop'

/** Result of a row among those of a request for many, as a request for this row alone is answered. */
export interface RowResult {
  readonly status: number
  readonly id: number | string | null
  /** Body of the response if the row was refused. */
  readonly error: unknown
}

/** Requests for many rows, on platforms with the capability of the endpoint. */
export interface RowBatches {
  readonly endpoint: Endpoint
  readonly capability: Capability
  /** Maximum number of rows of a request. */
  readonly size: number
  /** Returns the body for rows from the bodies of requests for one row. */
  bodyOf(bodies: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown>
  /** Returns the result of each row, in their order. `bodies` are those of the rows. */
  resultsOf(answer: unknown, bodies: readonly Readonly<Record<string, unknown>>[]): readonly RowResult[]
}

/** The operation that is carried out for each row. */
export interface RowOperation {
  /** Singular and plural: `lead`, `leads`; `message`, `messages`. */
  readonly nouns: readonly [one: string, many: string]
  /** Verbs for progress and result: `Importing` and `imported`. */
  readonly progressVerb: string
  readonly doneVerb: string
  readonly endpoint: Endpoint
  /** How many rows are sent together; absent if each needs a request of its own. */
  readonly batches?: RowBatches
  /**
   * Identifies the target, because the same file may be sent to several. It is hashed into the names of progress files, the
   * index of earlier sends and the keys of failed rows: for one target the text never changes, or its rows are sent again.
   */
  readonly target: string
  /** Channel over which the recipients are contacted; those that have opted out of it are skipped. */
  readonly channel?: BlockedContact['channel']
  /** Field with the number that identifies a row. */
  readonly phoneField: string
  readonly fields: RowFields
  /** Whether several rows may have the same number. */
  readonly allowsDuplicates: boolean
  /** Tells the user how to allow duplicates. */
  readonly duplicateHint: string
  /** What a second run with --resend does, in a sentence. */
  readonly resendHint: string
  /** How to change what a row did not, because it existed. */
  readonly existingHint?: string
  /** Whether rows are sent with idempotency keys, which a platform that supports idempotency honors. */
  readonly usesIdempotencyKeys: boolean
  /** Maximum number of rows in flight. */
  readonly concurrency: number
  /**
   * Fields of the body that are its content. A recipient with the same content counts as already sent. Their hash is stored: other
   * fields, or another order, would send rows again.
   */
  readonly contentFields: readonly string[]
  /**
   * Returns the number and content of an operation in the journal, if it belongs to this target. The content is hashed as that of
   * rows (`contentFields`), so that what a command without a file has sent counts as sent.
   */
  rowOf?(input: unknown): { readonly phone: string; readonly content: ContentHash } | undefined
  bodyOf(fields: Record<string, unknown>, variables: Record<string, unknown>): Record<string, unknown>
  /** Returns the fields of a body that are shown before it is sent, if they are not those of the body itself. */
  shownOf?(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Returns the price of a row in USD; undefined if it is not known. Only for billable operations. */
  priceOf?(body: Readonly<Record<string, unknown>>, prices: BillingPrices): number | undefined
  /** Returns problems that the schema of the body does not detect. */
  problemsOf(body: Record<string, unknown>): readonly Problem[]
  classifyFailure(failure: ClientFailure): Verdict
  /** Warns of the numbers of rows before they are sent, also in a dry run. */
  warnOf?(numbers: Iterable<string>): Promise<void>
  /** Called before the rows are sent. */
  onOpened?(rows: OpenedRows): void
  /** Returns the id of the created resource, which `-o id` prints and events of ndjson have. */
  idOf(answer: unknown): number | string | undefined
}
