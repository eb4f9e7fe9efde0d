import type * as z from 'zod'

/** The forms of `-o`. */
export const forms = ['table', 'json', 'ndjson', 'yaml', 'tsv', 'id'] as const
export type Form = (typeof forms)[number]

/** How a value is shown to people. Machine forms ignore it. */
export type ValueKind = 'text' | 'money' | 'time' | 'status' | 'bool' | 'number' | 'duration'

/** One column of a list, one line of a record. */
export interface Column<T> {
  /** Dot path into the item, or a function of it. Only paths can be named in `--fields`. */
  readonly key: string | ((item: T) => unknown)
  readonly title: string
  /** 1 is never dropped; the highest is dropped first on a narrow terminal. */
  readonly priority: number
  /** Numbers and money stand right unless this says otherwise. */
  readonly align?: 'left' | 'right'
  readonly kind?: ValueKind
  /** May be cut with an ellipsis when there is no room. */
  readonly flexible?: boolean
}

/** How things of one resource are shown to people, and which of their fields identifies them. */
export interface View<T> {
  /** What `-o id` prints: an integer id, a token, a name, a number. */
  readonly id: (item: T) => string | number
  readonly columns: readonly Column<T>[]
  /** A sentence for people when a list is empty; stderr. */
  readonly empty: string
}

/** What is known about the items to print. */
export interface Shape<T> {
  readonly view?: View<T>
  /** Schema of one item: where `--fields` and the columns of tsv come from. */
  readonly schema?: z.ZodType
}

/** What the command line decided about stdout. */
export interface OutputSettings {
  readonly form: Form
  /** `--fields`, dot paths in the order to print. */
  readonly fields?: readonly string[]
  /** False with `--no-header`. */
  readonly header: boolean
  /** Keep times as the platform sent them. */
  readonly utc: boolean
  /** Colour on stdout, as `colourFor` decided. */
  readonly colour: boolean
  /** Whether stdout is a terminal, and its width in cells (0 when unknown). */
  readonly terminal: boolean
  readonly columns: number
  /** Milliseconds since 1970; relative times are told from here. */
  readonly now: number
  /** IANA name; the machine's zone unless given. */
  readonly timeZone?: string
}

/** Text for stdout, and what a narrow terminal left no room for. */
export interface Rendered {
  readonly text: string
  /** Titles of dropped columns. */
  readonly hidden: readonly string[]
}

/** Forms a program reads: `--no-input` is implied, text and times stay as sent. */
export const isMachine = (form: Form): boolean => form !== 'table'
