import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { ctrlC } from '../../../support/scripted-prompts.ts'

const magic = '+15005550006'
const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET'))
const owned = async ({ json }: Operator): Promise<string[]> =>
  (await json('numbers list')).map((it: { phone_number: string }) => it.phone_number)
const charges = async ({ json }: Operator): Promise<number[]> =>
  (await json('server accounts ledger 1'))
    .filter((it: { kind: string }) => it.kind.startsWith('card_'))
    .map((it: { amount: number }) => it.amount)
/** What the world begins with, and the id of the next number. */
const had = await owned(operator({ lasts: 'file' }))
const next =
  1 + Math.max(...(await operator({ lasts: 'file' }).json('numbers list')).map((it: { id: number }) => it.id))
const offer = async ({ json }: Operator, country = 'US') =>
  (await json(`numbers search --country ${country} --limit 1`))[0]

describe('buying a number', () => {
  test('with --yes adds it to the account, and charges the payment method instead of the balance', async () => {
    const by = operator()
    const { phone_number } = await offer(by)
    const { exitCode, stdout, stderr } = await by.run(`numbers buy ${phone_number} --yes`)
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: `Phone number purchased successfully. ${phone_number}, 1.15 USD/month. Id: ${next}\n`,
      stderr: `Next: parley numbers update ${next} --nickname <name>\n`,
    })
    expect((await by.json('numbers list')).at(-1)).toMatchObject({
      id: next,
      phone_number,
      country_code: 'US',
      type: 'normal',
      type_label: 'Normal',
      nickname: null,
      has_active_subscription: true,
      renews_at: '2026-09-04T12:00:00.000000Z',
      ends_at: null,
      created_at: '2026-08-04T12:00:00.000000Z',
    })
    expect(await charges(by)).toEqual([-1.15])
    expect((await by.json('whoami')).total_balance).toBe(25)
    expect((await by.run(`numbers search --contains ${phone_number.slice(-10)} -o id`)).stdout).toBe('')
  })

  test('prints only the purchased number as JSON, and only its id with -o id', async () => {
    const by = operator()
    expect(await by.json(`numbers buy ${magic} --yes`)).toEqual({
      id: next,
      phone_number: magic,
      country_code: 'US',
      type: 'normal',
      sms_capable: true,
    })
    expect((await by.run('numbers buy --country GB --max-price 2 --yes -o id')).stdout).toBe(`${next + 1}\n`)
  })

  test('accepts spaces in the number, and suggests a correction for an international prefix', async () => {
    const by = operator()
    expect(await by.run('numbers buy "+1 (500) 555-0006" --yes -o id')).toMatchObject({
      exitCode: 0,
      stdout: `${next}\n`,
    })
    expect(await by.run('numbers buy 0015005550006 --yes')).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Did you mean +15005550006?'),
    })
    for (const wrong of ['5005550006', '+0', 'office', '+1', '+1234567890123456']) {
      expect(await by.run(`numbers buy ${wrong} --yes`), wrong).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
    }
  })

  test.each([
    ['in a script', '', {}],
    ['with an empty line piped in', '', { stdin: '\n' }],
    ['with yes piped in', '', { stdin: 'y\ny\ny\n' }],
    ['with stdin alone a terminal', '', { terminal: { stdin: true } }],
    ['with stderr redirected', '', { terminal: { stdin: true, stdout: true } }],
    ['with --no-input', '--no-input', { terminal: true }],
    ['with --json on a terminal', '--json', { terminal: true }],
    ['with an environment that says yes', '', { env: { PARLEY_YES: '1' } }],
  ] as const)('%s and without --yes exits with 10 and buys nothing', async (_, flags, options) => {
    const by = operator()
    const { phone_number } = await offer(by)
    const { exitCode, stdout, stderr, requests } = await by.run(`numbers buy ${phone_number} ${flags}`, options)
    expect({ exitCode, stdout, writes: writes(requests) }).toEqual({ exitCode: 10, stdout: '', writes: [] })
    expect(stderr).toContain(
      `Buying ${phone_number} costs 1.15 USD/month until you release it, is non-refundable, and requires confirmation.`,
    )
    expect(await owned(by)).toEqual(had)
    expect(await by.json('ops list')).toEqual([])
  })

  test('on a terminal asks once, with the price, its period and a note that it is non-refundable', async () => {
    const by = operator()
    const { phone_number } = await offer(by, 'GB')
    const question = `[local · simulated] Buy ${phone_number} for 1.30 USD/month until you release it (non-refundable; address required: local)?`
    const declined = await by.run(`numbers buy ${phone_number}`, { answers: [[question, false]] })
    expect(declined).toMatchObject({
      exitCode: 10,
      stdout: '',
      asked: [question],
      stderr: expect.stringContaining('Nothing was changed.'),
    })
    expect(writes(declined.requests)).toEqual([])
    const accepted = await by.run(`numbers buy ${phone_number}`, { answers: [[question, true]] })
    expect(accepted).toMatchObject({
      exitCode: 0,
      stdout: `Phone number purchased successfully. ${phone_number}, 1.30 USD/month. Id: ${next}\n`,
    })
    expect(await owned(by)).toContain(phone_number)
  })

  test('reports an unknown price for a number that no search returns', async () => {
    const by = operator()
    expect(await by.run('numbers buy +15005550001 --no-color', { answers: [] })).toMatchObject({
      exitCode: 10,
      asked: [],
      stderr: expect.stringMatching(/Price unknown: .*\+15005550001\. Nothing was bought\.\s+hint: .*--max-price any/),
    })
    const withYes = await by.run('numbers buy +15005550001 --yes --no-color', { terminal: true })
    expect(withYes).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('pass --max-price any') })
    expect(withYes.requests.filter((it) => it.startsWith('POST'))).toEqual([])
    const { asked } = await by.run('numbers buy +15005550001 --max-price any', {
      answers: [['does not publish the price of +15005550001. Buy it at any monthly price', false]],
    })
    expect(asked).toHaveLength(1)
  })

  test('never invents a price that the platform does not return', async () => {
    const by = operator({ supports: 'neutral' })
    const answers = {
      'without a search': async () => ({ status: 404, headers: {}, body: '{"message":"Not found"}' }),
      'without a price': async () => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ data: [{ phone_number: magic, address_requirements: 'none' }] }),
      }),
    }
    for (const [what, answer] of Object.entries(answers)) {
      const through: RunOptions['through'] = (handle, request) =>
        request.url.includes('/search') ? answer() : handle(request)
      const elsewhere = await by.run(`numbers buy ${magic}`, { through })
      expect(elsewhere, what).toMatchObject({
        exitCode: 10,
        stderr: expect.stringContaining(
          `Price unknown: the platform does not publish the price of ${magic}. Buying it is non-refundable and requires confirmation.`,
        ),
      })
      const question = `[local · simulated] Price unknown: the platform does not publish the price of ${magic}. Buy it at any monthly price until you release it (non-refundable)?`
      expect(await by.run(`numbers buy ${magic}`, { through, answers: [] }), what).toMatchObject({
        exitCode: 10,
        asked: [],
        stderr: expect.stringContaining('To buy it at any monthly price, pass --max-price any.'),
      })
      expect(
        await by.run(`numbers buy ${magic} --max-price any`, { through, answers: [[question, false]] }),
        what,
      ).toMatchObject({
        exitCode: 10,
        asked: [question],
      })
    }
  })

  test('does not ask about a number that the account already owns', async () => {
    const by = operator()
    await by.run(`numbers buy ${magic} --yes`)
    for (const [flags, options] of [
      ['', { answers: [] }],
      ['', {}],
      ['--max-price 5 --yes', {}],
    ] as const) {
      const { exitCode, stdout, stderr, asked, requests } = await by.run(
        `numbers buy ${magic} --no-color ${flags}`,
        options,
      )
      expect({ exitCode, stdout, asked, writes: writes(requests) }).toEqual({
        exitCode: 5,
        stdout: '',
        asked: [],
        writes: [],
      })
      expect(stderr).toBe(
        'error: This phone number is already in use.\nhint: You already own this number: parley numbers list. Nothing was bought.\n',
      )
    }
  })

  test('shows the price of the test number before and after the purchase', async () => {
    const by = operator()
    const bought = `Phone number purchased successfully. ${magic}, 1.15 USD/month. Id: `
    expect(await by.run(`numbers buy ${magic}`)).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(`Buying ${magic} costs 1.15 USD/month`),
    })
    const asked = `[local · simulated] Buy ${magic} for 1.15 USD/month until you release it (non-refundable)?`
    expect(await by.run(`numbers buy ${magic}`, { answers: [[asked, true]] })).toMatchObject({
      exitCode: 0,
      stdout: `${bought}${next}\n`,
    })
    const other = await offer(by)
    expect(await by.run(`numbers buy ${other.phone_number} --yes`, { terminal: true })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${other.phone_number}, 1.15 USD/month.`),
    })
  })

  test('ends with 130 and without a purchase on Ctrl-C', async () => {
    const by = operator()
    const { phone_number } = await offer(by)
    const { exitCode, stdout, requests } = await by.run(`numbers buy ${phone_number}`, { answers: [['Buy ', ctrlC]] })
    expect({ exitCode, stdout, writes: writes(requests) }).toEqual({ exitCode: 130, stdout: '', writes: [] })
  })
})

describe('the guided purchase', () => {
  test('prompts for a country and digits, shows the available numbers with prices, and asks for confirmation', async () => {
    const by = operator()
    const { exitCode, stdout, stderr, asked } = await by.run('numbers buy', {
      answers: [
        ['Which country?', 'GB'],
        ['Filter by digits', 'london'],
        ['Filter by digits', '99999999'],
        ['Filter by digits', '20'],
        ['Which number?', /1\.30 USD\/month/],
        [
          /^\[local · simulated\] Buy \+44\d+ for 1\.30 USD\/month until you release it \(non-refundable(; address required: local)?\)\?/,
          true,
        ],
      ],
    })
    expect(exitCode).toBe(0)
    expect(asked[0]?.split('\n')).toHaveLength(11)
    expect(asked[0]).toContain('\nGB  United Kingdom\n')
    expect(asked).toContain('Enter digits only, at most 10.')
    expect(stderr).toContain('No numbers in GB contain 99999999. Try fewer digits.')
    expect(asked.at(-2)?.split('\n')[1]).toMatch(/^\+44 [\d ]+1\.30 USD\/month {2}(no )?SMS( {2}address: local)?$/)
    expect(stdout).toMatch(/^Phone number purchased successfully\. \+44\d{10}, 1\.30 USD\/month\. Id: \d+\n$/)
    expect(await owned(by)).toHaveLength(had.length + 1)
  })

  test('uses the given flags, and buys nothing after the answer No', async () => {
    const by = operator()
    const { exitCode, stdout, requests } = await by.run('numbers buy --country us --contains 415', {
      answers: [
        ['Which number?', '415'],
        ['Buy +1', false],
      ],
    })
    expect({ exitCode, stdout, writes: writes(requests) }).toEqual({ exitCode: 10, stdout: '', writes: [] })
    expect(await by.json('ops list')).toEqual([])
  })

  test('offers no number above the cap: without another nothing is asked', async () => {
    const by = operator()
    const { exitCode, stderr, requests } = await by.run('numbers buy --country GB --contains 20 --max-price 1', {
      answers: [],
    })
    expect({ exitCode, writes: writes(requests) }).toEqual({ exitCode: 5, writes: [] })
    expect(stderr).toMatch(
      /All \d+ numbers found cost more than --max-price 1: 1\.30 USD\/month\. Nothing was bought\./,
    )
  })

  test('says how many numbers are above the cap, and that a search returns only some', async () => {
    const by = operator()
    const { asked, stderr } = await by.run('numbers buy --country US --contains 2 --max-price 1.15', {
      async through(handle, request) {
        const answer = await handle(request)
        if (!request.url.includes('/phone-numbers/search')) return answer
        const body = JSON.parse(answer.body as string)
        for (const number of body.data.slice(0, 2)) number.price = 1.5
        return { ...answer, body: JSON.stringify(body) }
      },
      answers: [
        ['Which number?', /./],
        ['Buy +1', false],
      ],
    })
    expect(asked[0]).not.toContain('1.50 USD')
    expect(stderr).toMatch(/Not shown: 2 of \d+ numbers, which cost more than --max-price 1\.15: 1\.50 USD\/month\./)
    expect(stderr).toMatch(/A search returns only some of the numbers for sale, here \d+\./)
  })

  test('without a terminal and a cap, the hint searches for the given country and digits', async () => {
    const { stderr } = await operator().run('numbers buy --country gb --contains 20 --yes')
    expect(stderr).toContain('parley numbers search --country GB --contains 20.')
  })

  test('with --dry-run ends before the confirmation', async () => {
    const by = operator()
    const { exitCode, stdout, requests } = await by.run('numbers buy --country US --contains 2 --dry-run', {
      answers: [['Which number?', /./]],
    })
    expect({ exitCode, writes: writes(requests) }).toEqual({ exitCode: 0, writes: [] })
    expect(stdout).toContain('/api/user/phone-numbers/purchase')
  })
})

describe('--max-price', () => {
  test('is checked against a new quote: a higher or missing price exits with 5 before any purchase', async () => {
    const by = operator()
    const { phone_number } = await offer(by, 'AU')
    for (const [line, text] of [
      [
        `${phone_number} --max-price 2.99`,
        `${phone_number} costs 3.00 USD/month, more than --max-price 2.99. Nothing was bought.`,
      ],
      [`${magic} --max-price 1.14`, `${magic} costs 1.15 USD/month, more than --max-price 1.14. Nothing was bought.`],
      ['+15005550001 --max-price 5', 'Cannot check the price of +15005550001: it is not for sale. Nothing was bought.'],
    ] as const) {
      const { exitCode, stdout, stderr, requests } = await by.run(`numbers buy ${line} --yes`)
      expect({ exitCode, stdout, writes: writes(requests) }).toEqual({ exitCode: 5, stdout: '', writes: [] })
      expect(stderr).toContain(text)
    }
    for (const line of [`${phone_number} --max-price 3`, `${magic} --max-price 1.15`])
      expect(await by.run(`numbers buy ${line} --yes`)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/, [13]\.\d\d USD\/month\. Id: /),
      })
  })

  test('is also read from the environment, and the flag takes precedence', async () => {
    const by = operator({ env: { PARLEY_MAX_PRICE: '1' } })
    const { phone_number } = await offer(by)
    expect(await by.run(`numbers buy ${phone_number} --yes`)).toMatchObject({ exitCode: 5 })
    expect(await by.run(`numbers buy ${phone_number} --max-price 1.15 --yes`)).toMatchObject({ exitCode: 0 })
  })

  test.each(['cheap', '-1', 'Infinity'])('must be an amount: %s', async (cap) => {
    expect(await operator().run(`numbers buy ${magic} --yes --max-price=${cap}`)).toMatchObject({
      exitCode: 2,
      stdout: '',
      requests: [],
    })
  })
})

describe('a price that changes while a person reads the question', () => {
  /** Lets the price of every number be `prices()` at each search. */
  const priced =
    (prices: () => number | undefined): NonNullable<RunOptions['through']> =>
    async (handle, request) => {
      const reply = await handle(request)
      if (!request.url.includes('/search') || typeof reply.body !== 'string') return reply
      const found = JSON.parse(reply.body)
      const price = prices()
      for (const number of found.data)
        if (price === undefined) delete number.price
        else number.price = price
      return { ...reply, body: JSON.stringify(found) }
    }
  /** Returns each price once, the last one forever. */
  const inTurn = (...prices: (number | undefined)[]) => {
    const left = [...prices]
    return priced(() => (left.length > 1 ? left.shift() : left[0]))
  }
  const number = '+15005550006'
  const agreed = 'for 0.90 USD/month'
  const purchases = (requests: readonly string[]): number => requests.filter((it) => it.includes('/purchase')).length

  test('an unchanged price is one purchase', async () => {
    const by = operator({ supports: 'neutral' })
    const { exitCode, requests, asked } = await by.run(`numbers buy ${number}`, {
      through: inTurn(1.15),
      answers: [['for 1.15 USD/month', true]],
    })
    expect({ exitCode, purchases: purchases(requests), asked: asked.length }).toEqual({
      exitCode: 0,
      purchases: 1,
      asked: 1,
    })
  })

  test('a price above the agreed one and below --max-price is asked about again, with both prices', async () => {
    const by = operator({ supports: 'neutral' })
    const declined = await by.run(`numbers buy ${number} --max-price 2`, {
      through: inTurn(0.9, 1.3),
      answers: [
        [agreed, true],
        ['for 1.30 USD/month', false],
      ],
    })
    expect(declined).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(`The price of ${number} changed from 0.90 USD/month to 1.30 USD/month.`),
    })
    expect(purchases(declined.requests)).toBe(0)
    const accepted = await by.run(`numbers buy ${number} --max-price 2`, {
      through: inTurn(0.9, 1.15),
      answers: [
        [agreed, true],
        ['for 1.15 USD/month', true],
      ],
    })
    expect([accepted.exitCode, purchases(accepted.requests)]).toEqual([0, 1])
  })

  test.each([
    ['--max-price 1', {}, 'more than --max-price 1'],
    ['', { PARLEY_MAX_PRICE: '1' }, 'more than --max-price 1'],
    ['--budget 1', {}, 'more than --budget 1'],
  ])('a price above %s %o is exit 5, and nothing is sent', async (flags, env, text) => {
    const by = operator({ supports: 'neutral' })
    const { exitCode, stdout, stderr, requests } = await by.run(`numbers buy ${number} ${flags}`, {
      env,
      through: inTurn(0.9, 1.3),
      answers: [[agreed, true]],
    })
    expect({ exitCode, stdout, writes: writes(requests) }, stderr).toEqual({ exitCode: 5, stdout: '', writes: [] })
    expect(stderr).toContain(text)
  })

  test('a lower price is bought without another question', async () => {
    const by = operator({ supports: 'neutral' })
    const { exitCode, stdout, asked } = await by.run(`numbers buy ${number}`, {
      through: inTurn(1.5, 1.15),
      answers: [['for 1.50 USD/month', true]],
    })
    expect({ exitCode, asked: asked.length }).toEqual({ exitCode: 0, asked: 1 })
    expect(stdout).toContain('1.15 USD/month')
  })

  test('a price that is not published any more needs --max-price any', async () => {
    const by = operator({ supports: 'neutral' })
    const { exitCode, stderr, requests } = await by.run(`numbers buy ${number}`, {
      through: inTurn(0.9, undefined),
      answers: [[agreed, true]],
    })
    expect([exitCode, writes(requests)]).toEqual([10, []])
    expect(stderr).toContain('from 0.90 USD/month to an unknown price')
  })

  test('a number chosen from the list is asked about again too, with --yes as well', async () => {
    const by = operator({ supports: 'neutral' })
    for (const yes of ['', '--yes']) {
      const { exitCode, requests, stderr } = await by.run(`numbers buy --country GB --contains 20 ${yes}`, {
        through: inTurn(0.9, 1.3),
        answers: [
          ['Which number?', '0.90 USD/month'],
          ...(yes ? [] : ([[agreed, true]] as const)),
          ['for 1.30 USD/month', false],
        ],
      })
      expect([exitCode, writes(requests)], stderr).toEqual([10, []])
      expect(stderr).toContain('from 0.90 USD/month to 1.30 USD/month')
    }
  })

  test('a number that somebody else bought during the question is exit 5, and nothing is sent', async () => {
    const by = operator({ supports: 'neutral' })
    let searches = 0
    const { exitCode, stderr, requests } = await by.run(`numbers buy ${number}`, {
      through: async (handle, request) => {
        const reply = await handle(request)
        if (!request.url.includes('/search')) return reply
        searches += 1
        return searches === 1 ? reply : { ...reply, body: JSON.stringify({ data: [] }) }
      },
      answers: [['for 1.15 USD/month', true]],
    })
    expect([exitCode, writes(requests)]).toEqual([5, []])
    expect(stderr).toContain(`${number} is not for sale any more. Nothing was bought.`)
  })
})

describe('without a number, a script', () => {
  test('accepts an unknown price with --max-price any', async () => {
    const by = operator({ supports: 'neutral' })
    const { exitCode, stderr } = await by.run('numbers buy --country GB --contains 20 --max-price any --yes', {
      through: async (handle, request) => {
        const reply = await handle(request)
        if (!request.url.includes('/search')) return reply
        const found = JSON.parse(String(reply.body))
        for (const number of found.data) delete number.price
        return { ...reply, body: JSON.stringify(found) }
      },
    })
    expect(exitCode, stderr).toBe(0)
  })

  test('buys the cheapest match below --max-price', async () => {
    const by = operator()
    expect(await by.json('numbers buy --country GB --contains 20 --max-price 3 --yes')).toMatchObject({
      country_code: 'GB',
      phone_number: expect.stringMatching(/^\+44\d*20/),
    })
    expect(await charges(by)).toEqual([-1.3])
  })

  test.each([
    ['--yes', 2],
    ['--country US --yes', 2],
    ['--max-price 3', 10],
    ['--max-price 1 --yes', 5],
    ['--country IT --contains 0000000000 --max-price 9 --yes', 5],
    ['--country FR --max-price 9 --yes', 6],
    [`${magic} --country US --yes`, 2],
  ] as const)('%s buys nothing and exits with %i', async (flags, code) => {
    const by = operator()
    const { exitCode, stdout, requests } = await by.run(`numbers buy ${flags}`)
    expect({ exitCode, stdout, writes: writes(requests) }).toEqual({ exitCode: code, stdout: '', writes: [] })
    expect(await owned(by)).toEqual(had)
  })

  test('buys the next number if someone else bought the first', async () => {
    const by = operator()
    const [first, second] = await by.json('numbers search --country GB --limit 2')
    const { token } = await by
      .json('server accounts create --name Second --payment-method pm_card_visa --fields key')
      .then((it) => ({ token: it.key }))
    let taken = false
    const bought = await by.run('numbers buy --country GB --max-price 3 --yes --json', {
      through: async (handle, request) => {
        if (request.method === 'POST' && !taken) {
          taken = true
          await handle({
            ...request,
            headers: { ...request.headers, authorization: `Bearer ${token}`, 'idempotency-key': 'theirs' },
          })
        }
        return handle(request)
      },
    })
    expect(JSON.parse(bought.stdout).phone_number).toBe(second.phone_number)
    expect(await owned(by)).not.toContain(first.phone_number)
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['done', 'refused'])
  })
})

describe('a refused purchase', () => {
  /** The six refusals of section 4.5 with their exact words. */
  const refusals = [
    ['+15005550000', 5, 400, 'This phone number is already in use.'],
    [
      '+15005550001',
      5,
      400,
      'This phone number is not available for purchase. Please search for available numbers first.',
    ],
    ['+15005550002', 13, 402, 'No payment method found. Please add a payment method to your account.'],
    ['+15005550003', 13, 402, 'Payment failed. Please update your payment method.'],
    ['+1500', 6, 422, 'Unable to parse phone number. Please provide a valid E.164 format number.'],
    ['+15005550004', 8, 500, 'Failed to purchase phone number from provider. Please contact support.'],
  ] as const

  test.each(refusals)('%s exits with %i (%i): %s', async (number, code, status, text) => {
    const by = operator()
    const people = await by.run(`numbers buy ${number} --yes`)
    expect(people).toMatchObject({ exitCode: code, stdout: '', stderr: expect.stringContaining(`error: ${text}\n`) })
    const { exitCode, stderr } = await by.run(`numbers buy ${number} --yes --json`)
    expect(exitCode).toBe(code)
    expect(JSON.parse(stderr).error).toMatchObject({ message: text, status })
    expect(await owned(by)).toEqual(had)
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['refused', 'refused'])
  })

  test('costs nothing: a charge before the provider failed was refunded', async () => {
    const by = operator()
    for (const [number] of refusals) await by.run(`numbers buy ${number} --yes`)
    expect(await charges(by)).toEqual([-1.15, 1.15])
    expect((await by.json('whoami')).total_balance).toBe(25)
  })

  test('for an account without a working payment method is reported for any number', async () => {
    const by = operator()
    const { phone_number } = await offer(by)
    await by.run('server accounts update 1 --payment-method null')
    expect(await by.run(`numbers buy ${phone_number} --yes`)).toMatchObject({
      exitCode: 13,
      stderr: expect.stringContaining(refusals[2][3]),
    })
    for (const method of ['pm_card_declined', 'pm_card_expired']) {
      await by.run(`server accounts update 1 --payment-method ${method}`)
      expect(await by.run(`numbers buy ${phone_number} --yes`)).toMatchObject({
        exitCode: 13,
        stderr: expect.stringContaining(refusals[3][3]),
      })
    }
    await by.run('server accounts update 1 --payment-method pm_card_visa')
    expect(await by.run(`numbers buy ${phone_number} --yes`)).toMatchObject({ exitCode: 0 })
    expect(await charges(by)).toEqual([-1.15])
  })

  test('of an owned number reports that the number is in use', async () => {
    const by = operator()
    await by.run(`numbers buy ${magic} --yes`)
    expect(await by.run(`numbers buy ${magic} --yes`)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining(refusals[0][3]),
    })
    expect(await owned(by)).toHaveLength(had.length + 1)
  })
})

test('of several concurrent purchases, one buys the number and the others get an error', async () => {
  const by = operator()
  const runs = await Promise.all([1, 2, 3, 4].map(() => by.run(`numbers buy ${magic} --yes`)))
  expect(runs.map((it) => it.exitCode).sort()).toEqual([0, 5, 5, 5])
  expect(runs.filter((it) => it.stderr.includes('Nothing was sent.'))).toHaveLength(3)
  expect((await owned(by)).filter((it) => it === magic)).toHaveLength(1)
  expect(await charges(by)).toEqual([-1.15])
})
