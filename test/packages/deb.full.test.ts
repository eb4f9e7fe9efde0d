import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath, getuid } from 'node:process'
import { execa } from 'execa'
import { beforeAll, describe, expect, test } from 'vitest'
import { NODE_LICENCE, nodeLicence } from '../../scripts/node-licence.mjs'
import { buildDeb } from '../../scripts/packages/deb.mjs'
import { afterFile } from '../support/cleanup.ts'
import { freePort } from '../support/servers/postgres-process.ts'
import { read } from '../support/sources.ts'

// The Debian package of the executable, installed and removed in a folder of its own. Without an executable, a script that starts the built program is packed.

const manifest = JSON.parse(read('package.json'))
const root = join(import.meta.dirname, '../..')
const executable = env.PARLEY_BINARY ?? join(root, 'release/binary/parley')
const hasExecutable = existsSync(executable)
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0
const canBuild = isThere('dpkg-deb') && isThere('dpkg')
const canIsolate = getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
if (!canBuild) console.warn('NOT RUN: dpkg-deb is not installed, so the Debian package is not built.')
else if (!canIsolate) console.warn('NOT RUN: installing the Debian package in an empty root needs root.')
else if (!hasExecutable) console.warn('NOT RUN in an empty root: there is no executable. PARLEY_BINARY names one.')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-deb-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let deb = ''
const field = (name: string): string => execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' }).trim()

/** Writes an executable that starts the built program with this Node. */
function standIn(): string {
  const file = join(newFolder(), 'parley')
  writeFileSync(file, `#!/bin/sh\nexec "${execPath}" "${join(root, 'bin/parley.js')}" "$@"\n`)
  chmodSync(file, 0o755)
  writeFileSync(join(file, '..', NODE_LICENCE), nodeLicence(execPath))
  return file
}

describe.skipIf(!canBuild)('the Debian package', () => {
  beforeAll(() => {
    deb = buildDeb({ binary: hasExecutable ? executable : standIn(), out: newFolder(), level: 0 })
  }, 300_000)

  test('has the fields of the package, and yields to the other program with this command', () => {
    expect(field('Package')).toBe(manifest.name)
    expect(field('Version')).toBe(manifest.version)
    expect(field('Depends')).toContain('libc6')
    expect(field('Conflicts')).toBe('parley')
    expect(field('Maintainer')).toMatch(/^[^<>]+ <[^@\s]+@[^@\s]+>$/)
    expect(Number(field('Installed-Size'))).toBeGreaterThan(0)
  })

  test('has the command, the man pages, the completions and the licences, owned by root', () => {
    const lines = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' }).trim().split('\n')
    for (const line of lines) expect(line).toMatch(/^[d-]\S+ root\/root /)
    const paths = lines.map((line) => line.split(' ./').at(-1))
    for (const page of manifest.man as string[])
      expect(paths).toContain(`usr/share/man/man1/${page.slice('./dist/man/'.length)}`)
    for (const path of [
      'usr/bin/parley',
      'usr/share/bash-completion/completions/parley',
      'usr/share/zsh/vendor-completions/_parley',
      'usr/share/fish/vendor_completions.d/parley.fish',
      `usr/share/doc/${manifest.name}/copyright`,
    ])
      expect(paths).toContain(path)
  })

  test('has the licences of the program, of Node and of every bundled package', () => {
    const folder = newFolder()
    execFileSync('dpkg-deb', ['--extract', deb, folder])
    const copyright = readFileSync(join(folder, 'usr/share/doc', manifest.name, 'copyright'), 'utf8')
    for (const text of ['Permission is hereby granted', '\ncommander ', '\nnode ', 'Node.js is licensed for use'])
      expect(copyright).toContain(text)
  })

  describe.skipIf(!canIsolate)('installed in an empty root', () => {
    const dpkg = (at: string, ...words: string[]) =>
      execFileSync('dpkg', [`--root=${at}`, '--force-depends', '--force-script-chrootless', ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })

    /** Returns a root with a database of packages and nothing else. */
    function emptyRoot(): string {
      const at = newFolder()
      for (const folder of ['var/lib/dpkg/updates', 'var/lib/dpkg/info', 'proc', 'dev', 'tmp', 'data'])
        mkdirSync(join(at, folder), { recursive: true })
      for (const file of ['status', 'available']) writeFileSync(join(at, 'var/lib/dpkg', file), '')
      chmodSync(at, 0o755)
      return at
    }

    test('is installed, unchanged and removed without a file left', () => {
      const at = emptyRoot()
      dpkg(at, '--install', deb)
      expect(dpkg(at, '--status', manifest.name)).toContain('Status: install ok installed')
      expect(dpkg(at, '--verify', manifest.name)).toBe('')
      dpkg(at, '--remove', manifest.name)
      expect(existsSync(join(at, 'usr'))).toBe(false)
    })

    describe.skipIf(!hasExecutable)('without any other program', () => {
      let at = ''
      const parley = (...words: string[]) =>
        execa(
          'unshare',
          [
            ...['--mount', 'bash', join(import.meta.dirname, '../support/isolated-root.sh'), '0', at, join(at, 'data')],
            ...['/usr/bin/parley', ...words],
          ],
          {
            extendEnv: false,
            env: { PATH: env.PATH ?? '', PARLEY_DATA_DIR: '/data', PARLEY_CACHE_DIR: '/data/cache', HOME: '/data' },
            reject: false,
          },
        )
      const json = async (...words: string[]) => {
        const { exitCode, stdout, stderr } = await parley(...words, '--json')
        expect(exitCode, stderr).toBe(0)
        return JSON.parse(stdout)
      }

      beforeAll(() => {
        at = emptyRoot()
        dpkg(at, '--install', deb)
        // The libraries that the package depends on.
        const libraries = execFileSync('ldd', [executable], { encoding: 'utf8' })
        for (const [, library = ''] of libraries.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)) {
          mkdirSync(join(at, library, '..'), { recursive: true })
          writeFileSync(join(at, library), readFileSync(library), { mode: 0o755 })
        }
        expect(readdirSync(join(at, 'usr/bin'))).toEqual(['parley'])
      }, 300_000)

      test('it searches, buys with consent, and restores what it changed', async () => {
        const [found] = await json('numbers', 'search', '--country', 'US')
        const number = found.phone_number as string
        const refused = await parley('numbers', 'buy', number, '--json')
        expect(refused.exitCode).not.toBe(0)
        await json('numbers', 'buy', number, '--yes')
        const bought = async () =>
          (await json('numbers', 'list')).map((it: { phone_number: string }) => it.phone_number)
        expect(await bought()).toContain(number)
        await json('tools', 'update', '1', '--name', 'renamed_tool')
        expect((await parley('history', 'undo', '1', '--yes')).exitCode).toBe(0)
        expect((await json('tools', 'get', '1')).name).not.toBe('renamed_tool')
      })

      test('it serves requests and the inspector', async () => {
        const port = String(await freePort())
        const server = parley('server', 'start', '--port', port)
        const page = () =>
          fetch(`http://127.0.0.1:${port}/_parley/`).then(
            (it) => it.status,
            () => undefined,
          )
        await expect.poll(page, { interval: 50, timeout: 60_000 }).toBe(200)
        expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
        server.kill('SIGTERM')
        expect((await server).exitCode).toBe(0)
      })
    })
  })
})
