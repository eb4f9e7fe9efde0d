import { safeText } from '../terminal/safe-text.ts'
import type { Sink } from '../terminal/streams.ts'
import { addressCommands } from './addressed-commands.ts'
import { columnField, isComposed, knownFields, selectFields, withComposed } from './fields.ts'
import { isDocument, isLineFormat, type ListCut, type OutputSettings, type Shape } from './format.ts'
import { createMemoryCollector } from './memory-collector.ts'
import type { Notes } from './notes.ts'
import {
  documentText,
  idLines,
  jsonLines,
  renderHeader,
  renderList,
  renderRecord,
  renderRows,
  rowColumns,
  withFieldPaths,
} from './render.ts'

/** Writes the result of a run to stdout. */
export interface Output {
  readonly settings: OutputSettings
  /** Prints a list as one document. For people, an empty list is noted on stderr. */
  list(items: readonly object[], shape?: Shape<never>): Promise<void>
  /**
   * Prints pages: immediately for line formats (ndjson, tsv, csv, id), collected into one document otherwise. Returns the
   * number of items.
   */
  pages(pages: AsyncIterable<readonly object[]>, shape?: Shape<never>): Promise<number>
  record(item: object, shape?: Shape<never>): Promise<void>
  /** Whether it prints only some records of a list, so that the number of printed records says nothing about pages. */
  readonly selectsRecords?: true
  /** Whether a result is text for people: a table without `--fields`. Otherwise it is a record. */
  readonly isForPeople: boolean
  /** Prints the result of a command: for people a sentence, or what a function prints for them; the record otherwise. */
  result(item: object, forPeople: string | (() => Promise<unknown>), shape?: Shape<never>): Promise<void>
  /** Prints the output of `--fields help`: one path per line. */
  fields(shape: Shape<never>): Promise<void>
  /** Prints a result line for people. */
  line(text: string): Promise<void>
  /** Prints a result that is JSON for people too. */
  json(value: unknown): Promise<void>
  /** Prints the sentence that says what a write did. It ends with the profile if that is not local: `[staging]`. */
  done(sentence: string): Promise<void>
  /** Whether `done` printed a sentence. */
  hasSentence(): boolean
}

/** What the output of a command knows of its run. */
export interface OutputOptions {
  /** Returns the end of the sentence about a write. */
  readonly profileSuffix?: () => Promise<string>
  /** Flags that select the platform; printed command lines repeat them. */
  readonly platformFlags?: string
  /** Whether a write of the command cannot be undone. JSON records then have `undo: false`. */
  readonly hasLostUndo?: () => boolean
}

/** Creates an output to a sink; `notes` writes to stderr. */
export function createOutput(
  stdout: Sink,
  notes: Notes,
  settings: OutputSettings,
  { profileSuffix = async () => '', platformFlags = '', hasLostUndo = () => false }: OutputOptions = {},
): Output {
  const { jq, format } = settings
  const isForPeople = format === 'table' && !settings.fields
  let hasSentence = false
  const write = async (text: string): Promise<void> => stdout.write(jq ? await jq.apply(text) : text)
  // A shape fits the items that it is passed with.
  const list: Output['list'] = async (all, given = {}) => {
    const shape = given as Shape<object>
    const items = settings.cut ? cutList(all, settings.cut, notes) : all
    const { text, hidden, hasShortIds } = await renderList(items, settings, shape)
    if (!(await settings.page?.(text))) await write(text)
    if (format !== 'table') return
    if (items.length === 0) await notes.note(shape.view?.empty ?? 'Nothing found.')
    if (hasShortIds) await notes.note('Ids are shortened. Commands accept them; --full-ids shows them whole.')
    if (hidden.length > 0)
      await notes.note(`Hidden columns: ${hidden.join(', ')}. Show them with -o json, or choose fields with --fields.`)
  }

  const stream = async <T extends object>(pages: AsyncIterable<readonly T[]>, shape: Shape<T>): Promise<number> => {
    const collect = createMemoryCollector()
    let count = 0
    let shown = settings
    let columns: readonly string[] | undefined
    for await (const page of pages) {
      if (count === 0) shown = withFieldPaths(settings, page, shape)
      const items = withComposed(page, shown.fields, shape)
      count += items.length
      if (format === 'ndjson') await write(jsonLines(shown.fields ? selectFields(items, shown.fields) : items))
      else if (format === 'id') await stdout.write(idLines(items, shown, shape))
      else {
        const isFirst = columns === undefined
        columns ??= rowColumns(items, shown, shape)
        await stdout.write(
          (isFirst && settings.header ? renderHeader(columns, shown) : '') + renderRows(items, columns, shown),
        )
      }
      await collect()
    }
    return count
  }

  const pages: Output['pages'] = async (given, givenShape = {}) => {
    const shape = givenShape as Shape<object>
    if (isLineFormat(format)) return stream(given, shape)
    const all = []
    for await (const items of given) all.push(...items)
    await list(all, shape)
    return all.length
  }
  const record: Output['record'] = async (given, shape) => {
    const isMarked = isDocument(format) && hasLostUndo()
    const item = isMarked ? { ...given, undo: (given as { undo?: unknown }).undo ?? false } : given
    await write(await renderRecord(item, settings, shape as Shape<object> | undefined))
  }
  const line: Output['line'] = (text) => stdout.write(`${safeText(addressCommands(text, platformFlags))}\n`)
  const done: Output['done'] = async (sentence) => {
    hasSentence = true
    await stdout.write(`${safeText(`${addressCommands(sentence, platformFlags)}${await profileSuffix()}`)}\n`)
  }

  return {
    settings,
    isForPeople,
    list,
    pages,
    record,
    async result(item, forPeople, shape) {
      if (!isForPeople) await record(item, shape)
      else if (typeof forPeople === 'string') await done(forPeople)
      else await forPeople()
    },
    async fields(shape) {
      await stdout.write(
        knownFields(shape)
          .map((it) => `${it}\n`)
          .join(''),
      )
      const composed = shape.view?.columns.filter(isComposed).map(columnField) ?? []
      if (composed.length > 0)
        await notes.note(
          `Composed of other fields: ${composed.join(', ')}. Tables show them; other formats have them when --fields names them.`,
        )
    },
    line,
    json: (value) => line(documentText(value, settings)),
    done,
    hasSentence: () => hasSentence,
  }
}

/** Returns the first items of a list for a coding agent, and notes that there are more. */
function cutList(items: readonly object[], { maxItems, commandLine }: ListCut, notes: Notes): readonly object[] {
  if (items.length <= maxItems) return items
  notes.truncated({ shown: maxItems, total: items.length, next: `${commandLine} --all` })
  return items.slice(0, maxItems)
}

/** Prints each item as soon as it is known: for people as a line if `lineOf` is given. */
export async function printEach<T extends object>(
  out: Output,
  items: AsyncIterable<T> | Iterable<T>,
  shape: Shape<never>,
  lineOf?: (item: T) => string,
): Promise<void> {
  if (out.isForPeople && lineOf) for await (const item of items) await out.line(lineOf(item))
  else await out.pages(oneByOne(items), shape)
}

/** Splits items into pages of one. */
async function* oneByOne<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterable<readonly T[]> {
  for await (const item of items) yield [item]
}
