import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TransportError } from '../../../src/client/transport/transport.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../support/operator.ts'

const anna = '+14155550142'
const call = `calls start ${anna} --assistant Recall --yes`
const text = `sms send --from 4 --to ${anna} --body Hello`

/** An operator of an account whose hours are closed today and tomorrow, wherever the recipient is. */
async function closed() {
  const by = operator()
  const today = Date.parse((await by.json('server clock get')).now)
  const days = [-1, 0, 1].map((n) => new Date(today + n * 86_400_000).toISOString().slice(0, 10))
  await by.run(`contacts update-hours --holidays ${days.join(',')}`)
  return by
}

test('an SMS and a call outside the hours wait, cost nothing, and are not said to be sent', async () => {
  const by = await closed()
  const balance = (await by.json('billing summary')).balance
  const sms = await by.run(text)
  expect([sms.exitCode, sms.stdout]).toEqual([0, expect.stringMatching(/^SMS to \+14155550142 waits until .*UTC/)])
  const called = await by.run(call)
  expect([called.exitCode, called.stdout]).toEqual([0, expect.stringMatching(/^Call to \+14155550142 waits until/)])
  expect(await by.json('contacts waiting')).toMatchObject([
    { channel: 'call', phone_number: anna, state: 'waiting' },
    { channel: 'sms', phone_number: anna, state: 'waiting' },
  ])
  expect((await by.json('billing summary')).balance).toBe(balance)
  await by.run('contacts update-hours --holidays null --yes')
  expect(await by.json('contacts waiting')).toEqual([])
  expect(await by.json('contacts waiting --state started')).toHaveLength(2)
  expect(await by.json(`calls list --phone-number ${anna} --limit 1`)).toMatchObject([{ client_phone_number: anna }])
})

test('--now sends at once', async () => {
  const by = await closed()
  expect((await by.run(`${text} --now`)).stdout).toMatch(/^SMS to \+14155550142 queued/)
  expect((await by.run(`${call} --now`)).stdout).toMatch(/^Started call/)
  expect(await by.json('contacts waiting')).toEqual([])
})

test('the output for programs has what waits', async () => {
  const by = await closed()
  expect(await by.json(text)).toMatchObject({ state: 'waiting', id: 1, channel: 'sms', phone_number: anna })
})

test('the question of a file has the number of rows that wait, and a rerun does not send them again', async () => {
  const by = await closed()
  writeFileSync(join(by.cwd, 'people.csv'), 'to\n+14155550143\n+14155550144\n+14155550145\n')
  await by.run('contacts block +14155550145 --channel sms')
  const sending = 'sms send --from 4 --file people.csv --body Hello'
  const { exitCode, stdout, asked } = await by.run(sending, { answers: [['Send 2 SMS', true]] })
  expect([exitCode, asked[0]]).toEqual([
    0,
    expect.stringContaining(
      '1 of 3 skipped: 1 opted out. 2 of 2 outside their contact hours: they wait on the platform until these open.',
    ),
  ])
  expect(stdout).toContain('2 wait until the contact hours open')
  expect(await by.json('contacts waiting')).toHaveLength(2)
  expect(await by.json(`${sending} --yes`)).toMatchObject({ done: 0, waiting: 0, done_before: 2, left: 0 })
  expect(await by.json('contacts waiting')).toHaveLength(2)
})

test('--wait waits on for the call that is started when the hours open', async () => {
  const by = await closed()
  const late = await by.run(`${call} --wait --wait-timeout 1s`)
  expect([late.exitCode, late.stderr]).toEqual([14, expect.stringContaining('contacts waiting')])
})

test('what waits is cancelled after a question that says it cannot be undone', async () => {
  const by = await closed()
  await by.run(text)
  expect(await by.run('contacts cancel-waiting 1')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('Cancelling SMS 1 to +14155550142 cannot be undone'),
  })
  const { asked, exitCode, stdout } = await by.run('contacts cancel-waiting', {
    answers: [
      [/Which/, '1'],
      [/cannot be undone/, true],
    ],
  })
  expect([exitCode, stdout], asked.join()).toEqual([
    0,
    'Cancelled SMS 1 to +14155550142. Nothing was sent or charged.\n',
  ])
  expect(await by.json('contacts cancel-waiting 1 --yes')).toMatchObject({ id: 1, state: 'cancelled' })
  await by.run('contacts update-hours --holidays null')
  expect(await by.json('contacts waiting --state all')).toMatchObject([{ id: 1, state: 'cancelled' }])
  expect((await by.run('contacts cancel-waiting 2 --yes')).exitCode).toBe(4)
})

test('what was started cannot be cancelled, and all that waits on a channel can', async () => {
  const by = await closed()
  for (const command of [call, text, text.replace('0142', '0143')]) await by.run(command)
  expect(await by.json('contacts cancel-waiting --filter channel=sms --yes')).toMatchObject([
    { result: 'done' },
    { result: 'done' },
  ])
  await by.run('contacts update-hours --holidays null --yes')
  expect(await by.run('contacts cancel-waiting 1 --yes')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('It does not wait any more: started'),
  })
})

test('a coding agent cancels at once, because it only prevents something', async () => {
  const by = await closed()
  await by.run('profile set local --approvals agents')
  await by.run(text)
  expect(await by.run('contacts cancel-waiting 1', { env: { CLAUDECODE: '1' } })).toMatchObject({ exitCode: 0 })
})

test('the questions of a stop and a resume have the number of what waits', async () => {
  const by = await closed()
  await by.run(text)
  const stopping = await by.run('stop --all', { answers: [[/Stop everything/, true]] })
  expect(stopping.asked[0]).toContain('1 send or call that waits for the contact hours')
  const resuming = await by.run('resume', { answers: [[/Continue everything/, true]] })
  expect(resuming.asked[0]).toContain('1 send or call that waits for the contact hours')
})

/** An operator of an account whose hours of the day never open for a toll-free number of +1, in all of its time zones. */
async function morning() {
  const by = operator()
  await by.run(['contacts', 'update-hours', '--schedule-windows', '[{"start":"09:00","end":"10:00"}]'])
  return by
}
const tollFree = '+18005550111'

test('an SMS to a number whose hours never open is refused at once, with the reason and --now, and costs nothing', async () => {
  const by = await morning()
  const balance = (await by.json('billing summary')).balance
  const sending = text.replace(anna, tollFree)
  const refused = await by.run(sending)
  expect([refused.exitCode, refused.stdout]).toEqual([5, ''])
  expect(refused.stderr).toContain('not open in all time zones of this number')
  expect(refused.stderr).toContain('--now')
  expect(await by.json('contacts waiting --state all')).toEqual([])
  expect((await by.json('billing summary')).balance).toBe(balance)
  expect((await by.run(`${sending} --now`)).stdout).toContain(`SMS to ${tollFree} queued`)
})

test('a row of a file whose hours never open fails alone, and is not said to wait', async () => {
  const by = await closed()
  await by.run(['contacts', 'update-hours', '--schedule-windows', '[{"start":"09:00","end":"10:00"}]'])
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${tollFree}\n+14155550143\n`)
  const sending = 'sms send --from 4 --file people.csv --body Hello'
  const { exitCode, asked, stderr } = await by.run(sending, { answers: [['Send 2 SMS', true]] })
  expect(asked[0]).toContain('1 of 2 outside their contact hours: it waits on the platform until these open.')
  expect([exitCode, stderr]).toEqual([11, expect.stringContaining('not open in all time zones of this number')])
  expect(await by.json('contacts waiting')).toMatchObject([{ phone_number: '+14155550143' }])
})

test('what waits fails when its hours never open any more, and says why', async () => {
  const by = await closed()
  await by.run(text.replace(anna, tollFree))
  await by.run([
    'contacts',
    'update-hours',
    '--holidays',
    'null',
    '--schedule-windows',
    '[{"start":"09:00","end":"10:00"}]',
    '--yes',
  ])
  expect(await by.json('contacts waiting --state failed')).toMatchObject([
    { phone_number: tollFree, error: expect.stringContaining('not open in all time zones') },
  ])
})

test('a change of the hours says how much waited, and whether it starts', async () => {
  const by = await closed()
  expect((await by.run('contacts update-hours --timezone Europe/Berlin')).stdout).toBe(
    'Saved the contact hours. See: parley contacts hours\n',
  )
  for (const command of [call, text]) await by.run(command)
  await by.run('stop --all --yes')
  expect((await by.run('contacts update-hours --timezone Europe/Paris')).stdout).toContain(
    'Saved the contact hours. 2 sends and calls waited: each waits until everything is resumed: parley resume.',
  )
  await by.run('resume --yes')
  expect((await by.run('contacts update-hours --timezone Europe/Rome')).stdout).toContain(
    'Saved the contact hours. 2 sends and calls waited: 2 wait until the hours open. See: parley contacts waiting.',
  )
  expect((await by.run('contacts update-hours --holidays null --yes')).stdout).toContain(
    'Saved the contact hours. 2 sends and calls waited: 2 start now. See: parley contacts waiting.',
  )
})

test('a change that lets start what waits is asked about, with the number and the most that it costs', async () => {
  const by = await closed()
  for (const to of ['0142', '0143']) await by.run(text.replace('0142', to))
  const line = 'contacts update-hours --holidays null'
  const preview = await by.run(`${line} --dry-run`)
  expect([preview.exitCode, preview.stderr]).toEqual([
    0,
    expect.stringContaining('2 of 2 sends and calls that wait start at once, which costs at most 0.02 USD.'),
  ])
  expect(await by.run(line)).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('at most 0.02 USD') })
  expect(await by.json('contacts waiting')).toHaveLength(2)
  const { asked, stderr } = await by.run(line, { answers: [[/Change the contact hours/, true]] })
  expect(asked[0]).toContain('2 of 2 sends and calls that wait start at once, which costs at most 0.02 USD.')
  expect(await by.json('contacts waiting')).toEqual([])
  expect(stderr).toMatch(/To restore the hours before: parley contacts update-hours --holidays [\d,-]+\n/)
})

test('a change after which the hours of something never open is asked about, too', async () => {
  const by = await closed()
  await by.run(text.replace(anna, tollFree))
  expect(
    await by.run(['contacts', 'update-hours', '--schedule-windows', '[{"start":"09:00","end":"10:00"}]']),
  ).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('1 of 1 send or call that waits ends as failed') })
  expect(await by.json('contacts waiting')).toHaveLength(1)
})

test('contacts waiting shows the text, the price, when it is sent for the recipient, and why it waits', async () => {
  const by = await closed()
  await by.run(text.replace(anna, '+493012345678'))
  await by.run(call.replace(anna, '+34612345678'))
  const [called, sms] = await by.json('contacts waiting')
  expect(sms).toMatchObject({
    content: 'Hello',
    max_cost: 0.01,
    timezones: ['Europe/Berlin'],
    timezone_source: 'number',
    closed_by: 'holiday',
    closed_in: 'Europe/Berlin',
  })
  expect(called).toMatchObject({ content: 'Recall', timezones: expect.arrayContaining(['Europe/Madrid']) })
  const { stdout } = await by.run('contacts waiting', { terminal: true, columns: 220 })
  expect(stdout).toContain('Hello')
  expect(stdout).toMatch(/2026-08-06 00:00 Europe\/Berlin/)
  expect(stdout).toContain('a holiday in Europe/Berlin, the time zone of the number')
})

test('contacts waiting names on a terminal the running campaigns whose leads wait, and until when', async () => {
  const by = await closed()
  await by.run('campaigns create --name Recall2 --assistant Recall')
  const { id } = (await by.json('campaigns list')).find((it: { name: string }) => it.name === 'Recall2')
  for (const to of [anna, '+493012345678']) await by.run(`leads create --campaign ${id} --phone-number ${to}`)
  const shown = { terminal: true, columns: 200 }
  expect((await by.run('contacts waiting', shown)).stderr).not.toContain('Recall2')
  await by.run(`campaigns start ${id} --yes`)
  expect((await by.run('contacts waiting', shown)).stderr).toMatch(
    new RegExp(
      `Campaign "Recall2" \\(${id}\\): 2 leads wait until 2026-08-0\\d .* or later\\. See: parley leads list --campaign ${id}`,
    ),
  )
  expect((await by.run('contacts waiting --channel sms', shown)).stderr).not.toContain('Recall2')
  expect((await by.run('contacts waiting')).requests.join()).not.toContain('campaigns')
  await by.run('contacts update-hours --holidays null --yes')
  expect((await by.run('contacts waiting', shown)).stderr).not.toContain('wait until')
})

test('what waits is sent at once after a question with the recipient, the text and the price, and never twice', async () => {
  const by = await closed()
  await by.run(text)
  expect(await by.run('contacts send-waiting 1')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('at most 0.01 USD'),
  })
  expect((await by.run('contacts send-waiting 1 --dry-run')).stderr).toContain('Send SMS 1 to +14155550142 at once?')
  expect(await by.json('contacts waiting')).toHaveLength(1)
  const balance = (await by.json('billing summary')).balance
  const sent = await by.run('contacts send-waiting', {
    answers: [
      [/Which/, '1'],
      [/Send SMS 1/, true],
    ],
  })
  expect(sent.asked.join()).toContain('Price: at most 0.01 USD. Text: "Hello". Now is a holiday in')
  expect([sent.exitCode, sent.stdout]).toEqual([
    0,
    expect.stringMatching(/^Started at once: SMS 1 to \+14155550142. Id: \d+\n$/),
  ])
  const again = await by.run('contacts send-waiting 1')
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('Already started, nothing was charged')])
  expect(await by.json('contacts waiting --state all')).toMatchObject([{ state: 'started', closed_by: null }])
  await by.run('contacts update-hours --holidays null')
  expect((await by.json('billing summary')).balance).toBeCloseTo(balance - 0.01, 6)
})

test('what was cancelled or does not exist is not sent', async () => {
  const by = await closed()
  await by.run(text)
  await by.run('contacts cancel-waiting 1 --yes')
  expect(await by.run('contacts send-waiting 1 --yes')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('It does not wait any more: cancelled'),
  })
  expect((await by.run('contacts send-waiting 2 --yes')).exitCode).toBe(4)
})

test('what is refused at once waits on', async () => {
  const by = await closed()
  await by.run(text)
  await by.run(`contacts block ${anna} --channel sms`)
  expect(await by.run('contacts send-waiting 1 --yes')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('opted out'),
  })
  expect(await by.json('contacts waiting')).toMatchObject([{ id: 1, state: 'waiting' }])
})

const budgetOf = async (by: Operator) => (await by.json('profile get')).budget
const posts = ({ requests }: Run): readonly string[] => requests.filter((it) => it.startsWith('POST'))

test('what waits is reserved in the budget of the profile, and counts once when it is sent at once', async () => {
  const by = await closed()
  await by.run('profile set local --budget 0.015/month')
  const preview = await by.run(`${text} --dry-run`)
  expect(preview.stderr).toContain('Its price is reserved in the budget of the profile.')
  await by.run(text)
  expect(await budgetOf(by)).toMatchObject({ spent: 0.01, reserved: 0.01, left: 0.005 })
  expect((await by.run('profile get')).stdout).toContain('0.01 USD reserved for what waits for the contact hours')
  expect(await by.json('ops list')).toMatchObject([{ endpoint: 'sms.send', state: 'waiting', amount_usd: null }])
  const other = await by.run(text.replace('0142', '0143'))
  expect([other.exitCode, other.stderr]).toEqual([13, expect.stringContaining('0.005 USD are left')])

  expect(await by.run('contacts send-waiting 1 --yes')).toMatchObject({ exitCode: 0 })
  expect(await budgetOf(by)).toMatchObject({ spent: 0.01, reserved: 0, left: 0.005 })
  expect((await by.json('ops list'))[0]).toMatchObject({
    endpoint: 'contacts.sendWaiting',
    target: 'waiting 1',
    state: 'done',
    amount_usd: 0.01,
  })
})

test('what waits is not sent at once for more than is left of the budget of the profile, or than --budget', async () => {
  const by = await closed()
  await by.run(text)
  await by.run('profile set local --budget 0.001/month')
  expect(await by.run('contacts send-waiting 1 --yes')).toMatchObject({
    exitCode: 13,
    stderr: expect.stringContaining('This can cost 0.01 USD'),
  })
  await by.run('profile set local --budget none')
  expect(await by.run('contacts send-waiting 1 --yes --budget 0.001')).toMatchObject({ exitCode: 5 })
  expect(await by.json('contacts waiting')).toMatchObject([{ id: 1, state: 'waiting' }])
  expect((await by.run('contacts send-waiting 1 --yes --budget 0.01')).exitCode).toBe(0)
})

test('what is cancelled while it waits is not reserved any more', async () => {
  const by = await closed()
  await by.run('profile set local --budget 1/month')
  for (const to of ['0142', '0143', '0144']) await by.run(text.replace('0142', to))
  expect(await budgetOf(by)).toMatchObject({ reserved: 0.03 })
  await by.run('contacts cancel-waiting 1 --yes')
  expect(await budgetOf(by)).toMatchObject({ spent: 0.02, reserved: 0.02, left: 0.98 })
  await by.run('contacts cancel-waiting --filter channel=sms --yes')
  expect(await budgetOf(by)).toMatchObject({ spent: 0, reserved: 0, left: 1 })
  expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ])
})

test('what is sent at once is sent and counted once when the answer is lost or the command is killed', async () => {
  const by = await closed()
  await by.run('profile set local --budget 1/month')
  await by.run(text)
  const balance = (await by.json('billing summary')).balance
  const lost = await by.run('contacts send-waiting 1 --yes', {
    async through(handle, request) {
      const response = await handle(request)
      if (request.method === 'POST') throw new TransportError('reset', 'reset', true)
      return response
    },
  })
  expect([lost.exitCode, lost.stderr]).toEqual([12, expect.stringContaining('parley ops reconcile')])
  // As after kill -9, no outcome of it is in the journal.
  const file = join(by.dataDir, 'spends.ndjson')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.at(-1)).toContain('"state":"unknown"')
  writeFileSync(
    file,
    `${lines
      .slice(0, -1)
      .join('\n')
      .replaceAll(/"pid":\d+/g, '"pid":4194304')}\n`,
  )
  expect(await budgetOf(by)).toMatchObject({ spent: 0.01, reserved: 0 })

  const again = await by.run('contacts send-waiting 1 --yes')
  expect([again.exitCode, again.stdout, posts(again)]).toEqual([0, expect.stringContaining('Already started'), []])
  expect((await by.run('ops reconcile')).exitCode).toBe(0)
  expect((await by.json('ops list'))[0]).toMatchObject({
    endpoint: 'contacts.sendWaiting',
    state: 'done',
    amount_usd: 0.01,
  })
  expect(await budgetOf(by)).toMatchObject({ spent: 0.01, reserved: 0 })
  expect((await by.json('billing summary')).balance).toBeCloseTo(balance - 0.01, 6)
})

test('a send that waits, and whose answer was lost, is found and not said to be carried out', async () => {
  const by = await closed()
  const lost = await by.run(text, {
    async through(handle, request) {
      const response = await handle(request)
      if (request.method === 'POST') throw new TransportError('reset', 'reset', true)
      return response
    },
  })
  expect(lost.exitCode).toBe(12)
  expect((await by.run('ops reconcile')).exitCode).toBe(0)
  expect(await by.json('ops list')).toMatchObject([
    { state: 'waiting', detail: { reconciled: 'The SMS waits for the contact hours.' } },
  ])
})

test('a coding agent sends what waits only after a person has approved it', async () => {
  const by = await closed()
  await by.run('profile set local --approvals agents')
  await by.run(text)
  const asked = await by.run('contacts send-waiting 1 --yes', { env: { CLAUDECODE: '1' } })
  expect([asked.exitCode, asked.stderr]).toEqual([10, expect.stringContaining('approval')])
  expect(await by.json('contacts waiting')).toHaveLength(1)
})

test('a preview of a send or call says that it would wait, until when and why', async () => {
  const by = await closed()
  const sends = [
    text.replace(anna, '+493012345678'),
    call.replace(anna, '+493012345678'),
    'messaging send --sender 1 --to +493012345678 --template appointment_reminder --var 1=Anna --var 2=Monday',
  ]
  for (const command of sends) {
    const { exitCode, stderr } = await by.run(`${command} --dry-run`)
    expect([exitCode, stderr], command).toEqual([
      0,
      expect.stringContaining(
        'It would wait until 2026-08-06 00:00 Europe/Berlin (2026-08-05 22:00 UTC): now is a holiday in Europe/Berlin, the time zone of the number.',
      ),
    ])
    expect((await by.run(`${command} --dry-run --now`)).stderr).not.toContain('would wait')
  }
  expect(await by.json('contacts waiting --state all')).toEqual([])
})

test('a preview of a send or call to a recipient that has opted out says that it would be refused', async () => {
  const by = await closed()
  for (const [channel, command] of [
    ['sms', text],
    ['call', call],
    [
      'messaging',
      'messaging send --sender 1 --to +14155550142 --template appointment_reminder --var 1=Anna --var 2=Monday',
    ],
  ]) {
    const before = await by.run(`${command} --dry-run --now`)
    expect(before.stderr, command).not.toContain('opted out')
    await by.run(`contacts block ${anna} --channel ${channel}`)
    const { exitCode, stderr } = await by.run(`${command} --dry-run`)
    expect(exitCode).toBe(0)
    expect(stderr, command).toContain(
      `It would be refused: the recipient has opted out. See the reason: parley contacts list --phone-number ${anna}`,
    )
  }
})

/** A deployment that cannot be reached, and the paths that were asked for. */
function away() {
  const asked: string[] = []
  const options: RunOptions = {
    env: { PARLEY_BASE_URL: 'https://platform.example', PARLEY_API_KEY: 'key' },
    connect: async (base) => ({
      base,
      async send({ url }) {
        asked.push(url)
        throw new TransportError('refused', 'ECONNREFUSED', false)
      },
      close: async () => {},
    }),
  }
  return { options, asked }
}

test('a preview of a send where the platform cannot be reached says what is not known, after the retries of one request', async () => {
  const by = operator()
  const message = 'messaging send --sender 1 --to +493012345678 --template 1 --var 1=Anna --var 2=Monday'
  for (const command of [text, 'calls start +14155550142 --assistant 2', message]) {
    const { options, asked } = away()
    const { exitCode, stderr } = await by.run(`${command} --dry-run --retries 1`, options)
    expect([exitCode, stderr], command).toEqual([
      0,
      expect.stringContaining(
        'Not known: whether the recipient has opted out, whether it would wait for the contact hours, its price. Connection refused by https://platform.example',
      ),
    ])
    expect(
      asked.filter((it) => it.endsWith('/api-keys')),
      command,
    ).toHaveLength(2)
  }
})

test('a preview of a file where the platform cannot be reached says what is not known, and no cost', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'people.csv'), 'to\n+14155550143\n')
  const { options, asked } = away()
  const sending = 'sms send --from 4 --file people.csv --body Hello --dry-run --retries 1'
  const { exitCode, stdout, stderr } = await by.run(sending, options)
  expect([exitCode, stdout]).toEqual([0, '1 SMS would be sent.\n'])
  expect(stderr).toContain(
    'Not known: which recipients were sent the same content before, which have opted out, how many rows would wait for the contact hours, the cost. Connection refused by https://platform.example',
  )
  expect(stderr).not.toContain('Cost:')
  expect(new Set(asked.slice(-2)).size).toBe(1)
  expect(asked.length).toBeLessThanOrEqual(4)
  expect((await by.run('sms send --from 4 --file people.csv --body Hello --dry-run')).stderr).not.toContain('Not known')
})

test('waiting for a call that waits for the hours ends with the command that shows it', async () => {
  const by = await closed()
  const { exitCode, stderr } = await by.run(`${call} --wait --wait-timeout 1s`, {
    async through(handle, request) {
      by.wait(1000)
      return handle(request)
    },
  })
  expect(exitCode).toBe(14)
  expect(stderr).toMatch(/continues\. See: parley contacts waiting --waiting-id 1 --state all/)
})

test('the question of a call says that it would wait', async () => {
  const by = await closed()
  const { asked } = await by.run(call.replace(' --yes', ''), { answers: [[/Call \+14155550142/, true]] })
  expect(asked[0]).toContain('It would wait until 2026-08-06 00:00')
  expect(await by.json('contacts waiting')).toHaveLength(1)
})

test('a preview of a send to a number whose hours never open says that it would be refused', async () => {
  const by = await morning()
  expect((await by.run(`${text.replace(anna, tollFree)} --dry-run`)).stderr).toContain('It would be refused')
})

test('a window that starts when it ends is refused, and a holiday may be a day of every year', async () => {
  const by = operator()
  const windows = '[{"start":"09:00","end":"09:00"}]'
  expect(await by.run(['contacts', 'update-hours', '--schedule-windows', windows])).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('starts and ends at 09:00. For the whole day: 00:00 to 23:59.'),
  })
  const day = (await by.json('server clock get')).now.slice(5, 10)
  const near = [-1, 1].map((n) => new Date(Date.parse(`2026-${day}`) + n * 86_400_000).toISOString().slice(5, 10))
  expect((await by.run(`contacts update-hours --holidays ${[day, ...near].join(',')}`)).exitCode).toBe(0)
  expect((await by.run(text)).stdout).toContain('waits until')
  const wrong = await by.run('contacts update-hours --holidays 02-30')
  expect([wrong.exitCode, wrong.stderr]).toEqual([6, expect.stringContaining('YYYY-MM-DD, or MM-DD for every year')])
})

test('an import of leads warns of numbers that are never contacted', async () => {
  const by = await morning()
  writeFileSync(join(by.cwd, 'leads.csv'), `phone_number\n${tollFree}\n+14155550143\n`)
  for (const flags of ['--dry-run', '--yes'])
    expect((await by.run(`leads import --campaign 1 --file leads.csv ${flags}`)).stderr, flags).toContain(
      `1 lead cannot be contacted, because no hour is open in all of the time zones, such as ${tollFree}`,
    )
})
