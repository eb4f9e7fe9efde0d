import type * as z from 'zod'
import type { FailureName } from '../errors/failures.ts'

/**
 * Effect of a call. It decides which confirmation the terminal asks for, and what a coding agent may do alone. The
 * descriptions of commands and `x-risk` of the OpenAPI document publish the words: they never change.
 */
export type Risk = 'read' | 'write' | 'destructive' | 'severe' | 'outside' | 'spends'

/** Credential of a call: an API key, none (section 5.3), or the control token of the local platform. */
export type Auth = 'key' | 'none' | 'control'

/** The `message` of a 422, which the specification gives per endpoint. `first` repeats the text of the first field. */
type ValidationMessage = 'Validation failed' | 'The given data was invalid.' | 'first'

/**
 * Limit of `max` requests in any period of `seconds`, per account, over all its keys and all processes. Endpoints with
 * the same limit name share one limit. Rows that count requests have the name, and so have the metrics of refusals.
 */
export interface RateLimit {
  readonly name: string
  readonly max: number
  readonly seconds: number
}

/** What a value of a success response must be. A count may be a text of digits. */
export type SuccessProof = 'id' | 'text' | 'count' | 'null' | 'text or null' | 'list' | { readonly inputField: string }

/** An endpoint as a resource declares it. Client, server, commands, help and OpenAPI are derived from it. */
export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base URL, parameters in braces: `/api/user/tools/{id}`. Clients of others call it: it never changes. */
  readonly path: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Query parameters that were renamed: current name by old name. Both are accepted. */
  readonly oldParameters?: Readonly<Record<string, string>>
  readonly body?: z.ZodObject
  /** Request headers beyond the specification (assumed): description by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** Other success statuses, with the meaning of each. */
  readonly alsoStatus?: Readonly<Record<number, string>>
  readonly output: z.ZodType
  readonly errors: readonly FailureName[]
  readonly risk: Risk
  /** For deletions that the platform carries out later: the resource may still be listed after the response. */
  readonly takesEffectLater?: true
  /** The response shows a secret once. No idempotency key is sent, so that the platform does not store the response. */
  readonly returnsSecret?: true
  /**
   * Whether a POST has the same effect when it is carried out twice, such as enabling what is enabled; or a function of
   * its input. By default, PUT and DELETE have, except those that start something outside, and POST has not.
   */
  readonly isRepeatable?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /**
   * Whether a call only stops something, so that it needs no approval; or a function of its input. By default no call
   * does.
   */
  readonly onlyStops?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** The call grants rights or changes how the platform behaves: never done for a coding agent, whatever was approved. */
  readonly byPerson?: true
  /** For billable operations: all work is one transaction, done completely or not at all. Nothing can be resumed. */
  readonly atomic?: true
  /**
   * For billable operations: sends one message. A 429 that says how long to wait means that the message was not sent.
   * After any other billable operation, a 429 leaves the outcome unknown.
   */
  readonly isMessage?: true
  /** Rate limit of the endpoint, if any (section 8). */
  readonly limit?: RateLimit
  /** Section of the specification that describes the endpoint. */
  readonly section: string
  /** Source of the shape, if the specification only names the endpoint. */
  readonly assumed?: string
  /** Capability that the endpoint belongs to. Clients call it only if the server lists the capability. */
  readonly capability?: string
  /** What the capability offers: its sentence in docs/assumptions.md. */
  readonly offers?: string
  readonly auth?: Auth
  readonly validationMessage?: ValidationMessage
  /**
   * Error for unknown fields, if the endpoint has a specific one. `{fields}` in its text is replaced by the field names.
   */
  readonly unknownFieldsError?: FailureName
  /** For lists: the property that holds the items; `''` when the response is a bare array. */
  readonly items?: string
  /** For lists that can return a single item on request: the property that holds it. */
  readonly singleItem?: string
  /** For lists with the page envelope of section 4.8. */
  readonly paged?: boolean
  /** For responses with one resource: the property that holds it; absent when the response is the resource. */
  readonly record?: string
  /**
   * Values that a success response must have, by path: an id (a number or a non-empty text), any text, a number from 0,
   * null, a text or null, a list, or the exact value of an input field.
   * If the response to a write lacks one of them, the outcome is unknown.
   */
  readonly successProof?: Readonly<Record<string, SuccessProof>>
  /**
   * Fields of the record that an update accepts and ignores although its response does not have them, so that a record
   * can be sent back.
   */
  readonly ignoredFields?: readonly string[]
  /** Fields that apply only with some values of another one. The platform accepts the others and does not save them. */
  readonly conditionalFields?: ConditionalFields
}

/** Fields of a resource that apply only with some values of the field `by`. */
interface ConditionalFields {
  readonly by: string
  /** Every known value of `by`. */
  readonly values: readonly string[]
  /** The values of `by` with which a field applies. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** The platform validates fields that do not apply, before it ignores them. */
  readonly isValidated?: true
}

/** Returns the conditional fields that do not apply with a value of `by`. With an unknown value, all may apply. */
export const inapplicableFields = ({ values, fields }: ConditionalFields, value: unknown): string[] =>
  values.some((it) => it === value)
    ? Object.keys(fields).filter((name) => !fields[name]?.some((it) => it === value))
    : []

/**
 * Endpoint definition with its name, `<resource>.<verb>`. Handler, command, file and test use the same name. The history, the
 * journal, plans for approval and fault rules store it, and it is the `operationId` of OpenAPI: a name never changes.
 */
export type Endpoint = EndpointDefinition & { readonly name: string }

/** Endpoints with their names, `resource.verb`, which other files use to refer to them. */
export type Named<T extends Record<string, EndpointDefinition>> = {
  readonly [K in keyof T]: T[K] & { readonly name: string }
}

/** Declares the endpoints of one resource and adds the name to each. */
export function resource<const T extends Record<string, EndpointDefinition>>(name: string, table: T): Named<T> {
  const entries = Object.entries(table).map(([verb, definition]) => [verb, { ...definition, name: `${name}.${verb}` }])
  return Object.fromEntries(entries) as Named<T>
}

type SchemaInput<S> = S extends z.ZodType ? z.input<S> : unknown
type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : unknown
type EndpointSchema<E, K extends string> = E extends { readonly [P in K]: infer S } ? S : undefined

/** Input of a caller: path, query and body fields in one object. */
export type Input<E extends EndpointDefinition> = SchemaInput<EndpointSchema<E, 'params'>> &
  SchemaInput<EndpointSchema<E, 'query'>> &
  SchemaInput<EndpointSchema<E, 'body'>>
/** Input of a handler: the same fields, validated and with defaults. */
export type HandlerInput<E extends EndpointDefinition> = SchemaOutput<EndpointSchema<E, 'params'>> &
  SchemaOutput<EndpointSchema<E, 'query'>> &
  SchemaOutput<EndpointSchema<E, 'body'>>
/** Response of the platform. */
export type Output<E extends EndpointDefinition> = z.output<E['output']>
/** Return value of a handler: the response before defaults. */
export type HandlerOutput<E extends EndpointDefinition> = z.input<E['output']>
