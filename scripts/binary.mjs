// Builds the program for this machine as one executable file, with Node and all of dist/: npm run binary -- [--node
// <path or version>] [--out <file>]. The file is release/binary/parley, with its checksum and the licence of Node beside it.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { arch, argv, execPath, exit, platform, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { nodeBinary } from './node-binary.mjs'
import { NODE_LICENCE, nodeLicence } from './node-licence.mjs'

const execute = promisify(execFile)
const root = resolve(fileURLToPath(import.meta.url), '../..')

/** Where Node looks for what was injected. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const sha256 = (content) => createHash('sha256').update(content).digest('hex')

/** Files of dist/ that only other programs read: entries of the package and their types. */
const isOfPackage = (name) =>
  /\.d\.m?ts$|^(?:platform|test-platform|client|jest|package)\.js(?:on)?$|^vitest\.mjs$/.test(name)

/** Returns the files of dist/ that the executable has, by their names. */
function bundleFiles(dist) {
  const names = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) =>
      join(it.parentPath ?? it.path, it.name)
        .slice(dist.length + 1)
        .replaceAll('\\', '/'),
    )
  return Object.fromEntries(
    names
      .filter((it) => !isOfPackage(it))
      .sort()
      .map((it) => [it, join(dist, it)]),
  )
}

/**
 * Returns the native SQLite driver as files of the executable, if this Node has no SQLite. `folder` is for its name, which
 * changes with its content.
 */
async function driverFiles(node, folder) {
  const hasOwn = "process.exit(process.getBuiltinModule('node:sqlite') ? 0 : 1)"
  const isOwn = await execute(node, ['-e', hasOwn]).then(
    () => true,
    () => false,
  )
  if (isOwn) return {}
  const suffix = { linux: '-gnu', win32: '-msvc' }[platform] ?? ''
  const file = createRequire(join(root, 'package.json')).resolve(`@libsql/${platform}-${arch}${suffix}`)
  const name = join(folder, 'libsql.name')
  writeFileSync(name, `libsql-${sha256(readFileSync(file)).slice(0, 16)}.node`)
  return { 'libsql.node': file, 'libsql.name': name }
}

/** Removes debugging symbols, a tenth to a seventh of the file, where a program for that is there. */
async function strip(file) {
  if (platform === 'win32') return false
  return execute('strip', platform === 'darwin' ? ['-x', file] : [file]).then(
    () => true,
    () => false,
  )
}

/** Writes the executable. Resolves to what was made. */
async function build({ node, out, dist = join(root, 'dist') }) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-binary-'))
  try {
    const config = join(folder, 'config.json')
    const blob = join(folder, 'files.blob')
    const settings = {
      main: join(root, 'bin/parley.js'),
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: { ...bundleFiles(dist), ...(await driverFiles(node, folder)) },
    }
    writeFileSync(config, JSON.stringify(settings))
    await execute(node, ['--experimental-sea-config', config], { cwd: folder })
    const made = join(folder, basename(out))
    copyFileSync(node, made)
    chmodSync(made, 0o755)
    if (platform === 'darwin') await execute('codesign', ['--remove-signature', made])
    const isStripped = await strip(made)
    const { inject } = createRequire(join(root, 'package.json'))('postject')
    await inject(made, 'NODE_SEA_BLOB', readFileSync(blob), {
      sentinelFuse: fuse,
      ...(platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
    })
    if (platform === 'darwin') await execute('codesign', ['--sign', '-', made])
    mkdirSync(dirname(out), { recursive: true })
    // Next to the old one, which may be running, and then in its place.
    const draft = `${out}.tmp`
    copyFileSync(made, draft)
    renameSync(draft, out)
    return { isStripped, files: Object.keys(settings.assets).length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main() {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: { node: { type: 'string' }, out: { type: 'string' } },
  })
  const given = values.node ?? execPath
  const node = existsSync(given) ? resolve(given) : await nodeBinary(root, given)
  const out = resolve(values.out ?? join(root, `release/binary/parley${platform === 'win32' ? '.exe' : ''}`))
  if (!existsSync(join(root, 'dist/main.js'))) throw new Error('dist/ is not there. Run: npm run build')
  const licence = nodeLicence(node)
  const { isStripped, files } = await build({ node, out })
  writeFileSync(join(dirname(out), NODE_LICENCE), licence)
  writeFileSync(`${out}.sha256`, `${sha256(readFileSync(out))}  ${basename(out)}\n`)
  const size = `${(statSync(out).size / 1e6).toFixed(1)} MB`
  stdout.write(`${out}: ${size}, ${files} files in it${isStripped ? ', stripped' : ''}\n`)
}

try {
  await main()
} catch (error) {
  stderr.write(`binary: ${error.message}\n`)
  exit(1)
}
