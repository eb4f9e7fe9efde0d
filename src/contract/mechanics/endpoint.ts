import type * as z from 'zod'
import type { FailureName } from '../errors/failures.ts'
import type { Capability } from './capabilities.ts'

/** What a call can do to the world; decides what consent the terminal asks for. */
export type Risk = 'read' | 'write' | 'destructive' | 'severe' | 'outside' | 'spends'

/** Which credential a call carries: an API key, nothing (section 5.3), or the local platform's control token. */
export type Auth = 'key' | 'none' | 'control'

/** The `message` of a 422: the specification words it per endpoint; `first` repeats the first field's text. */
export type ValidationMessage = 'Validation failed' | 'The given data was invalid.' | 'first'

/** At most `max` requests are let through in any span of `seconds`, per account over all its keys and all processes. Endpoints that name the same one share it. */
export interface RateLimit {
  readonly name: string
  readonly max: number
  readonly seconds: number
}

export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base URL, parameters in braces: `/api/user/tools/{id}`. */
  readonly path: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** Request headers it takes beyond the specification (assumed), by lower-case name: what each does. */
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** Other success statuses, with what each means. */
  readonly alsoStatus?: Readonly<Record<number, string>>
  readonly output: z.ZodType
  readonly errors: readonly FailureName[]
  readonly risk: Risk
  /** Of a spend: its work is one transaction, so that it is done or not, and there is nothing of it to go on with. */
  readonly atomic?: true
  /** Of a spend: it sends one message. A 429 that tells how long to wait turns a message away; of any other spend a 429 says nothing certain. */
  readonly isMessage?: true
  /** How often it may be asked, where that is limited (section 8). */
  readonly limit?: RateLimit
  /** Section of the specification that describes it. */
  readonly section: string
  /** Set when the specification only names the endpoint: where its shape comes from. */
  readonly assumed?: string
  /** The capability it belongs to: it is only asked where the platform advertises that. */
  readonly capability?: Capability
  readonly auth?: Auth
  readonly validationMessage?: ValidationMessage
  /** The refusal that names fields nobody knows, where the endpoint has one of its own; `{fields}` in its text stands for them. */
  readonly unknownFieldsError?: FailureName
  /** For lists: the property that holds the items; `''` when the answer is a bare array. */
  readonly items?: string
  /** For lists that answer with one thing where that is asked for: the property that holds it. */
  readonly singleItem?: string
  /** For lists with the page envelope of section 4.8. */
  readonly paged?: boolean
  /** For answers about one thing: the property that holds it; absent when the answer is the thing. */
  readonly record?: string
  /**
   * What a success has to say for anybody to believe it, by its path: an id (a number or a text that is not empty), any text, a list, or the
   * value of an input field, digit for digit. A spend whose answer lacks it is one whose outcome is not known.
   */
  readonly successProof?: Readonly<Record<string, 'id' | 'text' | 'list' | { readonly inputField: string }>>
  /** Fields of the record that an update takes and ignores although its own answer does not have them: what was read can be sent back. */
  readonly ignoredFields?: readonly string[]
}

/** A definition with its name, `<resource>.<verb>`: the same word for handler, command, file and test. */
export type Endpoint = EndpointDefinition & { readonly name: string }

export type Named<T extends Record<string, EndpointDefinition>> = {
  readonly [K in keyof T]: T[K] & { readonly name: string }
}

/** Declares the endpoints of one resource and stamps each with its name. */
export function resource<const T extends Record<string, EndpointDefinition>>(name: string, table: T): Named<T> {
  const entries = Object.entries(table).map(([verb, it]) => [verb, { ...it, name: `${name}.${verb}` }])
  return Object.fromEntries(entries) as Named<T>
}

type SchemaInput<S> = S extends z.ZodType ? z.input<S> : unknown
type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : unknown
type EndpointSchema<E, K extends string> = E extends { readonly [P in K]: infer S } ? S : undefined

/** What a caller passes: path, query and body fields side by side. */
export type Input<E extends EndpointDefinition> = SchemaInput<EndpointSchema<E, 'params'>> &
  SchemaInput<EndpointSchema<E, 'query'>> &
  SchemaInput<EndpointSchema<E, 'body'>>
/** What a handler receives: the same fields, validated and defaulted. */
export type HandlerInput<E extends EndpointDefinition> = SchemaOutput<EndpointSchema<E, 'params'>> &
  SchemaOutput<EndpointSchema<E, 'query'>> &
  SchemaOutput<EndpointSchema<E, 'body'>>
/** What the platform answers. */
export type Output<E extends EndpointDefinition> = z.output<E['output']>
/** What a handler returns: the answer before defaults. */
export type HandlerOutput<E extends EndpointDefinition> = z.input<E['output']>
