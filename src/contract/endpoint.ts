import type * as z from 'zod'
import type { Capability } from './capabilities.ts'
import type { FailureName } from './errors.ts'

/** What a call can do to the world; decides what consent the terminal asks for. */
export type Risk = 'read' | 'write' | 'destructive' | 'severe' | 'outside' | 'spends'

/** Which credential a call carries: an API key, nothing (section 5.3), or the local platform's control token. */
export type Auth = 'key' | 'none' | 'control'

/** The `message` of a 422: the specification words it per endpoint; `first` repeats the first field's text. */
export type Rejection = 'Validation failed' | 'The given data was invalid.' | 'first'

/** At most `max` requests are let through in any span of `seconds`, per account over all its keys and all processes. Endpoints that name the same one share it. */
export interface RateLimit {
  readonly name: string
  readonly max: number
  readonly seconds: number
}

export interface Definition {
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
  readonly rejects?: Rejection
  /** The refusal that names fields nobody knows, where the endpoint has one of its own; `{fields}` in its text stands for them. */
  readonly unknown?: FailureName
  /** For lists: the property that holds the items; `''` when the answer is a bare array. */
  readonly items?: string
  /** For lists that answer with one thing where that is asked for: the property that holds it. */
  readonly alone?: string
  /** For lists with the page envelope of section 4.8. */
  readonly paged?: boolean
  /** For answers about one thing: the property that holds it; absent when the answer is the thing. */
  readonly record?: string
  /**
   * What a success has to say for anybody to believe it, by its path: an id (a number or a text that is not empty), any text, a list, or the
   * value of an input field, digit for digit. A spend whose answer lacks it is one whose outcome is not known.
   */
  readonly proof?: Readonly<Record<string, 'id' | 'text' | 'list' | { readonly asked: string }>>
  /** Fields of the record that an update takes and ignores although its own answer does not have them: what was read can be sent back. */
  readonly ignores?: readonly string[]
}

/** A definition with its name, `<resource>.<verb>`: the same word for handler, command, file and test. */
export type Endpoint = Definition & { readonly name: string }

export type Named<T extends Record<string, Definition>> = {
  readonly [K in keyof T]: T[K] & { readonly name: string }
}

/** Declares the endpoints of one resource and stamps each with its name. */
export function resource<const T extends Record<string, Definition>>(name: string, table: T): Named<T> {
  const entries = Object.entries(table).map(([verb, it]) => [verb, { ...it, name: `${name}.${verb}` }])
  return Object.fromEntries(entries) as Named<T>
}

type In<S> = S extends z.ZodType ? z.input<S> : unknown
type Out<S> = S extends z.ZodType ? z.output<S> : unknown
type Part<E, K extends string> = E extends { readonly [P in K]: infer S } ? S : undefined

/** What a caller passes: path, query and body fields side by side. */
export type Input<E extends Definition> = In<Part<E, 'params'>> & In<Part<E, 'query'>> & In<Part<E, 'body'>>
/** What a handler receives: the same fields, validated and defaulted. */
export type Parsed<E extends Definition> = Out<Part<E, 'params'>> & Out<Part<E, 'query'>> & Out<Part<E, 'body'>>
/** What the platform answers. */
export type Output<E extends Definition> = z.output<E['output']>
/** What a handler returns: the answer before defaults. */
export type Answer<E extends Definition> = z.input<E['output']>
