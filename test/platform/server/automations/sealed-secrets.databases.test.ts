import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDataTransfer, migrateData } from '../../../../src/platform/control/transfer/data-transfer.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { code, every, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { isAlive } from '../../../support/platform/platform-api.ts'
import { openAt } from '../../../support/platform/test-platforms.ts'

const token = 'Bearer sk-live-0123456789abcdefghij'
const asking = (url: string, value = token) => ({
  trigger: hook,
  steps: [http('GET', url, { headers: { Authorization: value } }), respond({ text: 'done' })],
})

describe.each(databases)('secrets in automations on $name', (database) => {
  const platform = automationPlatform(database)
  const stored = async (automation: string) =>
    (await platform.tables()).read
      .selectFrom('automation_version')
      .select(['id', 'definition', 'program'])
      .where('automation_id', '=', automation)
      .orderBy('position')
      .execute()
  const sent = (url: string): unknown[] =>
    platform.requests.filter((request) => request.url === url).map(({ headers }) => headers.Authorization)

  test('are sealed in the database, sent by runs, and shown only on request', async () => {
    const by = await platform.owner()
    const url = 'https://sealed.example/a'
    const { body } = await platform.create(by, { flow: asking(url) })
    const [row] = await stored(body.automation_id)
    for (const text of [row?.definition, row?.program]) {
      expect(text).toMatch(/^v1\./)
      expect(text).not.toContain('sk-live')
    }
    await platform.call(body.automation_id, '/sync')
    expect(sent(url).at(-1)).toBe(token)
    expect(JSON.stringify((await platform.get(by, body.automation_id)).body)).not.toContain('sk-live')
    expect(JSON.stringify((await platform.get(by, body.automation_id, '?include_secrets=true')).body)).toContain(token)
  })

  test('a definition without secrets is stored as JSON, also with code', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('1'), respond({ text: 'one' })] },
    })
    const [row] = await stored(body.automation_id)
    expect(JSON.parse(String(row?.definition))).toMatchObject({ type: 'PIECE_TRIGGER' })
  })

  test('of versions are compared, restored, masked, and unchanged when a masked definition is sent back', async () => {
    const by = await platform.owner()
    const [first, second] = ['https://sealed.example/first', 'https://sealed.example/second']
    const { body } = await platform.create(by, { flow: asking(first) })
    const id: string = body.automation_id
    await platform.update(by, id, { flow: asking(second) })
    expect((await platform.versions(by, id)).body.versions[0].changes.changed).toMatchObject([{ step: 'step_1' }])
    const masked = (await platform.get(by, id)).body.data.definition
    expect(JSON.stringify(masked)).not.toContain('sk-live')
    expect((await platform.update(by, id, { flow: { trigger: masked } })).status).toBe(200)
    await platform.call(id, '/sync')
    expect(sent(second).at(-1)).toBe(token)
    await platform.restoreVersion(by, id, 1)
    expect((await stored(id)).length).toBeGreaterThan(2)
    for (const { definition, program } of await stored(id)) {
      expect(definition).toMatch(/^v1\./)
      expect(program).toMatch(/^v1\./)
    }
    await platform.call(id, '/sync')
    expect(sent(first).at(-1)).toBe(token)
  })

  test('that were stored before they were sealed are read, and sealed by the next update', async () => {
    const by = await platform.owner()
    const url = 'https://sealed.example/old'
    const { body } = await platform.create(by, { flow: asking(url) })
    const id: string = body.automation_id
    const plain = JSON.stringify((await platform.get(by, id, '?include_secrets=true')).body.data.definition)
    expect(plain).toContain('sk-live')
    await (await platform.tables()).write('everything', (query) =>
      query
        .updateTable('automation_version')
        .set({ definition: plain, program: plain })
        .where('automation_id', '=', id)
        .execute(),
    )
    platform.requests.length = 0
    await platform.call(id, '/sync')
    expect(sent(url)).toEqual([token])
    await platform.update(by, id, { flow: asking(url, `${token}2`) })
    expect((await stored(id)).map(({ definition }) => definition.startsWith('v1.'))).toEqual([false, true])
  })

  test('of a schedule start runs on time, also when the clock is advanced', async () => {
    const by = await platform.owner()
    const url = 'https://sealed.example/hourly'
    const flow = { trigger: every('every_hour', { run_on_weekends: true }), steps: asking(url).steps.slice(0, 1) }
    const { status } = await platform.create(by, { flow })
    expect(status).toBe(201)
    platform.requests.length = 0
    expect((await platform.api().control('POST', '/control/clock/advance', { by: '2h' })).status).toBe(200)
    await platform.api().platform.due.drain()
    expect(sent(url).length).toBeGreaterThanOrEqual(1)
  })
})

describe.each(databases)('sealed secrets of automations on $name', (database) => {
  const platform = automationPlatform(database)

  test('go with a migration and with a backup of the folder', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: asking('https://sealed.example/moved') })
    const id: string = body.automation_id
    const shows = async (api: Api) =>
      JSON.stringify(
        (await api.ask('GET', `/api/user/automate/flows/${id}?include_secrets=true`, { key: by.key })).body,
      )
    const { place } = platform.api()
    await platform.api().platform.close()
    const target = join(temporaryFolder(), 'moved')
    const process_ = { pid: process.pid, isAlive }
    const from = place.database === undefined ? {} : { from: place.database }
    await migrateData(
      { dataDir: place.dataDir, to: target, isVerifying: false, onProgress: () => {}, ...from },
      process_,
    )
    for (const name of readdirSync(target).filter((name) => name.startsWith('platform.db')))
      expect(readFileSync(join(target, name)).includes('sk-live-0123456789')).toBe(false)
    const moved = await openAt({ dataDir: target })
    expect(await shows(moved)).toContain(token)
    const file = join(temporaryFolder(), 'it.backup')
    const transfer = createDataTransfer({ ...process_, wall: Date.now })
    await transfer.backUpFolder({ dataDir: target, file, isReplacing: false })
    const dataDir = temporaryFolder()
    const restored = await openAt({ dataDir })
    mkdirSync(join(dataDir, 'snapshots'))
    copyFileSync(file, join(dataDir, 'snapshots/it.db'))
    expect((await restored.control('POST', '/control/snapshots/it/restore', {})).status).toBe(200)
    expect(await shows(restored)).toContain(token)
  })
})
