import { describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { deterministicUuid } from '../../../../src/platform/services/runtime/deterministic-uuid.ts'
import { operator, sampleSeed } from '../../../support/operator.ts'

/** Conversations every operator's world begins with. */
const uuid = (id: number): string => deterministicUuid(createSecretGenerator(sampleSeed)(`conversation ${id}`, 40))
const [tried, widget, api, silent] = [uuid(3), uuid(4), uuid(5), uuid(6)]

// Over a socket it is Node's own clock that dates an answer, from which the world's past is long ago.
describe('conversations list', () => {
  const by = operator({ lasts: 'file' })
  const ids = async (flags: string): Promise<string[]> =>
    (await by.run(`conversations list ${flags} -o id`)).stdout.split('\n').filter(Boolean)

  test('shows the newest first, with every type', async () => {
    const all = await by.json('conversations list')
    expect(new Set(all.map((it: { type: string }) => it.type))).toEqual(new Set(['test', 'widget', 'messaging', 'api']))
    expect(all[0]).toMatchObject({ id: silent, assistant_name: 'Front desk', ai_enabled: false })
    const days = all.map((it: { created_at: string }) => it.created_at)
    expect(days).toEqual([...days].sort().reverse())
  })

  test('can be filtered by type, assistant (id, UUID or name) and days', async () => {
    expect(await ids('--type widget')).toEqual([silent, widget])
    const [assistant] = (await by.json('assistants list')).filter((it: { name: string }) => it.name === 'Recall')
    for (const named of ['Recall', '2', assistant.uuid]) expect(await ids(`--assistant ${named}`)).toEqual([tried])
    expect(await ids('--date-from 2026-08-04')).toContain(silent)
    expect(await ids('--date-to 2026-08-01')).toEqual(expect.not.arrayContaining([silent]))
    expect(await by.run('conversations list --assistant Nobody')).toMatchObject({ exitCode: 4 })
    expect(await by.run('conversations list --date-from 2026-08-04 --date-to 2026-08-01')).toMatchObject({
      exitCode: 6,
    })
  })

  test('is a table on a terminal, with relative times and the state of the AI in words', async () => {
    const { stdout } = await by.run('conversations list --no-color', { terminal: true, columns: 160 })
    expect(stdout.split('\n')[0]).toMatch(/ID +Type +Customer +Assistant +Messages +AI +Status +Cost +Updated +Created/)
    expect(stdout).toMatch(
      new RegExp(`${silent} +widget +- +Front desk +2 +.*disabled.* +0\\.01 USD +(39 min ago|2026-08-04 11:21)`),
    )
    const narrow = await by.run('conversations list', { terminal: true, columns: 60 })
    expect(narrow.stdout).toContain(`${silent.slice(0, 8)}…`)
    expect(narrow.stdout).not.toContain('Created')
  })

  test('names the customer: name and number, or the identifier in the system of the caller', async () => {
    const { stdout } = await by.run('conversations list')
    expect(stdout).toContain('messaging\tAnna Keller, +14155550142\t')
    expect(stdout).toContain('api\tpatient-1042\t')
    expect(stdout).toContain('widget\t-\t')
  })

  test('reads all pages', async () => {
    expect(await ids('--per-page 2 --all')).toEqual(await ids(''))
    expect(await by.run('conversations list --per-page 2 -o id')).toMatchObject({
      stderr: 'Showing 2 of 6. More: add --all, or --page 2.\n',
    })
  })
})

describe('conversations list', () => {
  test('shows which conversations have ended', async () => {
    const own = operator()
    const { conversation_id } = await own.json('conversations start --assistant 1')
    const statusOf = async () =>
      (await own.json('conversations list')).find((it: { id: string }) => it.id === conversation_id).status
    expect(await statusOf()).toBe('open')
    await own.run(`server simulate end --conversation ${conversation_id}`)
    expect(await statusOf()).toBe('ended')
    expect((await own.run('conversations list')).stdout.split('\n')[0]).toContain('\tStatus\t')
  })
})

describe('conversations get', () => {
  const by = operator({ lasts: 'file' })

  test('is a transcript for people, wrapped to the terminal', async () => {
    expect((await by.run(`conversations get ${widget}`)).stdout).toBe(
      [
        'assistant\tNorthwind Dental, how can I help you?',
        'user\tHello, when are you open?',
        'assistant\tWe are open Monday to Friday, 8:00 to 17:00.',
        'user\tThank you!',
        'assistant\tYou are welcome. Is there anything else?',
        '',
      ].join('\n'),
    )
    const { stdout } = await by.run(`conversations get ${widget} --no-color`, { terminal: true, columns: 40 })
    expect(stdout).toContain(
      'Assistant  We are open Monday to Friday,\n           8:00 to 17:00.\nCustomer   Thank you!\n',
    )
  })

  test('prints its other fields first', async () => {
    const { stdout } = await by.run(`conversations get ${api} --no-color`, { terminal: true })
    expect(stdout).toMatch(/first name +Clara\n.* +patient-1042\n\nCustomer {3}Can I move my visit/is)
  })

  test('is the response of the platform for programs', async () => {
    const shown = await by.json(`conversations get ${api}`)
    expect(shown, 'the success of the request is no status of the conversation').not.toHaveProperty('status')
    expect(shown).toMatchObject({ external_identifier: 'patient-1042', history: [{ role: 'user' }, {}] })
    expect((await by.run(`conversations get ${api} -o id`)).stdout).toBe(`${api}\n`)
  })

  test('with an unknown id is not found, and a missing id is picked from the latest', async () => {
    expect(await by.run('conversations get nobody')).toMatchObject({ exitCode: 4, stdout: '' })
    expect(await by.run('conversations get')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('parley conversations list'),
    })
    const { stdout, asked } = await by.run('conversations get', {
      answers: [['Which conversation?', /api with Front desk/]],
    })
    expect(asked[0]).toContain(silent)
    expect(stdout).toContain('Can I move my visit to Friday?')
  })
})

describe('a conversation', () => {
  test('starts with start, continues with send, and costs 0.01 USD per message in a widget', async () => {
    const by = operator()
    const started = await by.run('conversations start --assistant "Front desk" --var first_name=Anna')
    expect(started).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Northwind Dental, how can I help you?'),
    })
    const id = /Id: (\S+)/.exec(started.stdout)?.[1] as string
    expect(started.stderr).toContain(`Next: parley conversations send ${id}`)
    const { requests, ...sent } = await by.run(`conversations send ${id} --message "When are you open?"`)
    expect(sent).toMatchObject({
      exitCode: 0,
      stdout: 'assistant\tWe are open Monday to Friday, 8:00 to 17:00.\n',
      stderr: '',
    })
    expect(requests).toEqual([`POST /api/conversations/${id}/messages`])
    expect((await by.json('whoami')).total_balance).toBe(24.99)
    expect((await by.json(`conversations get ${id}`)).variables).toEqual({ first_name: 'Anna' })
    expect((await by.json(`conversations send ${id} --message "#function"`)).function_calls).toHaveLength(1)
  })

  test('needs an assistant and a message, which are prompted for only on a terminal', async () => {
    const by = operator()
    expect(await by.run('conversations start')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--assistant'),
    })
    expect(await by.run(`conversations send ${tried}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--message'),
    })
    expect(
      await by.run('conversations start --type test', { answers: [['Which assistant?', /Recall/]] }),
    ).toMatchObject({ exitCode: 0 })
    expect(await by.run(`conversations send ${tried}`, { answers: [['Message', 'Hello']] })).toMatchObject({
      exitCode: 0,
    })
  })

  test('is refused with the message of the platform and its exit code', async () => {
    const by = operator()
    expect(await by.run(`conversations send ${tried} --message "#fail" --json`)).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('Failed to process message: The'),
    })
    expect(await by.run(`conversations send ${tried} --message ${'x'.repeat(2001)}`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('2000 characters'),
    })
    const env = { PARLEY_API_KEY: (await by.json('server accounts create --name Poor')).key }
    const assistant =
      '--name Desk --type inbound --mode pipeline --llm-model-id 1 --language-id 1 --voice-id 1 --timezone UTC --initial-message Hi --system-prompt Help.'
    await by.run(`assistants create ${assistant}`, { env })
    expect(await by.run('conversations start --assistant Desk', { env })).toMatchObject({ exitCode: 13 })
  })

  test('without AI reports that there is no reply, and saves the message', async () => {
    const by = operator()
    expect((await by.run(`conversations disable-ai ${tried}`)).stdout).toContain('Disabled AI replies.')
    expect(await by.run(`conversations send ${tried} --message Hello`)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('AI replies are disabled'),
    })
    expect((await by.run(`conversations enable-ai ${tried}`)).stdout).toContain('Enabled AI replies.')
    expect((await by.json(`conversations get ${tried}`)).history.at(-1)).toEqual({ role: 'user', content: 'Hello' })
  })

  test('with a lost response exits with 12, and reconcile finds the reply without sending again', async () => {
    const by = operator()
    const lost = await by.run(`conversations send ${widget} --message Hello`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.method === 'POST') throw new TransportError('reset', 'socket hang up', true)
        return answer
      },
    })
    expect(lost).toMatchObject({ exitCode: 12, stdout: '' })
    expect(await by.json('ops reconcile')).toMatchObject([
      { state: 'done', detail: { reply: 'Hello! How can I help you?' } },
    ])
    expect((await by.json(`conversations get ${widget}`)).history).toHaveLength(7)
    expect((await by.json('whoami')).total_balance).toBe(24.99)
  })

  test('shows its request with --dry-run', async () => {
    const by = operator()
    const dry = await by.json(`conversations send ${tried} --message Hello --dry-run`)
    expect(dry).toMatchObject({ method: 'POST', body: { message: 'Hello' } })
    expect((await by.run(`conversations send ${tried} --message Hello --print-curl`)).stdout).not.toContain(
      'PARLEY_API_KEY',
    )
    expect((await by.json(`conversations get ${tried}`)).history).toHaveLength(3)
  })
})

describe('conversations chat from a pipe', () => {
  test('answers each line, text or JSON, until /quit, in a free test conversation', async () => {
    const by = operator()
    const run = await by.run('conversations chat --assistant "Front desk" -o ndjson', {
      stdin: 'Hello\n\n{"message": "Thank you"}\r\n/quit\nNever said\n',
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    const events = run.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(events).toEqual([
      {
        type: 'item',
        conversation_id: expect.any(String),
        message: 'Hello',
        reply: 'Hello! How can I help you?',
        function_calls: [],
      },
      {
        type: 'item',
        conversation_id: events[0].conversation_id,
        message: 'Thank you',
        reply: 'You are welcome. Is there anything else?',
        function_calls: [],
      },
      { type: 'result', conversation_id: events[0].conversation_id, exchanges: 2 },
    ])
    expect((await by.json('conversations list --limit 1'))[0]).toMatchObject({
      type: 'test',
      total_cost: 0,
      message_count: 5,
    })
  })

  test('continues a conversation, and prints only the replies', async () => {
    const by = operator()
    expect(await by.run(`conversations chat ${tried}`, { stdin: 'Hello' })).toMatchObject({
      exitCode: 0,
      stdout: 'assistant\tHello! How can I help you?\n',
    })
    expect((await by.json(`conversations get ${tried}`)).history).toHaveLength(5)
  })

  test('ends with the failure of a message after printing the replies before it', async () => {
    const run = await operator().run(`conversations chat ${tried} -o ndjson`, { stdin: 'Hello\n#fail\nNever said\n' })
    expect(run.exitCode).toBe(8)
    expect(run.stdout.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(run.stderr).error.message).toContain('Failed to process message')
  })

  test('requires either a conversation or an assistant', async () => {
    const by = operator()
    expect(await by.run(`conversations chat ${tried} --assistant 1`)).toMatchObject({ exitCode: 2 })
    expect(await by.run('conversations chat')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--assistant'),
    })
  })
})

describe('calls', () => {
  const by = operator({ lasts: 'file' })

  test('are listed with status and duration, and shown with their transcript', async () => {
    const { stdout } = await by.run('calls list --no-color', { terminal: true, columns: 140 })
    expect(stdout).toMatch(
      /3 +inbound +ended by assistant +\+14155550143 +Front desk .*0:41 +human +0\.10 USD +(3 h ago|2026-08-04 09:00)/,
    )
    expect((await by.json('calls list --status no-answer')).map((it: { id: number }) => it.id)).toEqual([1])
    expect((await by.json('calls list --assistant Recall')).length).toBe(2)
    expect((await by.json('calls get 2')).transcript).toContain('Customer: Thank you for calling.')
    expect(await by.run('calls get 99')).toMatchObject({ exitCode: 4 })
    expect((await by.run('calls get', { answers: [['Which call?', /no answer/]] })).stdout).toContain('+14155550161')
  })

  test('are started with "parley api" after confirmation, and end as time passes', async () => {
    const own = operator()
    const start = `api calls.start --data '{phone_number: "+14155550111", assistant_id: 2}'`
    expect(await own.run(start)).toMatchObject({ exitCode: 10 })
    expect(await own.run(`${start} --yes`)).toMatchObject({ exitCode: 0 })
    await own.run('server clock advance 30m')
    expect((await own.json('calls list --limit 1'))[0]).toMatchObject({
      status: 'ended_by_customer',
      assistant_name: 'Recall',
    })
  })
})
