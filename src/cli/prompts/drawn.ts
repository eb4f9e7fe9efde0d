import { confirm, input as inputPrompt, password, search, select } from '@inquirer/prompts'
import type { NodeInput, NodeOutput } from '../output/streams.ts'
import { type Asker, type Choice, Interrupted } from '../prompts.ts'
import { matching } from './matching.ts'

interface Context {
  readonly input: NodeInput
  readonly output: NodeOutput
  readonly signal: AbortSignal
}

const same = (text: string): string => text
const keys = (pairs: [key: string, action: string][]): string => pairs.map(([key, action]) => `${key} ${action}`).join(' • ')
/** The look without colour: the package asks the environment itself, and knows nothing of `--color`. */
const plain = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: same,
    highlight: same,
    key: (text: string) => `<${text}>`,
    disabled: (text: string) => `- ${text}`,
    description: same,
    searchTerm: same,
    keysHelpTip: keys,
  },
} as const

const stops = new Set(['ExitPromptError', 'AbortPromptError', 'CancelPromptError'])

/** Questions redrawn in place, on a terminal that can do so. */
export function createDrawnAsker(input: NodeInput, output: NodeOutput, colour: boolean): Asker {
  const theme = colour ? {} : plain
  const pageSize = 10

  const settle = async <T>(signal: AbortSignal | undefined, ask: (context: Context) => Promise<T>): Promise<T> => {
    const ended = new AbortController()
    let isOpen = true
    // At the end of input (Ctrl-D) the package closes its reader and never settles. A reader paused by Ctrl-Z is still raw once it is back.
    const onPause = (): void => {
      setImmediate(() => {
        if (!isOpen) return
        if (input.isRaw) input.resume()
        else ended.abort()
      })
    }
    input.on('pause', onPause)
    try {
      return await ask({ input, output, signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal })
    } catch (error) {
      throw error instanceof Error && stops.has(error.name) ? new Interrupted(error) : error
    } finally {
      isOpen = false
      input.removeListener('pause', onPause)
    }
  }

  return {
    confirm: (message, signal) => settle(signal, (context) => confirm({ message, default: false, theme }, context)),
    select: (message, choices, searchable, signal) =>
      settle(signal, (context) =>
        searchable ? searchIn(choices, { message, theme, pageSize }, context) : select({ message, theme, pageSize, choices }, context),
      ),
    input: (message, { mask, validate = () => true, default: preset }, signal) =>
      settle(signal, async (context) => {
        if (mask) return (await password({ message, mask: true, validate, theme }, context)) || (preset ?? '')
        return inputPrompt({ message, validate, theme, ...(preset !== undefined && { default: preset }) }, context)
      }),
    password: (message, signal) => settle(signal, (context) => password({ message, theme }, context)),
  }
}

/**
 * Typing narrows the choices. When keys come faster than the list is drawn (typed ahead, pasted), the package takes Enter for the choice pointed at
 * before them, and then shows the one after them: here the one that is shown counts.
 */
async function searchIn<T>(choices: readonly Choice<T>[], look: { message: string; theme: object; pageSize: number }, context: Context): Promise<T> {
  let listed = choices
  let isBehind = false
  let shown: Choice<T> | undefined
  const answer = await search(
    {
      ...look,
      source: (typed) => {
        listed = matching(choices, typed ?? '')
        isBehind = true
        setImmediate(() => {
          isBehind = false
        })
        return listed
      },
      validate: async () => {
        shown = undefined
        if (!isBehind) return true
        await new Promise((done) => setImmediate(done))
        shown = listed.find((it) => !it.disabled)
        return shown !== undefined || 'Nothing matches.'
      },
    },
    context,
  )
  return shown ? shown.value : answer
}
