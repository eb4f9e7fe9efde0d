import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid, platform } from 'node:process'
import { execa } from 'execa'
import { beforeAll, describe, expect, test } from 'vitest'
import { nodeBinary } from '../../scripts/node-binary.mjs'
import { pack } from '../../scripts/pack.mjs'
import { afterFile } from '../support/cleanup.ts'
import { dockerfileInstructions, imageVariables, listOf } from '../support/container-files.ts'
import { freePort } from '../support/servers/postgres-process.ts'

// The commands of the Dockerfile without a container engine: its root file system is written here, and the program runs in it, read-only and as its user.

const root = join(import.meta.dirname, '../..')
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-image-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const canIsolate = platform === 'linux' && getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
if (!canIsolate) console.warn('NOT RUN: the root file system of the image needs root and mount namespaces of Linux.')

describe.skipIf(!canIsolate)('the root file system of the image', () => {
  let image = ''
  const user = dockerfileInstructions()
    .find((it) => it.name === 'USER')
    ?.words.split(':')[0] as string
  const [program = '', ...command] = ['ENTRYPOINT', 'CMD'].flatMap((name) =>
    listOf(dockerfileInstructions().find((it) => it.name === name)),
  )

  beforeAll(async () => {
    const folder = newFolder()
    image = join(folder, 'image')
    const { filename } = pack(root, folder)
    const npm = join(execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(), 'npm/bin/npm-cli.js')
    const script = join(root, 'scripts/packages/image-root.mjs')
    execFileSync(await nodeBinary(root, '24'), [script, join(folder, filename), image], {
      env: { ...process.env, npm_execpath: npm },
    })
    // What the last stage copies with an owner.
    mkdirSync(join(image, 'data'), { mode: 0o700 })
    chownSync(join(image, 'data'), Number(user), Number(user))
  }, 600_000)

  const start = (as: string, volume: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const isolated = join(root, 'test/support/isolated-root.sh')
    const variables = Object.entries({ ...imageVariables(), ...more }).map(([name, value]) => `${name}=${value}`)
    return execa(
      'unshare',
      ['--mount', 'bash', isolated, as, image, volume, '/usr/bin/env', '-i', ...variables, program, ...words],
      { reject: false },
    )
  }
  const volumeOf = (owner: string): string => {
    const volume = newFolder()
    chownSync(volume, Number(owner), Number(owner))
    return volume
  }

  test('serves a request as its user, writes only to the volume, and has no shell or package manager', async () => {
    const volume = volumeOf(user)
    const port = String(await freePort())
    const server = start(user, volume, command, { PARLEY_LISTEN_PORT: port })
    const url = `http://127.0.0.1:${port}`
    const status = () =>
      fetch(`${url}/readyz`).then(
        (it) => it.status,
        () => undefined,
      )
    await expect.poll(status, { interval: 50, timeout: 60_000 }).toBe(200)
    const { stdout } = await start(user, volume, ['server', 'accounts', 'key', '1', '--json'])
    const { key } = JSON.parse(stdout)
    const answer = await fetch(`${url}/api/user/api-keys`, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    server.kill('SIGTERM')
    expect((await server).exitCode).toBe(0)
    for (const file of ['bin', 'bin/sh', 'usr/bin/npm', 'usr/local/lib/node_modules/npm'])
      expect(existsSync(join(image, file)), file).toBe(false)
    expect(readdirSync(join(image, 'data'))).toEqual([])
    expect(readFileSync(join(image, 'usr/local/share/doc/node/NODE-LICENSE.txt'), 'utf8')).toContain(
      'Node.js is licensed for use',
    )
    expect(existsSync(join(image, 'usr/share/doc/libc6/copyright'))).toBe(existsSync('/usr/share/doc/libc6/copyright'))
    expect(readdirSync(volume)).toContain('platform.db')
  })

  test.each([
    ['another user', '1234', () => volumeOf(user)],
    ['another user and no volume', '1234', () => 'none'],
    ['a read-only file system and no volume', user, () => 'none'],
  ])('started as %s, it names the folder and the fix', async (_, as, volume) => {
    const { exitCode, stderr } = await start(as, volume(), command)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('/data/platform.db cannot be written. Make the file and its folder writable')
    expect(stderr).toContain('PARLEY_DATA_DIR')
  })

  test('started as another user with a volume of that user, it works', async () => {
    const { exitCode, stdout, stderr } = await start('1234', volumeOf('1234'), ['keys', 'list', '--json'])
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout).length).toBeGreaterThan(0)
  })
})
