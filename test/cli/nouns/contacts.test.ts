import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

const number = '+14155550111'

test('a blocked contact gets no message and no call, with exit code 5, until it is unblocked', async () => {
  const by = operator()
  expect(await by.run(`contacts block ${number} --channel all --reason "Asked by phone"`)).toMatchObject({
    exitCode: 0,
    stdout: 'Added 3 blocks.\n',
  })
  const { total_balance: balance } = await by.json('whoami')
  for (const command of [
    `messaging send --sender 1 --template 1 --to ${number} --var 1=Anna --var 2=Monday`,
    `sms send --from 4 --to ${number} --body Hello`,
    `calls start ${number} --assistant 2 --yes`,
  ]) {
    const { exitCode, stderr } = await by.run(command)
    expect([command, exitCode]).toEqual([command, 5])
    expect(stderr).toContain('The recipient has opted out. Nothing was sent.')
    expect(stderr).toContain('parley contacts list --phone-number <number>')
  }
  expect((await by.json('whoami')).total_balance).toBe(balance)
  expect(await by.run(`contacts unblock ${number} --channel sms`)).toMatchObject({
    exitCode: 0,
    stdout: 'Removed 1 block.\n',
  })
  expect((await by.run(`sms send --from 4 --to ${number} --body Hello`)).exitCode).toBe(0)
})

test('blocked contacts are listed with reason and source, and exported as CSV', async () => {
  const by = operator()
  await by.run(`contacts block ${number} +14155550112 --channel sms --reason "No, thanks" --source form`)
  await by.run(`contacts block ${number} --channel call`)
  expect(await by.json('contacts list --channel sms')).toEqual([
    { phone_number: number, channel: 'sms', reason: 'No, thanks', source: 'form', created_at: expect.any(String) },
    expect.objectContaining({ phone_number: '+14155550112' }),
  ])
  expect((await by.run(`contacts list --phone-number ${number} -o id`)).stdout).toBe(`${number}\n${number}\n`)
  const { stdout } = await by.run('contacts export')
  expect(stdout.split('\n')).toEqual([
    'phone_number,channel,reason,source,created_at',
    expect.stringMatching(/^\+14155550111,call,,cli,2026-08-04T/),
    expect.stringMatching(/^\+14155550111,sms,"No, thanks",form,2026-08-04T/),
    expect.stringMatching(/^\+14155550112,sms,"No, thanks",form,2026-08-04T/),
    '',
  ])
  expect(await by.json('contacts export --limit 1')).toMatchObject([{ channel: 'call' }])
})

test('a refused export prints nothing, and an empty one its header', async () => {
  const by = operator()
  expect(await by.run('contacts export --channel fax')).toMatchObject({ exitCode: 6, stdout: '' })
  const env = { PARLEY_API_KEY: 'wrong' }
  expect(await by.run('contacts export', { env })).toMatchObject({ exitCode: 3, stdout: '' })
  expect((await by.run('contacts export')).stdout).toBe('phone_number,channel,reason,source,created_at\n')
})

test.each([
  ['contacts block', 'Missing number'],
  [`contacts block ${number}`, 'Missing --channel'],
  [`contacts block ${number} --channel fax`, 'fax'],
])('%j is refused before anything is sent', async (line, message) => {
  const { exitCode, stderr, requests } = await operator().run(line)
  expect([exitCode, requests]).toEqual([2, []])
  expect(stderr).toContain(message)
})

test('an invalid number is refused, and a number is asked for on a terminal', async () => {
  const by = operator()
  expect(await by.run('contacts block 0171 --channel sms')).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('Invalid phone number'),
  })
  expect(
    await by.run('contacts block', {
      answers: [
        ['Phone number', number],
        ['Channel', 'sms'],
      ],
    }),
  ).toMatchObject({ exitCode: 0 })
  expect(await by.json('contacts list')).toMatchObject([{ phone_number: number, channel: 'sms' }])
})

test('the words to opt out by reply are shown and changed', async () => {
  const by = operator()
  expect((await by.json('contacts settings')).known_words[0]).toMatchObject({
    language: 'en',
    stop: expect.arrayContaining(['stop']),
  })
  expect((await by.run('contacts update-settings')).exitCode).toBe(2)
  const line = 'contacts update-settings --languages es --stop-words "no more" --confirmation Bye.'
  expect(await by.run(line)).toMatchObject({ exitCode: 0 })
  expect(await by.json('contacts settings')).toMatchObject({
    languages: ['es'],
    stop_words: ['no more'],
    confirmation: 'Bye.',
  })
})

test('contacts hours shows the hours of the account, and update-hours changes and removes them', async () => {
  const by = operator()
  expect((await by.run('contacts update-hours')).exitCode).toBe(2)
  const windows = [{ start: '09:00', end: '19:59' }]
  const line = ['contacts', 'update-hours', '--schedule-windows', JSON.stringify(windows), '--holidays', '2026-12-25']
  expect((await by.run(line)).exitCode).toBe(0)
  expect(await by.json('contacts hours')).toEqual({
    schedule_windows: windows,
    allowed_days: null,
    holidays: ['2026-12-25'],
    timezone: null,
  })
  expect((await by.run('contacts hours')).stdout).toContain('Holidays')
  await by.run('contacts update-hours --schedule-windows null --holidays null')
  expect(await by.json('contacts hours')).toMatchObject({ schedule_windows: null, holidays: null })
  const wrong = await by.run('contacts update-hours --holidays 2026-02-30')
  expect([wrong.exitCode, wrong.stderr]).toEqual([6, expect.stringContaining('holidays')])
})

test('are found by the beginning of their number, with or without the plus sign', async () => {
  const by = operator()
  await by.run(`contacts block ${number} --channel sms`)
  for (const beginning of [number, number.slice(0, 6), number.slice(1, 6), number.replace('+1', '1-')])
    expect(await by.json(`contacts list --phone-number ${beginning}`)).toHaveLength(1)
})
