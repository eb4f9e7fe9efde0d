import { existsSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longOnly } from '../../support/case-count.ts'
import { filledPlace, newPlace, type Place, parley, start } from '../support/built-program.ts'
import { serve } from '../support/server-process.ts'

// The local platform, served by a separate process on a real socket.

const lockOf = (at: Place): string => join(at.data, 'server.json')

describe('parley server start', () => {
  test('prints its address, and any HTTP client gets access with the key from the data folder', async () => {
    const { at, url, key, process, fetch: ask } = await serve(newPlace())
    expect(process.stdout()).toBe(`Listening on ${url}\n`)
    expect(await process.until('Try: ')).toBe(`curl -H "Authorization: Bearer <key>" ${url}/api/user/api-keys`)
    const { status, body } = await ask('GET', 'api-keys')
    expect([status, body.api_keys[0]]).toEqual([200, expect.objectContaining({ id: 1, name: 'local' })])
    expect((await fetch(`${url}/api/user/api-keys`)).status).toBe(401)
    expect((await fetch(`${url}/api/user/api-keys`, { headers: { authorization: 'Bearer 1|guessed' } })).status).toBe(
      401,
    )
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    for (const file of [join(at.data, 'credentials.json'), lockOf(at)]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(at.data, 'platform.db')).includes(key.split('|')[1] as string)).toBe(false)
  })

  test('is used by commands on the same folder: status shows it, and stop ends it', async () => {
    const { at, url, process } = await serve(await filledPlace())
    expect(JSON.parse((await parley('whoami --json', { at })).stdout)).toMatchObject({
      via: 'local_server',
      base_url: 'embedded:',
    })
    expect((await parley('keys list -v', { at })).stderr).toContain('GET /api/user/api-keys 200')
    expect(JSON.parse((await parley('keys create --name through --json', { at })).stdout)).toMatchObject({
      name: 'through',
      token: expect.stringMatching(/^\d+\|\w+$/),
    })
    expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({
      running: true,
      url,
      pid: process.pid,
      data_folder: at.data,
    })
    expect(await parley('server stop', { at })).toEqual({ exitCode: 0, stdout: `Stopped ${url}.\n`, stderr: '' })
    expect(await process.ended).toMatchObject({ exitCode: 0 })
    expect(existsSync(lockOf(at))).toBe(false)
    expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({
      running: false,
      url: null,
      pid: null,
    })
    expect(await parley('server stop', { at })).toMatchObject({
      exitCode: 0,
      stdout: 'No server is running for this data folder.\n',
    })
    // What was made through it is in the folder.
    expect(JSON.parse((await parley('whoami --json', { at })).stdout)).toMatchObject({ via: 'embedded' })
    expect((await parley('keys list -o tsv --fields name', { at })).stdout).toContain('\nthrough\n')
  })

  test.each(['SIGTERM', ...longOnly('SIGINT' as const)] as const)(
    'exits cleanly on %s: exit 0, the lock gone, the pending request answered',
    async (signal) => {
      const { at, process, fetch: ask } = await serve(await filledPlace())
      const answers = Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          ask('POST', 'api-keys', { name: `late-${n}` })
            .then((it) => it.status)
            .catch(() => 'refused'),
        ),
      )
      process.kill(signal)
      expect(await process.ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Stopping.') })
      expect(existsSync(lockOf(at))).toBe(false)
      const done = (await answers).filter((it) => it === 201 || it === 200).length
      const { stdout } = await parley('keys list --json', { at })
      expect(
        JSON.parse(stdout).filter((it: { name: string }) => it.name.startsWith('late-')).length,
      ).toBeGreaterThanOrEqual(done)
    },
  )

  test('waits for a pending request, but not when it is stopped twice', async () => {
    const { url, process } = await serve(await filledPlace())
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    try {
      await new Promise<void>((done) =>
        socket.write('POST /api/user/api-keys HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n{', () => done()),
      )
      // What came later is answered: the server has read what came before.
      await fetch(`${url}/openapi.json`)
      process.kill('SIGINT')
      await process.until('Stopping.')
      process.kill('SIGINT')
      expect((await process.ended).exitCode).toBe(130)
    } finally {
      socket.destroy()
    }
  })

  test('twice at the same time: one serves, the other is refused, and the lock file belongs to the first', async () => {
    const at = newPlace()
    const both = [start('server start --port 0', { at }), start('server start --port 0', { at })]
    const outcomes = await Promise.all(both.map((it) => it.until('Listening on ').catch(() => 'refused')))
    expect(outcomes.filter((it) => it === 'refused')).toHaveLength(1)
    const serving = both[outcomes.findIndex((it) => it !== 'refused')]
    expect(JSON.parse(readFileSync(lockOf(at), 'utf8'))).toMatchObject({ pid: serving?.pid })
    expect(JSON.parse((await parley('whoami --json', { at })).stdout)).toMatchObject({ via: 'local_server' })
    serving?.kill('SIGTERM')
    await serving?.ended
  })

  test('a port in use, a foreign address and invalid values exit with 2 and a fix', async () => {
    const at = newPlace()
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    try {
      const { port } = taken.address() as { port: number }
      expect(await parley(`server start --port ${port}`, { at })).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(/Port \d+ on 127\.0\.0\.1 is in use\.\nhint: .*--port 0/),
      })
    } finally {
      taken.close()
    }
    expect(await parley('server start --port 0 --host 203.0.113.7', { at })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/203\.0\.113\.7 is not an address of this machine\.\nhint: /),
    })
    expect(await parley('server start --port 70000', { at })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('0 to 65535'),
    })
    expect(await parley('server start --port 0 --seed 1.5', { at })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--seed'),
    })
    expect(await parley('server start --port 0 --rate-limit often', { at })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('100/60'),
    })
    expect(existsSync(lockOf(at))).toBe(false)
  })
})

describe('after kill -9', () => {
  test('commands work on the folder, and a server starts again', async () => {
    const { at, process, fetch: ask } = await serve(await filledPlace())
    await ask('POST', 'api-keys', { name: 'acknowledged' })
    process.kill('SIGKILL')
    await process.ended
    expect(existsSync(lockOf(at))).toBe(true)
    expect(JSON.parse((await parley('keys list --json --fields name', { at })).stdout)).toContainEqual({
      name: 'acknowledged',
    })
    expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ running: false })
    expect(await parley('server stop', { at })).toMatchObject({ exitCode: 0 })
    await parley('keys list', { at })
    const again = await serve(at)
    expect((await again.fetch('GET', 'api-keys')).body.api_keys).toContainEqual(
      expect.objectContaining({ name: 'acknowledged' }),
    )
    again.process.kill('SIGTERM')
    expect((await again.process.ended).exitCode).toBe(0)
  })
})
