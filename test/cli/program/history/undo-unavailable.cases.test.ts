import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resources } from '../../../../src/cli/program/resources/registry.ts'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { capabilitiesHeader } from '../../../../src/contract/endpoint/capabilities.ts'
import { capabilities } from '../../../../src/contract/resources/index.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { type Body, notParleyServer, withheld } from '../../../support/altered-responses.ts'
import { everyNth } from '../../../support/case-count.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

// A write whose previous state cannot be saved is not sent, whichever resource it changes.

type Through = NonNullable<RunOptions['through']>

/** Command lines of every command whose write the history records, by the words of the command. */
const lines: Readonly<Record<string, string>> = {
  'assistants update': '2 --max-duration 301',
  'assistants delete': '2 --yes --confirm Recall',
  'assistants enable-webhook': '1 --event inbound --webhook-url https://hooks.example/',
  'automate update': '<automation> --name Other',
  'automate enable': '<automation>',
  'automate delete': '<automation> --yes --confirm "Opening hours"',
  'automate restore': '<automation> --yes',
  'campaigns update': '1 --name Other',
  'campaigns delete': '1 --yes --confirm "Call back"',
  'folders update': '1 --name Other',
  'folders delete': '1 --yes --confirm "Front desk"',
  'labels update': '1 --name Other',
  'labels delete': '1 --yes --confirm production',
  'knowledge update': '1 --name Other',
  'knowledge delete': '1 --yes --confirm "Practice handbook"',
  'knowledge documents update': '1 --knowledge 1 --name Other',
  'knowledge documents delete': '1 --knowledge 1 --yes',
  'leads update': '5 --status completed',
  'leads delete': '5 --yes',
  'messaging assign': '5 --assistant-id 1',
  'numbers update': '4 --nickname Desk',
  'numbers release': '4 --yes --confirm "Front desk"',
  'sip-trunks update': '1 --nickname Desk',
  'sip-trunks delete': '1 --yes --confirm Reception',
  'tools update': '2 --tool-timeout 20',
  'tools delete': '2 --yes --confirm book_appointment',
}

/** Commands of recorded writes that continue when their undo cannot be saved, because they reduce harm. */
const reducing: Readonly<Record<string, string>> = {
  'assistants disable-webhook': '1 --event post-call',
  'automate disable': '<automation> --yes',
}

const recorded = new Set(
  Object.values(resources).flatMap(({ writes }) =>
    Object.entries(writes).flatMap(([name, action]) => (action === null ? [] : [name])),
  ),
)

const lineOf = (by: string, words: string, all = lines): string => `${words} ${all[words]}`.replace('<automation>', by)

/** The automation of the sample data with a previous version. */
const idOf = async (by: Operator): Promise<string> =>
  (await by.json('automate list')).find((it: Body) => it.name === 'Opening hours').id

const offered = Object.keys(capabilities).join(', ')

/** A Parley server that answers every read with an error. */
const failingReads =
  (status: number): Through =>
  async (handle, request) =>
    request.method === 'GET'
      ? {
          status,
          headers: { 'content-type': 'application/json', [capabilitiesHeader]: offered },
          body: JSON.stringify({ message: `Answered ${status}.` }),
        }
      : handle(request)

/** A deployment that answers writes, and no read. */
const unreachable = (writes: string[]): RunOptions => ({
  env: { PARLEY_BASE_URL: 'https://platform.example', PARLEY_API_KEY: 'key' },
  connect: async (base) => ({
    base,
    async send({ method, url }) {
      if (method === 'GET') throw new TransportError('reset', 'reset', true)
      writes.push(`${method} ${url}`)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"message":"Done."}' }
    },
    close: async () => {},
  }),
})

const writesOf = ({ requests }: Run): readonly string[] => requests.filter((it) => !it.startsWith('GET '))
const errorOf = ({ stderr }: Run): Body => JSON.parse(stderr).error

test('every command whose write the history records has a line in this test', async () => {
  const found = (await allCommands()).filter(([, { endpoint }]) => endpoint && recorded.has(endpoint.name))
  const reduces = found.flatMap(([words, { reducesHarm }]) => (reducesHarm ? [words] : []))
  expect(reduces.sort()).toEqual(Object.keys(reducing).sort())
  expect(found.flatMap(([words]) => (reduces.includes(words) ? [] : [words])).sort()).toEqual(Object.keys(lines).sort())
})

describe('a write whose resource cannot be read', () => {
  const failures: readonly (readonly [string, Through, number])[] = [
    ['503', failingReads(503), 8],
    ['500', failingReads(500), 8],
    ['429', failingReads(429), 7],
    ['401', failingReads(401), 3],
    ['403', failingReads(403), 3],
  ]

  test.each(Object.keys(lines))('is not sent by %s, whatever the failure', async (words) => {
    const by = operator()
    const line = lineOf(await idOf(by), words)
    for (const [name, through, exitCode] of failures) {
      const run = await by.run(`${line} --json -q`, { through })
      expect({
        name,
        exitCode: run.exitCode,
        code: errorOf(run).code,
        sent: writesOf(run),
        stdout: run.stdout,
      }).toEqual({
        name,
        exitCode,
        code: 'undo_unavailable',
        sent: [],
        stdout: '',
      })
      expect(errorOf(run).message).toContain('Nothing was changed.')
    }
    const writes: string[] = []
    const run = await by.run(`${line} --json -q`, unreachable(writes))
    expect([run.exitCode, errorOf(run).code, writes]).toEqual([9, 'undo_unavailable', []])
    expect(await by.json('history list')).toEqual([])
  })

  test('is not sent by api either', async () => {
    const by = operator()
    const id = await idOf(by)
    for (const line of [
      'api tools.update --data "{id: 2, timeout: 20}"',
      'api tools.delete --data "{id: 2}" --yes',
      'api labels.delete --data "{id: 1}" --yes',
      `api automate.update --data "{id: ${id}, enabled: false}" --yes`,
      'api numbers.release --data "{id: 4}" --yes',
      'api leads.update --data "{id: 5, status: completed}"',
    ]) {
      const run = await by.run(`${line} --json`, { through: failingReads(503) })
      expect([line, run.exitCode, errorOf(run).code, writesOf(run)]).toEqual([line, 8, 'undo_unavailable', []])
    }
  })

  test('is read with the usual retries, and sent when one succeeds', async () => {
    const by = operator()
    let failed = 0
    const through: Through = async (handle, request) =>
      request.method === 'GET' && failed++ < 2 ? { status: 503, headers: {}, body: '' } : handle(request)
    const run = await by.run('tools update 2 --tool-timeout 20', { through })
    expect([run.exitCode, run.requests]).toEqual([
      0,
      ['GET /api/user/tools/2', 'GET /api/user/tools/2', 'GET /api/user/tools/2', 'PUT /api/user/tools/2'],
    ])
    expect(await by.json('history list')).toHaveLength(1)
  })

  test('waits as long as any other request for a slow platform', async () => {
    const by = operator({ clock: 'real' })
    const through: Through = (handle, request) => (request.method === 'GET' ? new Promise(() => {}) : handle(request))
    const run = await by.run('tools update 2 --tool-timeout 20 --request-timeout 0.05 --retries 1 --json', { through })
    expect([run.exitCode, errorOf(run).code, writesOf(run)]).toEqual([9, 'undo_unavailable', []])
  })

  test('has an error that says how to continue, with the exit code of the read', async () => {
    const by = operator()
    const { stderr, exitCode } = await by.run('tools update 2 --tool-timeout 20', { through: failingReads(503) })
    expect(exitCode).toBe(8)
    expect(stderr).toContain(
      'error: The tool could not be read before the change: Answered 503. Nothing was changed.\n',
    )
    expect(stderr).toContain('To continue without an undo, pass --no-history.')
    expect((await by.json('tools get 2')).timeout).toBe(15)
  })

  test('reports the error of the write when the resource does not exist', async () => {
    const by = operator()
    for (const line of [
      'tools update 99 --tool-timeout 20',
      'labels delete 99 --yes',
      'leads update 99 --status completed',
    ]) {
      const run = await by.run(`${line} --json`)
      expect([line, run.exitCode, errorOf(run).code]).toEqual([line, 4, 'not_found'])
    }
  })
})

describe('a platform without an endpoint that reads the resource', () => {
  test.each([405, 501])('(%s) gets the write, with a warning that -q does not hide and undo: false', async (status) => {
    for (const words of Object.keys(lines)) {
      // These need what they read for more than the undo.
      if (/^(assistants delete|sip-trunks delete|automate (restore|enable|delete)|messaging assign)$/.test(words))
        continue
      const by = operator()
      const run = await by.run(`${lineOf(await idOf(by), words).replace(/ --confirm .*/, '')} --json -q`, {
        through: failingReads(status),
      })
      expect([words, run.exitCode, run.stderr]).toEqual([
        words,
        expect.any(Number),
        expect.stringContaining('warning: This change cannot be undone: the platform has no endpoint that reads the '),
      ])
      expect([words, JSON.parse(run.stdout).undo]).toEqual([words, false])
      expect(writesOf(run)).toHaveLength(1)
      expect(await by.json('history list')).toEqual([])
    }
  })

  test('is read through its list where it has one', async () => {
    const by = operator()
    const through = withheld(405, '/api/user/tools/2').through
    const run = await by.run('api tools.update --data "{id: 2, timeout: 20}" --json', { through })
    expect([run.exitCode, run.stderr]).toEqual([0, ''])
    expect(await by.json('history list')).toHaveLength(1)
    await by.run('history undo 1')
    expect((await by.json('tools get 2')).timeout).toBe(15)
  })

  test('says so also when it answers 404 to the read and carries out the write', async () => {
    const by = operator()
    const through: Through = async (handle, request) =>
      request.method === 'GET'
        ? { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"Tool not found"}' }
        : handle(request)
    const run = await by.run('api tools.update --data "{id: 2, timeout: 20}" --json -q', { through })
    expect(run.exitCode).toBe(0)
    expect(run.stderr).toContain('warning: This change cannot be undone: the tool could not be read before it.')
  })

  test('never gets a write that --if-unchanged could not check', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'tool.json'), JSON.stringify(await by.json('tools get 2')))
    for (const [status, exitCode, code] of [
      [405, 2, 'usage'],
      [503, 8, 'undo_unavailable'],
      [403, 3, 'undo_unavailable'],
    ] as const)
      for (const more of ['', ' --no-history', ' --dry-run']) {
        const line = `tools update 2 --tool-timeout 20 --if-unchanged tool.json --json${more}`
        const run = await by.run(line, { through: failingReads(status) })
        expect([line, status, run.exitCode, writesOf(run)]).toEqual([line, status, exitCode, []])
        if (more === '') expect(errorOf(run).code).toBe(code)
      }
  })
})

describe('what uses a resource that is deleted', () => {
  const referring = '/api/user/campaigns'

  test('must be known: the deletion ends with the exit code of the list that failed', async () => {
    const by = operator()
    for (const [status, exitCode] of [
      [503, 8],
      [403, 3],
    ] as const)
      for (const line of [
        'assistants delete Recall --confirm Recall',
        'numbers release 4 --confirm "Front desk"',
        'sip-trunks delete 1 --yes',
      ]) {
        const run = await by.run(`${line} --json`, withheld(status, referring))
        expect([line, run.exitCode, errorOf(run).code, writesOf(run)]).toEqual([line, exitCode, 'undo_unavailable', []])
        expect(errorOf(run).message).toMatch(/^Could not check what uses the .*, because campaigns could not be read: /)
      }
  })

  test('is not checked in a list that the platform does not have, with a warning that -q does not hide', async () => {
    const by = operator()
    const run = await by.run('assistants delete Recall --yes -q', withheld(501, referring))
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      'warning: Not checked, because the platform does not list them: campaigns.\n',
    ])
  })

  test('is not needed with --no-history, which continues with a warning', async () => {
    const by = operator()
    const run = await by.run('assistants delete Recall --yes -q --no-history', withheld(503, referring))
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('warning: Could not be read: campaigns (')])
  })

  test('must be known before a push deletes it', async () => {
    const by = operator()
    await by.run('pull practice')
    rmSync(join(by.cwd, 'practice/assistants/recall.yaml'))
    const line = 'push practice --only assistants --prune --yes --json'
    const run = await by.run(line, withheld(503, referring))
    expect([run.exitCode, errorOf(run).code, writesOf(run)]).toEqual([8, 'undo_unavailable', []])
    expect((await by.run(line)).exitCode).toBe(0)
  })

  test('is recorded from every page of its lists', async () => {
    const by = operator()
    let pages = 0
    const through: Through = async (handle, request) => {
      if (request.method === 'GET' && request.url.startsWith('/api/user/assistants/get')) pages++
      return handle(request)
    }
    for (let n = 0; n < 101; n++)
      await by.run(
        `assistants create --name "A${n}" --type outbound --mode pipeline --llm-model-id 1 --language-id 1 --voice-id 1 --timezone UTC --initial-message Hello --system-prompt Help. ${n === 0 ? '--folder-id 2' : ''}`,
      )
    const run = await by.run('api folders.delete --data "{id: 2}" --yes', { through })
    expect(run.exitCode).toBe(0)
    expect(pages).toBeGreaterThan(1)
    const entry = await by.json('history get 1')
    expect(JSON.stringify(entry)).toContain('A0')
  })
})

describe('a command that reduces harm', () => {
  test.each(Object.keys(reducing))('continues with a warning: %s', async (words) => {
    const by = operator()
    const run = await by.run(`${lineOf(await idOf(by), words, reducing)} --json -q`, {
      through: failingReads(503),
    })
    expect(writesOf(run)).toHaveLength(1)
    expect(run.stderr).toContain('warning: This change cannot be undone: ')
    expect(JSON.parse(run.stdout).undo).toBe(false)
  })

  test('stops a campaign by its id although no list can be read', async () => {
    const by = operator()
    await by.run('campaigns start 1 --yes')
    const run = await by.run('campaigns stop 1 --yes -q', { through: failingReads(503) })
    expect([run.exitCode, writesOf(run).length]).toEqual([0, 1])
    expect(run.stderr).toContain('warning: 1 is used as an id, because the campaigns could not be listed.')
  })

  test('undoes a change of a resource that cannot be read only with --force', async () => {
    const by = operator()
    await by.run('tools update 2 --tool-timeout 20')
    const through = failingReads(503)
    const refused = await by.run('history undo 1 --json', { through })
    expect([refused.exitCode, errorOf(refused).code, writesOf(refused)]).toEqual([8, 'undo_unavailable', []])
    const forced = await by.run('history undo 1 --force -q', { through })
    expect([forced.exitCode, forced.stderr]).toEqual([
      0,
      expect.stringContaining('warning: Changes since entry 1 are not checked, because the tool could not be read.'),
    ])
    expect((await by.json('tools get 2')).timeout).toBe(15)
  })
})

describe('a history that cannot be written', () => {
  /** Makes the history folder impossible, as on a read-only disk. */
  const blocked = async (): Promise<Operator> => {
    const by = operator()
    await by.run('tools list')
    writeFileSync(join(by.dataDir, 'history'), 'in the way')
    return by
  }

  test.each(everyNth(3, Object.keys(lines)))('ends %s before its write, exit 2', async (words) => {
    const by = await blocked()
    const run = await by.run(`${lineOf(await idOf(by), words)} --json`)
    expect([words, run.exitCode, errorOf(run).code]).toEqual([words, 2, 'undo_unavailable'])
    expect(writesOf(run)).toEqual([])
  })

  test('ends a push before its first write, exit 2', async () => {
    const by = await blocked()
    await by.run('pull practice')
    const file = join(by.cwd, 'practice/labels/trial.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}color: teal\n`)
    const run = await by.run('push practice --yes --json')
    expect([run.exitCode, errorOf(run).code, writesOf(run)]).toEqual([2, 'undo_unavailable', []])
  })

  test.each(everyNth(3, Object.keys(lines)))(
    'is not needed by %s with --no-history or PARLEY_HISTORY=off',
    async (words) => {
      for (const [flag, options] of [
        ['--no-history', {}],
        ['', { env: { PARLEY_HISTORY: 'off' } }],
      ] as const) {
        const by = await blocked()
        const run = await by.run(`${lineOf(await idOf(by), words)} --json -q ${flag}`, options)
        expect([words, run.stderr]).toEqual([words, ''])
        expect([run.exitCode, JSON.parse(run.stdout).undo, writesOf(run).length]).toEqual([0, false, 1])
      }
    },
  )

  test('is not needed with a profile whose history is off', async () => {
    const by = await blocked()
    await by.run('profile set local --default-history off')
    expect(await by.json('profile get --origin')).toMatchObject({ history: 'off', origin: { history: 'profile' } })
    expect((await by.run('tools update 2 --tool-timeout 20')).exitCode).toBe(0)
    expect((await by.run('tools update 2 --tool-timeout 21', { env: { PARLEY_HISTORY: 'on' } })).exitCode).toBe(2)
    await by.run('profile set local --default-history on')
    expect((await by.run('tools update 2 --tool-timeout 21')).exitCode).toBe(2)
    expect((await by.run('tools update 2 --tool-timeout 21 --no-history')).exitCode).toBe(0)
  })

  test('accepts only on and off as PARLEY_HISTORY', async () => {
    const by = operator()
    for (const value of ['0', 'false', 'no', 'OFF'])
      expect(await by.run('tools update 2 --tool-timeout 20', { env: { PARLEY_HISTORY: value } })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(`PARLEY_HISTORY must be on or off, not "${value}".`),
      })
    expect((await by.run('tools update 2 --tool-timeout 20', { env: { PARLEY_HISTORY: '' } })).exitCode).toBe(0)
    expect(await by.json('history list')).toHaveLength(1)
  })
})

describe('a deployment whose capabilities cannot be read', () => {
  test('is not taken for one without them', async () => {
    const by = operator()
    const through: Through = async (handle, request) =>
      request.method === 'GET' ? { status: 502, headers: {}, body: 'Bad Gateway' } : handle(request)
    const run = await by.run('campaigns update 1 --name Other --json', { through })
    expect([run.exitCode, errorOf(run).code]).toEqual([8, 'undo_unavailable'])
    expect((await by.run('messaging assignments', { through })).exitCode).toBe(8)
    expect((await by.run('messaging assignments', { through: notParleyServer })).exitCode).toBe(2)
  })
})

test('a write outside the history does not create its folder', async () => {
  const by = operator()
  await by.run('tools update 2 --tool-timeout 20 --no-history')
  expect(existsSync(join(by.dataDir, 'history', 'local@embedded_'))).toBe(false)
})

test('docs/operations.md names every command that continues without an undo', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8')
  const [, list = ''] = /Commands that stop or revert something .*?:([^.]*)\./s.exec(text) ?? []
  const reducing = (await allCommands()).flatMap(([words, { reducesHarm }]) => (reducesHarm ? [words] : []))
  expect([...list.matchAll(/`([^`]+)`/g)].map((it) => it[1]).sort()).toEqual(reducing.sort())
})
