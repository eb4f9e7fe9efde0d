import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, delay, event, every, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const answering = (text: string) => ({ trigger: hook, steps: [code('1'), respond({ text })] })
const broken = { trigger: hook, steps: [code('inputs.a.b')] }
const staged = { 'parley-publish': 'when-tested' }

describe.each(databases)('an update that is published when its test passes, on $name', (database) => {
  const platform = automationPlatform(database)

  async function one(flow: object = answering('one'), more: object = {}) {
    const by = await platform.owner()
    const { body, headers } = await platform.create(by, { flow, ...more })
    const id: string = body.automation_id
    const says = async () => JSON.parse((await platform.call(id, '/sync')).body).text
    return { by, id, says, live: headers['parley-version'] }
  }

  test('is live after a passed test, and reported as such', async () => {
    const { by, id, says, live } = await one()
    const { status, body, headers } = await platform.update(by, id, { flow: answering('two') }, staged)
    expect([status, body.status]).toEqual([200, 'active'])
    expect(headers['parley-published']).toBe('true')
    expect(headers['parley-version']).toMatch(/^\w{21}$/)
    expect(headers['parley-version']).not.toBe(live)
    expect((await platform.get(by, id)).headers['parley-version']).toBe(headers['parley-version'])
    expect(await says()).toBe('two')
    expect((await platform.versions(by, id)).body.versions).toMatchObject([
      { number: 2, live: true, id: headers['parley-version'] },
      { number: 1 },
    ])
  })

  test('changes nothing but the draft if its test fails', async () => {
    const { by, id, says, live } = await one()
    const before = (await platform.get(by, id)).body
    platform.time.ms += 60_000
    const { status, body, headers } = await platform.update(by, id, { name: 'Other', flow: broken }, staged)
    expect([status, body]).toEqual([
      200,
      {
        automation_id: id,
        status: 'test_failed',
        test: {
          run_status: 'FAILED',
          steps: [{ name: 'step_1', status: 'FAILED', classification: 'wiring_error', error: expect.any(String) }],
        },
        response: null,
        binding: null,
      },
    ])
    expect([headers['parley-published'], headers['parley-version']]).toEqual(['false', live])
    expect((await platform.get(by, id)).body).toEqual(before)
    expect(await says()).toBe('one')
    expect((await platform.versions(by, id)).body.versions).toHaveLength(1)
    expect(JSON.stringify((await platform.get(by, id, '?draft=true')).body.data.definition)).toContain('inputs.a.b')
  })

  test('sends the messages of its steps once, and is not tested again when it is published', async () => {
    const { by, id } = await one()
    platform.requests.length = 0
    const flow = { trigger: hook, steps: [http('POST', 'https://there.example/x')] }
    expect(
      (await platform.update(by, id, { flow, confirm_side_effects: true }, staged)).headers['parley-published'],
    ).toBe('true')
    expect(platform.requests.map((request) => request.url)).toEqual(['https://there.example/x'])
  })

  test('keeps a disabled automation disabled', async () => {
    const { by, id } = await one()
    await platform.update(by, id, { enabled: false })
    const { body, headers } = await platform.update(by, id, { flow: answering('two') }, staged)
    expect([body.status, headers['parley-published']]).toEqual(['disabled', 'true'])
    expect((await platform.get(by, id)).body.data.status).toBe('disabled')
    expect((await platform.call(id)).status).toBe(404)
    expect((await platform.update(by, id, { flow: answering('three'), enabled: true }, staged)).status).toBe(200)
    expect((await platform.get(by, id)).body.data.status).toBe('enabled')
  })

  test('keeps the binding, and changes it only after a passed test', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: event('phoneCallEnded'), steps: [code('1')] },
      assistant_id: by.assistant,
    })
    const id = body.automation_id
    const bound = { type: 'post_call', assistant_id: by.assistant }
    const failed = await platform.update(
      by,
      id,
      { flow: { trigger: event('newConversation'), steps: [code('inputs.a.b')] } },
      staged,
    )
    expect(failed.body.binding).toEqual({ type: 'conversation', assistant_id: by.assistant, bound: false })
    expect((await platform.get(by, id)).body.data).toMatchObject({ status: 'enabled', binding: bound })
    const good = await platform.update(
      by,
      id,
      { flow: { trigger: event('newConversation'), steps: [code('1')] } },
      staged,
    )
    expect(good.body.binding).toEqual({ type: 'conversation', assistant_id: by.assistant, bound: true })
    expect((await platform.get(by, id)).body.data.binding).toMatchObject({ type: 'conversation' })
  })

  test('goes live untested if only its own trigger can start it', async () => {
    const { by, id } = await one()
    const { body, headers } = await platform.update(
      by,
      id,
      { flow: { trigger: every('every_day', { hour_of_the_day: 3 }), steps: [code('1')] } },
      staged,
    )
    expect([body.status, headers['parley-published'], headers['parley-run']]).toEqual([
      'active_untested',
      'true',
      undefined,
    ])
    expect((await platform.get(by, id)).body.data.status).toBe('enabled')
  })

  test('is live if its test pauses at a delay, and steps after the delay never run', async () => {
    const { by, id } = await one()
    platform.requests.length = 0
    const flow = {
      trigger: hook,
      steps: [delay({ unit: 'hours', delayFor: 1 }), http('POST', 'https://there.example/behind')],
    }
    const { body, headers } = await platform.update(by, id, { flow, confirm_side_effects: true }, staged)
    expect([body.status, body.test.run_status, headers['parley-published']]).toEqual(['active', 'PAUSED', 'true'])
    await platform.wait(25 * 3600_000)
    expect(platform.requests).toEqual([])
  })

  test('that cannot be published replaces the draft before it, and a restore leaves none', async () => {
    const { by, id } = await one()
    await platform.update(by, id, { flow: answering('two') })
    const drafts = async () =>
      platform
        .tables()
        .read.selectFrom('automation_version')
        .select('id')
        .where('automation_id', '=', id)
        .where('position', 'is', null)
        .execute()
    // A schedule is not fired by a test, so that no run refers to the draft.
    for (const hour of [3, 4]) {
      await platform.fault('engine.publish', 'automate.publish_failed')
      const trigger = every('every_day', { hour_of_the_day: hour })
      expect((await platform.update(by, id, { flow: { trigger, steps: [code('1')] } }, staged)).status).toBe(422)
      expect(await drafts()).toHaveLength(1)
      expect(JSON.stringify((await platform.get(by, id, '?draft=true')).body)).toContain(`"hour_of_the_day":${hour}`)
    }
    expect((await platform.restore(by, id)).status).toBe(200)
    expect(await drafts()).toEqual([])
  })

  test('that cannot be published changes nothing and keeps the draft', async () => {
    const { by, id, says, live } = await one()
    await platform.fault('engine.publish', 'automate.publish_failed')
    const refused = await platform.update(by, id, { flow: answering('two') }, staged)
    expect([refused.status, refused.body.error]).toEqual([422, 'publish_failed'])
    expect([await says(), (await platform.get(by, id)).headers['parley-version']]).toEqual(['one', live])
    expect(JSON.stringify((await platform.get(by, id, '?draft=true')).body)).toContain('"two"')
  })

  test('is refused when another version was published while it was tested', async () => {
    const { by, id, says, live } = await one()
    let meanwhile: Promise<unknown> | undefined
    platform.answers.set('https://there.example/slow', {
      status: 200,
      get body() {
        meanwhile ??= platform.restoreVersion(by, id, 1)
        return {}
      },
    })
    await platform.update(by, id, { flow: answering('two') })
    const live2 = (await platform.get(by, id)).headers['parley-version'] as string
    expect(live2).not.toBe(live)
    const flow = {
      trigger: hook,
      steps: [
        http('GET', 'https://there.example/slow'),
        code('new Promise((done) => { let n = 0; while (n < 5e6) n++; done(1) })'),
        respond({ text: 'three' }),
      ],
    }
    const refused = await platform.update(by, id, { flow }, { ...staged, 'parley-if-version': live2 })
    await meanwhile
    expect([refused.status, refused.body.error]).toEqual([409, 'version_changed'])
    expect(await says()).toBe('one')
  })

  test('without the header is live and disabled after a failed test, as documented', async () => {
    const { by, id } = await one()
    const { body, headers } = await platform.update(by, id, { flow: broken })
    expect([body.status, headers['parley-published']]).toEqual(['test_failed', 'true'])
    expect((await platform.get(by, id)).body.data.status).toBe('disabled')
  })

  test('does not enable a version that another user published during the test', async () => {
    const { by, id } = await one()
    let other: Promise<unknown> | undefined
    platform.answers.set('https://there.example/slow', {
      status: 200,
      get body() {
        other ??= platform.update(by, id, { flow: { trigger: hook, steps: [code('missing.x')] } })
        return {}
      },
    })
    const flow = {
      trigger: hook,
      steps: [
        http('GET', 'https://there.example/slow'),
        code('new Promise((done) => { let n = 0; while (n < 5e6) n++; done(1) })'),
        respond({ text: 'three' }),
      ],
    }
    const { body, headers } = await platform.update(by, id, { flow })
    const failed = (await other) as { body: { status: string }; headers: Record<string, string> }
    const live = await platform.get(by, id)
    expect(failed.body.status).toBe('test_failed')
    expect([live.body.data.status, live.headers['parley-version']]).toEqual([
      'disabled',
      failed.headers['parley-version'],
    ])
    expect([body.status, headers['parley-version']]).not.toEqual(['active', failed.headers['parley-version']])
  })

  test('refuses an unknown value of the header', async () => {
    const { by, id, says } = await one()
    expect((await platform.update(by, id, { flow: answering('two') }, { 'parley-publish': 'sometimes' })).status).toBe(
      422,
    )
    expect(await says()).toBe('one')
  })
})
