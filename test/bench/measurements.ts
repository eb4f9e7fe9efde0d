/** Measured figure with its budget. */
export interface Figure {
  readonly section: string
  readonly what: string
  readonly value: number
  /** `x`: multiples of the floor of the same run. */
  readonly unit: 'x' | 'MB' | 'us' | 'ms' | 's' | '/s' | 'bytes'
  /** Range of the middle half of the rounds. */
  readonly spread?: readonly [number, number]
  /** What an earlier version measured on a machine of the same size; only the order of magnitude is comparable. */
  readonly before?: number | undefined
  /** Bound, and whether it is an upper or lower one. */
  readonly budget?: { readonly at: number; readonly is: 'max' | 'min' }
}

/** Returns the value below which `part` (0 to 1) of the values are. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Returns the median of values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/**
 * Returns the ratio of a subject to its floor: that of the medians, and the middle half of the ratios of the rounds,
 * which ran in turns.
 */
export function ratio(subject: readonly number[], floor: readonly number[]): Pick<Figure, 'value' | 'unit' | 'spread'> {
  const rounds = subject.map((it, n) => it / (floor[n] ?? Number.NaN))
  return { value: median(subject) / median(floor), unit: 'x', spread: [quantile(rounds, 0.25), quantile(rounds, 0.75)] }
}

/** Returns a budget with an upper bound. */
export const limit = (at: number): NonNullable<Figure['budget']> => ({ at, is: 'max' })
/** Returns a budget with a lower bound. */
export const least = (at: number): NonNullable<Figure['budget']> => ({ at, is: 'min' })

/** Returns whether a figure is within its budget; undefined without one. */
export function verdict({ value, budget }: Figure): 'ok' | 'MISS' | undefined {
  if (!budget) return undefined
  return (budget.is === 'max' ? value <= budget.at : value >= budget.at) ? 'ok' : 'MISS'
}

const shown = (value: number, unit: Figure['unit']): string =>
  unit === '/s' || unit === 'bytes' ? value.toFixed(0) : value.toFixed(unit === 'x' ? 2 : 1)

/** Formats a figure as a line: name, figure, middle half of the rounds, budget, verdict. */
export function line(figure: Figure): string {
  const { what, value, unit, spread, budget, before } = figure
  const middle = spread ? `${shown(spread[0], unit)}-${shown(spread[1], unit)}` : ''
  const bound = budget ? `${budget.is === 'max' ? '<=' : '>='} ${budget.at}` : ''
  return `  ${what.padEnd(46)}${`${shown(value, unit)} ${unit}`.padStart(10)}  ${middle.padEnd(14)}${bound.padEnd(9)}${(verdict(figure) ?? '').padEnd(5)}${before === undefined ? '' : `was ${before}`}`.trimEnd()
}
