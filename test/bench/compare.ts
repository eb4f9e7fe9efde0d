import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from './measurements.ts'

/** The committed record that `--compare` compares with. */
export const recordFile = join(import.meta.dirname, 'record.json')

/** Figure of the record. */
export interface Recorded {
  readonly section: string
  readonly what: string
  readonly value: number
}

/** Figure that is worse than the record. */
export interface Worse extends Recorded {
  readonly recorded: number
  /** How many times worse: 1.2 is 20 % worse. */
  readonly factor: number
}

/** A figure is worse above this factor. Medians of rounds in turns differ less on an unchanged program. */
const maxFactor = 1.15

const keyOf = ({ section, what }: Recorded): string => `${section}: ${what.trim()}`

/** Returns whether a smaller value is better. */
const isSmallerBetter = ({ unit, budget }: Figure): boolean => (budget ? budget.is === 'max' : unit !== '/s')

/**
 * Returns the figures that are more than 15 % worse than in the record, the worst first, and how many were compared. Only
 * ratios are compared: other figures depend on the machine and its load.
 */
export function compareFigures(
  figures: readonly Figure[],
  record: readonly Recorded[],
): { readonly compared: number; readonly worse: readonly Worse[] } {
  const values = new Map(record.map((it) => [keyOf(it), it.value]))
  const found = figures.flatMap((figure): Worse[] => {
    const recorded = values.get(keyOf(figure))
    if (figure.unit !== 'x' || recorded === undefined) return []
    const factor = isSmallerBetter(figure) ? figure.value / recorded : recorded / figure.value
    return [{ section: figure.section, what: figure.what.trim(), value: figure.value, recorded, factor }]
  })
  const worse = found.filter((it) => !(it.factor <= maxFactor)).sort((a, b) => b.factor - a.factor)
  return { compared: found.length, worse }
}

/** Reads the record. Returns an empty one if there is none. */
export const readRecord = (file = recordFile): readonly Recorded[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { figures: readonly Recorded[] }).figures : []

/** Replaces the figures of the measured sections in the record by the ratios that were measured. */
export function writeRecord(figures: readonly Figure[], file = recordFile): void {
  const sections = new Set(figures.map((it) => it.section))
  const others = readRecord(file).filter((it) => !sections.has(it.section))
  const measured = figures
    .filter((it) => it.unit === 'x')
    .map(({ section, what, value }) => ({ section, what: what.trim(), value: Math.round(value * 100) / 100 }))
  writeFileSync(file, `${JSON.stringify({ figures: [...others, ...measured] }, null, 2)}\n`)
}

/** Formats the result of a comparison for people. */
export function describeComparison({ compared, worse }: ReturnType<typeof compareFigures>): string {
  if (compared === 0) return 'The record has no figure of these sections. Create it with --record.'
  const lines = worse.map(
    (figure) =>
      `  ${figure.section}: ${figure.what}  ${figure.value.toFixed(2)}, recorded ${figure.recorded.toFixed(2)} (${Math.round((figure.factor - 1) * 100)} % worse)`,
  )
  return [`${worse.length} of ${compared} ratios are more than 15 % worse than the record.`, ...lines].join('\n')
}
