import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

const number = async ({ json }: Operator, id: number | string) =>
  (await json('numbers list')).find(
    (it: { id: number; phone_number: string }) => it.id === id || it.phone_number === id,
  )
/** The reason of the ledger for a renewal: it names the phone number. */
const renewalOf = async (by: Operator, id: number) => `Renewal of ${(await number(by, id)).phone_number}`
const entries = async ({ json }: Operator) =>
  (await json('server accounts ledger 1'))
    .filter((it: { kind: string }) => it.kind.startsWith('card_'))
    .map((it: Record<string, unknown>) => [String(it.created_at).slice(0, 10), it.amount, it.reason])

test('the numbers of the account are listed with their capabilities and renewal dates', async () => {
  const { run, json } = operator()
  const list = await json('numbers list')
  // Trunks are listed here too: 1 and 5.
  expect(
    list
      .slice(1, 4)
      .map((number: Record<string, unknown>) => [
        number.id,
        number.type,
        number.type_label,
        number.nickname,
        number.has_active_subscription,
        number.renews_at,
        number.ends_at,
      ]),
  ).toEqual([
    [2, 'normal', 'Normal', null, true, '2026-08-20T12:00:00.000000Z', null],
    [3, 'caller_id', 'Caller ID', 'Office line', false, null, null],
    [4, 'normal', 'Normal', 'Front desk', true, '2026-08-15T12:00:00.000000Z', null],
  ])
  const lines = (await run('numbers list')).stdout.split('\n')
  expect(lines[0]).toBe('ID\tNumber\tNickname\tCountry\tType\tSMS\tPer month\tRenews\tEnds')
  expect(lines[3]).toBe('3\t+14155550199\tOffice line\tUS\tcaller id\tno\t-\t-\t-')
})

describe('on a terminal, the local platform', () => {
  test.each(['numbers list', 'numbers search', 'calls list', 'messaging senders', 'campaigns list'])(
    'states once that it is simulated: %s',
    async (line) => {
      const by = operator({ supports: 'neutral' })
      const { stderr } = await by.run(line, { terminal: true })
      expect(stderr.split('simulated')).toHaveLength(2)
      expect(stderr).toContain('Local platform: numbers, calls and messages are simulated.')
      for (const quiet of [
        by.run(line),
        by.run(`${line} --json`, { terminal: true }),
        by.run(`${line} -q`, { terminal: true }),
      ])
        expect((await quiet).stderr).not.toContain('simulated')
    },
  )
})

describe('a nickname', () => {
  test('is set, changed and cleared', async () => {
    const by = operator()
    expect(await by.json('numbers update 2 --nickname London')).toMatchObject({ id: 2, nickname: 'London' })
    expect(await by.run('numbers update London --nickname "London office"')).toMatchObject({
      stdout: 'Phone number updated successfully. Id: 2\n',
    })
    for (const [flags, nickname] of [
      ['--nickname null', null],
      ['--nickname x', 'x'],
      ['--unset nickname', null],
      ['--nickname y', 'y'],
      ["--nickname ''", null],
    ] as const) {
      await by.run(`numbers update 2 ${flags}`)
      expect((await number(by, 2)).nickname, flags).toBe(nickname)
    }
  })

  test('has at most 50 visible characters', async () => {
    const by = operator()
    for (const fits of ['x'.repeat(49), 'x'.repeat(50), '🦷'.repeat(50)])
      expect(await by.run(`numbers update 4 --nickname ${fits}`)).toMatchObject({ exitCode: 0 })
    for (const long of ['x'.repeat(51), '🦷'.repeat(51)]) {
      expect(await by.run(`numbers update 4 --nickname ${long}`)).toMatchObject({
        exitCode: 6,
        stdout: '',
        stderr: expect.stringContaining('--nickname: The nickname field must not be greater than 50 characters.'),
      })
    }
    expect((await number(by, 4)).nickname).toBe('🦷'.repeat(50))
  })

  test('of an unknown number is not found', async () => {
    expect(await operator().run('numbers update 99 --nickname x')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Phone number not found.'),
    })
  })
})

describe('releasing a number', () => {
  test('with a subscription keeps it until the end of its billing period', async () => {
    const by = operator()
    expect(await by.run('numbers release 4 --confirm "Front desk"')).toMatchObject({
      exitCode: 0,
      stdout:
        'Phone number release scheduled successfully. It will be removed at the end of the billing period. This cannot be revoked. After that, the number goes back to the provider, and others can buy it.\n',
    })
    expect(await number(by, 4)).toMatchObject({
      renews_at: null,
      ends_at: '2026-08-15T12:00:00.000000Z',
      has_active_subscription: true,
    })
    const again = await by.run('numbers release 4 --confirm "Front desk" --json')
    expect(again).toMatchObject({ exitCode: 5, stdout: '' })
    expect(JSON.parse(again.stderr).error).toMatchObject({
      message: 'This phone number is already scheduled for removal.',
      status: 400,
    })
  })

  test('requires confirmation, and explains what happens to the number and its subscription', async () => {
    const by = operator()
    const { phone_number } = await number(by, 4)
    for (const [line, effect] of [
      [
        'numbers release 4',
        `${phone_number} (4) requires confirmation by name because it is in use. Its subscription ends with the billing period, without a refund. Then the number goes back to the provider, and others can buy it. A scheduled release cannot be revoked.`,
      ],
      [
        'numbers release "Office line"',
        '+14155550199 (3) requires confirmation. It is removed from the account immediately.\n',
      ],
      [
        'numbers release 2001',
        '2001 (1) requires confirmation. The number and its SIP trunk are removed immediately.\n',
      ],
    ] as const) {
      const { exitCode, stdout, stderr } = await by.run(line)
      expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: '' })
      expect(stderr).toContain(`error: Releasing number ${effect}`)
    }
  })

  test('without a subscription removes it immediately', async () => {
    const by = operator()
    expect(await by.json('numbers release +14155550199 --yes')).toEqual({
      id: 3,
      message: 'Phone number deleted successfully.',
    })
    expect(await number(by, 3)).toBeUndefined()
    expect((await by.run('numbers release 2001 --yes')).stdout).toBe('Released number 2001 (1).\n')
    expect(await by.run('numbers release 3 --yes')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Phone number not found.'),
    })
  })

  test('frees the number when its period ends: it is removed, not charged again, and for sale again', async () => {
    const by = operator()
    const { phone_number } = await number(by, 4)
    const search = `numbers search --contains ${phone_number.slice(-10)} -o id`
    await by.run('numbers release 4 --confirm "Front desk"')
    await by.run('server clock advance 10d')
    expect(await number(by, 4)).toBeDefined()
    expect((await by.run(search)).stdout).toBe('')
    const { stdout, stderr } = await by.run('server clock advance 36h')
    expect(stdout).toContain('Now\t2026-08-16 00:00:00 +00:00\n')
    expect(stderr.split('\n').filter((it) => !it.includes('regular check of '))).toEqual([
      'Done: release of number 4, due 2026-08-15 12:00 UTC',
      '',
    ])
    expect(await number(by, 4)).toBeUndefined()
    expect((await by.run(search)).stdout).toBe(`${phone_number}\n`)
    expect(await entries(by)).toEqual([])
    expect(await by.json(`numbers buy ${phone_number} --yes`)).toMatchObject({ phone_number })
  })
})

/** Not the regular sync of the channel. */
const isOwn = ({ kind }: { kind: string }): boolean => !kind.endsWith('.sync')

describe('a subscription', () => {
  test('renews on its day, month after month, and each renewal is charged once', async () => {
    const by = operator()
    await by.run('server clock freeze')
    const { done } = await by.json('server clock advance 31d')
    expect(done.filter(isOwn).map((it: Record<string, unknown>) => [it.kind, it.due_at, it.text])).toEqual([
      ['subscription', '2026-08-15T12:00:00.000000Z', `renewal of ${(await number(by, 4)).phone_number}, 1.15 USD`],
      ['subscription', '2026-08-20T12:00:00.000000Z', `renewal of ${(await number(by, 2)).phone_number}, 1.30 USD`],
    ])
    expect((await number(by, 4)).renews_at).toBe('2026-09-15T12:00:00.000000Z')
    await by.run('server clock advance 31d')
    const [frontDesk, london] = [await renewalOf(by, 4), await renewalOf(by, 2)]
    expect(await entries(by)).toEqual([
      ['2026-08-15', -1.15, frontDesk],
      ['2026-08-20', -1.3, london],
      ['2026-09-15', -1.15, frontDesk],
      ['2026-09-20', -1.3, london],
    ])
  })

  test('is charged for every month when the clock advances by a year', async () => {
    const by = operator()
    await by.run('server clock advance 365d')
    const renewal = await renewalOf(by, 4)
    expect((await entries(by)).filter(([, , reason]: string[]) => reason === renewal)).toHaveLength(12)
    expect((await number(by, 4)).renews_at).toBe('2027-08-15T12:00:00.000000Z')
  })

  test('of a number bought on the 31st renews on the last day of shorter months, and on the 31st again', async () => {
    const by = operator()
    await by.run('server clock freeze --at 2026-12-31T09:00:00Z')
    await by.run('numbers buy +15005550006 --yes')
    const renewals: string[] = []
    for (let month = 0; month < 4; month++) {
      renewals.push((await number(by, '+15005550006')).renews_at.slice(0, 10))
      await by.run('server clock advance 31d')
    }
    expect(renewals).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'])
  })

  test('that cannot be paid is retried for three days, then the number is removed', async () => {
    const by = operator()
    await by.run('server clock freeze')
    await by.run('server accounts update 1 --payment-method pm_card_declined')
    await by.run('server clock advance 11d')
    expect(await number(by, 4)).toMatchObject({ has_active_subscription: true })
    await by.run('server clock advance 2d')
    expect(await number(by, 4)).toBeDefined()
    const { done } = await by.json('server clock advance 1d')
    expect(done.filter(isOwn).map((it: { kind: string }) => it.kind)).toEqual(['subscription', 'release'])
    expect(await number(by, 4)).toBeUndefined()
    expect(await entries(by)).toEqual([])
  })

  test('a late payment reactivates it', async () => {
    const by = operator()
    await by.run('server clock freeze')
    await by.run('server accounts update 1 --payment-method pm_card_declined')
    await by.run('server clock advance 11d')
    await by.run('server accounts update 1 --payment-method pm_card_visa')
    await by.run('server clock advance 1d')
    expect(await entries(by)).toEqual([['2026-08-16', -1.15, await renewalOf(by, 4)]])
    expect((await number(by, 4)).renews_at).toBe('2026-09-15T12:00:00.000000Z')
  })
})

describe('the clock', () => {
  test('stops when frozen, continues when resumed, and runs due jobs in order', async () => {
    const by = operator()
    expect(await by.json('server clock get')).toEqual({
      now: '2026-08-04T12:00:00.000000Z',
      frozen: false,
      offset_seconds: 0,
      done: [],
    })
    expect(await by.json('server clock freeze --at 2026-09-01T00:00:00Z')).toMatchObject({
      now: '2026-09-01T00:00:00.000000Z',
      frozen: true,
    })
    by.wait(60_000)
    expect((await by.json('server clock get')).now).toBe('2026-09-01T00:00:00.000000Z')
    expect(await by.json('server clock resume')).toMatchObject({
      now: '2026-08-04T12:01:00.000000Z',
      frozen: false,
      offset_seconds: 0,
    })
    expect(await by.json('server clock advance 90s')).toMatchObject({
      now: '2026-08-04T12:02:30.000000Z',
      offset_seconds: 90,
    })
  })

  test.each(['5', '1y', '-1d', '1.5h', 'd', '1 d'])('is not advanced by %j', async (by) => {
    expect(await operator().run(['server', 'clock', 'advance', '--', by])).toMatchObject({
      exitCode: 2,
      stdout: '',
      requests: [],
    })
  })

  test.each(['yesterday', '2026-13-01T00:00:00Z', '2026-09-01'])('is not set to %j', async (at) => {
    expect(await operator().run(['server', 'clock', 'freeze', '--at', at])).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: expect.stringContaining('--at: The at field must be a time such as 2026-01-31T09:00:00Z.'),
    })
  })
})

test('advancing the clock prints equal jobs on one line, with the first and last time', async () => {
  const by = operator()
  const { stderr } = await by.run('server clock advance 90d')
  const renewals = stderr.split('\n').filter((it) => it.includes('renewal of +14157683069'))
  expect(renewals).toEqual([
    expect.stringMatching(
      /^Done 3 times: renewal of \+14157683069, 1\.15 USD, due 2026-08-15 12:00 UTC to 2026-10-15 12:00 UTC$/,
    ),
  ])
  expect(new Set(stderr.split('\n')).size).toBe(stderr.split('\n').length)
})
