// Prints sizes of the image's root file system, and the memory of its server without requests: node scripts/packages/measure.mjs
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { env, stdout } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { nodeBinary } from '../node-binary.mjs'
import { pack } from '../pack.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../../..')
const folder = mkdtempSync(join(tmpdir(), 'parley-measure-'))
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
const say = (what, value) => stdout.write(`${what.padEnd(48)} ${value}\n`)

try {
  const image = join(folder, 'image')
  const { filename, size } = pack(root, folder)
  const npm = join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(), 'npm/bin/npm-cli.js')
  const node = await nodeBinary(root, '24')
  execFileSync(node, [join(root, 'scripts/packages/image-root.mjs'), join(folder, filename), image], {
    env: { ...env, npm_execpath: npm },
  })
  say('tarball', megabytes(size))
  const files = readdirSync(image, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  const bytes = files.reduce((sum, it) => sum + statSync(join(it.parentPath, it.name)).size, 0)
  say('root file system of the image', megabytes(bytes))
  const archive = execFileSync('tar', ['--create', '--directory', image, '.'], { maxBuffer: 1e9 })
  say('root file system of the image, gzip', megabytes(gzipSync(archive).length))
  say('memory of its server 10 s after the start', await idleMemory(image))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Starts the server of the image with its Node, and returns what it holds in memory. */
async function idleMemory(image) {
  const program = join(image, 'usr/local/bin/parley')
  const server = spawn(join(image, 'usr/local/bin/node'), [program, 'server', 'start', '--port', '0'], {
    env: { PARLEY_DATA_DIR: join(folder, 'data'), PARLEY_CACHE_DIR: join(folder, 'cache'), HOME: folder },
    stdio: 'ignore',
  })
  const ended = new Promise((resolveEnd) => server.once('exit', resolveEnd))
  try {
    await sleep(10_000)
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
    return megabytes(Number(kilobytes) * 1024)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}
