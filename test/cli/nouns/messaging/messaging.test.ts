import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure, toEnvelope } from '../../../../src/contract/errors/failures.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

const reminder =
  'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday'
const balance = async (by: ReturnType<typeof operator>): Promise<number> =>
  (await by.json('server accounts list'))[0].balance

/** A platform whose account has run out of money. */
const without: NonNullable<RunOptions['through']> = async (handle, request) =>
  request.method === 'POST'
    ? { status: 402, headers: {}, body: JSON.stringify(toEnvelope(new Failure('messaging.insufficient_balance'))) }
    : handle(request)

describe('messaging senders and templates', () => {
  test('show what can send, and all of them with --status all', async () => {
    const { json, run } = operator({ env: { NO_COLOR: '1' } })
    expect((await json('messaging senders')).map((it: { status: string }) => it.status)).toEqual([
      'online',
      'online',
      'online',
      'online',
      'online',
    ])
    expect(await json('messaging senders --status all')).toHaveLength(6)
    expect(
      (await json('messaging senders --status offline')).map((it: { display_name: string }) => it.display_name),
    ).toEqual(['Northwind Orthodontics'])
    expect((await run('message senders -o id')).stdout).toBe('1\n2\n3\n5\n6\n')
    const { stdout } = await run('messaging senders --status all', { terminal: true, columns: 120 })
    expect(stdout).toMatch(/Northwind Billing .*online .*red .*Unlimited/)
    expect(stdout).toMatch(/Northwind Events .*Unknown/)
  })

  test('are found by id, number or name of the sender', async () => {
    const { json, run } = operator()
    const names = async (sender: string) =>
      (await json(`messaging templates ${sender}`)).map((it: { name: string }) => it.name)
    const approved = [
      'appointment_reminder',
      'opening_hours',
      'login_code',
      'convite_retorno',
      'may_we_call',
      'new_price_list',
    ]
    expect(await names('1')).toEqual(approved)
    expect(await names('+14155550170')).toEqual(approved)
    expect(await names('"Northwind Orthodontics"')).toEqual(['opening_hours'])
    expect((await json('messaging templates 1 --status rejected')).map((it: { name: string }) => it.name)).toEqual([
      'free_toothbrush',
    ])
    expect(await run('messaging templates 99')).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringContaining('error: Sender not found'),
    })
    expect(await run('messaging templates Nobody')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('parley messaging senders --status all'),
    })
    expect(await run('messaging templates')).toMatchObject({ exitCode: 2, requests: [] })
  })

  test('are picked on a terminal', async () => {
    const { run } = operator()
    const { stdout } = await run('messaging templates', { answers: [['Which sender?', 'Orthodontics']] })
    expect(stdout).toContain('opening_hours')
  })
})

describe('messaging send', () => {
  test('sends a template by its name, with values by number and name, without confirmation', async () => {
    const by = operator()
    const before = await balance(by)
    const { exitCode, stdout, stderr, requests } = await by.run(reminder)
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'Message to +14155550111 queued. Cost: 0.008 USD. Id: 1\n',
    })
    expect(stderr).toContain('Next: parley messaging session --sender 1 --to +14155550111')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual(['POST /api/user/messaging/send'])
    expect(await balance(by)).toBeCloseTo(before - 0.008, 9)
  })

  test('prints the record of the platform, or only the id, for scripts', async () => {
    const { json, run } = operator()
    const sent = await json(reminder)
    expect(sent).toEqual({
      success: true,
      conversation_id: 7,
      message_id: expect.any(Number),
      channel_message_id: 1,
      message_sid: expect.stringMatching(/^MM/),
      status: 'queued',
    })
    // The id of "messaging list", not the number of the message in its conversation.
    expect((await run(`${reminder} -o id`)).stdout).toBe('2\n')
    expect((await json('messaging list')).map((it: { id: number }) => it.id)).toEqual([2, 1])
    expect(await json(`${reminder} --fields status,conversation_id`)).toEqual({ status: 'queued', conversation_id: 7 })
  })

  test('sends text and media inside the window, and refuses outside it as a conflict', async () => {
    const { json, run } = operator()
    const sent = await json('messaging send --sender +14155550170 --to +14155550142 --text "See you on Monday."')
    expect(sent).toMatchObject({ conversation_id: 1, session_status: { is_open: true } })
    expect(
      await json(
        'messaging send --sender 1 --to +14155550142 --media-url https://a.example/map.pdf --filename map.pdf --text Map',
      ),
    ).toMatchObject({
      success: true,
    })
    const closed = await run('messaging send --sender 1 --to +14155550143 --text Hi --json')
    expect(closed).toMatchObject({ exitCode: 5, stdout: '' })
    expect(JSON.parse(closed.stderr).error).toMatchObject({
      code: 'SESSION_EXPIRED',
      status: 403,
      hint: expect.stringContaining('--template'),
    })
  })

  test.each([
    ['--sender 4 --template opening_hours', 6, 'SENDER_OFFLINE'],
    ['--sender 1 --template summer_whitening --var 1=May', 6, 'TEMPLATE_NOT_APPROVED'],
    ['--sender 1 --template new_price_list --var 1=Anna', 6, 'TEMPLATE_NOT_SYNCED'],
    ['--sender 1 --template appointment_reminder --var 1=Anna', 6, 'TEMPLATE_MISMATCH'],
    ['--sender 1 --template may_we_call --var 1=Anna', 6, 'VOICE_CALL_LIMIT_NOT_MET'],
    ['--sender 5 --template opening_hours', 6, 'NO_ASSISTANT_CONFIGURED'],
    ['--sender 6 --template opening_hours', 6, 'MESSAGING_LIMIT_UNAVAILABLE'],
    ['--sender 99 --template 1', 4, 'SENDER_NOT_FOUND'],
    ['--sender 1 --template 99', 4, 'TEMPLATE_NOT_FOUND'],
  ])('with %s ends with %i: %s, caused by sample data', async (line, exitCode, code) => {
    const by = operator()
    const before = await balance(by)
    const refused = await by.run(`messaging send ${line} --to +14155550111 --json`)
    expect({ exitCode: refused.exitCode, stdout: refused.stdout, code: JSON.parse(refused.stderr).error.code }).toEqual(
      { exitCode, stdout: '', code },
    )
    expect(await balance(by)).toBe(before)
  })

  test.each([
    ['+15005550101', 6, 'PROVIDER_ERROR_63024'],
    ['+15005550102', 6, 'PROVIDER_ERROR_63049'],
    ['+15005550103', 6, 'PROVIDER_ERROR_63013'],
    ['+15005550104', 6, 'UNKNOWN_ERROR'],
    ['0415', 6, 'INVALID_PHONE'],
  ])('to %s ends with %i: %s, and costs nothing', async (to, exitCode, code) => {
    const by = operator()
    const before = await balance(by)
    const refused = await by.run(`messaging send --sender 1 --template opening_hours --to ${to} --json`)
    expect({ exitCode: refused.exitCode, code: JSON.parse(refused.stderr).error.code }).toEqual({ exitCode, code })
    expect(await balance(by)).toBe(before)
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['refused'])
  })

  test('without balance ends with 13', async () => {
    const by = operator()
    const { key } = await by.json('server accounts create --name Poor')
    const refused = await by.run('messaging send --sender 1 --template opening_hours --to +14155550111 --json', {
      env: { PARLEY_API_KEY: key },
    })
    // Nor are the senders of the first account anybody else's.
    expect(refused).toMatchObject({ exitCode: 4 })
    const lost = await by.run('messaging send --sender 1 --template 2 --to +14155550111 --json', { through: without })
    expect(lost).toMatchObject({ exitCode: 13 })
  })

  test('from an account without balance is refused with the documented error, and succeeds after a top-up', async () => {
    const by = operator()
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/local-platform.md'), 'utf8')
    const said = [
      ...page.slice(page.indexOf('An account without balance cannot pay')).matchAll(/`parley ([^`\n]+)`/g),
    ].map((it) => it[1] as string)
    const [empty, sends, fills] = said as [string, string, string]
    await by.json(empty)
    const drained = await by.run(`${sends} --json`)
    expect({ exitCode: drained.exitCode, code: JSON.parse(drained.stderr).error.code }).toEqual({
      exitCode: 13,
      code: 'INSUFFICIENT_BALANCE',
    })
    expect((await by.json('server accounts ledger 1')).at(-1)).toMatchObject({
      kind: 'correction',
      balance_after: 0,
      reason: 'Balance set',
    })
    await by.json(fills)
    expect(await balance(by)).toBe(25)
    expect(await by.run(sends)).toMatchObject({ exitCode: 0 })
  })

  test('names every flag that is missing, before any request', async () => {
    const { run } = operator()
    expect(await run('messaging send')).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Missing --sender, --template, --to.'),
    })
    expect(await run('messaging send --text Hi')).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Missing --sender, --to.'),
    })
  })

  test.each([
    ['--text Hi --template 1', 'cannot be combined with template flags: --template'],
    ['--text Hi --var 1=Anna', 'cannot be combined with template flags: --var'],
    [
      '--media-url https://a.example/x --recipient-name Anna',
      'cannot be combined with template flags: --recipient-name',
    ],
    ['--filename map.pdf', '--filename requires --media-url.'],
    ['--template 1 --var Anna', 'Invalid --var "Anna". Use name=value.'],
    ['--template 1 --var =Anna', 'Invalid --var "=Anna". Use name=value.'],
  ])('refuses %s before anything is sent', async (line, text) => {
    const { run } = operator()
    const refused = await run(`messaging send --sender 1 --to +14155550142 ${line}`)
    expect({ exitCode: refused.exitCode, posts: refused.requests.filter((it) => it.startsWith('POST')) }).toEqual({
      exitCode: 2,
      posts: [],
    })
    expect(refused.stderr).toContain(text)
  })

  test('accepts a value with an equals sign, and the last of repeated names counts', async () => {
    const by = operator()
    const shown = await by.run(
      'messaging send --sender 1 --template 1 --to +14155550111 --var 1=x --var 1=a=b --variables \'{"2":"y"}\' --dry-run --json',
    )
    expect(JSON.parse(shown.stdout).body.variables).toEqual({ 1: 'a=b', 2: 'y' })
    // The contact hours are read, and nothing is sent.
    expect(shown.requests.filter((it) => !it.startsWith('GET '))).toEqual([])
  })

  test('reads all fields from a file, and flags take precedence', async () => {
    const { run } = operator()
    const body =
      'sender_id: 1\ntemplate_id: 1\nrecipient_phone: +14155550111\nrecipient_name: Anna\nvariables:\n  "1": Anna\n  "2": 0044\n'
    const shown = await run('messaging send --file - --to +14155550112 --dry-run --json', { stdin: body })
    expect(JSON.parse(shown.stdout)).toEqual({
      method: 'POST',
      path: '/api/user/messaging/send',
      body: {
        sender_id: 1,
        recipient_phone: '+14155550112',
        template_id: 1,
        recipient_name: 'Anna',
        variables: { 1: 'Anna', 2: '0044' },
      },
    })
    const text = await run('messaging send --file - --dry-run --json', {
      stdin: '{"sender_id":1,"recipient_phone":"+14155550142","message":"Hi"}',
    })
    expect(JSON.parse(text.stdout)).toMatchObject({
      path: '/api/user/messaging/send-freeform',
      body: { message: 'Hi' },
    })
  })

  test('without a template filter lists messages without a template too', async () => {
    const { run } = operator()
    expect((await run('messaging send')).stderr).toContain(
      'hint: To send without a template, pass --text or --media-url. See: parley messaging send --help.\n',
    )
    expect((await run('messaging send --template 1')).stderr).toContain('hint: See: parley messaging send --help.\n')
  })

  test('on a terminal prompts for missing values and placeholders, and again for an invalid number', async () => {
    const { run } = operator()
    const { exitCode, stdout, stderr, asked } = await run('messaging send', {
      answers: [
        ['Which sender?', 'Northwind Dental'],
        ['Recipient number', ''],
        ['Recipient number', 'Anna'],
        ['Recipient number', '4155550111'],
        ['Recipient number', '+1 415'],
        ['Recipient number', ' +1 (415) 555-0111 '],
        ['Which template?', 'appointment_reminder'],
        ['first_name:', 'Anna'],
        ['appointment_day:', 'Monday'],
      ],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('queued') })
    expect(stderr).toContain('Hello {{1}}, this is a reminder of your appointment on {{2}}.')
    expect(asked.filter((it) => it === 'Use E.164, for example +14155550142, with + in place of 00.')).toHaveLength(4)
  })

  test('warns people about a sender with the rating RED, and does not read the senders for scripts', async () => {
    const { run } = operator({ env: { NO_COLOR: '1' } })
    const opening = 'messaging send --sender 2 --template 9 --to +14155550111'
    const person = await run(opening, { terminal: true })
    expect(person).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('warning: Northwind Billing (+14155550171) has the quality rating RED'),
    })
    const script = await run(opening)
    expect(script.stderr).not.toContain('RED')
    expect(script.requests).not.toContain('GET /api/user/messaging/senders?status=all')
    expect((await run(reminder, { terminal: true })).stderr).not.toContain('RED')
  })
})

describe('messaging session', () => {
  test('prints whether the window is open', async () => {
    const { json, run } = operator({ env: { NO_COLOR: '1' } })
    expect(await json('messaging session --sender 1 --to +14155550142')).toMatchObject({
      has_conversation: true,
      customer_name: 'Anna Keller',
      session_status: { is_open: true, minutes_remaining: 1200, expires_at: '2026-08-05T08:00:00.000000Z' },
    })
    expect(await json('messaging session --sender 1 --to +14155550143')).toMatchObject({
      session_status: { is_open: false, expired_at: '2026-08-02T12:00:00.000000Z' },
    })
    const { stdout } = await run('messaging session --sender 1 --to +14155550142 --utc', { terminal: true })
    expect(stdout).toMatch(/Window open +yes/)
    expect(stdout).not.toMatch(/template|window is open/)
    expect(await run('messaging session --sender 1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --to.'),
    })
    expect(await run('messaging session --sender 1 --to x')).toMatchObject({ exitCode: 6 })
  })
})
