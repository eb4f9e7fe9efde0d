import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { bundleFile, decompress } from '../../node/bundle-file.ts'
import { usageError } from '../errors/usage-error.ts'
import { OutputFailed } from '../terminal/streams.ts'

/** Runs an expression over JSON texts, in a thread, so that an endless expression does not block Ctrl-C. */
export interface Jq {
  /** @throws ClientFailure `usage` for an invalid expression */
  check(): Promise<void>
  /** Returns the results, one per line, texts without quotes. @throws OutputFailed if the expression fails */
  apply(json: string): Promise<string>
}

interface Answer {
  readonly text?: string
  readonly problem?: string
}

/** Creates a runner of a jq expression. Results are indented if `isIndented`. */
export function createJq(
  expression: string,
  { signal, isIndented }: { readonly signal: AbortSignal; readonly isIndented: boolean },
): Jq {
  let started: Promise<Worker> | undefined
  let settle: ((answer: Answer) => void) | undefined
  const open = async (): Promise<Worker> => {
    const worker = await start()
    worker.on('message', (answer: Answer) => settle?.(answer))
    worker.on('error', (error) => settle?.({ problem: error.message }))
    worker.on('exit', () => settle?.({ problem: 'jq was stopped' }))
    signal.addEventListener('abort', () => void worker.terminate(), { once: true })
    return worker
  }
  const run = async (input: string, filter: string): Promise<Answer> => {
    const worker = await (started ??= open())
    worker.ref()
    try {
      return await new Promise<Answer>((resolve) => {
        settle = resolve
        worker.postMessage({ input, filter, flags: isIndented ? ['-r'] : ['-r', '-c'] })
      })
    } finally {
      worker.unref()
    }
  }
  return {
    async check() {
      // Compiles the expression and does not run it. The line break ends a comment in it.
      if ((await run('null', `if false then (${expression}\n) else empty end`)).problem === undefined) return
      const { problem = 'it is not complete' } = await run('null', expression)
      throw usageError(
        `Invalid --jq expression "${expression}": ${summary(problem)}.`,
        'See: https://jqlang.org/manual',
      )
    },
    async apply(json) {
      const { text = '', problem } = await run(json, expression)
      if (problem !== undefined) throw new OutputFailed('JQ', `the --jq expression failed: ${summary(problem)}`)
      return text === '' ? '' : `${text.replace(/\n$/, '')}\n`
    },
  }
}

/** Returns the first line of an error of jq, without its prefix and position. */
const summary = (problem: string): string =>
  problem.startsWith('Aborted')
    ? 'it needs too much memory'
    : (problem.split('\n')[0] ?? '')
        .replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '')
        .replace(/ \(Unix shell quoting issues\?\)/, '')
        .replace(/ at <top-level>.*$/, '')
        .replace(/[:,.]$/, '')

async function start(): Promise<Worker> {
  const wasm = bundleFile(import.meta.url, 'jq.wasm.br')
  const file = bundleFile(import.meta.url, 'jq.js') ?? new URL('./jq-thread.mjs', import.meta.url)
  const worker = new Worker(file, {
    workerData: wasm ? { wasm: await decompress(wasm.pathname, await readFile(fileURLToPath(wasm))) } : {},
  })
  return worker
}
