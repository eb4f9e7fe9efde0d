import { usualWidth, wrap } from '../text.ts'
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

/** Cells that a text needs beside its title; with fewer left it stands below, and so does one with a word that has room only there. */
const leastBeside = 20

/** Aligned `Title  value` lines; what a line of the terminal has no room for, and further lines of a value, stand under its first. */
export async function entryLines(entries: readonly Entry[], { colour, columns }: Pick<OutputSettings, 'colour' | 'columns'>): Promise<string> {
  const styles = await paint(colour)
  const all = columns || usualWidth
  const beside = entries.reduce((most, it) => Math.max(most, width(it.title)), 0) + 2
  return entries
    .map(({ title, text, isStatus }) => {
      const tone = isStatus && colour ? toneOf(text) : undefined
      const word = Math.max(...text.split(/\s/).map(width))
      const isCramped = all - beside < leastBeside && text.split('\n').some((it) => beside + width(it) > all)
      const isBelow = isCramped || (beside + word > all && word + 2 <= all)
      const indent = ' '.repeat(isBelow ? 2 : beside)
      const lead = isBelow ? `\n${indent}` : ' '.repeat(beside - width(title))
      const lines = wrap(text, all, indent, width)
      return `${styles.bold(title)}${lead}${tone ? styles[tone](lines) : lines}`.trimEnd().concat('\n')
    })
    .join('')
}

/** A list on a terminal too narrow for a table: one block for each item, every column in it, nothing cut. */
export async function cards<T>(items: readonly T[], columns: readonly Column<T>[], settings: OutputSettings): Promise<string> {
  const how: Wording = { ...settings, relative: true, lines: false }
  const blocks = items.map((item) =>
    entryLines(
      columns.map((column) => ({ title: column.title, text: worded(valueIn(item, column), column.kind, how), isStatus: column.kind === 'status' })),
      settings,
    ),
  )
  return (await Promise.all(blocks)).join('\n')
}
