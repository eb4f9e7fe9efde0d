import {
  type Choice,
  Interrupted,
  NeedsTerminal,
  type PromptOptions,
  type Prompts,
} from '../../src/cli/program/prompts/prompts.ts'

type Given = boolean | string | RegExp | typeof ctrlC

/**
 * Part of a question, and the answer: true or false, typed text, part of a choice's name, or Ctrl-C. A function is
 * called while the question is open, and returns the answer.
 */
export type Answer = readonly [question: string | RegExp, answer: Given | (() => Promise<Given> | Given)]

export const ctrlC = Symbol('Ctrl-C')

export interface ScriptedPrompts {
  open(options: PromptOptions): Prompts
  /** Throws if a question had no answer, or an answer no question. */
  check(argv: readonly string[]): void
}

const matches = (text: string, part: string | RegExp): boolean =>
  typeof part === 'string' ? text.includes(part) : part.test(text)

/** Creates prompts that are answered by a script. `asked` receives every question. */
export function scripted(answers: readonly Answer[], asked: string[]): ScriptedPrompts {
  const left = [...answers]
  const problems: string[] = []
  const fail = (text: string): never => {
    problems.push(text)
    throw new Error(text)
  }

  async function next(question: string, kind: string): Promise<boolean | string | RegExp> {
    const [part, given] = left[0] ?? fail(`Nobody answers "${question}".`)
    if (!matches(question, part)) fail(`"${question}" was asked, and not ${part}.`)
    left.shift()
    const answer = typeof given === 'function' ? await given() : given
    if (typeof answer === 'symbol') throw new Interrupted()
    if ((kind === 'confirm') !== (typeof answer === 'boolean'))
      fail(`"${question}" is a ${kind} and cannot be answered with ${answer}.`)
    return answer
  }

  function open({ streams, interactive }: PromptOptions): Prompts {
    const possible = interactive && streams.stdin.isTTY && streams.stderr.isTTY
    const put = (question: string, names = ''): void => {
      if (!possible) throw new NeedsTerminal(question)
      asked.push(question + names)
    }
    return {
      isAvailable: possible,
      async confirm(question) {
        put(question)
        return (await next(question, 'confirm')) as boolean
      },
      async select<T>(question: string, choices: readonly Choice<T>[]) {
        put(question, choices.map((it) => `\n${it.name}`).join(''))
        const answer = (await next(question, 'select')) as string | RegExp
        const found = choices.filter((it) => matches(it.name, answer))
        return (found[0] ?? fail(`"${question}" has no choice ${answer}: ${choices.map((it) => it.name).join(', ')}`))
          .value
      },
      async input(question, { validate = () => true, default: preset = '' } = {}) {
        put(question)
        for (;;) {
          const answer = String(await next(question, 'input')) || preset
          const verdict = await validate(answer)
          if (verdict === true) return answer
          asked.push(String(verdict))
        }
      },
      async password(question) {
        put(question)
        return String(await next(question, 'password'))
      },
      async confirmName(message, name) {
        const question = `${message} Type ${name} to confirm:`
        put(question)
        return (await next(question, 'name')) === name
      },
    }
  }

  return {
    open,
    check(argv) {
      for (const [part] of left) problems.push(`"${part}" was never asked.`)
      if (problems.length > 0) throw new Error(`parley ${argv.join(' ')}: ${problems.join(' ')}`)
    },
  }
}
