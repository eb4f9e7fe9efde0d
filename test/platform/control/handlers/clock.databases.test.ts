import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { databases } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

describe.each(databases)('changing the clock on $name', (database) => {
  let still: Api
  beforeAll(async () => {
    still = await fresh(database)
  })
  const turn = (api: Api, how: string, body: object = {}) => api.control('POST', `/control/clock/${how}`, body)
  const show = async (api: Api) => (await api.control('GET', '/control/clock')).body

  test('freezes time, advances it and resumes it, for every process', async () => {
    const wall = Date.UTC(2027, 0, 31, 12)
    const api = await fresh(database, { wall: () => wall })
    const other = await openAt(api.place, { wall: () => wall })
    expect(await show(other)).toEqual({
      now: '2027-01-31T12:00:00.000000Z',
      frozen: false,
      offset_seconds: 0,
      done: [],
    })
    expect((await turn(api, 'freeze', { at: '2027-02-01T00:00:00+02:00' })).body).toMatchObject({
      now: '2027-01-31T22:00:00.000000Z',
      frozen: true,
      offset_seconds: 36_000,
    })
    expect(await show(other)).toMatchObject({ now: '2027-01-31T22:00:00.000000Z', frozen: true })
    for (const [by, now] of [
      ['90s', '22:01:30'],
      ['30m', '22:31:30'],
      ['1h', '23:31:30'],
    ])
      expect((await turn(other, 'advance', { by })).body.now).toBe(`2027-01-31T${now}.000000Z`)
    expect((await turn(api, 'advance', { by: '2d' })).body.now).toBe('2027-02-02T23:31:30.000000Z')
    expect((await turn(api, 'resume')).body).toMatchObject({
      now: '2027-01-31T12:00:00.000000Z',
      frozen: false,
      offset_seconds: 0,
    })
    expect((await turn(api, 'advance', { by: '1w' })).body).toMatchObject({
      now: '2027-02-07T12:00:00.000000Z',
      frozen: false,
      offset_seconds: 604_800,
    })
  })

  test('sets the time of everything that is created', async () => {
    const api = await fresh(database)
    await turn(api, 'freeze', { at: '2031-02-03T04:05:06.789Z' })
    const { body } = await api.ask('POST', '/api/user/api-keys', { body: { name: 'later' } })
    expect(body.api_key.created_at).toBe('2031-02-03T04:05:06.789000Z')
  })

  test.each(['5', 'h', '1y', '-1h', '1.5h', '1 h', '', '9999999999s', null, 5])('is refused by %j', async (by) => {
    expect(await turn(still, 'advance', { by })).toMatchObject({
      status: 422,
      body: { errors: { by: [expect.any(String)] } },
    })
    expect(await show(still)).toMatchObject({ offset_seconds: 0 })
  })

  test.each(['yesterday', '2027-01-31', '2027-13-01T00:00:00Z', 1_800_000_000, null])(
    'is refused to %j',
    async (at) => {
      expect(await turn(still, 'freeze', { at })).toMatchObject({
        status: 422,
        body: { errors: { at: [expect.any(String)] } },
      })
      expect(await show(still)).toMatchObject({ frozen: false })
    },
  )

  test('runs due jobs and reports each once, while a job loop runs', async () => {
    const api = await fresh(database)
    await turn(api, 'freeze', {})
    const running = api.platform.due.start()
    const all: { kind: string; due_at: string }[] = (await turn(api, 'advance', { by: '200d' })).body.done
    await running.stop()
    expect(all.map((it) => it.due_at)).toEqual(all.map((it) => it.due_at).sort())
    const done = all.filter((it) => !it.kind.endsWith('.sync'))
    const moments = done.map((it) => it.due_at)
    const references = (await api.control('GET', '/control/accounts/1/ledger')).body.data.filter(
      (it: { kind: string }) => it.kind === 'card_charge',
    )
    expect(done).toHaveLength(references.length)
    expect(done.length).toBeGreaterThanOrEqual(12)
    for (const [n, reference] of references.entries()) expect(reference.created_at).toBe(moments[n])
  })

  test.each([
    ['stands', true],
    ['runs', false],
  ])('that %s runs each job at its own time', async (_, isThere) => {
    const wall = Date.UTC(2027, 0, 31, 12)
    const api = await fresh(database, { wall: () => wall })
    if (isThere) await turn(api, 'freeze', {})
    const { done, ...after } = (await turn(api, 'advance', { by: '100d' })).body
    expect(after).toEqual({ now: '2027-05-11T12:00:00.000000Z', frozen: isThere, offset_seconds: 100 * 86_400 })
    const { data } = (await api.control('GET', '/control/accounts/1/ledger')).body
    const charged = data
      .filter((it: { kind: string }) => it.kind === 'card_charge')
      .map((it: { created_at: string }) => it.created_at)
    expect(charged.length).toBeGreaterThanOrEqual(6)
    expect(charged).toEqual(
      done.filter((it: { kind: string }) => it.kind === 'subscription').map((it: { due_at: string }) => it.due_at),
    )
    expect(charged).toEqual([...charged].sort())
  })

  test.each(['freeze', 'resume'])(
    'syncs the channel once for all missed times, and again after its interval (%s)',
    async (how) => {
      const wall = Date.UTC(2027, 0, 31, 12)
      const api = await fresh(database, { wall: () => wall })
      await turn(api, how)
      const looks = async (by: string) => {
        const { done } = (await turn(api, 'advance', { by })).body
        return done
          .filter((it: { kind: string }) => it.kind.endsWith('.sync'))
          .map((it: { kind: string; due_at: string }) => `${it.kind} ${it.due_at.slice(11, 16)}`)
      }
      expect(await looks('25h')).toEqual(['senders.sync 12:05', 'templates.sync 16:00'])
      expect(await looks('4m')).toEqual([])
      expect(await looks('1m')).toEqual(['senders.sync 13:05'])
      expect((await turn(api, 'until', { what: 'senders.sync' })).body.now).toBe('2027-02-01T13:10:00.000000Z')
      expect((await turn(api, 'until', { what: 'next' })).body.done.at(-1).kind).toBe('subscription')
    },
  )

  test('time resumes when the process that changed the clock was killed', async () => {
    const wall = Date.UTC(2027, 0, 31, 12)
    const api = await fresh(database, { wall: () => wall })
    const tables = await tablesOf(api.place)
    await tables.write('everything', async (query) => {
      await query.deleteFrom('clock').execute()
      await query
        .insertInto('clock')
        .values({ id: 1, frozen_at: (wall + 3_600_000) * 1000, offset: 3_600_000_000, faults: 0 })
        .execute()
    })
    const other = await openAt(api.place, { wall: () => wall })
    expect(await show(other)).toMatchObject({ now: '2027-01-31T13:00:00.000000Z', frozen: false, offset_seconds: 3600 })
  })

  test('by several processes at once runs no job twice', async () => {
    const api = await fresh(database)
    const other = await openAt(api.place)
    await turn(api, 'freeze', {})
    const answers = await Promise.all([api, other, api, other].map((it) => turn(it, 'advance', { by: '40d' })))
    for (const answer of answers) expect(answer.status).toBe(200)
    await Promise.all([api, other].map((it) => it.platform.due.drain()))
    const { data } = (await api.control('GET', '/control/accounts/1/ledger')).body
    const references = data.map((it: { reference: string }) => it.reference)
    expect(new Set(references).size).toBe(references.length)
  })
})

describe.each(databases)('running due jobs on $name', (database) => {
  test('runs the jobs that are due now, and returns their number', async () => {
    const api = await fresh(database)
    expect((await api.control('POST', '/control/drain')).body).toEqual({ message: 'Jobs run: 0.' })
  })
})

test('a command that only reads does not wait for a process that is writing', async () => {
  const by = operator({ reopens: true })
  await by.run('keys list')
  const writing = loadSqlite().open(join(by.dataDir, 'platform.db'))
  writing.exec('BEGIN IMMEDIATE')
  try {
    expect(await by.run('keys list')).toMatchObject({ exitCode: 0, stderr: '' })
  } finally {
    writing.close()
  }
})
