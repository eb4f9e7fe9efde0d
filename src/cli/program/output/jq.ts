import { type JqAnswer, type JqThread, startJq, summarizeJqProblem } from '../../../node/jq-thread.ts'
import { usageError } from '../errors/usage-error.ts'
import { OutputFailed } from '../terminal/streams.ts'

/** Runs an expression over JSON texts, in a thread, so that an endless expression does not block Ctrl-C. */
export interface Jq {
  /** @throws ClientFailure `usage` for an invalid expression */
  check(): Promise<void>
  /** Returns the results, one per line, texts without quotes. @throws OutputFailed if the expression fails */
  apply(json: string): Promise<string>
}

/** Creates a runner of a jq expression. Results are indented if `isIndented`. */
export function createJq(
  expression: string,
  { signal, isIndented }: { readonly signal: AbortSignal; readonly isIndented: boolean },
): Jq {
  let started: Promise<JqThread> | undefined
  const open = async (): Promise<JqThread> => {
    const thread = await startJq()
    signal.addEventListener('abort', () => thread.stop(), { once: true })
    return thread
  }
  const run = async (input: string, filter: string): Promise<JqAnswer> =>
    (await (started ??= open())).run(input, filter, isIndented ? ['-r'] : ['-r', '-c'])
  return {
    async check() {
      // Compiles the expression and does not run it. The line break ends a comment in it.
      if ((await run('null', `if false then (${expression}\n) else empty end`)).problem === undefined) return
      const { problem = 'it is not complete' } = await run('null', expression)
      throw usageError(
        `Invalid --jq expression "${expression}": ${summarizeJqProblem(problem)}.`,
        'See: https://jqlang.org/manual',
      )
    },
    async apply(json) {
      const { text = '', problem } = await run(json, expression)
      if (problem !== undefined)
        throw new OutputFailed('JQ', `the --jq expression failed: ${summarizeJqProblem(problem)}`)
      return text === '' ? '' : `${text.replace(/\n$/, '')}\n`
    },
  }
}
