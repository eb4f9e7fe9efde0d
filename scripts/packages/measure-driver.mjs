// Prints what npm installs when the SQLite driver is behind a package of its own that only Node without SQLite accepts:
// node scripts/packages/measure-driver.mjs. The npm of `npm_execpath` installs it, else that of this machine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { arch, env, platform, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from '../node-binary.mjs'
import { pack } from '../pack.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../../..')
const folder = mkdtempSync(join(tmpdir(), 'parley-driver-'))
const script =
  env.npm_execpath ?? join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(), 'npm/bin/npm-cli.js')

/** Runs npm on the given Node. */
const npm = (node, cwd, ...words) =>
  execFileSync(node, [script, ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...env, PATH: [dirname(node), env.PATH].join(delimiter) },
  }).trim()

try {
  const nodes = await Promise.all(['20.18.0', '22', '24'].map((version) => nodeBinary(root, version)))
  const today = join(folder, pack(root, folder).filename)
  const driven = packWithDriver(today, nodes[0])
  for (const node of nodes)
    for (const [what, tarball] of Object.entries({ today, 'with a package for the driver': driven })) {
      const user = mkdtempSync(join(folder, 'user-'))
      writeFileSync(join(user, 'package.json'), '{"private":true}\n')
      npm(node, user, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', tarball)
      const program = join(user, 'node_modules', readManifest(root).name, 'bin/parley.js')
      const keys = execFileSync(node, [program, 'keys', 'list', '-o', 'id'], { env: { HOME: user }, encoding: 'utf8' })
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
      const size = (folderSize(join(user, 'node_modules')) / 1e6).toFixed(1)
      const keysListed = keys.trim().split('\n').length
      stdout.write(`Node ${version}, npm ${npm(node, user, '--version')}, ${what}: ${size} MB, ${keysListed} keys\n`)
    }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Packs the program of the tarball again, with one optional package in the place of its drivers. Returns the new tarball. */
function packWithDriver(tarball, node) {
  const program = join(folder, 'program')
  mkdirSync(program)
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', program])
  const manifest = readManifest(program)
  const libc = platform === 'linux' ? '-gnu' : platform === 'win32' ? '-msvc' : ''
  const name = `@libsql/${platform}-${arch}${libc}`
  const driver = join(folder, 'driver')
  mkdirSync(driver)
  write(driver, {
    name: 'sqlite-driver',
    version: '1.0.0',
    engines: { node: '<22.13' },
    os: [platform],
    cpu: [arch],
    dependencies: { [name]: manifest.optionalDependencies[name] },
  })
  const packed = npm(node, driver, 'pack', '--silent')
  write(program, { ...manifest, optionalDependencies: { 'sqlite-driver': `file:${join(driver, packed)}` } })
  return join(program, npm(node, program, 'pack', '--silent', '--ignore-scripts'))
}

function write(where, manifest) {
  writeFileSync(join(where, 'package.json'), JSON.stringify(manifest))
}

function readManifest(where) {
  return JSON.parse(readFileSync(join(where, 'package.json'), 'utf8'))
}

function folderSize(where) {
  return readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .reduce((sum, it) => sum + statSync(join(it.parentPath, it.name)).size, 0)
}
