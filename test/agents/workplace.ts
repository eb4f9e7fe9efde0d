import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { agentVariables } from '../../src/cli/program/configuration/agent-mode.ts'
import { splitWords } from '../support/split-words.ts'

/** What a command printed, and its exit code. */
export interface Printed {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A local platform with sample data in new folders, for one task. */
export interface Workplace {
  /** Runs a command line as a person, without a terminal. */
  asPerson(line: string): Promise<Printed>
  /** Runs a command line as an agent. */
  asAgent(line: string): Promise<Printed>
  /** Reads the platform as a person. */
  read<T>(line: string): Promise<T>
  /** Starts a server with sample data for each of these profiles. */
  serve(...profiles: readonly string[]): Promise<void>
  remove(): Promise<void>
}

/** Creates a workplace. `program` is the path of bin/parley.js. */
export async function createWorkplace(program: string): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-agents-'))
  const inherited = Object.entries(env).filter(
    ([name]) => !name.startsWith('PARLEY_') && !agentVariables.includes(name),
  )
  const own = {
    ...Object.fromEntries(inherited),
    HOME: folder,
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_CONFIG_DIR: join(folder, 'config'),
    NO_COLOR: '1',
  }
  const run = (line: string, more: Readonly<Record<string, string>>, input = ''): Promise<Printed> =>
    new Promise((resolve) => {
      const child = execFile(
        execPath,
        [program, ...splitWords(line)],
        { cwd: folder, env: { ...own, ...more }, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : error.code
          resolve({ exitCode: typeof code === 'number' ? code : 1, stdout, stderr })
        },
      )
      child.stdin?.end(input)
    })
  const asPerson = async (line: string, more: Readonly<Record<string, string>> = {}, input = ''): Promise<Printed> => {
    const printed = await run(line, more, input)
    if (printed.exitCode !== 0) throw new Error(`parley ${line}: ${printed.stderr}`)
    return printed
  }
  const served: string[] = []
  const dataOf = (profile: string) => ({ PARLEY_DATA_DIR: join(folder, profile) })
  const place: Workplace = {
    asPerson: (line) => asPerson(line),
    asAgent: (line) => run(line, { AI_AGENT: 'parley-agents' }),
    read: async <T>(line: string) => JSON.parse((await place.asPerson(`${line} --json`)).stdout) as T,
    async serve(...profiles) {
      for (const profile of profiles) {
        const started = await asPerson('server start --detach --port 0 --seed 7 --json', dataOf(profile))
        served.push(profile)
        const { url, key } = JSON.parse(started.stdout)
        await asPerson(`profile set ${profile} --url ${url} --api-key-stdin`, {}, key)
      }
    },
    async remove() {
      for (const profile of served) await asPerson('server stop', dataOf(profile))
      // A server that has stopped may still write its compiled code.
      await rm(folder, { recursive: true, force: true, maxRetries: 12 })
    },
  }
  await place.asPerson('server seed --seed 7')
  return place
}
