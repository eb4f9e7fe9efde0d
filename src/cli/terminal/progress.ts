import { type Env, isEnabled } from './colour.ts'
import { safeLine } from './safe-text.ts'
import type { NodeOutput, Sink } from './streams.ts'

/** Says that something is going on, on stderr. */
export interface Progress {
  /** Waits for the work with a spinner beside `text` where there is a terminal for it; the work may change the text. Gives back what the work gives, failures included. */
  showWhile<T>(text: string, work: Promise<T> | ((setText: (text: string) => void) => Promise<T>)): Promise<T>
}

export interface ProgressOptions {
  readonly stderr: Sink
  /** The stream under `stderr`: a spinner moves the cursor on it. */
  readonly stream: NodeOutput
  readonly env: Env
  readonly quiet: boolean
  /** Whether stderr gets colour. */
  readonly colour: boolean
}

/** Milliseconds before anything shows: what is quick needs no spinner, and should not pay for loading one. */
const spinnerDelayMs = 250
const plainDelayMs = 2000

/** Progress as this terminal can take it: a spinner, one plain line (ACCESSIBLE), or nothing at all. */
export function createProgress({ stderr, stream, env, quiet, colour }: ProgressOptions): Progress {
  const isShown = !quiet && stderr.isTTY && !isEnabled(env.CI)
  const isPlain = isEnabled(env.ACCESSIBLE)

  return {
    showWhile: async (text, work) => {
      let shownText = safeLine(text)
      let show = (): void => {}
      let stop = (): void => {}
      let isDone = false
      const start = async (): Promise<void> => {
        if (isPlain) return stderr.write(`${shownText}...\n`).catch(() => {})
        const { default: ora } = await import('ora')
        if (isDone) return
        // discardStdin would take over Ctrl-C. isEnabled: the decision is made here, ora would make another one.
        const spinner = ora({
          text: shownText,
          stream,
          color: colour ? 'cyan' : false,
          discardStdin: false,
          isEnabled: true,
        }).start()
        show = () => {
          spinner.text = shownText
        }
        stop = () => spinner.stop()
      }
      // A terminal of no width makes ora loop for ever.
      const canSpin = stderr.columns > 0 && env.TERM !== 'dumb'
      const timer =
        isShown && (isPlain || canSpin)
          ? setTimeout(() => void start(), isPlain ? plainDelayMs : spinnerDelayMs)
          : undefined
      try {
        return await (typeof work === 'function'
          ? work((now) => {
              shownText = safeLine(now)
              show()
            })
          : work)
      } finally {
        isDone = true
        clearTimeout(timer)
        stop()
      }
    },
  }
}
