import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { operator, type RunOptions } from '../../support/operator.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server of recordings that counts the requests to each path. */
async function serveRecordings(answer: Answer) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const sound =
  (text: string): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(text)

/** Gives calls of the list other fields, by their id; all others have no recording. */
const withCalls =
  (fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>): NonNullable<RunOptions['through']> =>
  async (handle, request) => {
    const reply = await handle(request)
    if (request.method !== 'GET' || !/\/user\/calls/.test(request.url)) return reply
    const body = JSON.parse(String(reply.body))
    const changed = (call: { id: number }) => ({ ...call, recording_url: null, ...fields[call.id] })
    return {
      ...reply,
      body: JSON.stringify(Array.isArray(body.data) ? { ...body, data: body.data.map(changed) } : changed(body)),
    }
  }

const env = { PARLEY_PRIVATE_ADDRESSES: '127.0.0.1' }
const line = 'calls export --recordings recordings -o ndjson'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the lines of a manifest by the id of the call. */
function manifestOf(cwd: string): Record<string, Record<string, unknown>> {
  const lines = readFileSync(join(cwd, 'recordings/manifest.ndjson'), 'utf8').split('\n').filter(Boolean)
  const entries = lines.map((it) => JSON.parse(it))
  expect(new Set(entries.map((it) => it.call_id)).size).toBe(entries.length)
  return Object.fromEntries(entries.map((it) => [it.call_id, it]))
}

describe('calls export', () => {
  test('says how many calls have no recording', async () => {
    const by = operator()
    const ended = (await by.json('calls list --all')).length
    const { stderr } = await by.run('calls export --recordings recordings', { through: withCalls({}) })
    expect(stderr).toMatch(/Saved 0 recordings \(0\.0 MB\) in .*recordings\. \d+ calls have no recording\./)
    expect(Number(/(\d+) calls have/.exec(stderr)?.[1])).toBeLessThanOrEqual(ended)
  })

  test('prints transcripts for people, and one record for each call for programs', async () => {
    const by = operator()
    const all = await by.json('calls list --all')
    const records = (await by.run('calls export -o ndjson')).stdout.trim().split('\n')
    expect(records.map((it) => JSON.parse(it))).toEqual(all)
    const spoken = all.find((it: { transcript: string | null }) => it.transcript)
    const people = await by.run('calls export')
    expect(people.stdout).toContain(`## Call ${spoken.id}\n`)
    expect(people.stdout).toMatch(/\*\*(Assistant|Customer):\*\* /)
    expect((await by.run('calls export --limit 1 -o id')).stdout).toBe(`${all[0].id}\n`)
    expect(await by.json('calls export --since 2026-08-05')).toEqual([])
  })

  test('saves each recording once, named by the id of its call, with a line in the manifest', async () => {
    const by = operator({ env })
    const { url, requests } = await serveRecordings((request, response) =>
      sound(`sound of ${request.url}`)(request, response),
    )
    const through = withCalls({
      1: { recording_url: `${url}/a/../%2e%2e/evil.sh` },
      2: { recording_url: `${url}/b.wav` },
    })
    const run = await by.run(line, { through })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.stderr).toContain('Saved 2 recordings (0.0 MB) in recordings.')
    expect(readdirSync(join(by.cwd, 'recordings')).sort()).toEqual(['1.mp3', '2.mp3', 'manifest.ndjson', 'source.json'])
    expect(manifestOf(by.cwd)[2]).toMatchObject({
      call_id: 2,
      status: 'saved',
      file: '2.mp3',
      sha256: sha256('sound of /b.wav'),
      size_bytes: 15,
      content_type: 'audio/mpeg',
      error: null,
    })
    const records = run.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(records.find((it) => it.id === 2).recording).toMatchObject({ status: 'saved', file: '2.mp3' })
    expect(requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
    const again = await by.run(line, { through })
    expect(again.stderr).toContain('Saved 0 recordings (0.0 MB) in recordings. 2 were saved before.')
    expect(requests).toHaveLength(2)
  })

  test.each([
    ['has lost its end', 'sou'],
    ['has other bytes', 'noise'],
  ])('downloads a recording again whose file %s, and names it when its link has expired', async (_, damaged) => {
    const by = operator({ env })
    let isExpired = false
    const { url, requests } = await serveRecordings((request, response) =>
      isExpired ? void response.writeHead(403).end() : sound('sound')(request, response),
    )
    const through = withCalls({ 1: { recording_url: url } })
    await by.run(line, { through })
    const file = join(by.cwd, 'recordings/1.mp3')
    const damage = (): void => {
      writeFileSync(file, damaged)
      utimesSync(file, new Date('2040-01-01'), new Date('2040-01-01'))
    }
    damage()
    const run = await by.run(line, { through })
    expect(run, run.stderr).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Saved 1 recording') })
    expect([readFileSync(file, 'utf8'), requests.length]).toEqual(['sound', 2])
    damage()
    isExpired = true
    for (const again of [await by.run(line, { through }), await by.run(line, { through })]) {
      expect(again).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('These files are damaged') })
      expect(again.stderr).toMatch(/1 \(1\.mp3 has .+ instead of .+, and its link has expired\)/)
    }
    expect(readFileSync(file, 'utf8')).toBe(damaged)
    expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'damaged', file: '1.mp3', sha256: sha256('sound') })
    // The file of a backup is right again.
    writeFileSync(file, 'sound')
    expect(await by.run(line, { through })).toMatchObject({ exitCode: 0 })
    expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'saved', error: null })
  })

  test('says of a link without a file that there is none, not that it has expired', async () => {
    const by = operator({ env })
    const { url } = await serveRecordings((_, response) => void response.writeHead(404).end())
    const run = await by.run(line, { through: withCalls({ 1: { recording_url: url } }) })
    expect(run.exitCode).toBe(11)
    expect(run.stderr).toContain('not downloaded: 1 (The server has no file at this link: it answered 404).')
    expect(run.stderr).not.toContain('expired')
    expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'failed', file: null })
  })

  test('writes one line for each call, without empty lines, also after lines that were cut off', async () => {
    const by = operator({ env })
    const { url } = await serveRecordings(sound('sound'))
    const file = join(by.cwd, 'recordings/manifest.ndjson')
    await by.run(line, { through: withCalls({ 1: { recording_url: `${url}/1` } }) })
    const written = readFileSync(file, 'utf8')
    expect(written).toMatch(/^(?:\{.+\}\n)+$/)
    for (const damaged of [written.trimEnd(), `${written}\n{"call_id":3,"sta`]) {
      writeFileSync(file, damaged)
      await by.run(line, { through: withCalls({ 2: { recording_url: `${url}/2` } }) })
      expect(readFileSync(file, 'utf8')).toMatch(/^(?:\{.+\}\n)+$/)
      expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'saved' })
    }
  })

  test('lists links that have expired, after it has asked for a new one, and exits with 11', async () => {
    const by = operator({ env })
    const { url } = await serveRecordings((request, response) =>
      request.url === '/fresh' ? sound('x')(request, response) : void response.writeHead(403).end('expired'),
    )
    let reads = 0
    const run = await by.run(line, {
      through: (handle, request) =>
        withCalls({
          1: { recording_url: /calls\/1$/.test(request.url) && ++reads > 0 ? `${url}/fresh` : `${url}/old` },
          2: { recording_url: `${url}/gone` },
        })(handle, request),
    })
    expect([run.exitCode, reads], run.stderr).toEqual([11, 1])
    expect(run.stderr).toContain('The links of these calls have expired: 2.')
    expect(manifestOf(by.cwd)).toMatchObject({ 1: { status: 'saved' }, 2: { status: 'expired', file: null } })
    const later = await by.run(line, { through: withCalls({ 2: { recording_url: `${url}/fresh` } }) })
    expect([later.exitCode, manifestOf(by.cwd)[2]], later.stderr).toEqual([
      0,
      expect.objectContaining({ status: 'saved' }),
    ])
  })

  test('a recording that breaks off or changes during the download is downloaded again as a whole', async () => {
    const by = operator({ env })
    let n = 0
    const { url } = await serveRecordings((request, response) => {
      if (++n > 1) return sound('the second version')(request, response)
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' })
      response.write('the first')
      setImmediate(() => response.destroy())
    })
    const run = await by.run(line, { through: withCalls({ 1: { recording_url: url } }) })
    expect([run.exitCode, n], run.stderr).toEqual([0, 2])
    expect(readFileSync(join(by.cwd, 'recordings/1.mp3'), 'utf8')).toBe('the second version')
  })

  test('continues after it was killed at any point, and downloads nothing twice', async () => {
    const by = operator({ env })
    const { url, requests } = await serveRecordings(sound('sound'))
    const through = withCalls({
      1: { recording_url: `${url}/1` },
      2: { recording_url: `${url}/2` },
      3: { recording_url: `${url}/3` },
    })
    await by.run(line, { through: withCalls({ 1: { recording_url: `${url}/1` } }) })
    const folder = join(by.cwd, 'recordings')
    // Killed after the file was saved and before its line was; in the middle of another file; in the middle of a line.
    writeFileSync(join(folder, '2.mp3'), 'saved before')
    writeFileSync(join(folder, '3.part'), 'half')
    writeFileSync(
      join(folder, 'manifest.ndjson'),
      `${readFileSync(join(folder, 'manifest.ndjson'), 'utf8')}\n{"call_id":3,"sta`,
    )
    const run = await by.run(line, { through })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.stderr).toContain('Saved 1 recording (0.0 MB) in recordings. 2 were saved before.')
    expect(requests.map((it) => it.url)).toEqual(['/1', '/3'])
    expect(manifestOf(by.cwd)).toMatchObject({
      2: { status: 'saved', sha256: sha256('saved before') },
      3: { sha256: sha256('sound') },
    })
    expect(existsSync(join(folder, '3.part'))).toBe(false)
  })

  test('ends with an error that names the file when the disk is full, without a part of it, and continues later', async () => {
    const by = operator({ env })
    let isFull = true
    const { url } = await serveRecordings((request, response) => {
      // Every write to this device says that there is no space left.
      if (isFull) symlinkSync('/dev/full', join(by.cwd, 'recordings/1.part'))
      sound('sound')(request, response)
    })
    const through = withCalls({ 1: { recording_url: url } })
    const run = await by.run(line, { through })
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/1\.part: no space left on the device/) })
    expect(readdirSync(join(by.cwd, 'recordings')).sort()).not.toContain('1.part')
    isFull = false
    expect((await by.run(line, { through })).exitCode).toBe(0)
    expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'saved', sha256: sha256('sound') })
  })

  test('ends on Ctrl-C without a part of a file, and continues with the next run', async () => {
    const by = operator({ env })
    const interrupt = new AbortController()
    let isCut = true
    const { url } = await serveRecordings((request, response) => {
      if (!isCut || request.url === '/1') return sound('sound')(request, response)
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' })
      response.write('half')
      setImmediate(() => interrupt.abort(130))
    })
    const through = withCalls({ 1: { recording_url: `${url}/1` }, 2: { recording_url: `${url}/2` } })
    const run = await by.run(line, { through, interrupt })
    expect(run).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining(
        'Stopped. To continue, run the same command again: what is saved is not downloaded again.',
      ),
    })
    expect(readdirSync(join(by.cwd, 'recordings')).filter((it) => it.startsWith('2'))).toEqual([])
    isCut = false
    expect((await by.run(line, { through })).exitCode).toBe(0)
    expect(manifestOf(by.cwd)).toMatchObject({ 1: { status: 'saved' }, 2: { status: 'saved' } })
  })

  test.each([
    ['http://169.254.169.254/latest/meta-data', 'Requests to 169.254.169.254 are not allowed'],
    ['http://127.0.0.1:1/x', 'Requests to 127.0.0.1 are not allowed: the address is on a private network'],
    ['http://[::1]:1/x', 'the address is on a private network'],
    ['file:///etc/passwd', 'Unsupported protocol file:'],
    ['nonsense', 'The link is not a valid URL'],
  ])('does not request %s', async (recording_url, message) => {
    const by = operator()
    const run = await by.run(line, { through: withCalls({ 1: { recording_url } }) })
    expect(run).toMatchObject({ exitCode: 11, stderr: expect.stringContaining(message) })
    expect(manifestOf(by.cwd)[1]).toMatchObject({ status: 'failed', file: null })
  })

  test('does not follow a redirect to a private address', async () => {
    const by = operator({ env })
    const { url } = await serveRecordings(
      (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/x' }).end(),
    )
    const run = await by.run(line, { through: withCalls({ 1: { recording_url: url } }) })
    expect(run).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('Requests to 10.0.0.1 are not allowed') })
  })

  test('takes no page for a recording, and no id of a platform for a path', async () => {
    const by = operator({ env })
    const { url } = await serveRecordings(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
    )
    const run = await by.run(line, {
      through: withCalls({ 1: { recording_url: url }, 2: { id: '../../escaped', recording_url: url } }),
    })
    expect(run.exitCode).toBe(11)
    expect(run.stderr).toContain('1 (The server answered with text/html, which is not a recording)')
    expect(run.stderr).toContain('../../escaped (The id of the call is not a number)')
    expect(readdirSync(by.cwd)).toEqual(['recordings'])
  })

  test('skips a call in progress', async () => {
    const by = operator({ env })
    const { url, requests } = await serveRecordings(sound('sound'))
    const run = await by.run(line, { through: withCalls({ 1: { recording_url: url, status: 'in-progress' } }) })
    expect([run.exitCode, requests.length]).toEqual([0, 0])
    expect(manifestOf(by.cwd)[1]).toBeUndefined()
  })

  test('sends the API key to the platform itself only', async () => {
    const by = operator({ env: { PARLEY_API_KEY: '1|secret' } })
    const other = await serveRecordings(sound('sound'))
    const [call] = await by.json('calls list --limit 1', { env: { PARLEY_API_KEY: undefined } })
    const platform = await serveRecordings((request, response) => {
      const json = (body: object) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.url === '/recording') return void response.writeHead(302, { location: `${other.url}/x` }).end()
      if (!request.url?.startsWith('/api/user/calls')) return void json({ api_keys: [] })
      json({
        current_page: 1,
        per_page: 100,
        total: 1,
        last_page: 1,
        data: [{ ...call, recording_url: `${platform.url}/recording` }],
      })
    })
    const run = await by.run(`${line} --base-url ${platform.url}`, { env })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(platform.requests.at(-1)?.headers.authorization).toBe('Bearer 1|secret')
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  test('refuses a folder with other files, and one of another account', async () => {
    const by = operator({ env })
    mkdirSync(join(by.cwd, 'recordings'))
    writeFileSync(join(by.cwd, 'recordings/notes.txt'), '')
    expect(await by.run(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('recordings has other files'),
    })
    await by.run('calls export --recordings mine')
    const { key } = await by.json('server accounts create --name Other --email other@example.com')
    const run = await by.run('calls export --recordings mine', { env: { PARLEY_API_KEY: key } })
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('recordings of another account') })
  })
})

describe('calls search', () => {
  test('prints what was said with the text in it, newest call first', async () => {
    const by = operator()
    const calls = await by.json('calls list --all')
    const spoken = calls.find((it: { transcript: string | null }) => it.transcript)
    const [, text = ''] = /: .*?([a-z]{5,})/.exec(spoken.transcript) ?? []
    const expected = calls.filter((it: { transcript: string | null }) => it.transcript?.toLowerCase().includes(text))
    const found = await by.json(`calls search ${text.toUpperCase()}`)
    expect(new Set(found.map((it: { call_id: number }) => it.call_id))).toEqual(
      new Set(expected.map((it: { id: number }) => it.id)),
    )
    expect(found.every((it: { content: string }) => it.content.toLowerCase().includes(text))).toBe(true)
    expect(await by.json(`calls search ${text} --limit 1`)).toHaveLength(1)
    const people = await by.run(`calls search ${text}`, { terminal: true })
    expect(people.stdout).toContain(`Call ${found[0].call_id}`)
    expect(await by.run('calls search never-said', { terminal: true })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('No transcripts contain this text.'),
    })
    expect(await by.run('calls search')).toMatchObject({ exitCode: 2 })
  })
})
