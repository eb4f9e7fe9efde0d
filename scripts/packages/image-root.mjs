// Writes the root file system of the container image: node scripts/packages/image-root.mjs <tarball> <folder>.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { argv, env, execPath, exit, stderr } from 'node:process'
import { NODE_LICENCE, nodeLicence } from '../node-licence.mjs'

/** The user of the image. It owns only the data folder, which the Dockerfile adds. */
const USER = 1000

/** Files that C library, shebang and health check need, and the licences of what is copied. */
const FILES = [
  '/usr/bin/env',
  '/etc/ssl/certs/ca-certificates.crt',
  ...['libc6', 'libgcc-s1', 'libstdc++6', 'coreutils', 'ca-certificates'].map((it) => `/usr/share/doc/${it}/copyright`),
]

/** Copies a file to its path below the root, and the libraries that it loads. */
function place(root, file, path = file) {
  const target = join(root, path)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
  copyFileSync(realpathSync(file), target)
  for (const [, library] of libraries(file).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)) place(root, library)
}

/** Returns what `ldd` prints, nothing for other files than programs. */
function libraries(file) {
  try {
    return execFileSync('ldd', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

function writeRoot(tarball, root) {
  const npm = env.npm_execpath ?? join(dirname(execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const folder = (path, mode = 0o755) => {
    mkdirSync(join(root, path), { recursive: true })
    chmodSync(join(root, path), mode)
  }
  for (const path of ['dev', 'proc', 'sys', 'etc']) folder(path)
  folder('tmp', 0o1777)
  writeFileSync(join(root, 'etc/passwd'), `root:x:0:0::/:\nparley:x:${USER}:${USER}::/:\n`)
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nparley:x:${USER}:\n`)
  place(root, execPath, '/usr/local/bin/node')
  folder('usr/local/share/doc/node')
  writeFileSync(join(root, 'usr/local/share/doc/node', NODE_LICENCE), nodeLicence(execPath))
  for (const file of FILES.filter((it) => existsSync(it))) place(root, file)
  // Node 24 includes SQLite, so the native packages for Node 20 are left out.
  const prefix = join(root, 'usr/local')
  const flags = ['--global', `--prefix=${prefix}`, '--ignore-scripts', '--cpu=none', '--no-audit', '--no-fund']
  execFileSync(execPath, [npm, 'install', ...flags, tarball], { stdio: ['ignore', 'ignore', 'inherit'] })
}

const [tarball, root] = argv.slice(2)
if (!tarball || !root) {
  stderr.write('image-root: Name the tarball and the folder.\n')
  exit(1)
}
writeRoot(resolve(tarball), resolve(root))
