import { input as inputPrompt, password, search, select } from '@inquirer/prompts'
import { isError } from '../../../node/is-error.ts'
import { realTime } from '../../../node/real-time.ts'
import { withAnySignal } from '../../../node/time-limit.ts'
import type { NodeInput, NodeOutput } from '../terminal/streams.ts'
import { textWidth, truncateText } from '../terminal/text-width.ts'
import { defaultWidth } from '../terminal/wrap-text.ts'
import { filterChoices } from './choices.ts'
import { KeyReader } from './key-reader.ts'
import { type Choice, Interrupted, type Prompter } from './prompts.ts'

interface Context {
  readonly input: NodeInput
  readonly output: NodeOutput
  readonly signal: AbortSignal
}

const unchanged = (text: string): string => text
const keysHelp = (pairs: [key: string, action: string][]): string =>
  pairs.map(([key, action]) => `${key} ${action}`).join(' • ')
/** Theme without color: the package reads the environment and does not know `--color`. */
const plainTheme = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: unchanged,
    message: unchanged,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: unchanged,
    highlight: unchanged,
    key: (text: string) => `<${text}>`,
    disabled: (text: string) => `- ${text}`,
    description: unchanged,
    searchTerm: unchanged,
    keysHelpTip: keysHelp,
  },
} as const

const cancelErrorNames = new Set(['ExitPromptError', 'AbortPromptError', 'CancelPromptError'])

/** Creates prompts that are redrawn in place, for capable terminals. */
export function createInquirerPrompter(input: NodeInput, output: NodeOutput, color: boolean): Prompter {
  const theme = color ? {} : plainTheme
  const pageSize = 10

  const runPrompt = async <T>(signal: AbortSignal | undefined, ask: (context: Context) => Promise<T>): Promise<T> => {
    const ended = new AbortController()
    const keys = new KeyReader(input)
    let isOpen = true
    // At the end of input (Ctrl-D) the package closes its reader and never settles. A reader paused by Ctrl-Z is still
    // raw once it is back.
    const onPause = (): void => {
      realTime.setImmediate(() => {
        if (!isOpen) return
        if (keys.isRaw) keys.resume()
        else ended.abort()
      })
    }
    keys.on('pause', onPause)
    try {
      return await withAnySignal([signal, ended.signal], (either) => ask({ input: keys, output, signal: either }))
    } catch (error) {
      throw isError(error) && cancelErrorNames.has(error.name) ? new Interrupted(error) : error
    } finally {
      isOpen = false
      keys.close()
    }
  }

  return {
    // The package accepts every text that starts with y as yes.
    confirm: (message, signal) =>
      runPrompt(signal, async (context) => {
        const transformer = (typed: string, { isFinal }: { isFinal: boolean }): string =>
          isFinal ? (isYes(typed) ? 'Yes' : 'No') : typed
        return isYes(await inputPrompt({ message: `${message} (y/N)`, transformer, theme }, context))
      }),
    select: async (message, choices, searchable, signal) => {
      // One line per choice: wrapped lines make the list jump when it is scrolled. The selected choice is shown in
      // full.
      const listed = <T>(all: readonly Choice<T>[]) =>
        all.map((it) => ({ ...it, short: it.name, name: shortenChoice(it.name, (output.columns || defaultWidth) - 3) }))
      return runPrompt(signal, (context) =>
        searchable
          ? search(
              { message, theme, pageSize, source: (typed) => listed(filterChoices(choices, typed ?? '')) },
              context,
            )
          : select({ message, theme, pageSize, choices: listed(choices) }, context),
      )
    },
    input: (message, { mask, validate = () => true, default: preset }, signal) =>
      runPrompt(signal, async (context) => {
        if (mask) return (await password({ message, mask: true, validate, theme }, context)) || (preset ?? '')
        return inputPrompt({ message, validate, theme, ...(preset !== undefined && { default: preset }) }, context)
      }),
    password: (message, signal) => runPrompt(signal, (context) => password({ message, theme }, context)),
  }
}

const isYes = (typed: string): boolean => /^\s*y(es)?\s*$/i.test(typed)

/** Parentheses at the end of a choice, such as its id. */
const bracketSuffix = / \([^()]*\)$/

/** Shortens a choice to `cells`: truncates the name and preserves the text in parentheses after it. */
function shortenChoice(name: string, cells: number): string {
  if (textWidth(name) <= cells) return name
  const [end = ''] = bracketSuffix.exec(name) ?? []
  const room = cells - textWidth(end)
  return room < 10 ? truncateText(name, cells) : truncateText(name.slice(0, name.length - end.length), room) + end
}
