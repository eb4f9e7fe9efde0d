import type { FailureName } from '../errors/failures.ts'

/**
 * Real requests and answers of a platform, for the examples of the OpenAPI documents. `record-examples.ts` records them into
 * `generated/openapi-examples.ts`, which has this form.
 */
export interface OpenApiExamples {
  /** Request bodies by name of the endpoint. */
  readonly requests: Readonly<Record<string, unknown>>
  /** Response bodies by name of the endpoint. */
  readonly responses: Readonly<Record<string, unknown>>
  /** Error bodies by name of the failure. */
  readonly failures: Readonly<Partial<Record<FailureName, unknown>>>
  /** Payloads of events by their kind. */
  readonly events?: Readonly<Record<string, unknown>>
}
