import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { closedPort } from '../../support/servers/http-hosts.ts'
import { filledPlace, newPlace, type Place, parley, start } from '../support/built-program.ts'
import { credentialsOf, serve } from '../support/server-process.ts'

// The local platform, served by a separate process on a real socket.

const lockOf = (at: Place): string => join(at.data, 'server.json')

describe('parley server start', () => {
  test('in JSON prints url, key and control token in one object, with ndjson on one line', async () => {
    const at = newPlace()
    const server = start('server start --port 0 --json', { at })
    await server.until('"url": "')
    await expect.poll(() => server.stdout()).toMatch(/}\n$/)
    expect(JSON.parse(server.stdout())).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key: credentialsOf(at).key,
      control_token: credentialsOf(at).control,
    })
    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
    const line = start('server start --port 0 -o ndjson', { at })
    await line.until('"control_token":"')
    await expect.poll(() => line.stdout()).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(line.stdout())).toMatchObject({ control_token: credentialsOf(at).control })
    line.kill('SIGTERM')
    await line.ended
  })

  test('is refused a second time for the same folder, naming the first', async () => {
    const { at, url, process } = await serve(await filledPlace())
    expect(await parley('server start --port 0', { at })).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining(`${url} (process ${process.pid})`),
    })
    expect((await parley('keys list', { at })).exitCode).toBe(0)
    expect(existsSync(lockOf(at))).toBe(true)
  })

  test('with a seed serves only this machine, because its key can be guessed', async () => {
    const at = newPlace()
    for (const host of ['0.0.0.0', '::', '203.0.113.7'])
      expect(await parley(`server start --port 0 --seed 7 --host ${host}`, { at })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('Use a loopback address'),
      })
    expect(existsSync(at.data)).toBe(false)
    const [one, other] = await Promise.all([
      serve(newPlace(), { flags: '--seed 7' }),
      serve(newPlace(), { flags: '--seed 7' }),
    ])
    expect(one.key).toBe(other.key)
  })

  test('does not respond to a web page with another Host header', async () => {
    const { url, key } = await serve(await filledPlace())
    const answer = await new Promise<number>((done, fail) => {
      import('node:http').then(({ get }) =>
        get(
          `${url}/api/user/api-keys`,
          { headers: { host: 'evil.example', authorization: `Bearer ${key}` } },
          (response) => done(response.resume().statusCode ?? 0),
        ).on('error', fail),
      )
    })
    expect([403, 421]).toContain(answer)
  })

  test('limits the rate of every account, and prints it', async () => {
    const { at, fetch: ask } = await serve(await filledPlace(), { flags: '--rate-limit 5/86400' })
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await ask('GET', 'api-keys')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(await parley('keys list --retries 0', { at })).toMatchObject({ exitCode: 7, stdout: '' })
  })
})

describe('after kill -9', () => {
  test('a new process with the same pid is not mistaken for the server, and is not ended', async () => {
    const at = await filledPlace()
    // This very process stands for the innocent one; nothing listens at the address.
    writeFileSync(
      lockOf(at),
      JSON.stringify({
        url: `http://127.0.0.1:${await closedPort()}`,
        pid: process.pid,
        started_at: '2026-01-01T00:00:00Z',
      }),
    )
    expect(JSON.parse((await parley('whoami --json', { at })).stdout)).toMatchObject({ via: 'embedded' })
    expect(await parley('numbers buy +15005550006 --yes -o id', { at })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\n$/),
    })
    expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ running: false })
    expect(await parley('server stop', { at })).toMatchObject({
      exitCode: 0,
      stdout: 'No server is running for this data folder.\n',
    })
    const { process: serving } = await serve(at)
    expect(JSON.parse(readFileSync(lockOf(at), 'utf8'))).toMatchObject({ pid: serving.pid })
  })
})
