import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, delay, event, every, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const greet = {
  trigger: hook,
  steps: [
    code('({ hello: inputs.name })', { name: "{{trigger['body']['name']}}" }),
    respond({ text: "{{step_1['hello']}}" }),
  ],
}

describe.each(databases)('automations on $name', (database) => {
  const platform = automationPlatform(database)

  test('are created, tested with the sample and enabled', async () => {
    const by = await platform.owner()
    const { status, body } = await platform.create(by, { flow: greet, sample: { name: 'Ada' } })
    expect(status).toBe(201)
    expect(body).toEqual({
      automation_id: expect.stringMatching(/^\w{21}$/),
      webhook_url: `/automate/api/v1/webhooks/${body.automation_id}`,
      status: 'active',
      test: {
        run_status: 'SUCCEEDED',
        steps: [
          expect.objectContaining({ name: 'step_1', status: 'SUCCEEDED', classification: 'ok', error: null }),
          expect.objectContaining({ name: 'step_2', status: 'SUCCEEDED', classification: 'ok', error: null }),
        ],
      },
      response: { text: 'Ada' },
      binding: null,
    })
    expect((await platform.list(by)).body).toEqual({
      data: [{ id: body.automation_id, name: 'Flow', status: 'enabled', binding: null }],
    })
    const { data } = (await platform.get(by, body.automation_id)).body
    expect(data).toMatchObject({
      id: body.automation_id,
      name: 'Flow',
      status: 'enabled',
      updated_at: '2027-03-01T12:00:00.000Z',
      binding: null,
    })
    expect(data.definition.nextAction).toMatchObject({ name: 'step_1', type: 'CODE', nextAction: { name: 'step_2' } })
  })

  test('that fail their test are disabled, and the step and error are returned', async () => {
    const by = await platform.owner()
    const { status, body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs.missing.field', { x: "{{trigger['body']['x']}}" }), respond({})] },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'test_failed',
      test: { run_status: 'FAILED', steps: [{ name: 'step_1', status: 'FAILED', classification: 'wiring_error' }] },
      response: null,
    })
    expect(body.test.steps[0].error).toContain("{{trigger['body']['x']}}")
    expect((await platform.list(by)).body.data).toMatchObject([{ status: 'disabled' }])
    expect((await platform.call(body.automation_id)).status).toBe(404)
  })

  test('that reference an unknown step get nothing for it, and their test says so, unlike a 404 of a service', async () => {
    const by = await platform.owner()
    platform.requests.length = 0
    const misnamed = await platform.create(by, {
      flow: {
        trigger: hook,
        steps: [http('POST', 'https://there.example/x', { body: { data: { x: "a{{step_9['body']['x']}}b" } } })],
      },
      confirm_side_effects: true,
    })
    expect(misnamed.body).toMatchObject({ status: 'active', test: { run_status: 'SUCCEEDED' } })
    expect(JSON.stringify(misnamed.body)).toContain('step_9')
    expect(platform.requests.map(({ body }) => JSON.parse(body))).toEqual([{ x: 'ab' }])
    platform.answers.set('https://there.example/none', { status: 404, body: { message: 'No such order' } })
    const absent = await platform.create(by, {
      flow: { trigger: hook, steps: [http('GET', 'https://there.example/none')] },
    })
    expect(absent.body.test.steps).toMatchObject([{ status: 'FAILED', classification: 'missing_record' }])
  })

  test('that loop over a step that does not exist fail their test, because a loop needs a list', async () => {
    const by = await platform.owner()
    const loop = { type: 'LOOP_ON_ITEMS', settings: { items: '{{step_8.list}}' }, firstLoopAction: code('1') }
    const { body } = await platform.create(by, { flow: { trigger: hook, steps: [loop] } })
    expect(body.test.steps).toMatchObject([
      { status: 'FAILED', classification: 'wiring_error', error: expect.stringContaining('{{step_8.list}}') },
    ])
  })

  test('that are tested and disabled are reported as disabled, not as active', async () => {
    const by = await platform.owner()
    const flow = { trigger: hook, steps: [code('1')] }
    const { body } = await platform.create(by, { flow })
    expect(body.status).toBe('active')
    expect((await platform.update(by, body.automation_id, { flow, enabled: false })).body).toMatchObject({
      status: 'disabled',
      test: { run_status: 'SUCCEEDED' },
    })
    expect((await platform.get(by, body.automation_id)).body.data.status).toBe('disabled')
    expect((await platform.update(by, body.automation_id, { flow })).body.status).toBe('active')
  })

  test('that pause in their test are live', async () => {
    const by = await platform.owner()
    const { status, body } = await platform.create(by, {
      flow: { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 }), code('1')] },
    })
    expect([status, body.status, body.test.run_status]).toEqual([201, 'active', 'PAUSED'])
    expect(body.test.steps).toMatchObject([
      { name: 'step_1', status: 'PAUSED', classification: 'paused_at_delay', error: null },
    ])
    await platform.wait(2 * 3600_000)
    const [run] = (await platform.runs(by, body.automation_id)).body.runs
    // Steps after the delay are for live runs.
    expect(run).toMatchObject({ status: 'PAUSED', testing: true })
  })

  test('that only their own trigger can start are live and untested', async () => {
    const by = await platform.owner()
    const { status, body } = await platform.create(by, {
      flow: { trigger: every('every_hour', { run_on_weekends: true }), steps: [code('1')] },
    })
    expect([status, body.status, body.test, body.webhook_url]).toEqual([
      201,
      'active_untested',
      { run_status: 'not_tested', steps: [] },
      null,
    ])
  })

  test('that send real messages require confirmation, and the error names their steps', async () => {
    const by = await platform.owner()
    const flow = {
      trigger: hook,
      steps: [
        http('GET', 'https://a.test/read'),
        { ...http('POST', 'https://a.test/note'), displayName: 'Write a note' },
      ],
    }
    const { status, body } = await platform.create(by, { flow })
    expect([status, body.error]).toEqual([422, 'side_effects_require_confirmation'])
    expect(body.message).toContain('Write a note')
    expect((await platform.list(by)).body.data).toEqual([])
    const before = platform.requests.length
    expect((await platform.create(by, { flow, confirm_side_effects: true })).body.status).toBe('active')
    expect(platform.requests.slice(before).map((one) => one.method)).toEqual(['GET', 'POST'])
  })

  test.each([
    ['no_steps', { trigger: hook, steps: [] }],
    ['unsupported_trigger', { trigger: { name: 'trigger', type: 'EMPTY', settings: {} }, steps: [code('1')] }],
    [
      'invalid_definition',
      { trigger: hook, steps: [{ type: 'PIECE', settings: { pieceName: '@engine/piece-nothing', actionName: 'x' } }] },
    ],
    ['invalid_definition', { steps: [code('1')] }],
    ['assistant_required', { trigger: event('phoneCallEnded'), steps: [code('1')] }],
    [
      'needs_connection',
      {
        trigger: {
          name: 'trigger',
          type: 'PIECE_TRIGGER',
          settings: {
            pieceName: '@engine/piece-spreadsheet',
            triggerName: 'new_row_added',
            input: { spreadsheet_id: 's' },
          },
        },
        steps: [code('1')],
      },
    ],
  ])('are refused with %s before anything is created', async (error, flow) => {
    const by = await platform.owner()
    const { status, body } = await platform.create(by, { flow })
    expect([status, body.error]).toEqual([422, error])
    expect((await platform.list(by)).body.data).toEqual([])
  })

  test.each([
    ['engine.create', 'create_failed'],
    ['engine.import', 'import_failed'],
    ['engine.publish', 'publish_failed'],
  ])('whose engine refuses (%s) are refused with %s and not saved', async (endpoint, error) => {
    const by = await platform.owner()
    await platform.fault(endpoint, `automate.${error}`)
    const refused = await platform.create(by, { flow: greet })
    expect([refused.status, refused.body.error]).toEqual([422, error])
    expect((await platform.list(by)).body.data).toEqual([])
    expect((await platform.create(by, { flow: greet })).status).toBe(201)
  })

  test('with a broken connection ask for a new connection', async () => {
    const by = await platform.owner()
    const flow = {
      trigger: {
        name: 'trigger',
        type: 'PIECE_TRIGGER',
        settings: {
          pieceName: '@engine/piece-spreadsheet',
          triggerName: 'new_row_added',
          input: { spreadsheet_id: 's' },
        },
      },
      steps: [code('1')],
    }
    const { body: made } = await platform.connect(by, 'spreadsheet')
    await platform.api().control('POST', `/control/accounts/${by.id}/connections/${made.data.id}/break`)
    expect((await platform.create(by, { flow })).body).toEqual({
      message: 'An account connection has expired: spreadsheet.',
      error: 'needs_reconnection',
    })
    await platform.connect(by, 'spreadsheet')
    expect((await platform.create(by, { flow })).body.status).toBe('active_untested')
  })

  test('are bound to the assistant whose events start them, one per event', async () => {
    const by = await platform.owner()
    const flow = {
      trigger: event('phoneCallEnded'),
      steps: [code('inputs', { of: "{{trigger['extracted_variables']['summary']}}" })],
    }
    const { status, body } = await platform.create(by, { flow, assistant_id: by.assistant })
    expect([status, body.webhook_url]).toEqual([201, null])
    expect(body.binding).toEqual({ type: 'post_call', assistant_id: by.assistant, bound: true })
    expect((await platform.get(by, body.automation_id)).body.data.binding).toEqual({
      type: 'post_call',
      assistant_id: by.assistant,
      assistant_name: 'Desk',
    })
    const second = await platform.create(by, { flow, assistant_id: by.assistant })
    expect([second.status, second.body.error]).toEqual([422, 'binding_conflict'])
    const other = await platform.owner()
    expect((await platform.create(by, { flow, assistant_id: other.assistant })).body.error).toBe('assistant_not_found')
    await platform.remove(by, body.automation_id)
    expect((await platform.create(by, { flow, assistant_id: by.assistant })).status).toBe(201)
  })

  test('use the assistant in the trigger by default', async () => {
    const by = await platform.owner()
    const other = await platform.owner()
    const flow = { trigger: event('newConversation', { assistant: by.assistant }), steps: [code('1')] }
    expect((await platform.create(by, { flow })).body.binding).toEqual({
      type: 'conversation',
      assistant_id: by.assistant,
      bound: true,
    })
    expect((await platform.create(by, { flow, assistant_id: other.assistant })).body.error).toBe('assistant_not_found')
  })

  test('with a webhook are bound to the end of conversations on request', async () => {
    const by = await platform.owner()
    const flow = { trigger: hook, steps: [code('inputs', { of: "{{trigger['body']['conversation_id']}}" })] }
    expect((await platform.create(by, { flow, bind_webhook: 'conversation_ended' })).body.error).toBe(
      'assistant_required',
    )
    const { body } = await platform.create(by, { flow, bind_webhook: 'conversation_ended', assistant_id: by.assistant })
    expect(body).toMatchObject({
      status: 'active',
      binding: { type: 'conversation_ended', bound: true },
      webhook_url: expect.any(String),
    })
    expect(body.test.steps[0].unresolved).toBeUndefined()
    const wrong = await platform.create(by, {
      flow: { trigger: event('newConversation'), steps: [code('1')] },
      bind_webhook: 'conversation_ended',
      assistant_id: by.assistant,
    })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['bind_webhook']])
  })

  test('that fail their test are not bound, and free the event again', async () => {
    const by = await platform.owner()
    const flow = (source: string) => ({ trigger: event('phoneCallEnded'), steps: [code(source)] })
    const { status, body } = await platform.create(by, { flow: flow('inputs.a.b'), assistant_id: by.assistant })
    expect([status, body.binding]).toEqual([200, { type: 'post_call', assistant_id: by.assistant, bound: false }])
    expect((await platform.get(by, body.automation_id)).body.data.binding).toBeNull()
    expect((await platform.create(by, { flow: flow('1'), assistant_id: by.assistant })).status).toBe(201)
  })

  test('of inbound calls must respond with a flat object of texts', async () => {
    const by = await platform.owner()
    const flow = (body: unknown) => ({ trigger: event('inboundCall'), steps: [respond(body)] })
    const nested = await platform.create(by, { flow: flow({ name: { first: 'Ada' } }), assistant_id: by.assistant })
    expect(nested.body).toMatchObject({
      status: 'test_failed',
      test: { run_status: 'FAILED', steps: [{ classification: 'wiring_error' }] },
    })
    const { body } = await platform.create(by, {
      flow: flow({ phone: '{{trigger.customer_phone}}' }),
      assistant_id: by.assistant,
    })
    expect(body).toMatchObject({ status: 'active', response: { phone: expect.stringMatching(/^\+/) } })
    const { body: fired } = await platform.fire(by, 'inbound', by.assistant, {
      payload: { customer_phone: '+15005550123', assistant_phone: '+15005550100' },
    })
    expect(fired.data).toMatchObject({
      holder: 'automation',
      target: body.automation_id,
      variables: { phone: '+15005550123' },
    })
  })

  test('mask their secrets by default, and treat a mask as unchanged', async () => {
    const by = await platform.owner()
    const steps = [http('GET', 'https://a.test/read', { headers: { Authorization: 'Bearer very-secret-token' } })]
    const { body } = await platform.create(by, { flow: { trigger: hook, steps } })
    const hidden = (await platform.get(by, body.automation_id)).body.data.definition
    expect(hidden.nextAction.settings.input.headers.Authorization).toBe('••• hidden')
    const before = platform.requests.length
    expect((await platform.update(by, body.automation_id, { flow: { trigger: hidden } })).body.status).toBe('active')
    expect(platform.requests.at(before)?.headers).toMatchObject({ Authorization: 'Bearer very-secret-token' })
    const { definition } = (await platform.get(by, body.automation_id, '?include_secrets=true')).body.data
    expect(definition.nextAction.settings.input.headers.Authorization).toBe('Bearer very-secret-token')
    const lost = await platform.create(by, { flow: { trigger: hidden } })
    expect([lost.status, lost.body.error]).toEqual([422, 'invalid_definition'])
  })

  test('reveal no secret when a server repeats it, when code prints it, or when a test returns it', async () => {
    const by = await platform.owner()
    await platform.api().control('POST', `/control/accounts/${by.id}/connections`, {
      kind: 'mail',
      name: 'vault',
      secret: { token: 'connected-token' },
    })
    const steps = [
      code('console.log(inputs.key), console.log(inputs.theirs), 1', {
        key: 'sk-0123456789abcdefgh',
        theirs: '{{connections.vault.token}}',
      }),
      http('GET', 'https://a.test/refuses', {
        headers: { Authorization: 'Bearer very-secret-token', 'X-Theirs': "{{connections['vault']['token']}}" },
      }),
    ]
    platform.answers.set('https://a.test/refuses', {
      status: 400,
      body: { message: 'very-secret-token and connected-token are not known' },
    })
    const { body } = await platform.create(by, { flow: { trigger: hook, steps } })
    expect(body.test.steps).toMatchObject([
      { name: 'step_1', log: ['••• hidden', '••• hidden'] },
      { name: 'step_2', error: 'The server answered 400: ••• hidden and ••• hidden are not known' },
    ])
    const run = (await platform.runs(by, body.automation_id)).body.runs[0].id
    const shown = JSON.stringify((await platform.runs(by, body.automation_id, `?run_id=${run}`)).body)
    expect(shown).toContain('are not known')
    expect(shown).not.toMatch(/very-secret-token|connected-token|sk-0123/)
    const answers = {
      trigger: hook,
      steps: [http('GET', 'https://a.test/', { headers: { 'x-api-key': 'k-9876543' } }), respond({ key: 'k-9876543' })],
    }
    const { body: answered } = await platform.create(by, { flow: answers })
    expect(answered.response).toEqual({ key: '••• hidden' })
    expect(JSON.parse((await platform.call(answered.automation_id, '/sync')).body)).toEqual({ key: 'k-9876543' })
  })

  test('with invalid code are refused, each step by name', async () => {
    const by = await platform.owner()
    const broken = { trigger: hook, steps: [code('1'), code('1 +* 2'), code('await import(')] }
    const { status, body } = await platform.create(by, { flow: broken })
    expect([status, body.error]).toEqual([422, 'invalid_definition'])
    const at = (step: string) => ({
      step,
      path: 'settings.sourceCode.code',
      message: expect.stringMatching(/^Syntax error: .+\.?$/),
    })
    expect(body.problems).toEqual([at('step_2'), at('step_3')])
    expect(body.message).toContain('step_2: settings.sourceCode.code: Syntax error: ')
    // What only the engine for code finds, not what strips types.
    const { body: late } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('(() => { let a; let a })()')] },
    })
    expect(late.problems).toEqual([at('step_1')])
    expect((await platform.list(by)).body.data).toEqual([])
    const { body: good } = await platform.create(by, { flow: greet })
    const refused = await platform.update(by, good.automation_id, { flow: broken })
    expect([refused.status, refused.body.error]).toEqual([422, 'invalid_definition'])
    expect((await platform.get(by, good.automation_id)).body.data).toMatchObject({
      status: 'enabled',
      definition: { nextAction: { type: 'CODE' } },
    })
  })

  test('are renamed, disabled and enabled', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: greet })
    const id = body.automation_id
    expect((await platform.update(by, id, { name: 'Other' })).body).toEqual({
      data: { id, name: 'Other', status: 'enabled', updated: true },
    })
    expect((await platform.update(by, id, { name: 'Other' })).body.data.updated).toBe(false)
    expect((await platform.update(by, id, { enabled: false })).body.data.status).toBe('disabled')
    expect((await platform.call(id)).status).toBe(404)
    expect((await platform.update(by, id, { enabled: true })).body.data.status).toBe('enabled')
    expect((await platform.call(id)).status).toBe(200)
    const nothing = await platform.update(by, id, {})
    expect([nothing.status, Object.keys(nothing.body.errors)]).toEqual([422, ['name']])
  })

  test('are repaired: an error before the test changes nothing, and a failed test disables them', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: greet })
    const id = body.automation_id
    expect((await platform.update(by, id, { flow: { trigger: hook, steps: [] } })).body.error).toBe('no_steps')
    expect((await platform.get(by, id)).body.data).toMatchObject({
      status: 'enabled',
      definition: { nextAction: { type: 'CODE' } },
    })
    const broken = await platform.update(by, id, { flow: { trigger: hook, steps: [code('inputs.a.b')] } })
    expect(broken.status).toBe(200)
    expect(broken.body).toMatchObject({ automation_id: id, status: 'test_failed' })
    expect('webhook_url' in broken.body).toBe(false)
    expect((await platform.get(by, id)).body.data.status).toBe('disabled')
    expect((await platform.update(by, id, { flow: greet })).body.status).toBe('active')
    expect((await platform.call(id, '/sync', { name: 'Eve' })).body).toBe('{"text":"Eve"}')
  })

  test('of another account are not found', async () => {
    const [by, other] = [await platform.owner(), await platform.owner()]
    const { body } = await platform.create(by, { flow: greet })
    const id = body.automation_id
    const run = (await platform.runs(by, id)).body.runs[0].id
    expect((await platform.get(other, id)).body).toEqual({ message: 'Automation not found' })
    expect((await platform.update(other, id, { name: 'Mine' })).status).toBe(404)
    expect((await platform.restore(other, id)).body).toEqual({ message: 'Automation not found', error: 'not_found' })
    expect((await platform.runs(other, id)).status).toBe(404)
    expect((await platform.retry(other, id, run)).body.error).toBe('not_found')
    expect((await platform.remove(other, id)).status).toBe(404)
    expect((await platform.list(other)).body.data).toEqual([])
  })

  test('are deleted with all their data', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 })] },
    })
    expect((await platform.remove(by, body.automation_id)).body).toEqual({ message: 'Automation deleted successfully' })
    expect((await platform.get(by, body.automation_id)).status).toBe(404)
    expect((await platform.call(body.automation_id)).status).toBe(410)
    for (const table of ['automation_run', 'automation_version', 'due'] as const)
      expect(
        await platform.tables().read.selectFrom(table).selectAll().where('account_id', '=', by.id).execute(),
      ).toEqual([])
  })
})
