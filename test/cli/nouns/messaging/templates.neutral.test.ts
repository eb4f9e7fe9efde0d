import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

describe('templates of automations', () => {
  test('are listed with their requirements, and one is shown with its parameters', async () => {
    const { run, json } = operator()
    const all = await run('automate templates', { terminal: true, columns: 160 })
    expect(all.stdout).toMatch(/lead-intake-webhook .*campaign_id/)
    expect(await json('automate templates')).toHaveLength(16)
    const one = await run('automate templates post-call-callback', { terminal: true, columns: 160 })
    expect(one.stdout).toMatch(/Use when/i)
    expect(one.stdout).toMatch(/callback_variable +no +callback_wanted/)
    expect(one.stdout).toMatch(/from_timezone +no +assistant_timezone/)
    expect(await json('automate templates post-call-callback')).toMatchObject({
      key: 'post-call-callback',
      params: [{}, {}, { auto: 'assistant_timezone' }],
    })
    expect(await run('automate templates nothing')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No template "nothing" found.'),
    })
  })

  test('are applied with parameters from the command line, and live', async () => {
    const { run, json } = operator()
    const made = await run(
      'automate apply lead-intake-webhook --param campaign_id=1 --name Intake --confirm-side-effects',
    )
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Automation created, tested and live\. Id: \w{21}\n$/),
    })
    expect(await json('automate get Intake')).toMatchObject({
      status: 'enabled',
      definition: { nextAction: { displayName: 'Add the lead' } },
    })
  })

  test('show what their test will do before anything is sent', async () => {
    const { run } = operator()
    const made = await run('automate apply lead-intake-webhook --param campaign_id=1 --yes')
    expect(made).toMatchObject({ exitCode: 10 })
    expect(made.stderr).toContain(
      'The test runs these steps for real:\n  Add the lead: Add a lead to a campaign (phone number +14155550111, campaign 1)',
    )
    const sheet = await run(
      'automate apply post-call-qualified-to-spreadsheet --assistant-id 1 --param spreadsheet_id=leads',
    )
    expect(sheet.stderr).toContain('Add a row: Add a row to a spreadsheet (spreadsheet id leads)')
    const timed = await run(
      'automate apply sheet-rows-to-campaign --param spreadsheet_id=leads --param campaign_id=1 --yes',
    )
    expect(timed.stderr).not.toContain('for real:')
  })

  test('warn if the assistant does not extract a variable they filter on, and --fix adds it', async () => {
    const { run, json } = operator()
    const line = 'automate apply post-call-callback --assistant-id 1 --name Back --confirm-side-effects'
    const before = (await json('assistants get 1')).post_call_schema
    const warned = await run(line)
    expect(warned).toMatchObject({ exitCode: 0 })
    expect(warned.stderr).toMatch(
      /Assistant ".+" \(id 1\) does not extract callback_wanted, callback_time, which this automation filters on/,
    )
    expect((await json('assistants get 1')).post_call_schema).toEqual(before)
    expect((await run('doctor --voice')).stdout).toContain('filters on callback_wanted, callback_time')
    await run('automate delete Back --yes --confirm Back')
    const fixed = await run(`${line} --fix`)
    expect(fixed).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('now also extracts callback_wanted, callback_time.'),
    })
    expect((await json('assistants get 1')).post_call_schema).toEqual([
      ...before,
      expect.objectContaining({ name: 'callback_wanted', type: 'bool' }),
      expect.objectContaining({ name: 'callback_time', type: 'string' }),
    ])
    expect((await run('doctor --voice')).stdout).not.toContain('filters on')
    expect(
      await run(
        'automate apply post-call-hot-lead-alert --assistant-id 2 --param alert_email=a@b.example --param "hot_variable=Hot Lead" --fix',
      ),
    ).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('An assistant cannot extract "Hot Lead"'),
    })
  })

  test('list the fields that the assistant must pass during a call', async () => {
    const { run, json } = operator()
    const made = await run(
      "automate apply calendar-a-cancel-reschedule-midcall --param \"attendee_email={{trigger['body']['email']}}\" --confirm-side-effects",
    )
    expect(made.stderr).toContain('The assistant must pass: action (cancel, reschedule or find), email')
    expect(made.stderr).toMatch(/Next: parley tools create --from-automation \w{21}/)
    for (const key of [
      'midcall-http-lookup',
      'calendar-a-cancel-reschedule-midcall',
      'crm-b-appointment-manage-midcall',
    ])
      expect((await json(`automate templates ${key}`)).description).toMatch(/the assistant passes/i)
  })

  test('prompt on a terminal for the template, its assistant and missing parameters, and ask for confirmation before anything is sent', async () => {
    const { run, json } = operator()
    const made = await run('automate apply', {
      answers: [
        ['Which template?', 'SMS after a call'],
        ['Which assistant?', 'Recall'],
        ['From (Id of the number the SMS is sent from, for example 3)', '4'],
        ['Message (', 'Thank you.'],
        ['Run these steps with real effects in the test, and enable the automation?', true],
      ],
    })
    expect(made.stderr).toContain('Send an SMS')
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('tested and live') })
    const [bound] = (await json('automate list')).filter((it: { name: string }) => it.name === 'SMS after a call')
    expect(bound).toMatchObject({ status: 'enabled', binding: { type: 'post_call', assistant_name: 'Recall' } })
  })

  test('change nothing after the answer No, without confirmation, or without a parameter', async () => {
    const { run, json } = operator()
    const before = await json('automate list')
    const no = await run('automate apply lead-intake-webhook', {
      answers: [
        ['Campaign (', '1'],
        ['Run these steps', false],
      ],
    })
    expect(no.exitCode).toBe(10)
    expect(await run('automate apply lead-intake-webhook --param campaign_id=1 --yes')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('--confirm-side-effects'),
    })
    const missing = await run('automate apply lead-intake-webhook --confirm-side-effects')
    expect(missing).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('Required parameters are missing: campaign_id.'),
    })
    expect(missing.stderr).toContain('--param key=value')
    expect(await run('automate apply nothing')).toMatchObject({ exitCode: 4 })
    expect(await run('automate apply lead-intake-webhook --param campaign_id')).toMatchObject({ exitCode: 2 })
    expect(await run('automate apply post-call-callback --confirm-side-effects')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--assistant-id'),
    })
    expect(await run('automate apply crm-b-appointment-manage-midcall')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('server connections'),
    })
    expect(await json('automate list')).toEqual(before)
  })

  test('that send mail write it to the outbox if the connection has no server', async () => {
    const { run, json } = operator()
    await run('server connections create --kind mail')
    await json(
      'automate apply post-call-transcript-email --assistant-id 1 --param recipient_email=team@northwind.example --confirm-side-effects',
    )
    expect(await json('server mail list')).toEqual([
      {
        id: expect.stringMatching(/^<.+>$/),
        server: null,
        from: expect.stringContaining('@'),
        to: ['team@northwind.example'],
        subject: 'Call with +15005550111',
        body: expect.stringContaining('Please call me back tomorrow.'),
        sent_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await run('server mail list', { terminal: true })).stdout).toContain('outbox')
  })

  test('that fail their test are disabled: exit 20, with the step and the reason', async () => {
    const { run, json } = operator()
    const made = await run('automate apply lead-intake-webhook --param campaign_id=99 --confirm-side-effects')
    expect(made).toMatchObject({
      exitCode: 20,
      stderr: expect.stringMatching(/step_1 failed \(missing record\): .*ampaign/),
    })
    expect(
      (await json('automate list')).find((it: { name: string }) => it.name === 'Leads from a web form'),
    ).toMatchObject({ status: 'disabled' })
  })
})

describe('a tool made from an automation', () => {
  test('calls its synchronous URL with the fields that the automation reads', async () => {
    const by = operator()
    const stop = new AbortController()
    const serving = by.run('server start --port 0', { interrupt: stop })
    try {
      const lock = join(by.dataDir, 'server.json')
      await expect.poll(() => existsSync(lock) && readFileSync(lock, 'utf8'), { interval: 5 }).toContain('"url"')
      await by.run('server connections create --kind crm-b')
      await by.json('automate apply crm-b-appointment-manage-midcall --name "Manage visits"')
      const tool = await by.json('tools create --from-automation "Manage visits" --tool-timeout 20')
      expect(tool).toMatchObject({ name: 'manage_visits', description: 'Manage visits', method: 'POST', type: 'http' })
      expect(tool.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/automate\/api\/v1\/webhooks\/\w{21}\/sync$/)
      expect(tool.schema.map((it: { name: string }) => it.name).sort()).toEqual([
        'action',
        'email',
        'event',
        'name',
        'phone',
        'reason',
        'start',
      ])
      const answer = await fetch(tool.endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"action":"find","phone":"+14155550142"}',
      })
      expect([answer.status, await answer.json()]).toEqual([200, { done: false, message: 'No appointment was found.' }])
    } finally {
      stop.abort(143)
      await serving
    }
  })

  test('requires an automation with a webhook trigger and a response, and a running server', async () => {
    const { run } = operator()
    await run('automate apply post-call-callback --name Back --assistant-id 1 --confirm-side-effects')
    expect(await run('tools create --from-automation Back')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('its trigger is phoneCallEnded, not a webhook'),
    })
    expect(await run('tools create --from-automation "Opening hours"')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('parley server start'),
    })
  })
})
