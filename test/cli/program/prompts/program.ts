import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'
import { temporaryFolder } from '../../../support/databases.ts'
import { onTerminal, type Session, type Step } from '../../../support/terminal.ts'

/** A program over our own sources, run on a real terminal with stdout going to a file. */
export interface Program {
  run(
    scenario: string,
    steps: readonly Step[],
    options?: { readonly env?: Record<string, string>; readonly columns?: number },
  ): Promise<Session>
  remove(): Promise<void>
}

/** Bundles `code`, in which `#src/` stands for the folder of sources. */
export async function buildProgram(code: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-terminal-'))
  const script = join(folder, 'program.mjs')
  const src = new URL('../../../../src', import.meta.url).pathname
  await build({
    input: 'entry',
    logLevel: 'silent',
    platform: 'node',
    output: { dir: folder, entryFileNames: 'program.mjs', format: 'esm' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) =>
          id === 'entry' ? join(src, 'entry.ts') : id.startsWith('#src/') ? join(src, id.slice(5)) : null,
        load: (id) => (id === join(src, 'entry.ts') ? code : null),
      },
    ],
  })
  let runs = 0
  return {
    remove: () => rm(folder, { recursive: true, force: true }),
    run: (scenario, steps, { env = {}, columns = 80 } = {}) =>
      onTerminal([process.execPath, script, scenario], steps, {
        env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
        columns,
        stdoutFile: join(folder, `stdout-${++runs}`),
      }),
  }
}

/** Runs a scenario that asks once the terminal has `typed`, as its echo shows. */
export const typedAhead = (
  program: Program,
  scenario: string,
  typed: string,
  steps: readonly Step[],
  { env }: { env?: Record<string, string> },
): Promise<Session> => {
  const flag = join(temporaryFolder(), 'typed')
  // Ctrl-C discards what was typed before it.
  const echo = typed.endsWith('\u0003') ? '^C' : typed.replaceAll('\r', '\r\n')
  return program.run(scenario, [['Looking...', typed], [echo, () => writeFileSync(flag, '')], ...steps], {
    env: { ...env, TYPED: flag },
  })
}
