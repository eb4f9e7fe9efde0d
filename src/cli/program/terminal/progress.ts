import { realTime } from '../../../node/real-time.ts'
import { type Env, isEnabled } from './color.ts'
import { safeLine } from './safe-text.ts'
import type { NodeOutput, Sink } from './streams.ts'

/** Shows progress on stderr. */
export interface Progress {
  /**
   * Shows a spinner with `text` on a terminal until the work settles; the work may change the text. Returns the result
   * of the work or rejects with its error. Work inside other work changes the text of its spinner.
   */
  showWhile<T>(text: string, work: Promise<T> | ((setText: (text: string) => void) => Promise<T>)): Promise<T>
}

interface ProgressOptions {
  readonly stderr: Sink
  /** The Node stream of `stderr`, on which the spinner moves the cursor. */
  readonly stream: NodeOutput
  readonly env: Env
  readonly quiet: boolean
  /** Whether stderr gets color. */
  readonly color: boolean
}

/** Delay in milliseconds before progress is shown: fast work needs no spinner. */
const spinnerDelayMs = 250
const plainDelayMs = 2000

/** Progress that is shown. */
interface ShownProgress {
  setText(text: string): void
  /** Erases it, until the function that it returns is called. */
  pause(): () => void
}

/** The progress on each terminal. A command about two platforms has a context for each of them, and one terminal. */
const shownOn = new WeakMap<Sink, ShownProgress>()

/** Hides the progress on a terminal until the work settles, such as a question. */
export async function withoutProgress<T>(stderr: Sink, work: () => Promise<T>): Promise<T> {
  const resume = shownOn.get(stderr)?.pause()
  try {
    return await work()
  } finally {
    resume?.()
  }
}

/** Creates progress for this terminal: a spinner, a plain line (ACCESSIBLE), or nothing. */
export function createProgress({ stderr, stream, env, quiet, color }: ProgressOptions): Progress {
  const isShown = !quiet && stderr.isTTY && !isEnabled(env.CI)
  const isPlain = isEnabled(env.ACCESSIBLE)

  return {
    showWhile: async (text, work) => {
      const outer = shownOn.get(stderr)
      if (outer) {
        outer.setText(text)
        return typeof work === 'function' ? work(outer.setText) : work
      }
      let shownText = safeLine(text)
      let show = (): void => {}
      let start = (): void => {}
      let stop = (): void => {}
      let isDone = false
      let pauses = 0
      const open = async (): Promise<void> => {
        if (isPlain) return stderr.write(`${shownText}...\n`).catch(() => {})
        const { default: ora } = await import('ora')
        if (isDone) return
        // discardStdin would intercept Ctrl-C. isEnabled overrides the detection of ora.
        const spinner = ora({
          text: shownText,
          stream,
          color: color ? 'cyan' : false,
          discardStdin: false,
          isEnabled: true,
        })
        show = () => {
          spinner.text = shownText
        }
        start = () => void spinner.start()
        stop = () => void spinner.stop()
        if (pauses === 0) start()
      }
      // ora loops forever on a terminal of width 0.
      const canSpin = stderr.columns > 0 && env.TERM !== 'dumb'
      const timer =
        isShown && (isPlain || canSpin)
          ? realTime.setTimeout(() => void open(), isPlain ? plainDelayMs : spinnerDelayMs)
          : undefined
      const setText = (now: string): void => {
        shownText = safeLine(now)
        show()
      }
      const pause = (): (() => void) => {
        pauses += 1
        stop()
        return () => {
          pauses -= 1
          if (pauses === 0 && !isDone) start()
        }
      }
      shownOn.set(stderr, { setText, pause })
      try {
        return await (typeof work === 'function' ? work(setText) : work)
      } finally {
        shownOn.delete(stderr)
        isDone = true
        realTime.clearTimeout(timer)
        stop()
      }
    },
  }
}

/** Shows progress while records are printed, unless they are printed on a terminal and show it themselves. */
export const showUnlessPrinted = <T>(
  {
    system,
    progress,
  }: {
    readonly system: { readonly streams: { readonly stdout: Pick<Sink, 'isTTY'> } }
    readonly progress: Progress
  },
  text: string,
  print: (setText: (text: string) => void) => Promise<T>,
): Promise<T> => (system.streams.stdout.isTTY ? print(() => {}) : progress.showWhile(text, print))
