import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa, type Options } from 'execa'
import { afterFile } from '../../support/cleanup.ts'
import { hangMs } from '../../support/hang-timeout.ts'

// The built program as users have it: a separate process, real pipes, real folders. Importing this gives a fresh build and a cleanup at the end.

const root = join(import.meta.dirname, '../../..')
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const compiled = join(cache, 'e2e-compiled')
mkdirSync(compiled, { recursive: true })
/** A copy beside the packages it needs, one per test run, so that a build started during the run does not remove files of running commands. */
const copy = join(cache, `e2e-${process.env.PARLEY_TEST_RUN ?? process.pid}-run`)
export const bin = join(copy, 'bin/parley.js')

/** How the program under test starts: Node with its file, or the single executable that PARLEY_BINARY names. */
export const program: readonly [string, ...string[]] = process.env.PARLEY_BINARY
  ? [resolve(process.env.PARLEY_BINARY)]
  : [execPath, bin]

/** The same in a line of shell. */
export const programInShell = program.map((it) => `"${it}"`).join(' ')

/** Puts a command `parley` into a folder, for scripts that find it in PATH. */
export function addProgram(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'parley'), `#!/bin/sh\nexec ${programInShell} "$@"\n`, { mode: 0o755 })
}

const withProgram = (args: string | readonly string[]): readonly [string, readonly string[]] => {
  const [file, ...first] = program
  return [file, [...first, ...(typeof args === 'string' ? args.split(' ') : args)]]
}

/** Templates of new databases, from the first platform of a test run: building one takes longer than most commands. */
const templates = join(tmpdir(), 'schema-templates')

/** Folders of one operator: nothing is shared with anybody else's. */
export interface Place {
  readonly dir: string
  readonly data: string
  readonly config: string
  readonly env: Readonly<Record<string, string>>
}

export interface RunOptions {
  readonly at?: Place
  readonly env?: Readonly<Record<string, string>>
  /** What is piped in; `closed` for no standard input at all, nothing for an empty one. */
  readonly input?: string | 'closed'
  /** Runs as somebody without rights where the tests run as root; give them the folders first. */
  readonly asAnonymous?: boolean
}

export interface Finished {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A process that runs until it is stopped. */
export interface Running {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves to what follows `mark` on its line, as soon as it is on stdout or stderr. */
  until(mark: string): Promise<string>
  kill(signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void
  readonly ended: Promise<Finished & { readonly signal: string | undefined }>
}

await build()

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-e2e-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A new operator's folders, none of them made yet but the one around them. Compiled code is everybody's: a test of the program does not measure compiling. */
export function newPlace(): Place {
  const dir = newFolder()
  mkdirSync(join(dir, '.cache/parley'), { recursive: true, mode: 0o700 })
  symlinkSync(compiled, join(dir, '.cache/parley', `${process.version}-${process.arch}`))
  for (const name of existsSync(templates) ? readdirSync(templates) : [])
    cpSync(join(templates, name), join(dir, '.cache/parley', name))
  const [data, config] = [join(dir, 'data'), join(dir, 'config')]
  return {
    dir,
    data,
    config,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      PARLEY_DATA_DIR: data,
      PARLEY_CONFIG_DIR: config,
    },
  }
}

const isRoot = process.getuid?.() === 0
const anonymous = 65_534

const random = 'random'

/** A place with a platform, filled at random or from a seed: once for a run of the tests, and copied for each. */
export async function filledPlace(seed: number | typeof random = random): Promise<Place> {
  const at = newPlace()
  cpSync(await worldOf(seed), at.data, { recursive: true })
  return at
}

async function worldOf(seed: number | typeof random): Promise<string> {
  const made = join(tmpdir(), `world-${seed}`)
  if (existsSync(made)) return made
  const at = newPlace()
  const { exitCode, stderr } = await parley(seed === random ? 'keys list' : `server seed --seed ${seed}`, { at })
  if (exitCode !== 0) throw new Error(`No platform could be made: exit code ${exitCode}, ${stderr}`)
  try {
    renameSync(at.data, made)
    const own = join(at.dir, '.cache/parley')
    const draft = join(at.dir, 'templates')
    mkdirSync(draft)
    for (const name of readdirSync(own).filter((it) => it.endsWith('.db'))) cpSync(join(own, name), join(draft, name))
    renameSync(draft, templates)
  } catch {
    // Another worker was first.
  }
  return made
}

/** Gives a folder and all in it to the user that `asNobody` runs as. */
export function removeOwner(folder: string): void {
  if (!isRoot) return
  chownSync(folder, anonymous, anonymous)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), anonymous, anonymous)
}

function spawnOptions({ at = newPlace(), env = {}, asAnonymous }: RunOptions): Options {
  if (asAnonymous) chmodSync(at.dir, 0o755)
  return {
    cwd: at.dir,
    env: { ...at.env, ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    ...(asAnonymous && isRoot && { uid: anonymous, gid: anonymous }),
  }
}

/** Runs any program to its end, however it ends. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { input } = options
  const stdin = input === undefined ? { stdin: 'ignore' as const } : { input }
  const child = execa(file, args, {
    ...spawnOptions(options),
    ...stdin,
    timeout: hangMs,
    killSignal: 'SIGKILL',
    forceKillAfterDelay: 500,
  })
  const end = (): void => void child.kill('SIGKILL')
  let isOver = false
  afterFile(() => isOver || end())
  const { exitCode, stdout, stderr, timedOut, originalMessage } = await child
  isOver = true
  if (timedOut)
    throw new Error(
      `Still running after ${hangMs} ms: ${args.join(' ')}; stdout ${JSON.stringify(stdout)}, stderr ${JSON.stringify(stderr)}`,
    )
  if (exitCode === undefined) throw new Error(`No exit code: ${originalMessage ?? args.join(' ')}`)
  return { exitCode, stdout: String(stdout), stderr: String(stderr) }
}

/** Runs one command line; words are split at spaces unless they are given one by one. */
export const parley = (args: string | readonly string[], options: RunOptions = {}): Promise<Finished> =>
  run(...withProgram(args), options)

/** A line of shell in which `parley` is the program. */
export const shell = (line: string, options: RunOptions = {}): Promise<Finished> =>
  run('bash', ['-c', `parley() { ${programInShell} "$@"; }; ${line}`], options)

/** Starts a command that keeps running. */
export const start = (args: string | readonly string[], options: RunOptions = {}): Running =>
  launch(...withProgram(args), options)

/** Starts any program that keeps running. */
export function launch(file: string, args: readonly string[], options: RunOptions = {}): Running {
  const child = execa(file, args, { ...spawnOptions(options), stdin: 'ignore' })
  const end = (): void => void child.kill('SIGKILL')
  let isOver = false
  afterFile(() => isOver || end())
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  const ended = child.then(({ exitCode, signal }) => {
    isOver = true
    return { exitCode: exitCode ?? -1, signal, ...texts }
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    kill: (signal) => void child.kill(signal),
    ended,
    async until(mark) {
      for (const late = Date.now() + hangMs; Date.now() < late; await sleep(15)) {
        const line = `${texts.stdout}\n${texts.stderr}`.split('\n').find((it) => it.includes(mark))
        if (line !== undefined) return line.slice(line.indexOf(mark) + mark.length).trim()
        if (child.exitCode !== null) break
      }
      throw new Error(
        `${JSON.stringify(mark)} was not said: stdout ${JSON.stringify(texts.stdout)}, stderr ${JSON.stringify(texts.stderr)}`,
      )
    },
  }
}

/** Builds when there is no build or it is older than the sources, and takes a copy; one worker does it for all. */
async function build(): Promise<void> {
  const lock = join(cache, 'e2e-build')
  for (const late = Date.now() + hangMs; !tryMakeFolder(lock); await sleep(100)) if (Date.now() > late) break
  try {
    if (existsSync(copy)) return
    if (isStale()) await execa(execPath, [join(root, 'scripts/build.mjs')])
    const fresh = mkdtempSync(`${copy}-`)
    for (const name of ['bin', 'dist']) cpSync(join(root, name), join(fresh, name), { recursive: true })
    chmodSync(fresh, 0o755)
    renameSync(fresh, copy)
  } finally {
    if (existsSync(lock)) rmdirSync(lock)
  }
}

function tryMakeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch {
    return false
  }
}

function isStale(): boolean {
  const built = statSync(join(root, 'dist/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map(
    (it) => statSync(join(root, 'src', it)).mtimeMs,
  )
  return sources.some((it) => it > built)
}
