import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { build } from 'rolldown'

/** A program over our own sources, run on a real terminal with stdout going to a file. */
export interface Program {
  run(scenario: string, steps: readonly Step[], options?: { readonly env?: Record<string, string>; readonly setup?: string }): Promise<Run>
  remove(): Promise<void>
}

/** Wait until the text stands on the screen, then type; nothing is typed when there is nothing to type. */
export type Step = readonly [waitFor: string, type?: string]

export interface Run {
  readonly code: number
  /** Everything that was drawn on the terminal, as it came. */
  readonly drawn: string
  /** The same without sequences. */
  readonly screen: string
  readonly stdout: string
}

/** Bundles `code`, in which `#src/` stands for the folder of sources. */
export async function buildProgram(code: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-terminal-'))
  const script = join(folder, 'program.mjs')
  const src = new URL('../../../src/', import.meta.url).pathname
  await build({
    input: 'entry',
    logLevel: 'silent',
    platform: 'node',
    output: { dir: folder, entryFileNames: 'program.mjs', format: 'esm' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? join(src, 'entry.ts') : id.startsWith('#src/') ? join(src, id.slice(5)) : null),
        load: (id) => (id === join(src, 'entry.ts') ? code : null),
      },
    ],
  })
  let runs = 0
  return {
    remove: () => rm(folder, { recursive: true, force: true }),
    run: (scenario, steps, { env = {}, setup = ':' } = {}) =>
      new Promise((resolve, reject) => {
        const out = join(folder, `stdout-${++runs}`)
        const child = spawn('sh', ['-c', `${setup}; exec "$0" "$1" "$2" >"$3"`, process.execPath, script, scenario, out], {
          cols: 80,
          rows: 24,
          env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
        })
        let drawn = ''
        let seen = 0
        const left = [...steps]
        const look = (): void => {
          const screen = stripVTControlCharacters(drawn)
          const [waitFor, type] = left[0] ?? []
          const at = waitFor === undefined ? -1 : screen.indexOf(waitFor, seen)
          if (waitFor === undefined || at < 0) return
          seen = at + waitFor.length
          left.shift()
          if (type !== undefined) child.write(type)
          look()
        }
        const late = setTimeout(() => {
          child.kill('SIGKILL')
          reject(new Error(`No end; waiting for ${JSON.stringify(left[0]?.[0])}, on the screen: ${JSON.stringify(stripVTControlCharacters(drawn))}`))
        }, 15_000)
        child.onData((data) => {
          drawn += data
          look()
        })
        child.onExit(({ exitCode }) => {
          clearTimeout(late)
          readFile(out, 'utf8').then((stdout) => resolve({ code: exitCode, drawn, screen: stripVTControlCharacters(drawn), stdout }), reject)
        })
      }),
  }
}
