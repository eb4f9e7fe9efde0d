import { formatDuration } from '../../../contract/values/duration.ts'
import { realTime } from '../../../node/real-time.ts'
import { type Env, isEnabled } from '../../program/terminal/color.ts'
import type { Sink } from '../../program/terminal/streams.ts'
import { textWidth } from '../../program/terminal/text-width.ts'

/** Progress of a run at one moment. Events of ndjson of the type `progress` have these fields: they are added, not renamed. */
export interface ProgressSnapshot {
  /** Rows that need no more work, including those of earlier runs. */
  readonly settled: number
  readonly all: number
  /** Rows per second of this run. */
  readonly rate: number
  readonly failed: number
  readonly unknown: number
}

/** Formats a count with thousands separators. */
export const formatCount = (n: number): string => n.toLocaleString('en')

const formatRate = (rate: number): string => `${rate >= 10 ? formatCount(Math.round(rate)) : rate.toFixed(1)}/s`

/** Formats the progress as one line of text. */
function progressLine(doing: string, { settled, all, rate, failed, unknown }: ProgressSnapshot): string {
  const left = rate > 0 && settled < all ? `, ${formatDuration((all - settled) / rate)} left` : ''
  const wrong = `${failed > 0 ? `, ${formatCount(failed)} failed` : ''}${unknown > 0 ? `, ${formatCount(unknown)} unknown` : ''}`
  const part = all === 0 ? 100 : Math.floor((settled / all) * 100)
  return `${doing} ${formatCount(settled)} of ${formatCount(all)} (${part} %), ${formatRate(rate)}${left}${wrong}`
}

/** Formats the progress with a bar in front if the terminal is wide enough. */
function barLine(doing: string, progress: ProgressSnapshot, columns: number, isAscii: boolean): string {
  const words = progressLine(doing, progress)
  const room = Math.min(40, columns - 1 - textWidth(words) - 2)
  if (room < 10) return words.slice(0, Math.max(0, columns - 1))
  const full = progress.all === 0 ? room : Math.floor((progress.settled / progress.all) * room)
  return `${(isAscii ? '#' : '█').repeat(full)}${(isAscii ? '.' : '░').repeat(room - full)}  ${words}`
}

/** Progress that is on the terminal now. Clear it before other output is written. */
interface ShownProgress {
  /** Erases the bar so that other output can be written. The next tick draws it again. */
  clear(): void
  stop(): void
}

/** What a progress display shows, and where. `doing` is its text, `snapshot` its figures at any time. */
interface BarOptions {
  readonly stderr: Sink
  readonly env: Env
  readonly doing: string
  readonly snapshot: () => ProgressSnapshot
  /** Hides all progress. */
  readonly quiet: boolean
  /** Milliseconds between progress lines if no bar can be drawn. */
  readonly heartbeatMs?: number
}

/**
 * Shows a bar that is redrawn ten times a second. Without a terminal, in CI or in accessible mode it prints a line at
 * intervals.
 */
export function showProgress({ stderr, env, doing, snapshot, quiet, heartbeatMs = 10_000 }: BarOptions): ShownProgress {
  if (quiet) return { clear() {}, stop() {} }
  const canDraw =
    stderr.isTTY && stderr.columns > 0 && env.TERM !== 'dumb' && !isEnabled(env.CI) && !isEnabled(env.ACCESSIBLE)
  const writeText = (text: string): void => void stderr.write(text).catch(() => {})
  if (!canDraw) {
    const timer = realTime.setInterval(() => writeText(`${progressLine(doing, snapshot())}\n`), heartbeatMs)
    return { clear() {}, stop: () => realTime.clearInterval(timer) }
  }
  const isAscii = env.LANG !== undefined && !/utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG)
  let isDrawn = false
  const clear = (): void => {
    if (isDrawn) writeText('\r\x1b[K')
    isDrawn = false
  }
  const draw = (): void => {
    writeText(`\r${barLine(doing, snapshot(), stderr.columns, isAscii)}\x1b[K`)
    isDrawn = true
  }
  const timer = realTime.setInterval(draw, 100)
  return {
    clear,
    stop() {
      realTime.clearInterval(timer)
      clear()
    },
  }
}
