import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { temporaryFolder } from '../databases.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Bundles a script of this folder like the program, because the oldest supported Node cannot run its source. Returns
 * the file to run.
 */
export async function buildProcess(name: string): Promise<string> {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const build = await rolldown({
    input: join(root, 'test/support/processes', `${name}.ts`),
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'silent',
  })
  await build.write({ dir: folder, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' })
  await build.close()
  return join(folder, `${name}.cjs`)
}

export interface RunningProcess {
  readonly done: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** Calls `heard` for each printed line. */
  onLine(heard: (line: string) => void): void
  kill(): void
}

/** Starts a built script. Packages are resolved as in the tests. */
export function startProcess(
  script: string,
  args: readonly string[],
  options: { uid?: number; gid?: number } = {},
): RunningProcess {
  const child = spawn(process.execPath, [script, ...args], {
    ...options,
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  const output = [text(child.stdout), text(child.stderr)] as const
  return {
    done: Promise.all([ended, ...output]).then(([code, stdout, stderr]) => ({ code, stdout, stderr })),
    onLine: (heard) =>
      void child.stdout.on('data', (data: Buffer) => data.toString().split('\n').filter(Boolean).forEach(heard)),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Runs a built script to its end. */
export const runProcess = (...args: Parameters<typeof startProcess>): RunningProcess['done'] =>
  startProcess(...args).done
