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

/** Creates progress for this terminal: a spinner, a plain line (ACCESSIBLE), or nothing. */
export function createProgress({ stderr, stream, env, quiet, color }: ProgressOptions): Progress {
  const isShown = !quiet && stderr.isTTY && !isEnabled(env.CI)
  const isPlain = isEnabled(env.ACCESSIBLE)

  let setOuterText: ((text: string) => void) | undefined

  return {
    showWhile: async (text, work) => {
      if (setOuterText) {
        setOuterText(text)
        return typeof work === 'function' ? work(setOuterText) : work
      }
      let shownText = safeLine(text)
      let show = (): void => {}
      let stop = (): void => {}
      let isDone = false
      const start = async (): Promise<void> => {
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
        }).start()
        show = () => {
          spinner.text = shownText
        }
        stop = () => spinner.stop()
      }
      // ora loops forever on a terminal of width 0.
      const canSpin = stderr.columns > 0 && env.TERM !== 'dumb'
      const timer =
        isShown && (isPlain || canSpin)
          ? realTime.setTimeout(() => void start(), isPlain ? plainDelayMs : spinnerDelayMs)
          : undefined
      setOuterText = (now) => {
        shownText = safeLine(now)
        show()
      }
      try {
        return await (typeof work === 'function' ? work(setOuterText) : work)
      } finally {
        setOuterText = undefined
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
