import { describe, expect, test } from 'vitest'
import { operator, type RunOptions } from '../../support/operator.ts'

describe('creating an assistant', () => {
  test('prompts on a terminal, with choices from the platform', async () => {
    const { run, json } = operator()
    const { exitCode, stdout, asked } = await run('assistants create --llm-temperature 0.3', {
      answers: [
        ['Which engine mode?', 'dualplex'],
        ['Which language?', 'French'],
        ['Which voice?', 'Camille'],
        ['Which model?', 'Duplex mini'],
        ['Which time zone?', 'Europe/Paris'],
        ['Name', 'Accueil'],
        ['Call direction', 'inbound'],
        ['First message', 'Bonjour'],
        ['Instructions', 'Aide-les.'],
      ],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Assistant created successfully. Id: 3\n' })
    expect(await json('assistants get 3')).toMatchObject({
      name: 'Accueil',
      mode: 'dualplex',
      voice_id: 9,
      language_id: 3,
      multimodal_model_id: 42,
      timezone: 'Europe/Paris',
      llm_temperature: 0.3,
      initial_message: 'Bonjour',
    })
    expect(asked[2]).not.toContain('Amelia')
  })

  test('prompts only for missing fields', async () => {
    const { run } = operator()
    const given =
      '--name Desk --type inbound --mode pipeline --language-id 1 --voice-id 1 --timezone UTC --initial-message Hello'
    const { exitCode, asked, requests } = await run(`assistants create ${given} --llm-model-id 1`, {
      answers: [['Instructions', 'Help.']],
    })
    expect({ exitCode, asked: asked.length, requests }).toEqual({
      exitCode: 0,
      asked: 1,
      requests: ['POST /api/user/assistant', 'GET /api/user/assistants/get?per_page=100'],
    })
  })

  test('names the missing flags without a terminal', async () => {
    const { exitCode, stderr, requests } = await operator().run('assistants create --name Desk --mode pipeline')
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
    expect(stderr).toContain(
      'Missing --voice-id, --language-id, --type, --timezone, --initial-message, --system-prompt.',
    )
  })
})

describe('deleting an assistant', () => {
  test('that is not in use asks for confirmation, and accepts --yes', async () => {
    const { run, json } = operator()
    expect(await run('assistants delete Recall')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('requires confirmation'),
    })
    expect(
      await run('assistants delete 2', { answers: [['Delete the assistant "Recall" (2)?', false]] }),
    ).toMatchObject({ exitCode: 10 })
    expect(await json('assistants delete Recall --yes')).toEqual({ id: 2, message: 'Assistant deleted successfully' })
    expect((await json('assistants list')).map((it: { id: number }) => it.id)).toEqual([1])
  })

  test('that is in use shows its dependents and requires its name', async () => {
    const { run, json } = operator()
    await json('assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example/calls')
    await json("assistants update 2 --tools '[{type: assistant_transfer, assistant_id: 1}]'")
    const number = (await json('numbers list')).find(
      (it: { nickname: string | null }) => it.nickname === 'Front desk',
    ).phone_number
    const touched = [
      `Calls to ${number} are no longer answered.`,
      '"Recall" (2) no longer transfers to it.',
      'The post-call webhook to https://hooks.example/calls is no longer sent.',
    ]
    expect((await run('assistants delete 1 --confirm front')).exitCode).toBe(2)
    for (const consent of ['', '--yes']) {
      const { exitCode, stderr } = await run(`assistants delete 1 ${consent}`)
      expect(exitCode, consent).toBe(10)
      for (const sentence of touched) expect(stderr).toContain(sentence)
      expect(stderr).toContain('Pass --confirm "Front desk" to confirm.')
    }
    const answers: RunOptions['answers'] = [[/Delete the assistant "Front desk" \(1\)\? It is in use\./, 'front']]
    const refused = await run('assistants delete 1', { answers })
    expect(refused.exitCode).toBe(10)
    for (const sentence of touched) expect(refused.stderr).toContain(sentence)
    expect(await json('assistants list')).toHaveLength(2)
    expect(await run('assistants delete 1', { answers: [['Front desk', 'Front desk']] })).toMatchObject({
      exitCode: 0,
      stdout: 'Assistant deleted successfully\n',
    })
    expect((await json('assistants get 2')).tools).toEqual([])
  })

  test('shows what automations and campaigns lose, if the platform reports it', async () => {
    const body = (url: string): unknown => {
      if (url.includes('/assistants/get'))
        return {
          data: [{ id: 5, name: 'Busy', tools: [], phone_number_id: null }],
          current_page: 1,
          last_page: 1,
          next_page_url: null,
        }
      if (url.includes('/automate/flows/')) return { data: { id: url.at(-1), definition: {} } }
      if (url.includes('/automate/flows'))
        return {
          data: [
            { id: 'a', name: 'After the call', binding: { type: 'post_call', assistant_id: 5 } },
            { id: 'b', name: 'Other', binding: null },
          ],
        }
      if (url.includes('/campaigns')) return [{ id: 1, name: 'Spring', assistant_id: 5 }]
      return { data: [] }
    }
    const through: RunOptions['through'] = async (_, { url }) => ({
      status: 200,
      headers: {},
      body: JSON.stringify(body(url)),
    })
    const { exitCode, stderr } = await operator().run('assistants delete Busy --yes', { through })
    expect(exitCode).toBe(10)
    expect(stderr).toContain(
      'The automation "After the call" loses its event.\n  The campaign "Spring" loses its assistant.\n',
    )
  })

  test('does not show what is not affected: a shared number, an unused webhook, a completed campaign', async () => {
    const assistant = {
      tools: [],
      type: 'outbound',
      phone_number_id: 7,
      inbound_webhook_url: 'https://hooks.example/in',
    }
    const assistants = [{ ...assistant, id: 5, name: 'Idle' }]
    const body = (url: string): unknown => {
      if (url.includes('/assistants/get'))
        return { data: assistants, current_page: 1, last_page: 1, next_page_url: null }
      if (url.includes('/campaigns')) return [{ id: 1, name: 'Spring', assistant_id: 5, status: 'completed' }]
      return { data: url.includes('/phone-numbers') ? [{ id: 7, phone_number: '+14155550142' }] : [] }
    }
    const through: RunOptions['through'] = async (_, { url }) => ({
      status: 200,
      headers: {},
      body: JSON.stringify(body(url)),
    })
    const { stderr } = await operator().run('assistants delete Idle', { through })
    expect(stderr).toContain('it is in use.\n  No calls are made from +14155550142 any more.\nhint:')
    assistants.push({ ...assistant, id: 6, name: 'Other' })
    expect((await operator().run('assistants delete Idle', { through })).stderr).toBe(
      'error: Deleting the assistant "Idle" requires confirmation.\nhint: Pass --yes to confirm.\n',
    )
  })

  test('in a script requires only --confirm with the name', async () => {
    const { run } = operator()
    expect(await run('assistants delete "Front desk" --confirm "Front desk" --json')).toMatchObject({ exitCode: 0 })
    expect(await run('assistants delete "Front desk" --confirm "Front desk"')).toMatchObject({ exitCode: 4 })
  })

  test('in a dry run shows the request and does not ask', async () => {
    const { exitCode, stdout, requests } = await operator().run('assistants delete 1 --dry-run --json')
    expect({ exitCode, requests, ...JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      requests: [],
      method: 'DELETE',
      path: '/api/user/assistant/1',
      body: null,
    })
  })
})

describe('webhooks of an assistant', () => {
  test.each([
    ['conversation-ended', 'conversation_ended_webhook_url', 'Conversation ended webhook'],
    ['post-call', 'webhook_url', 'Webhook'],
    ['inbound', 'inbound_webhook_url', 'Webhook'],
  ])('%s is enabled and disabled', async (event, field, what) => {
    const { run, json } = operator()
    const on = await run(
      `assistants enable-webhook "Front desk" --event ${event} --webhook-url https://hooks.example/x`,
    )
    expect(on).toMatchObject({ exitCode: 0, stdout: `${what} enabled successfully\n`, stderr: '' })
    expect(await json('assistants get 1')).toMatchObject({
      [field]: 'https://hooks.example/x',
      is_webhook_active: event === 'post-call',
    })
    expect((await json(`assistants disable-webhook 1 --event ${event}`)).id).toBe(1)
    expect(await json('assistants get 1')).toMatchObject({ [field]: null, is_webhook_active: false })
  })

  test('the event and the URL are prompted for on a terminal, and named elsewhere', async () => {
    const { run } = operator()
    const { exitCode } = await run('assistants enable-webhook 1', {
      answers: [
        ['Which event?', 'inbound'],
        ['URL that receives the webhook', 'https://hooks.example'],
      ],
    })
    expect(exitCode).toBe(0)
    expect(await run('assistants enable-webhook 1 --webhook-url https://hooks.example')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--event'),
    })
    expect(await run('assistants enable-webhook 1 --event inbound')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --webhook-url.'),
    })
    expect(await run('assistants enable-webhook 1 --event lunch --webhook-url https://hooks.example')).toMatchObject({
      exitCode: 2,
      requests: [],
    })
    expect(await run('assistants enable-webhook 1 --event inbound --webhook-url nowhere')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--webhook-url: The webhook url field must be a valid URL.'),
    })
    expect(await run('assistants enable-webhook 99 --event inbound --webhook-url https://hooks.example')).toMatchObject(
      { exitCode: 4 },
    )
  })

  test('an event that an automation holds is a conflict', async () => {
    const refusal = { message: 'This assistant already has an automation for this event.', error: 'binding_conflict' }
    const through: RunOptions['through'] = async () => ({ status: 422, headers: {}, body: JSON.stringify(refusal) })
    for (const event of ['conversation-ended', 'post-call', 'inbound'])
      expect(
        await operator().run(`assistants enable-webhook 1 --event ${event} --webhook-url https://hooks.example`, {
          through,
        }),
      ).toMatchObject({
        exitCode: 5,
      })
    expect(await operator().run('assistants update 1 --is-webhook-active', { through })).toMatchObject({ exitCode: 5 })
  })
})
