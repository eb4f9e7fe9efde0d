import { existsSync, readdirSync } from 'node:fs'
import { dirname, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileNameFor } from '../../src/cli/features/as-code/compare-folder.ts'
import { configDir, dataDir } from '../../src/cli/program/configuration/app-folders.ts'
import { cacheDir, cachedListFile } from '../../src/cli/program/lists/completion-cache.ts'
import { operator } from '../support/operator.ts'
import { filesIn, read } from '../support/sources.ts'

// What can be proved about Windows without it. docs/releasing.md lists what is not yet run there.

/** Calls and names that Windows does not have, and renames, which fail there while the file is open. */
const posixOnly: Readonly<Record<string, RegExp>> = {
  'users and groups': /\b(?:process|node|os)\.(?:get|set)e?[ug]id\b|\b(?:f|l)?chownSync?\(|\buserInfo\(/,
  permissions: /\bl?chmod(?:Sync)?\(/,
  'symbolic links': /\bsymlink(?:Sync)?\(/,
  renames: /\brenameSync\b|\bfs\.rename\(|import \{[^}]*\brename\b[^}]*\} from 'node:fs/,
  'signals of terminals': /\bSIG(?:TSTP|CONT|STOP|USR1|USR2|WINCH|QUIT|PIPE|ALRM)\b/,
  'signals sent': /\.kill\(/,
  devices: /['"`]\/dev\//,
  'temporary folder by name': /['"`]\/tmp\b/,
  proc: /['"`]\/proc\//,
  shells: /['"`](?:\/bin\/)?(?:ba|z)?sh['"`], ?\[|\bsh -c\b/,
}

/** The one file with the branch, and those whose calls Node or the code itself makes harmless on Windows. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'src/node/operating-system.ts': ['users and groups', 'permissions', 'renames', 'shells', 'devices'],
  // Stores compiled code for the next start. A failure is ignored.
  'bin/parley.js': ['renames'],
  // Reads what shows when a process started. Without it, only the id of the process is compared.
  'src/node/process-identity.ts': ['proc', 'signals sent'],
  // Node ends a process on Windows for any signal that is sent, and 0 asks whether it runs.
  'src/system.ts': ['signals sent'],
  'src/testing/start-test-platform.ts': ['signals sent'],
}

const calls = [...filesIn('src'), ...filesIn('bin')]
  .filter((path) => /\.(?:ts|js|mjs)$/.test(path) && !path.startsWith('src/generated/'))
  // The page runs in a browser, and the generators on the machine of a developer.
  .filter((path) => !path.startsWith('src/inspector/page/') && !path.startsWith('src/generate/'))
  .flatMap((path) => {
    const text = read(path).replaceAll(/^\s*(?:\*|\/\*|\/\/).*$/gm, '')
    return Object.entries(posixOnly).flatMap(([name, pattern]) => (pattern.test(text) ? [{ path, name }] : []))
  })

test('calls that Windows lacks are in the one file that has the branch', () => {
  const strays = calls.filter(({ path, name }) => !allowed[path]?.includes(name))
  expect(strays.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('every exception is needed, and the file with the branch asks for the system', () => {
  const unused = Object.entries(allowed).flatMap(([path, names]) =>
    names
      .filter((name) => !calls.some((call) => call.path === path && call.name === name))
      .map((name) => `${path}: ${name}`),
  )
  expect(unused).toEqual([])
  expect(read('src/node/operating-system.ts').match(/'win32'/g)?.length).toBeGreaterThanOrEqual(5)
})

test.each([
  ['process.getuid?.()', 'users and groups'],
  ['chmodSync(file, 0o600)', 'permissions'],
  ["symlinkSync(a, 'b')", 'symbolic links'],
  ['renameSync(draft, file)', 'renames'],
  ["process.on('SIGTSTP')", 'signals of terminals'],
  ["process.kill(pid, 'SIGTERM')", 'signals sent'],
  ["openSync('/dev/tty')", 'devices'],
  ["join('/tmp', name)", 'temporary folder by name'],
  ['readFileSync(`/proc/${pid}/stat`)', 'proc'],
  ["run('sh', ['-c', line])", 'shells'],
])('the search finds %s', (line, name) => {
  expect(posixOnly[name]?.test(line)).toBe(true)
})

/** Why a name cannot be that of a file on Windows, or undefined. */
function problemOnWindows(name: string): string | undefined {
  if (/[<>:"|?*\\/]/.test(name) || [...name].some((character) => character < ' ')) return 'character'
  if (/[. ]$/.test(name)) return 'ending'
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)) return 'device'
  return name.length > 100 ? 'length' : undefined
}

describe('file names', () => {
  const nameOf = (name: string, taken: string[] = []) =>
    fileNameFor('assistants', { singular: 'assistant' } as never, { name, id: 7 } as never, new Set(taken))

  test('of pulled resources are names of files on Windows, whatever the resource is called', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('con', 'AUX', 'nul', 'COM1', 'lpt9', 'a/b', 'C:\\x', '..', 'x.', 'x ')),
        (name) => {
          const path = nameOf(name)
          expect(win32.dirname(path)).toBe('assistants')
          expect(problemOnWindows(win32.basename(path))).toBeUndefined()
        },
      ),
    )
    expect([nameOf('Con'), nameOf('Console'), nameOf('COM1')]).toEqual([
      'assistants/con-assistant.yaml',
      'assistants/console.yaml',
      'assistants/com1-assistant.yaml',
    ])
  })

  test('of names that differ in case only do not collide where the file system ignores case', () => {
    const first = nameOf('Front Desk')
    expect(nameOf('FRONT desk', [first]).toLowerCase()).not.toBe(first.toLowerCase())
  })

  test('in the data folder, the configuration, snapshots, backups and a pulled project are names of files on Windows', async () => {
    const by = operator({ fresh: true })
    for (const line of [
      'profile set prod --url https://platform.example',
      'keys create --name mine',
      'server snapshot save before',
      'tools update 1 --description Changed --yes',
      'pull --yes',
      'server backup parley.backup',
    ])
      expect((await by.run(line)).exitCode, line).toBe(0)
    const names = [by.dataDir, by.configDir, by.cwd].flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [],
    )
    const bad = names.flatMap((path) => path.split('/')).filter((name) => problemOnWindows(name) !== undefined)
    expect(names.length).toBeGreaterThan(20)
    expect(bad).toEqual([])
  })
})

test('folders on Windows are below the folders of the user, with either separator', () => {
  const env = { APPDATA: 'C:\\Users\\Ana\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\Ana\\AppData\\Local' }
  const system = { env, os: 'win32', home: 'C:\\Users\\Ana' }
  expect(win32.resolve(configDir(system))).toBe('C:\\Users\\Ana\\AppData\\Roaming\\parley')
  expect(win32.resolve(dataDir(system))).toBe('C:\\Users\\Ana\\AppData\\Local\\parley')
  expect(win32.resolve(cacheDir(env, 'win32') ?? '')).toBe('C:\\Users\\Ana\\AppData\\Local\\parley')
  const bare = { ...system, env: {} }
  expect(win32.resolve(configDir(bare))).toBe('C:\\Users\\Ana\\AppData\\Roaming\\parley')
  expect(win32.resolve(dataDir(bare))).toBe('C:\\Users\\Ana\\AppData\\Local\\parley')
  const named = { ...system, env: { PARLEY_DATA_DIR: 'D:\\parley data', PARLEY_CONFIG_DIR: '\\\\server\\share\\c' } }
  expect([dataDir(named), configDir(named)]).toEqual(['D:\\parley data', '\\\\server\\share\\c'])
  expect(dirname(win32.normalize(cachedListFile('C:/cache', 'prod', 'tools')))).toBe('.')
})
