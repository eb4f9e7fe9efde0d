import type * as z from 'zod'
import type { Jq } from './jq.ts'

/** Output formats of `-o`. Profiles, projects and scripts of users have these words: they are added, not renamed. */
export const formats = ['table', 'json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'] as const
export type Format = (typeof formats)[number]

/**
 * Format of a value for people. Machine formats ignore it. `time` is a time of the platform, whose clock may be moved;
 * `computer_time` is one of this computer. Values of `status`, which has a color, and `choice` are shown as words.
 */
export type ValueKind =
  | 'text'
  | 'money'
  | 'time'
  | 'computer_time'
  | 'status'
  | 'choice'
  | 'bool'
  | 'number'
  | 'duration'

/** One column of a list, or one line of a record. */
export interface Column<T> {
  /** Dot path into the item, or a function of it. */
  readonly key: string | ((item: T) => unknown)
  /**
   * Dot path that the title names in `--fields`, `--filter` and `--sort`, where `key` is a function. Without it the title
   * names what the function returns.
   */
  readonly field?: string
  readonly title: string
  /** 1 is never dropped; the highest is dropped first on a narrow terminal. */
  readonly priority: number
  /** Default: right for numbers and money, left otherwise. */
  readonly align?: 'left' | 'right'
  readonly kind?: ValueKind
  /** May be truncated with an ellipsis. */
  readonly flexible?: boolean
}

/** Minimum number of characters that a shortened id has, and that commands accept as the beginning of one. */
export const leastIdLength = 8

/**
 * Describes how records of a resource are shown to people, and the field that identifies them. Titles and columns may change:
 * scripts read JSON, which has the record itself, or `-o id`. A column whose `key` is a function without a `field` is an exception:
 * its title is its name in `--fields`, `--filter` and `--sort`, which scripts have.
 */
export interface View<T> {
  /** Returns the output of `-o id`: an id, token, name or number. */
  readonly id: (item: T) => string | number
  readonly columns: readonly Column<T>[]
  /** Commands accept the beginning of an id, so that a narrow table may shorten ids. */
  readonly hasLongIds?: true
  /** A sentence for an empty list, printed on stderr. */
  readonly empty: string
}

/** View and schema of the items to print. */
export interface Shape<T> {
  readonly view?: View<T> | undefined
  /** Schema of one item, the source of `--fields` and of the tsv columns. */
  readonly schema?: z.ZodType
}

/** Returns the view of records without columns, which people read as a sentence or as all fields. */
export const idView = <T>(id: View<T>['id']): View<T> => ({ id, columns: [], empty: '' })

/** Returns the shape of a list of which only the records that match are printed. */
export const ofMatches = <T>(shape: Shape<T>): Shape<T> =>
  shape.view ? { ...shape, view: { ...shape.view, empty: 'No matching records.' } } : shape

/** How a list is cut that a coding agent reads whole. */
export interface ListCut {
  /** Infinity for formats that are never cut. */
  readonly maxItems: number
  /** The command line that printed it, to continue with further flags. */
  readonly commandLine: string
}

/** Output settings from the command line. */
export interface OutputSettings {
  readonly format: Format
  /** `--fields`, dot paths in the order to print. */
  readonly fields?: readonly string[]
  /** False with `--no-header`. */
  readonly header: boolean
  /** `--safe`: cells of tsv and csv are never formulas of a spreadsheet. */
  readonly safe?: boolean
  /** Whether JSON documents are indented. */
  readonly isIndented: boolean
  /** Keep times as the platform sent them. */
  readonly utc: boolean
  /** Color on stdout, as `colorFor` decided. */
  readonly color: boolean
  /** Whether stdout is a terminal, and its width in cells (0 when unknown). */
  readonly terminal: boolean
  readonly columns: number
  /** `--full-ids`: never shorten ids. */
  readonly fullIds?: boolean
  /** The time of the platform in milliseconds since 1970; the reference for relative times of its records. */
  readonly now: number
  /** The same of this computer. */
  readonly computerNow: number
  /** Filters the JSON documents of `--jq`. */
  readonly jq?: Jq
  /** How lists for a coding agent are cut. Undefined otherwise, and where the command line chooses how much to print. */
  readonly cut?: ListCut | undefined
  /** Shows a table in a pager. Returns false if it was not shown. */
  readonly page?: ((text: string) => Promise<boolean>) | undefined
  /** IANA time zone (default: that of the machine). */
  readonly timeZone?: string
}

/** Text for stdout, and the dropped columns. */
export interface Rendered {
  readonly text: string
  /** Titles of dropped columns. */
  readonly hidden: readonly string[]
  /** Whether ids were shortened. */
  readonly hasShortIds?: boolean
}

/** Returns whether the format is for programs: implies `--no-input`, and text and times are unchanged. */
export const isMachine = (format: Format): boolean => format !== 'table'

/** Returns whether results and errors are documents for programs. */
export const isDocument = (format: Format): boolean => format === 'json' || format === 'ndjson' || format === 'yaml'

/** Returns whether the format has one line per item, printed as items arrive. */
export const isLineFormat = (format: Format): boolean =>
  format === 'ndjson' || format === 'tsv' || format === 'csv' || format === 'id'
