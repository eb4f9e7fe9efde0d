import { paint } from './colour.ts'
import { valueIn } from './columns.ts'
import type { Column, OutputSettings } from './form.ts'
import { toneOf, type Wording, worded } from './value.ts'
import { width } from './width.ts'

/** A title and its value, the value possibly of several lines. */
export interface Entry {
  readonly title: string
  readonly text: string
  readonly isStatus: boolean
}

/** Aligned `Title  value` lines; further lines of a value stand under its first. */
export async function entryLines(entries: readonly Entry[], colour: boolean): Promise<string> {
  const styles = await paint(colour)
  const widest = entries.reduce((most, it) => Math.max(most, width(it.title)), 0)
  return entries
    .map(({ title, text, isStatus }) => {
      const tone = isStatus && colour ? toneOf(text) : undefined
      const shown = tone ? styles[tone](text) : text.replaceAll('\n', `\n${' '.repeat(widest + 2)}`)
      return `${styles.bold(title)}${' '.repeat(widest - width(title) + 2)}${shown}`.trimEnd().concat('\n')
    })
    .join('')
}

/** A list on a terminal too narrow for a table: one block for each item, every column in it, nothing cut. */
export async function cards<T>(items: readonly T[], columns: readonly Column<T>[], settings: OutputSettings): Promise<string> {
  const how: Wording = { ...settings, relative: false, lines: false }
  const blocks = items.map((item) =>
    entryLines(
      columns.map((column) => ({ title: column.title, text: worded(valueIn(item, column), column.kind, how), isStatus: column.kind === 'status' })),
      settings.colour,
    ),
  )
  return (await Promise.all(blocks)).join('\n')
}
