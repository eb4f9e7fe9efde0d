import { shellQuote } from '../../../client/requests/shell-quote.ts'
import { stringifyJson } from '../../../node/json.ts'

/** The answer to a prompt in the form of a command-line argument or flag. */
export type PromptAnswer =
  /** An argument; it replaces flags that only narrowed the choices. */
  | { readonly argument: string; readonly replacedFlags?: readonly string[] }
  /** A flag, with a value if it takes one. Secret values are not shown. */
  | { readonly flag: string; readonly value?: string; readonly isSecret?: true }

interface AnswerLog {
  readonly promptAnswers: PromptAnswer[]
}

/** Records that a prompt supplied the argument. */
export function recordArgument({ promptAnswers }: AnswerLog, value: string | number): void {
  promptAnswers.push({ argument: String(value) })
}

/** Records that a prompt supplied a flag, given with its dashes. */
export function recordFlag({ promptAnswers }: AnswerLog, flag: string, value?: unknown): void {
  promptAnswers.push(
    value === undefined
      ? { flag }
      : {
          flag,
          value: typeof value === 'string' ? value : typeof value === 'object' ? stringifyJson(value) : String(value),
        },
  )
}

/**
 * Records a secret flag: the command reads it from a shell variable. `prefix` precedes the variable, such as
 * `api_key=`.
 */
export function recordSecretFlag({ promptAnswers }: AnswerLog, flag: string, name: string, prefix = ''): void {
  promptAnswers.push({ flag, value: `${prefix}$${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`, isSecret: true })
}

/** Removes flags and their values from the words of a command line. */
const withoutFlags = (rest: readonly string[], flags: readonly string[]): string[] =>
  rest.filter((word, n) => !flags.some((flag) => word === flag || word.startsWith(`${flag}=`) || rest[n - 1] === flag))

/** Returns the equivalent command without prompts: command words, given arguments, then the answers. */
export function equivalentCommand(words: string, rest: readonly string[], answers: readonly PromptAnswer[]): string {
  const argument = answers.flatMap((it) => ('argument' in it ? [shellQuote(it.argument)] : []))
  const flags = answers.flatMap((answer) => {
    if ('argument' in answer) return []
    if (answer.value === undefined) return [answer.flag]
    return [answer.flag, answer.isSecret ? `"${answer.value}"` : shellQuote(answer.value)]
  })
  const superseded = answers.flatMap((it) => ('argument' in it ? (it.replacedFlags ?? []) : []))
  const shown = withoutFlags(rest, superseded).map((word, n, all) =>
    all[n - 1] === '--header' || word.startsWith('--header=') ? withoutHeaderValue(word) : shellQuote(word),
  )
  return ['parley', words, ...argument, ...shown, ...flags].join(' ')
}

/** Replaces the value of a header, which may be a secret, by a shell variable: `"X-Api-Key: $X_API_KEY"`. */
const withoutHeaderValue = (word: string): string =>
  word.replace(/^(--header=)?([\w-]*).*$/s, (_, flag = '', name: string) => {
    const variable = name.toUpperCase().replaceAll('-', '_')
    return `${flag}"${name}: $${variable}"`
  })
