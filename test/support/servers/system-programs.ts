import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anonymous } from './postgres-process.ts'

/** A program of the system, and the variables it needs. */
export interface SystemProgram {
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Variable that names a folder with unpacked packages of Debian, for programs that are not installed. */
export const packagesVariable = 'PARLEY_PACKAGES'

const triples: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }

/** Returns a program that is installed, or unpacked in the folder that PARLEY_PACKAGES names; undefined without it. */
export function findProgram(name: string): SystemProgram | undefined {
  const unpacked = process.env[packagesVariable]
  for (const root of ['/', ...(unpacked ? [unpacked] : [])])
    for (const folder of ['usr/sbin', 'usr/bin', 'usr/local/sbin', 'usr/local/bin']) {
      const file = join(root, folder, name)
      if (existsSync(file)) return { file, env: environmentOf(root) }
    }
  return undefined
}

/** Says how to get packages of Debian without installing them. */
export const howToGet = (packages: readonly string[]): string =>
  [
    `Install them: apt-get install ${packages.join(' ')}. Or unpack them in a folder that ${packagesVariable} names:`,
    `  mkdir packages && cd packages && apt-get download ${packages.join(' ')}`,
    '  for package in *.deb; do dpkg -x "$package" .; done',
    `  export ${packagesVariable}="$PWD"`,
  ].join('\n')

const environmentOf = (root: string): SystemProgram['env'] =>
  root === '/'
    ? process.env
    : {
        ...process.env,
        LD_LIBRARY_PATH: join(root, 'usr/lib', triples[process.arch] ?? ''),
        PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
      }

/** A process of a program, with a folder of its own. */
export interface RunningProgram {
  readonly process: ChildProcess
  /** The end of what it has written. */
  readonly log: () => string
  /** Kills it and removes its folder. */
  stop(): void
}

/** Creates a folder that every user can read, with files by name. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-service-'))
  chmodSync(folder, 0o755)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Programs that must not outlive this process. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** Starts a program and waits until it is ready. It runs as another user when this one is root, as PgBouncer and PostgreSQL demand. */
export async function startProgram(
  { file, env }: SystemProgram,
  args: readonly string[],
  {
    folder,
    isReady,
    variables = {},
  }: { folder: string; isReady: () => Promise<boolean>; variables?: Readonly<Record<string, string>> },
): Promise<RunningProgram> {
  let log = ''
  const child = spawn(file, args, {
    ...anonymous,
    cwd: folder,
    env: { ...env, HOME: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log = (log + chunk).slice(-20_000)))
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  for (let tries = 0; !(await isReady().catch(() => false)); tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`${file} did not start: ${log}`)
    await sleep(50)
  }
  return {
    process: child,
    log: () => log,
    stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
