import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOnPlatform } from '../../../../src/client/journal/open-operations.ts'
import { inProcessTransport } from '../../../../src/client/transport/in-process-transport.ts'
import { openPlatform } from '../../../../src/platform/compose.ts'
import { schemaTemplate } from '../../../support/databases.ts'
import { operator, type RunOptions, sampleSeed, today } from '../../../support/operator.ts'

type Connect = NonNullable<RunOptions['connect']>

test.each([
  ['live', 'https://platform.test', 'https://platform.test/', true],
  ['desk', 'http://127.0.0.1:4821', 'http://localhost:4821/', true],
  ['desk', 'http://127.0.0.1:4821', 'http://127.0.0.1:4822', false],
  ['desk', 'http://127.0.0.1:4821', 'embedded:', false],
  ['local', 'embedded:', 'embedded:', true],
  // Version 0.1 recorded the address of the server of the data folder.
  ['local', 'http://127.0.0.1:4821', 'embedded:', true],
])('an operation of profile %s on %s belongs to %s: %s', (profile, baseUrl, platform, isSame) => {
  expect(isOnPlatform({ profile, baseUrl }, platform)).toBe(isSame)
})

test('two servers of this machine are two platforms: what one was sent or has open does not stop the other', async () => {
  const by = operator()
  const platforms = new Map<string, Awaited<ReturnType<typeof openPlatform>>>()
  for (const url of ['http://127.0.0.1:4821', 'http://127.0.0.1:4822']) {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-deployment-'))
    const platform = await openPlatform({
      dataDir,
      seed: sampleSeed,
      template: schemaTemplate,
      wall: () => today,
      durable: false,
      pid: process.pid,
      isAlive: () => true,
    })
    onTestFinished(async () => {
      await platform.close()
      rmSync(dataDir, { recursive: true, force: true })
    })
    platforms.set(url, platform)
    const connect: Connect = async (base) => ({ ...inProcessTransport(platform.handle), base })
    const name = url.endsWith('1') ? 'a' : 'b'
    const line = `profile set ${name} --url ${url} --api-key-stdin`
    expect(await by.run(line, { connect, stdin: platform.credentials().key ?? '' })).toMatchObject({ exitCode: 0 })
  }
  let isLost = false
  const connect: Connect = async (base) => ({
    ...inProcessTransport(async (request) => {
      const platform = platforms.get(base)
      if (!platform) throw new Error(base)
      const answer = await platform.handle(request)
      return isLost && request.method === 'POST' ? { status: 502, headers: {}, body: '' } : answer
    }),
    base,
  })
  writeFileSync(join(by.cwd, 'people.csv'), 'phone,1,2\n+14155550111,Anna,Monday\n')
  const line = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes --json'
  for (const profile of ['a', 'b']) {
    const run = await by.run(`${line} --profile ${profile}`, { connect })
    expect([run.exitCode, JSON.parse(run.stdout).done]).toEqual([0, 1])
  }
  isLost = true
  expect((await by.run('numbers buy +15005550006 --yes --profile a', { connect })).exitCode).toBe(12)
  isLost = false
  expect((await by.run('numbers buy +15005550006 --yes --profile a', { connect })).exitCode).toBe(12)
  expect((await by.run('numbers buy +15005550006 --yes --profile b', { connect })).exitCode).toBe(0)
})
