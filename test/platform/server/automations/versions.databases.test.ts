import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, event, hook, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const answering = (text: string) => ({ trigger: hook, steps: [code('1'), respond({ text })] })

describe.each(databases)('versions of an automation on $name', (database) => {
  const platform = automationPlatform(database)

  async function withTwo() {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: answering('one') })
    await platform.update(by, body.automation_id, { flow: answering('two') })
    const id: string = body.automation_id
    const says = async () => JSON.parse((await platform.call(id, '/sync')).body).text
    return { by, id, says }
  }

  test('the previous version can be restored, and another restore undoes that', async () => {
    const { by, id, says } = await withTwo()
    expect(await says()).toBe('two')
    const { status, body } = await platform.restore(by, id)
    expect(status).toBe(200)
    expect(body).toEqual({
      automation_id: id,
      name: 'Flow',
      status: 'enabled',
      restored_version_id: expect.stringMatching(/^\w{21}$/),
      note: expect.any(String),
    })
    expect(await says()).toBe('one')
    expect((await platform.restore(by, id)).status).toBe(200)
    expect(await says()).toBe('two')
    expect((await platform.restore(by, id)).status).toBe(200)
    expect(await says()).toBe('one')
  })

  test('are listed newest first, each with its changes and the source of its content', async () => {
    const { by, id } = await withTwo()
    platform.time.ms += 60_000
    await platform.restore(by, id)
    const added = {
      trigger: hook,
      steps: [code('1'), { ...code('2'), displayName: 'Second' }, respond({ text: 'one' })],
    }
    await platform.update(by, id, { flow: added })
    const { status, body } = await platform.versions(by, id)
    expect(status).toBe(200)
    const seen = body.versions.map(({ id: _, published_at, ...rest }: { id: string; published_at: string }) => rest)
    const text = 'settings.input.fields.body.text'
    expect(seen).toMatchObject([
      { number: 4, live: true, restored_from: null, changes: { added: ['step_3'], removed: [], moved: [] } },
      {
        number: 3,
        live: false,
        restored_from: 1,
        changes: { added: [], removed: [], moved: [], changed: [{ step: 'step_2', fields: [text] }] },
      },
      { number: 2, live: false, restored_from: null, changes: { changed: [{ step: 'step_2', fields: [text] }] } },
      { number: 1, live: false, restored_from: null, changes: null },
    ])
    expect(Date.parse(body.versions[1].published_at) - Date.parse(body.versions[2].published_at)).toBe(60_000)
    const few = (await platform.versions(by, id, '?limit=2')).body.versions
    expect(few).toEqual(body.versions.slice(0, 2))
    expect((await platform.versions(await platform.owner(), id)).status).toBe(404)
    expect((await platform.versions(by, id, '?limit=0')).status).toBe(422)
  })

  test('a disabled automation stays disabled', async () => {
    const { by, id } = await withTwo()
    await platform.update(by, id, { enabled: false })
    expect((await platform.restore(by, id)).body.status).toBe('disabled')
    expect((await platform.call(id)).status).toBe(404)
    await platform.update(by, id, { enabled: true })
    expect(JSON.parse((await platform.call(id, '/sync')).body)).toEqual({ text: 'one' })
  })

  test('a failed update can be restored to the working version', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: answering('good') })
    const id = body.automation_id
    expect((await platform.update(by, id, { flow: { trigger: hook, steps: [code('inputs.a.b')] } })).body.status).toBe(
      'test_failed',
    )
    expect((await platform.restore(by, id)).body.status).toBe('disabled')
    await platform.update(by, id, { enabled: true })
    expect(JSON.parse((await platform.call(id, '/sync')).body)).toEqual({ text: 'good' })
  })

  test('without a previous version there is nothing to restore', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: answering('one') })
    const refused = await platform.restore(by, body.automation_id)
    expect([refused.status, refused.body]).toEqual([
      422,
      { message: 'There is no previous version to restore.', error: 'no_previous_version' },
    ])
    expect((await platform.restore(by, 'nothing')).body).toEqual({
      message: 'Automation not found',
      error: 'not_found',
    })
  })

  test('a failed rollback changes nothing', async () => {
    const { by, id, says } = await withTwo()
    const before = (await platform.get(by, id, '?include_secrets=true&draft=true')).body
    await platform.fault('engine.rollback', 'automate.rollback_failed')
    const refused = await platform.restore(by, id)
    expect([refused.status, refused.body.error]).toEqual([422, 'rollback_failed'])
    expect((await platform.get(by, id, '?include_secrets=true&draft=true')).body).toEqual(before)
    expect(await says()).toBe('two')
    await platform
      .tables()
      .write('rows', (query) =>
        query
          .updateTable('automation_version')
          .set({ hash: 'other' })
          .where('automation_id', '=', id)
          .where('position', '=', 1)
          .execute(),
      )
    expect((await platform.restore(by, id)).body).toEqual({
      message: 'The rollback failed. Nothing changed. Its definition is damaged.',
      error: 'rollback_failed',
    })
    expect((await platform.get(by, id, '?include_secrets=true&draft=true')).body).toEqual(before)
  })

  test('a version that cannot be published is restored as a draft, and the live version stays', async () => {
    const { by, id, says } = await withTwo()
    await platform.fault('engine.publish', 'automate.publish_failed')
    const refused = await platform.restore(by, id)
    expect([refused.status, refused.body.error]).toEqual([422, 'publish_failed'])
    expect(refused.body.message).toContain('restored as a draft and is not live')
    expect(await says()).toBe('two')
    const [live, draft] = [
      (await platform.get(by, id)).body.data,
      (await platform.get(by, id, '?draft=true')).body.data,
    ]
    expect(live.status).toBe('enabled')
    expect(JSON.stringify(live.definition)).toContain('"two"')
    expect(JSON.stringify(draft.definition)).toContain('"one"')
    expect(JSON.parse((await platform.call(id, '/draft/sync')).body)).toEqual({ text: 'one' })
    expect((await platform.restore(by, id)).status).toBe(200)
    expect(await says()).toBe('one')
  })

  test('a version whose event another automation holds is refused before anything changes, and the holder is named', async () => {
    const by = await platform.owner()
    const bound = { trigger: event('phoneCallEnded'), steps: [code('1')] }
    const { body } = await platform.create(by, { flow: bound, assistant_id: by.assistant })
    const id = body.automation_id
    await platform.update(by, id, { flow: answering('now a webhook') })
    expect((await platform.get(by, id)).body.data.binding).toBeNull()
    const other = await platform.create(by, { flow: bound, assistant_id: by.assistant })
    const before = (await platform.get(by, id, '?draft=true')).body
    const refused = await platform.restore(by, id)
    const holder = `automation "Flow" (${other.body.automation_id})`
    expect(refused.body).toEqual({
      error: 'binding_conflict',
      message: `This assistant already has an automation or custom webhook for this event: ${holder}.`,
    })
    expect((await platform.get(by, id, '?draft=true')).body).toEqual(before)
    await platform.remove(by, other.body.automation_id)
    expect((await platform.restore(by, id)).status).toBe(200)
    expect((await platform.get(by, id)).body.data.binding).toMatchObject({
      type: 'post_call',
      assistant_id: by.assistant,
    })
  })

  test('a version whose assistant or connection was deleted is refused before anything changes', async () => {
    const by = await platform.owner()
    const bound = { trigger: event('phoneCallEnded'), steps: [code('1')] }
    const { body } = await platform.create(by, { flow: bound, assistant_id: by.assistant })
    await platform.update(by, body.automation_id, { flow: answering('a webhook') })
    const connected = {
      trigger: hook,
      steps: [code('1', { key: "{{connections['mail']}}" }), respond({ text: 'connected' })],
    }
    const { id: connection } = (await platform.connect(by, 'mail')).body.data
    const other = (await platform.create(by, { flow: connected })).body.automation_id
    await platform.update(by, other, { flow: answering('without') })
    const states = async () => [
      (await platform.get(by, body.automation_id, '?draft=true')).body,
      (await platform.get(by, other, '?draft=true')).body,
    ]
    const before = await states()
    await platform
      .tables()
      .write('rows', (query) =>
        query.updateTable('assistant').set({ deleted_at: 1 }).where('id', '=', by.assistant).execute(),
      )
    await platform.disconnect(by, connection)
    expect((await platform.restore(by, body.automation_id)).body).toEqual({
      error: 'assistant_not_found',
      message: `Assistant not found: ${by.assistant}, which this version is bound to. Nothing changed.`,
    })
    expect((await platform.version(by, body.automation_id, 1)).body.data.binding).toEqual({
      type: 'post_call',
      assistant_id: by.assistant,
      assistant_name: null,
    })
    expect((await platform.restoreVersion(by, other, 1)).body).toEqual({
      error: 'needs_connection',
      message: 'An account connection is missing: mail.',
    })
    expect(await states()).toEqual(before)
  })

  test('runs continue with the version they started with', async () => {
    const by = await platform.owner()
    const waiting = (value: string) => ({
      trigger: hook,
      steps: [
        {
          type: 'PIECE',
          settings: { pieceName: '@engine/piece-delay', actionName: 'delayFor', input: { unit: 'hours', delayFor: 1 } },
        },
        code(`'${value}'`),
      ],
    })
    const { body } = await platform.create(by, { flow: waiting('old') })
    const begin = async (): Promise<void> => {
      expect((await platform.call(body.automation_id, '', {})).status).toBe(200)
      await platform.wait(0)
    }
    await begin()
    await platform.update(by, body.automation_id, { flow: waiting('new') })
    await begin()
    await platform.wait(3600_000)
    const rows = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('output')
      .where('account_id', '=', by.id)
      .where('name', '=', 'step_2')
      .orderBy('run')
      .execute()
    expect(rows.map((row) => row.output)).toEqual(['"old"', '"new"'])
  })
})
