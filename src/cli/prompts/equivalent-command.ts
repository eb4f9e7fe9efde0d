/** What somebody answered to a question, as the command line would have said it. */
export type PromptAnswer =
  /** `instead` of flags that only said what to choose from. */
  | { readonly argument: string; readonly replacedFlags?: readonly string[] }
  /** Without a value the flag stands alone; a secret one is not shown. */
  | { readonly flag: string; readonly value?: string; readonly isSecret?: true }

interface AnswerLog {
  readonly promptAnswers: PromptAnswer[]
}

/** Notes that a question stood for the argument. */
export function recordArgument({ promptAnswers }: AnswerLog, value: string | number): void {
  promptAnswers.push({ argument: String(value) })
}

/** Notes that a question stood for a flag, with its dashes. */
export function recordFlag({ promptAnswers }: AnswerLog, flag: string, value?: unknown): void {
  promptAnswers.push(
    value === undefined
      ? { flag }
      : {
          flag,
          value: typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value),
        },
  )
}

/** The same of a secret, which the line takes from a variable of the shell; `before` stands in front of it: `api_key=`. */
export function recordSecretFlag({ promptAnswers }: AnswerLog, flag: string, name: string, prefix = ''): void {
  promptAnswers.push({ flag, value: `${prefix}$${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`, isSecret: true })
}

/** A word as a shell takes it for one, and leaves it as it is. */
const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Words of a command line without some flags and their values. */
const withoutFlags = (rest: readonly string[], flags: readonly string[]): string[] =>
  rest.filter((word, n) => !flags.some((flag) => word === flag || word.startsWith(`${flag}=`) || rest[n - 1] === flag))

/** The line that does the same without a question: the words and what was given with them, then what was answered. */
export function equivalentCommand(words: string, rest: readonly string[], answers: readonly PromptAnswer[]): string {
  const argument = answers.flatMap((it) => ('argument' in it ? [shellQuote(it.argument)] : []))
  const flags = answers.flatMap((it) => {
    if ('argument' in it) return []
    if (it.value === undefined) return [it.flag]
    return [it.flag, it.isSecret ? `"${it.value}"` : shellQuote(it.value)]
  })
  const superseded = answers.flatMap((it) => ('argument' in it ? (it.replacedFlags ?? []) : []))
  return ['parley', words, ...argument, ...withoutFlags(rest, superseded).map(shellQuote), ...flags].join(' ')
}
