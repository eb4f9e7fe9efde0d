// Builds the Debian package from a single executable of the program and the licence of Node beside it: npm run deb
// [-- --binary <file>] [--out <folder>].
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { arch, argv, exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { NODE_LICENCE } from '../node-licence.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../../..')

/** Names of processors in Debian. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }

/** Where Debian looks for completion scripts. */
const COMPLETIONS = {
  'parley.bash': 'usr/share/bash-completion/completions/parley',
  _parley: 'usr/share/zsh/vendor-completions/_parley',
  'parley.fish': 'usr/share/fish/vendor_completions.d/parley.fish',
}

/**
 * Returns the control file. The executable contains Node, so the libraries of Node are all it needs. Debian has another
 * program with the same command, a vocabulary trainer.
 */
export const control = (manifest, architecture, kilobytes) =>
  `${[
    `Package: ${manifest.name}`,
    `Version: ${manifest.version}`,
    `Architecture: ${architecture}`,
    `Maintainer: The Parley maintainers <maintainers@${new URL(manifest.bugs.url).hostname}>`,
    `Installed-Size: ${kilobytes}`,
    'Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)',
    'Conflicts: parley',
    'Section: utils',
    'Priority: optional',
    `Homepage: ${manifest.homepage}`,
    `Description: ${manifest.description.replace(/\.$/, '')}`,
  ].join('\n')}\n`

/** Builds the package into the folder `out`. Returns its path. `level` is that of xz. */
export function buildDeb({ binary, out, level = 6 }) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const architecture = ARCHITECTURES[arch]
  if (!architecture) throw new Error(`Debian packages are built on ${Object.keys(ARCHITECTURES).join(' and ')} only`)
  if (!existsSync(binary)) throw new Error(`${binary} is not there. Name the executable: --binary <file>`)
  const folder = mkdtempSync(join(tmpdir(), 'parley-deb-'))
  const place = (path, mode, write) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    write(file)
    chmodSync(file, mode)
  }
  try {
    place('usr/bin/parley', 0o755, (file) => copyFileSync(binary, file))
    for (const [name, path] of Object.entries(COMPLETIONS))
      place(path, 0o644, (file) => copyFileSync(join(root, 'completions', name), file))
    cpSync(join(root, 'dist/man'), join(folder, 'usr/share/man/man1'), { recursive: true })
    const doc = `usr/share/doc/${manifest.name}`
    const licences = ['LICENSE', 'dist/THIRD-PARTY-LICENSES.txt']
      .map((it) => join(root, it))
      .concat(join(dirname(binary), NODE_LICENCE))
      .map((it) => readFileSync(it, 'utf8'))
    place(`${doc}/copyright`, 0o644, (file) => writeFileSync(file, licences.join('\n')))
    const changes = gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 })
    place(`${doc}/changelog.gz`, 0o644, (file) => writeFileSync(file, changes))
    const files = filesOf(folder)
    const bytes = files.reduce((sum, it) => sum + statSync(join(folder, it)).size, 0)
    const sums = files.map((it) => `${md5(join(folder, it))}  ${it}\n`).join('')
    place('DEBIAN/md5sums', 0o644, (file) => writeFileSync(file, sums))
    const text = control(manifest, architecture, Math.ceil(bytes / 1024))
    place('DEBIAN/control', 0o644, (file) => writeFileSync(file, text))
    mkdirSync(out, { recursive: true })
    const made = join(out, `${manifest.name}_${manifest.version}_${architecture}.deb`)
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', `-z${level}`, folder, made], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return made
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath ?? it.path, it.name).slice(folder.length + 1))
    .sort()

/** Debian packages list MD5 sums, which `dpkg --verify` compares. */
const md5 = (file) => createHash('md5').update(readFileSync(file)).digest('hex')

if (basename(argv[1] ?? '') === 'deb.mjs') {
  try {
    const { values } = parseArgs({
      args: argv.slice(2),
      options: {
        binary: { type: 'string', default: join(root, 'release/binary/parley') },
        out: { type: 'string', default: join(root, 'release/packages') },
      },
    })
    const made = buildDeb({ binary: resolve(values.binary), out: resolve(values.out) })
    stdout.write(`${made}: ${(statSync(made).size / 1e6).toFixed(1)} MB\n`)
  } catch (error) {
    stderr.write(`deb: ${error.message}\n`)
    exit(1)
  }
}
