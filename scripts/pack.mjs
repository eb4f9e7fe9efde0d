// Packs the program as it is published: npm run pack [-- <folder>]. dist/ must be built.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { argv, env, execPath, exit, platform, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'

/** Fields of package.json that only this repository uses. */
const OF_THE_REPOSITORY = ['scripts', 'devDependencies', 'allowScripts']

/** Returns the package.json that is published: without what builds and tests the program. */
export const publishedManifest = (manifest) =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => !OF_THE_REPOSITORY.includes(name)))

/** Packs the program of `root` into the folder `destination`. Returns the report of npm: `{ filename, size, files }`. */
export function pack(root, destination) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'parley-pack-'))
  try {
    for (const file of manifest.files) cpSync(join(root, file), join(folder, file), { recursive: true })
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`)
    mkdirSync(destination, { recursive: true })
    const [report] = npmPack(folder, destination)
    return report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function npmPack(folder, destination) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const script = [env.npm_execpath, npmBeside(execPath)].find((it) => it?.endsWith('npm-cli.js') && existsSync(it))
  const text = script
    ? execFileSync(execPath, [script, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 64e6 })
    : execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64e6, shell: platform === 'win32' })
  const report = JSON.parse(text)
  return Array.isArray(report) ? report : Object.values(report)
}

const npmBeside = (node) =>
  join(
    dirname(node),
    platform === 'win32' ? 'node_modules/npm/bin/npm-cli.js' : '../lib/node_modules/npm/bin/npm-cli.js',
  )

if (basename(argv[1] ?? '') === 'pack.mjs') {
  const root = resolve(fileURLToPath(import.meta.url), '../..')
  try {
    stdout.write(`${pack(root, resolve(argv[2] ?? '.')).filename}\n`)
  } catch (error) {
    stderr.write(`pack: ${error.message}\n`)
    exit(1)
  }
}
