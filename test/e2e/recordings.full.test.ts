import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hangMs } from '../support/hang-timeout.ts'
import { newPlace, parley, start } from './support/built-program.ts'

const count = 30
const sizeBytes = 400_000

const soundOf = (id: number): Buffer => Buffer.alloc(sizeBytes, id)

/** Starts a platform with calls, which also has their recordings. Each recording is sent in parts, slowly. */
async function startPlatform() {
  /** Recordings that were sent to their end, by the id of their call. */
  const sent: number[] = []
  const server = createServer(async (request, response) => {
    const [, id] = /^\/recordings\/(\d+)/.exec(request.url ?? '') ?? []
    if (id !== undefined) {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': String(sizeBytes) })
      const sound = soundOf(Number(id))
      for (let at = 0; at < sizeBytes; at += sizeBytes / 8) {
        response.write(sound.subarray(at, at + sizeBytes / 8))
        await sleep(3)
      }
      response.end(() => sent.push(Number(id)))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    if (!request.url?.startsWith('/api/user/calls')) return void response.end('{"api_keys":[]}')
    const data = Array.from({ length: count }, (_, n) => ({
      id: count - n,
      type: 'inbound',
      status: 'completed',
      duration: 30,
      transcript: 'AI: Hello',
      variables: {},
      recording_url: `http://${request.headers.host}/recordings/${count - n}`,
      created_at: '2026-08-04T12:00:00.000000Z',
      updated_at: '2026-08-04T12:00:00.000000Z',
    }))
    response.end(JSON.stringify({ current_page: 1, per_page: 100, total: count, last_page: 1, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

test('kill -9 at any moment of "calls export --recordings" loses nothing, and what is saved is not downloaded again', async () => {
  const { url } = await startPlatform()
  const at = newPlace()
  const folder = join(at.dir, 'recordings')
  const env = { PARLEY_API_KEY: '1|x' }
  const line = `calls export --recordings recordings --base-url ${url} -o ndjson`
  const saved = (): string[] => (existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.mp3')) : [])
  for (const goal of [1, 7, 16]) {
    const exporting = start(line, { at, env })
    for (const late = Date.now() + hangMs; saved().length < goal && Date.now() < late; ) await sleep(2)
    exporting.kill('SIGKILL')
    await exporting.ended
    expect(saved().length).toBeGreaterThanOrEqual(goal)
    // A file with its final name is whole.
    for (const file of saved())
      expect(readFileSync(join(folder, file)).equals(soundOf(Number.parseInt(file, 10))), file).toBe(true)
  }
  const before = saved().length
  const last = await parley(line, { at, env })
  expect(last.exitCode, last.stderr).toBe(0)
  expect(last.stderr).toContain(`Saved ${count - before} recordings`)
  expect(readdirSync(folder).filter((it) => it.endsWith('.part'))).toEqual([])
  const entries = readFileSync(join(folder, 'manifest.ndjson'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((it) => JSON.parse(it))
  expect(entries.map((it) => it.call_id).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n + 1))
  for (const { call_id, file, sha256, status } of entries) {
    expect([status, file]).toEqual(['saved', `${call_id}.mp3`])
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex'),
    ).toBe(sha256)
  }
})
