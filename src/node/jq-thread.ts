import { Worker } from 'node:worker_threads'
import { bundleThread, findBundleFile, readBundleFile } from './bundle-file.ts'

/** Results of a filter as text, or why there are none. jq-thread.mjs sends it. */
export interface JqAnswer {
  readonly text?: string
  readonly problem?: string
}

/** Thread that applies jq filters to JSON texts, one after another. An endless filter blocks only the thread. */
export interface JqThread {
  run(input: string, filter: string, flags: readonly string[]): Promise<JqAnswer>
  /** Ends the thread. A filter that is running has the problem `jq was stopped`. */
  stop(): void
}

/** Starts a thread that does not keep the process alive while it is idle. */
export async function startJq(): Promise<JqThread> {
  const wasm = findBundleFile(import.meta.url, 'jq.wasm.br')
  const { file, eval: isText } = bundleThread(import.meta.url, 'jq.js', './jq-thread.mjs')
  const worker = new Worker(file, { eval: isText, workerData: wasm ? { wasm: await readBundleFile(wasm) } : {} })
  let settle: ((answer: JqAnswer) => void) | undefined
  worker.on('message', (answer: JqAnswer) => settle?.(answer))
  worker.on('error', (error) => settle?.({ problem: error.message }))
  worker.on('exit', () => settle?.({ problem: 'jq was stopped' }))
  return {
    async run(input, filter, flags) {
      worker.ref()
      try {
        return await new Promise<JqAnswer>((resolve) => {
          settle = resolve
          worker.postMessage({ input, filter, flags })
        })
      } finally {
        worker.unref()
      }
    },
    stop: () => void worker.terminate(),
  }
}

/**
 * Returns the first line of a problem of jq, without its prefix and position: the reason in a message. It parses the texts of the
 * jq package, which may differ in another version of it.
 */
export const summarizeJqProblem = (problem: string): string =>
  problem.startsWith('Aborted')
    ? 'it needs too much memory'
    : (problem.split('\n')[0] ?? '')
        .replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '')
        .replace(/ \(Unix shell quoting issues\?\)/, '')
        .replace(/ at <top-level>.*$/, '')
        .replace(/[:,.]$/, '')
