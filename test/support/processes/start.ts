import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import type { Order } from './platform-worker.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Process with a platform. Orders are executed one after another. */
export interface Worker {
  readonly pid: number
  /** Sends an order and returns the answer; undefined if the process died. @throws Error of the platform */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the answer and fail if it is not as expected.
  tell(order: Order): Promise<any>
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>
}

/**
 * Bundles the worker into a folder, because the oldest supported Node cannot run its source. Resolves to a function
 * that starts one.
 */
export async function workersIn(folder: string): Promise<() => Worker> {
  const build = await rolldown({
    input: join(root, 'test/support/processes/platform-worker.ts'),
    platform: 'node',
    external: ['pg-native', /^@libsql\//],
    logLevel: 'silent',
  })
  await build.write({ dir: folder, format: 'esm', entryFileNames: 'worker.mjs', chunkFileNames: '[name]-[hash].mjs' })
  await build.close()
  return () => start(join(folder, 'worker.mjs'))
}

function start(script: string): Worker {
  const child: ChildProcess = spawn(process.execPath, [script], {
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting: ((line: string | undefined) => void)[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => waiting.shift()?.(line))
  child.stdin?.on('error', () => {})
  let isGone = false
  const gone = new Promise<void>((resolve) =>
    child.once('close', () => {
      isGone = true
      for (const end of waiting.splice(0)) end(undefined)
      resolve()
    }),
  )
  return {
    pid: child.pid as number,
    gone,
    async tell(order) {
      if (isGone) return undefined
      const line = await new Promise<string | undefined>((resolve) => {
        waiting.push(resolve)
        child.stdin?.write(`${JSON.stringify(order)}\n`)
      })
      if (line === undefined) return undefined
      const { value, error } = JSON.parse(line) as { value?: unknown; error?: string }
      if (error !== undefined) throw new Error(error)
      return value
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
