// Packs the program, checks the tarball, and installs and runs it as a user would, on every supported Node.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { arch, argv, env, execPath, exit, platform, stderr, versions } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeBinary } from './node-binary.mjs'
import { pack as packProgram } from './pack.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../..')
/** Read at each use, because a release changes the version before it checks the package. */
const readManifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const execute = promisify(execFile)

/** Oldest supported version and the release lines in use. */
export const NODES = ['20.18.0', '22', '24', '26']
const TARBALL_LIMIT = 3e6
/** The SQLite driver alone takes 9.8 MB, jq 0.3 MB. */
const INSTALLED_LIMIT = 17.5e6
/** Without the SQLite driver. The goal is 10 MB, and the program takes 7.5. */
const SMALL_LIMIT = 7.75e6
const REQUIRED = [
  'LICENSE',
  'README.md',
  'package.json',
  'bin/package.json',
  'bin/parley.js',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/sandbox.js',
  'dist/commands.ndjson.br',
  'dist/quickjs.wasm.br',
  'dist/jq.wasm.br',
  'dist/inspector/index.html.gz',
  'dist/man/parley.1.gz',
  'skills/parley/SKILL.md',
]
const ALLOWED =
  /^(LICENSE|README\.md|package\.json|bin\/(parley\.js|package\.json)|dist\/.+\.(js|json|txt|d\.ts)|dist\/vitest\.(mjs|d\.mts)|dist\/commands\.ndjson\.br|dist\/((quickjs|jq)\.wasm|(encoding|url|crypto)\.so)\.br|dist\/chunks\/.+\.js|dist\/inspector\/[\w.-]+\.(html|js|css)\.gz|dist\/man\/parley[\w-]*\.1\.gz|completions\/[^/]+|skills\/parley\/SKILL\.md)$/

/** Definition with a mistake that only a JavaScript engine finds. */
const misspelt = {
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: {} },
  },
  steps: [{ type: 'LOOP_ON_ITEMS', settings: { items: '{{trigger.body +}}' } }],
}

/**
 * Checks the package as it would be published now; dist/ must be built. `nodes` are versions to download and try in
 * addition to the running Node, and `tarball` is one that was packed already.
 * Resolves to `{ checks, failures }`, both lists of sentences. Works in a temporary folder and needs npm.
 * @param {{ nodes?: string[], tarball?: string, say?: (line: string) => void }} options
 * @returns {Promise<{ checks: string[], failures: string[] }>}
 */
export async function checkPackage({ nodes = [], tarball: packed, say = () => {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-package-'))
  const result = { checks: [], failures: [] }
  const expect = (good, sentence, seen = '') => {
    result[good ? 'checks' : 'failures'].push(good ? sentence : `${sentence}${seen && `: ${seen}`}`)
    say(`${good ? 'ok    ' : 'FAILED'} ${sentence}${seen && `: ${seen}`}`)
  }
  try {
    const tarball = await pack(folder, packed, expect)
    for (const node of await runtimes(nodes, say)) {
      await tryOn(node, tarball, mkdtempSync(join(folder, 'user-')), expect)
      await tryWithoutOptional(node, tarball, mkdtempSync(join(folder, 'user-')), expect)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return result
}

async function pack(folder, packed, expect) {
  const { filename, size, files } = packed ? await reportOf(packed, folder) : packProgram(root, folder)
  const paths = files.map((it) => it.path)
  expect(size <= TARBALL_LIMIT, `the tarball has at most ${TARBALL_LIMIT} bytes`, String(size))
  const missing = [...REQUIRED, ...exported()].filter((it) => !paths.includes(it))
  if (!paths.some((it) => it.startsWith('completions/'))) missing.push('completions/')
  expect(missing.length === 0, 'the tarball holds all it promises', missing.join(' '))
  const strays = paths.filter((it) => !ALLOWED.test(it))
  expect(strays.length === 0, 'the tarball holds nothing else', strays.join(' '))
  return join(folder, basename(filename))
}

/** Copies a tarball that was packed already into the folder. Resolves to the report of npm about it. */
async function reportOf(tarball, folder) {
  const { stdout } = await npm(
    execPath,
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, tarball],
    root,
  )
  const report = JSON.parse(stdout)
  return Array.isArray(report) ? report[0] : Object.values(report)[0]
}

/** Returns the files that `exports`, `bin` and `man` of package.json name. */
function exported() {
  const { exports, bin, man } = readManifest()
  const leaves = (it) => (typeof it === 'string' ? [it] : Object.values(it).flatMap(leaves))
  return [...new Set([...leaves(exports), ...leaves(bin), ...leaves(man)].map((it) => it.replace(/^\.\//, '')))]
}

/** Returns the running Node, then those that are available for this machine. */
async function runtimes(wanted, say) {
  const found = [{ version: versions.node, binary: execPath }]
  for (const version of wanted.filter((it) => it !== versions.node)) {
    try {
      const binary = await nodeBinary(root, version)
      found.push({ version: (await execute(binary, ['--version'])).stdout.trim().slice(1), binary })
    } catch (error) {
      say(`not tried on Node ${version} (${platform}-${arch}): ${error.message.split('\n')[0]}`)
    }
  }
  return found
}

async function tryOn({ version, binary }, tarball, user, expect) {
  const on = `on Node ${version}`
  writeFileSync(join(user, 'package.json'), '{"private":true}\n')
  const run = (file, args, more = {}) => attempt(file, args, user, { ...cleanEnv(binary, user), ...more })
  const installed = await settle(
    npm(
      binary,
      ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', tarball],
      user,
    ),
  )
  expect(installed.code === 0, `${on} it installs without running a script`, installed.code ? installed.stderr : '')
  if (installed.code !== 0) return
  const size = folderSize(join(user, 'node_modules'))
  expect(size <= INSTALLED_LIMIT, `${on} it takes at most ${INSTALLED_LIMIT} bytes`, String(size))

  const program = join(user, 'node_modules', readManifest().name, 'bin/parley.js')
  const versionRun = await run(binary, [program, '--version'])
  const own = readManifest().version
  expect(
    versionRun.code === 0 && versionRun.stdout === `${own}\n` && versionRun.stderr === '',
    `${on} it prints its version`,
    (versionRun.stdout + versionRun.stderr).trim(),
  )
  const keys = await run(binary, [program, 'keys', 'list', '--json'], { PARLEY_DATA_DIR: join(user, 'data') })
  expect(
    keys.code === 0 && isList(keys.stdout) && keys.stderr === '',
    `${on} it lists the keys of a new embedded platform`,
    keys.code || keys.stderr ? keys.stdout + keys.stderr : '',
  )
  if (existsSync('/proc/self')) {
    const below = await run(binary, [program, 'keys', 'list', '-o', 'id'], {
      PARLEY_DATA_DIR: join(user, 'data'),
      PARLEY_CACHE_DIR: '/proc/parley',
    })
    expect(
      below.code === 0 && below.stderr === '',
      `${on} a cache folder that cannot be made stops nothing`,
      below.code ? `exit ${below.code}` : below.stderr,
    )
  }
  writeFileSync(join(user, 'flow.json'), JSON.stringify(misspelt))
  const linted = await run(binary, [program, 'automate', 'lint', '--file', 'flow.json', '--json'], {
    PARLEY_DATA_DIR: join(user, 'data'),
  })
  const rules = linted.code === 20 ? JSON.parse(linted.stdout).map((it) => it.rule) : []
  const finds = rules.includes('expression-syntax')
  expect(finds, `${on} it reads the code of automations`, finds ? '' : linted.stdout + linted.stderr)
  for (const [how, flags, code] of [
    [
      'import',
      ['--input-type=module'],
      `import { startPlatform as it } from "${readManifest().name}/platform"; console.log(typeof it)`,
    ],
    [
      'require',
      ['--input-type=commonjs'],
      `console.log(typeof require("${readManifest().name}/platform").startPlatform)`,
    ],
  ]) {
    const loaded = await run(binary, [...flags, '-e', code])
    expect(loaded.stdout === 'function\n', `${on} a test can ${how} the platform`, loaded.stderr)
  }
}

/**
 * Installs it without libsql, in a project and globally, where npm ignores `--omit=optional`. Node 20 needs libsql, and
 * the program says so.
 */
async function tryWithoutOptional({ version, binary }, tarball, user, expect) {
  const on = `on Node ${version} without optional packages`
  writeFileSync(join(user, 'package.json'), '{"private":true}\n')
  const prefix = join(user, 'global')
  for (const [how, flags, folder] of [
    ['in a project', ['--omit=optional'], join(user, 'node_modules')],
    [
      'globally',
      ['--global', '--cpu=none', '--prefix', prefix],
      join(prefix, platform === 'win32' ? 'node_modules' : 'lib/node_modules'),
    ],
  ]) {
    const installed = await settle(
      npm(binary, ['install', ...flags, '--omit=dev', '--no-audit', '--no-fund', tarball], user),
    )
    expect(installed.code === 0, `${on} it installs ${how}`, installed.code ? installed.stderr : '')
    if (installed.code !== 0) continue
    const program = join(folder, readManifest().name, 'bin/parley.js')
    const environment = { ...cleanEnv(binary, user), PARLEY_DATA_DIR: join(user, `data ${how}`) }
    const keys = await attempt(binary, [program, 'keys', 'list', '--json'], user, environment)
    if (hasOwnSqlite(version)) {
      const size = folderSize(folder)
      expect(size <= SMALL_LIMIT, `${on} it takes at most ${SMALL_LIMIT} bytes ${how}`, String(size))
      expect(keys.code === 0 && isList(keys.stdout), `${on} it lists keys ${how}`, keys.code ? keys.stderr : '')
    } else
      expect(
        keys.code !== 0 && keys.stderr.includes('Use Node 22.13 or later'),
        `${on} it says what is missing ${how}`,
        keys.code ? '' : keys.stdout,
      )
  }
}

/** Whether a Node has SQLite without a flag. */
function hasOwnSqlite(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 13)
}

function isList(text) {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

/**
 * Returns the environment of a user: no variables of this project or of the npm that runs this, and a separate home
 * folder.
 */
function cleanEnv(binary, user) {
  const inherited = Object.entries(env).filter(([name]) => !/^(npm_|PARLEY_|NODE_|VITEST|XDG_)/i.test(name))
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(binary), env.PATH].join(delimiter),
    HOME: user,
    USERPROFILE: user,
    LOCALAPPDATA: user,
    APPDATA: user,
  }
}

/** Runs the npm of this machine on the given Node. */
function npm(binary, args, cwd) {
  const bundledNpm = join(
    dirname(execPath),
    platform === 'win32' ? 'node_modules/npm/bin/npm-cli.js' : '../lib/node_modules/npm/bin/npm-cli.js',
  )
  const script = [env.npm_execpath, bundledNpm].find((it) => it?.endsWith('npm-cli.js') && existsSync(it))
  return script
    ? execute(binary, [script, ...args], { cwd })
    : execute('npm', args, { cwd, shell: platform === 'win32' })
}

const attempt = (file, args, cwd, environment) =>
  settle(execute(file, args, { cwd, env: environment, timeout: 60_000 }))

const settle = (running) =>
  running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => ({
      code: error.code ?? error.signal ?? 1,
      stdout: error.stdout ?? '',
      stderr: error.stderr || error.message,
    }),
  )

function folderSize(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .reduce((sum, it) => sum + statSync(join(it.parentPath, it.name)).size, 0)
}

if (basename(argv[1] ?? '') === 'check-package.mjs') {
  const { checks, failures } = await checkPackage({ nodes: NODES, say: (line) => stderr.write(`${line}\n`) })
  stderr.write(`package: ${checks.length} good, ${failures.length} wrong\n`)
  exit(failures.length ? 1 : 0)
}
