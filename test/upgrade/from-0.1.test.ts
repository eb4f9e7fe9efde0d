import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { operator } from '../support/operator.ts'
import { upgraded } from './fixture.ts'

const namesOf = (items: readonly Readonly<Record<string, unknown>>[], field = 'name'): unknown[] =>
  items.map((it) => it[field])
const postsIn = (requests: readonly string[], path: string): number =>
  requests.filter((it) => it === `POST ${path}`).length

describe('data of version 0.1', () => {
  test('profiles are listed, used and protected as before', async () => {
    const { json, run, elsewhere } = upgraded()
    expect(await json('profile list')).toMatchObject([
      { name: 'archive', read_only: true, output: 'json', base_url: 'https://archive.northwind.example' },
      { name: 'local', current: true },
      { name: 'practice', base_url: 'http://127.0.0.1:41710', read_only: false },
    ])
    const numbers = await elsewhere('numbers list --profile practice --json')
    expect(numbers).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('+12126775645') })
    expect(await run('keys create --profile archive --title CI')).toMatchObject({ exitCode: 2, requests: [] })
  })

  test('the database has every resource, version and run', async () => {
    const { json } = upgraded()
    expect(await json('automate list')).toMatchObject([
      { name: 'Opening hours' },
      { name: 'Weekly count' },
      { name: 'Greeting', status: 'enabled' },
    ])
    expect(await json('automate versions Greeting')).toMatchObject([
      { number: 4, live: true, restored_from: 2 },
      { number: 3, live: false },
      { number: 2, live: false },
      { number: 1, live: false },
    ])
    const runs = await json('automate runs Greeting')
    expect(runs.filter((it: { testing: boolean }) => !it.testing)).toMatchObject([
      { status: 'FAILED' },
      { status: 'SUCCEEDED' },
      { status: 'SUCCEEDED' },
    ])
    expect(namesOf(await json('tools list'))).toEqual([
      'lookup_patient',
      'book_appointment',
      'reschedule_visit',
      'quote_treatment',
    ])
    expect(await json('labels list')).toContainEqual(expect.objectContaining({ name: 'Urgent' }))
    expect(await json('numbers list')).toHaveLength(7)
  })

  // Also those that a released migration creates with shared code, which may have been changed since.
  test('the database has the tables, indexes and triggers of a new one', async () => {
    const old = upgraded()
    const fresh = operator({ fresh: true, supports: 'neutral' })
    const schemas = []
    for (const { json, dataDir } of [old, fresh]) {
      await json('keys list')
      const store = await openStore({ file: join(dataDir, 'platform.db') })
      const { rows } = await sql<{ name: string; sql: string | null }>`
        select name, sql from sqlite_master where name not like 'sqlite_stat%' order by type, name`.execute(store.read)
      await store.close()
      schemas.push(Object.fromEntries(rows.map((it) => [it.name, it.sql])))
    }
    expect(Object.keys(schemas[1] ?? {}).length).toBeGreaterThan(100)
    expect(schemas[0]).toEqual(schemas[1])
  })

  test('the previous version of an automation is restored', async () => {
    const { json } = upgraded()
    await json('automate restore Greeting --yes')
    const { definition } = await json('automate get Greeting')
    expect(definition.nextAction.settings.sourceCode.code).toContain('Welcome')
  })

  test('operations whose outcome is unknown are listed and reconciled', async () => {
    const { json, run, elsewhere } = upgraded()
    const listed = await json('ops list')
    expect(listed).toHaveLength(10)
    expect(listed.slice(0, 6)).toMatchObject([
      { state: 'unknown', profile: 'practice' },
      { state: 'open', input: { phone_number: '+13127710418' } },
      { state: 'unknown', input: { phone_number: '+13059473809' } },
      { state: 'done', endpoint: 'messaging.send' },
      { state: 'refused', input: { phone_number: '+15125952033' } },
      { state: 'done', input: { phone_number: '+12128372417' } },
    ])
    const own = await run('ops reconcile --json')
    expect(own.exitCode).toBe(12)
    expect(JSON.parse(own.stdout).slice(0, 2)).toMatchObject([
      { state: 'done', input: { phone_number: '+13059473809' }, detail: { phone_number: '+13059473809' } },
      { state: 'refused', input: { phone_number: '+13127710418' } },
    ])
    const theirs = await elsewhere('ops reconcile --profile practice --json')
    expect(theirs.exitCode).toBe(0)
    expect(JSON.parse(theirs.stdout)).toMatchObject([{ state: 'done', input: { phone_number: '+12126775645' } }])
    expect(await json('numbers list'), 'nothing was bought again').toHaveLength(7)
  })

  test('changes are listed, compared and undone', async () => {
    const { json, run, elsewhere } = upgraded()
    const history = await json('history list')
    expect(history.map((it: { noun: string; action: string }) => `${it.noun} ${it.action}`)).toEqual([
      'tools update',
      'tools create',
      'numbers update',
      'leads update',
      'tools delete',
      'tools update',
      'tools update',
      'automate restore',
      'automate update',
      'automate update',
    ])
    expect(await run('history diff 5')).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('endpoint') })
    await json('history undo 5')
    expect(await json('tools get 2')).toMatchObject({ endpoint: 'https://practice.northwind.example/appointments' })
    await json('history undo 7')
    expect(await json('leads list --campaign 2')).toContainEqual(
      expect.objectContaining({ id: 7, variables: expect.objectContaining({ first_name: 'Anna' }) }),
    )
    expect(await elsewhere('history undo 1 --profile practice')).toMatchObject({ exitCode: 0 })
  })

  test('the platform moves to another folder', async () => {
    const { json, run } = upgraded()
    await json('keys list')
    const moved = await run('server migrate --to ./moved')
    expect(moved, moved.stderr).toMatchObject({ exitCode: 0 })
    expect(await json('server migrate --to ./moved --verify')).toMatchObject({ copied: false })
  })

  test('an import that was cut off resumes where it stopped', async () => {
    const { json, run } = upgraded()
    const resumed = await run('leads import --campaign 2 --file leads.csv --json')
    expect(resumed.exitCode).toBe(0)
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      rows: 8,
      done: 5,
      done_before: 3,
      failed: 0,
      unknown: 0,
      left: 0,
    })
    expect(postsIn(resumed.requests, '/api/user/lead-batches')).toBe(1)
    expect(postsIn(resumed.requests, '/api/user/lead')).toBe(0)
    const numbers = namesOf(await json('leads list --campaign 2 --all'), 'phone_number').filter((number) =>
      String(number).startsWith('+1415555012'),
    )
    expect(numbers.sort()).toEqual(Array.from({ length: 8 }, (_, n) => `+1415555012${n}`))
  })

  test('a bulk send resumes, and no recipient gets a message twice', async () => {
    const { run } = upgraded()
    const line = 'messaging send --sender 1 --template appointment_reminder --file patients.csv --yes --json'
    const resumed = await run(line)
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 6, done: 3, done_before: 3 })
    expect(postsIn(resumed.requests, '/api/user/messaging/send')).toBe(3)
    const again = await run(line)
    expect(postsIn(again.requests, '/api/user/messaging/send')).toBe(0)
  })

  test('a bulk send of other values to the same file is another job', async () => {
    const { json, run } = upgraded()
    const line = 'messaging send --sender 1 --template appointment_reminder --file patients.csv --yes'
    const swapped = `${line} --map first_name=appointment_day --map appointment_day=first_name --limit 5`
    expect(JSON.parse((await run(`${swapped} --json`)).stdout)).toMatchObject({
      rows: 6,
      done: 5,
      done_before: 0,
      left: 1,
    })
    expect(await json(`${line} --dry-run`)).toMatchObject({ done_before: 3, left: 3 })
  })

  test('a folder of files shows changes since then, and is pushed', async () => {
    const { json, run, elsewhere } = upgraded()
    const compared = await run('diff parley --json')
    expect(compared.exitCode).toBe(20)
    expect(JSON.parse(compared.stdout)).toMatchObject([
      { file: 'tools/lookup-patient.yaml', id: 1, fields: ['description'] },
      // 0.1 did not export tools that run an automation.
      { file: 'tools/reschedule-visit.yaml', id: 4, status: 'remote_only' },
      { file: 'assistants/front-desk.yaml', id: 1, fields: ['name'] },
    ])
    const pushed = await run('push parley --only assistants --yes --json')
    expect(pushed.exitCode).toBe(0)
    expect(JSON.parse(pushed.stdout)).toMatchObject([{ file: 'assistants/front-desk.yaml', id: 1 }])
    expect(await json('assistants get 1')).toMatchObject({ name: 'Reception desk' })
    expect(await run('pull parley --json')).toMatchObject({ exitCode: 0 })
    expect(await run('diff parley')).toMatchObject({ exitCode: 0 })
    // The lock knows the account of the other platform.
    const remote = await elsewhere('diff remote --profile practice --json')
    expect(JSON.parse(remote.stdout)).toMatchObject([
      { file: 'tools/reschedule-visit.yaml', status: 'remote_only', changes: [] },
    ])
  })

  test('a snapshot is restored', async () => {
    const { json, run, dataDir } = upgraded()
    await json('tools update 1 --name find_patient')
    expect(await run('server snapshot restore before-upgrade --yes')).toMatchObject({ exitCode: 0 })
    expect(await json('tools get 1')).toMatchObject({ name: 'lookup_patient' })
    expect(existsSync(join(dataDir, 'restoring.json'))).toBe(false)
  })
})
