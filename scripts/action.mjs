// Steps of the GitHub action (action.yml): node scripts/action.mjs source | install | start. Inputs are the variables
// of action.yml. Runs without node_modules, because it also prepares them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { argv, env, execPath, exit, platform, stdout } from 'node:process'

/** Folder of the checkout of the action. */
const checkout = resolve(env.PARLEY_ACTION ?? '.')
const temporary = (name) => mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), name))
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
/** Writes lines `name=value` for later steps of the action or job. */
const tell = (file, values) =>
  appendFileSync(
    env[file],
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
/** A script of Windows, such as that of npm, is started by its shell, which needs quotes around paths with spaces. */
const npm = (cwd, ...args) =>
  execFileSync('npm', platform === 'win32' ? args.map((arg) => `"${arg}"`) : args, {
    cwd,
    shell: platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  }).trim()

const steps = { source, install, start }

/** Chooses the checkout of the action, or a release tarball whose checksum is given. Nothing else is downloaded. */
async function source() {
  const { PARLEY_TARBALL: tarball = '', PARLEY_SHA256: expected = '' } = env
  if (tarball === '') {
    if (expected !== '') throw new Error('The input "sha256" is the checksum of a tarball. Set "tarball", too.')
    requireVersion(readJson(join(checkout, 'package.json')).version)
    return tell('GITHUB_OUTPUT', { lock: sha256(readFileSync(join(checkout, 'package-lock.json'))), ...cache() })
  }
  const name = basename(tarball.replace(/[?#].*$/, ''))
  if (!/^[0-9a-f]{64}$/i.test(expected))
    throw new Error(
      `The tarball ${name} has no checksum to compare it with. Set the input "sha256" to its 64 digits in the file SHA256SUMS of the release.`,
    )
  const bytes = await read(tarball)
  const found = sha256(bytes)
  if (found !== expected.toLowerCase())
    throw new Error(
      `The tarball ${name} has the SHA-256 ${found}, not ${expected.toLowerCase()}. It is incomplete, or not the file of the release. Nothing was installed.`,
    )
  const file = join(temporary('parley-tarball-'), 'parley.tgz')
  writeFileSync(file, bytes)
  tell('GITHUB_OUTPUT', { lock: found, tarball: file, ...cache() })
}

const cache = () => ({ cache: npm(checkout, 'config', 'get', 'cache') })

async function read(tarball) {
  if (!/^https?:\/\//.test(tarball)) return readFileSync(resolve(env.GITHUB_WORKSPACE || '.', tarball))
  const response = await fetch(tarball).catch((error) => {
    throw new Error(`The tarball ${tarball} could not be downloaded: ${error.cause?.code ?? error.message}`)
  })
  if (!response.ok) throw new Error(`The tarball ${tarball} could not be downloaded: HTTP ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

function requireVersion(own) {
  const wanted = (env.PARLEY_VERSION ?? '').replace(/^v/, '')
  if (['', 'latest', own].includes(wanted)) return
  throw new Error(
    env.PARLEY_TARBALL
      ? `The tarball has version ${own}, not ${wanted}.`
      : `This is version ${own} of the action, not ${wanted}. Write: uses: ${env.PARLEY_REPOSITORY || '<owner>/<repository>'}@v${wanted}`,
  )
}

/** Installs the tarball, or builds the checkout. The program is called by its path, never by a name of a registry. */
function install() {
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  if (!env.PARLEY_TARBALL) {
    npm(checkout, 'ci', ...flags)
    npm(checkout, 'run', 'build', '--silent')
    return tell('GITHUB_OUTPUT', { program: join(checkout, 'bin/parley.js') })
  }
  const folder = temporary('parley-installed-')
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  npm(folder, 'install', ...flags, '--omit=dev', env.PARLEY_TARBALL)
  const [name] = Object.keys(readJson(join(folder, 'package.json')).dependencies)
  requireVersion(readJson(join(folder, 'node_modules', name, 'package.json')).version)
  tell('GITHUB_OUTPUT', { program: join(folder, 'node_modules', name, 'bin/parley.js') })
}

/** Starts the platform, and gives address, key and the command `parley` to the next steps of the job. */
function start() {
  const data = temporary('parley-data-')
  const { PARLEY_ACTION: _, PARLEY_PROGRAM: program, PARLEY_VOCABULARY: vocabulary, ...inherited } = env
  const server = execFileSync(execPath, [program, 'server', 'start', '--detach', '--json'], {
    env: { ...inherited, PARLEY_DATA_DIR: data, ...(vocabulary && { PARLEY_VOCABULARY: vocabulary }) },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  const { url, key } = JSON.parse(server)
  stdout.write(`::add-mask::${key}\n`)
  tell('GITHUB_OUTPUT', { url, key })
  tell('GITHUB_ENV', { PARLEY_DATA_DIR: data, PARLEY_TEST_URL: url, PARLEY_TEST_KEY: key })
  appendFileSync(env.GITHUB_PATH, `${commandFolder(program)}\n`)
}

/** Returns a folder with the command `parley` for POSIX shells, and for those of Windows. */
function commandFolder(program) {
  const folder = temporary('parley-command-')
  writeFileSync(join(folder, 'parley'), `#!/bin/sh\nexec node '${program.replaceAll('\\', '/')}' "$@"\n`, {
    mode: 0o755,
  })
  writeFileSync(join(folder, 'parley.cmd'), `@node "${program}" %*\r\n`)
  return folder
}

try {
  const step = steps[argv[2]]
  if (!step) throw new Error(`Unknown step "${argv[2] ?? ''}". Use one of ${Object.keys(steps).join(', ')}.`)
  await step()
} catch (error) {
  // A command of the workflow that failed has said why.
  stdout.write(`::error::${error.message.split('\n')[0]}\n`)
  exit(1)
}
