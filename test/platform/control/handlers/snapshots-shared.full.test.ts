import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqlite, temporaryFolder } from '../../../support/databases.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { workersIn } from '../../../support/processes/start.ts'

const refused = {
  status: 409,
  body: { message: expect.stringContaining('Another process uses this data folder: process ') },
}

describe('restoring while others work with the folder', () => {
  test('is refused without changes, and succeeds after they ended or were killed', async () => {
    const api = await fresh(sqlite)
    await api.control('POST', '/control/snapshots', { name: 'then' })
    await api.account({ name: 'Since' })
    const start = await workersIn(temporaryFolder())
    const other = start()
    await other.tell({ do: 'serve', settings: { dataDir: api.place.dataDir } })
    const restore = () => api.control('POST', '/control/snapshots/then/restore', {})
    expect(await restore()).toMatchObject(refused)
    const accounts = async () =>
      (await api.control('GET', '/control/accounts')).body.data.map((it: { name: string }) => it.name)
    expect(await accounts()).toContain('Since')
    expect(readdirSync(api.place.dataDir).filter((it) => it.startsWith('restoring'))).toEqual([])
    await other.kill()
    expect((await restore()).status).toBe(200)
    expect(await accounts()).not.toContain('Since')
  })

  test('waits for commands that are about to end', async () => {
    const api = await fresh(sqlite, { isAlive: (pid) => pid === 424242 && ++asked < 3 })
    let asked = 0
    writeFileSync(
      join(api.place.dataDir, `open.${(await import('node:os')).hostname().replace(/[^\w-]/g, '_')}.424242.abc123`),
      '',
    )
    await api.control('POST', '/control/snapshots', { name: 'then' })
    expect((await api.control('POST', '/control/snapshots/then/restore', {})).status).toBe(200)
    expect(asked).toBeGreaterThanOrEqual(3)
  })

  test('is not affected by processes that were closed', async () => {
    const api = await fresh(sqlite)
    const other = await openAt(api.place)
    const open = () => readdirSync(api.place.dataDir).filter((it) => it.startsWith('open.'))
    expect(open()).toHaveLength(2)
    await other.platform.close()
    expect(open()).toHaveLength(1)
  })
})

test('saving a large platform blocks no requests', async () => {
  const api = await fresh(sqlite, { empty: true })
  const tables = await tablesOf(api.place)
  const row = {
    kind: 'note',
    subject: 'x',
    payload: JSON.stringify('x'.repeat(20_000)),
    handled_at: 1,
    assistant_id: null,
    sender_id: null,
    event: null,
  }
  await api.account({ name: 'One' })
  for (let n = 0; n < 20; n++)
    await tables.write('everything', async (query) => {
      for (let m = 0; m < 20; m++)
        await query
          .insertInto('outbox')
          .values(Array.from({ length: 20 }, () => ({ ...row, account_id: 1, created_at: 1 })))
          .execute()
    })
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const { status, body } = await api.control('POST', '/control/snapshots', { name: 'large' })
  clearInterval(counting)
  expect([status, body.data.bytes > 150_000_000]).toEqual([201, true])
  // Others had their turns while 150 MB were copied, however fast or slow that was.
  expect(turns).toBeGreaterThan(10)
})

test('sample data of a seed is not restored on a server that others can reach', async () => {
  const api = await fresh(sqlite, { seed: 7 })
  await api.control('POST', '/control/snapshots', { name: 'seeded' })
  await api.control('POST', '/control/reset', {})
  const [{ id }] = (await api.control('GET', '/control/accounts')).body.data
  await api.platform.close()
  const public_ = await openAt(api.place, { reachable: true })
  const message = expect.stringContaining('its secrets are predictable')
  expect(await public_.control('POST', '/control/snapshots/seeded/restore', {})).toMatchObject({
    status: 409,
    body: { message },
  })
  expect(await public_.control('POST', '/control/reset', { seed: 7 })).toMatchObject({ status: 409, body: { message } })
  expect((await public_.control('GET', '/control/status')).body.seed).toBeNull()
  expect((await public_.control('GET', '/control/accounts')).body.data[0].id).toBe(id)
  expect((await public_.control('POST', '/control/reset', {})).status).toBe(200)
})
