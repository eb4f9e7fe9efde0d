import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startHost } from '../support/http-hosts.ts'
import { keys, type Step } from '../support/terminal.ts'
import { newPlace, numbersOf, parley } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'

// Buying a number by hand, on a real terminal: nothing is bought but what was agreed to, in full knowledge of its price.

const at = newPlace()
let before: string[]
beforeAll(async () => {
  before = await numbersOf(at)
})

/** Answers that choose a British number, up to the question whether to buy it. */
const drawn: readonly Step[] = [
  ['US  United States', 'GB'],
  ['❯ GB  United Kingdom', keys.enter],
  ['Filter by digits (optional):', `20${keys.enter}`],
  ['Number:'],
  ['❯ +44', keys.enter],
]
const lines: readonly Step[] = [
  ['3. GB  United Kingdom'],
  ['Enter a number from 1 to 10:', `3${keys.enter}`],
  ['Filter by digits (optional):', `20${keys.enter}`],
  ['1. +44'],
  ['Enter a number from 1 to', `1${keys.enter}`],
]
const price =
  /Buy (\+44\d+) for 1\.30 USD\/month until you release it \(non-refundable; address required: local\)\? \(y\/N\)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor or clears what is drawn
const moving = /\x1b\[[\d;]*[A-HJKSTf]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours, not bold or dim
const colours = /\x1b\[(?:3\d|9\d|4\d)m/

const unfolded = (screen: string): string => screen.replaceAll(/\s+/g, ' ')
const bought = async (): Promise<string[]> => (await numbersOf(at)).filter((it) => !before.includes(it))

describe.each([
  ['80 columns', drawn, { columns: 80 }],
  ['200 columns', drawn, { columns: 200 }],
  ['no colour', drawn, { env: { NO_COLOR: '1' } }],
  ['a screen reader', lines, { env: { ACCESSIBLE: '1' } }],
  ['a dumb terminal', lines, { env: { TERM: 'dumb' } }],
  ['a terminal of no width', lines, { columns: 0 }],
] as const)('with %s', (name, steps, options) => {
  test('Enter alone buys nothing: exit 10', async () => {
    const {
      exitCode,
      drawn: raw,
      screen,
    } = await atTerminal('numbers buy', [...steps, ['(y/N)', keys.enter]], { at, ...options })
    expect(exitCode).toBe(10)
    expect(unfolded(screen)).toMatch(price)
    expect(screen).toMatch(/1\.30 USD\/month {2}(no )?SMS {2}address: local/)
    expect(screen).toMatch(/Cancelled\.\s+hint: Nothing was changed\./)
    if (steps === lines) expect(raw).not.toMatch(moving)
    if (name === 'no colour' || name === 'a dumb terminal') expect(raw).not.toMatch(colours)
    expect(await bought()).toEqual([])
  })
})

describe('agreed to', () => {
  afterEach(async () => {
    before = await numbersOf(at)
  })

  test('it buys the number that was shown, and tells what it has become and what comes next', async () => {
    const { exitCode, screen } = await atTerminal('numbers buy', [...drawn, ['(y/N)', `y${keys.enter}`]], { at })
    expect(exitCode).toBe(0)
    const number = price.exec(unfolded(screen))?.[1]
    expect(await bought()).toEqual([number])
    const { stdout } = await parley(`numbers update ${number} --nickname London -o id`, { at })
    expect(screen).toContain(`Phone number purchased successfully. ${number}, 1.30 USD/month. Id: ${stdout.trim()}`)
    expect(screen).toContain(`Next: parley numbers update ${stdout.trim()} --nickname <name>`)
  })

  test('line by line it does the same', async () => {
    const { exitCode, screen } = await atTerminal(
      'numbers buy',
      [...lines, ['(y/N)', `maybe${keys.enter}`], ['Enter y or n.'], ['(y/N)', `yes${keys.enter}`]],
      { at, env: { ACCESSIBLE: '1' } },
    )
    expect(exitCode).toBe(0)
    expect(await bought()).toEqual([price.exec(unfolded(screen))?.[1]])
  })

  test('with stdout in a file the questions stay on the terminal, and the file holds the result alone', async () => {
    const { exitCode, screen, stdout } = await atTerminal('numbers buy', [...drawn, ['(y/N)', `y${keys.enter}`]], {
      at,
      stdoutToFile: true,
    })
    const number = price.exec(unfolded(screen))?.[1] ?? ''
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Phone number purchased successfully\. \+44\d+, 1\.30 USD\/month\. Id: \d+\n$/),
    })
    expect(stdout).toContain(number)
    expect(screen).not.toContain('purchased successfully')
    expect(await bought()).toEqual([number])
  })

  test('a number that is given is asked about once', async () => {
    const [number] = JSON.parse((await parley('numbers search --country GB --json', { at })).stdout) as [
      { phone_number: string },
    ]
    const { exitCode, screen } = await atTerminal(`numbers buy ${number.phone_number}`, [['(y/N)', `y${keys.enter}`]], {
      at,
    })
    expect([exitCode, unfolded(screen)]).toEqual([
      0,
      expect.stringContaining(`Buy ${number.phone_number} for 1.30 USD/month`),
    ])
    expect(await bought()).toEqual([number.phone_number])
  })

  test('digits that no number has are asked for again', async () => {
    const steps: Step[] = [
      ['contain', `12ab${keys.enter}`],
      ['Enter digits only, at most 10.', `\x15${'9'.repeat(10)}${keys.enter}`],
      ['No numbers in US contain 9999999999. Try fewer digits.'],
      ['contain', keys.enter],
      ['❯ +1', keys.enter],
      ['(y/N)', `y${keys.enter}`],
    ]
    expect((await atTerminal('numbers buy --country us', steps, { at })).exitCode).toBe(0)
    expect(await bought()).toHaveLength(1)
  })
})

describe('given up', () => {
  test.each([
    ['at the country', drawn.slice(0, 0), 'Country:', keys.ctrlC],
    ['at the digits', drawn.slice(0, 2), 'contain', keys.ctrlC],
    ['at the number', drawn.slice(0, 3), '❯ +44', keys.ctrlC],
    ['at the price', drawn, '(y/N)', keys.ctrlC],
    ['at the price, with y already typed', drawn, '(y/N)', `y${keys.ctrlC}`],
    ['with the end of input', drawn.slice(0, 2), 'contain', keys.ctrlD],
  ])('%s: exit 130, nothing bought', async (_, steps, question, key) => {
    const { exitCode, stdout } = await atTerminal('numbers buy', [...steps, [question, key]], {
      at,
      stdoutToFile: true,
    })
    expect([exitCode, stdout]).toEqual([130, ''])
    expect(await bought()).toEqual([])
  })

  test.each([
    ['at the country', lines.slice(0, 1), 'Enter a number from 1 to 10:'],
    ['at the digits', lines.slice(0, 2), 'Filter by digits (optional):'],
    ['at the number', lines.slice(0, 4), 'Enter a number from 1 to'],
    ['at the price', lines, '(y/N)'],
  ])('line by line %s: exit 130, nothing bought', async (_, steps, question) => {
    expect(
      (await atTerminal('numbers buy', [...steps, [question, keys.ctrlC]], { at, env: { ACCESSIBLE: '1' } })).exitCode,
    ).toBe(130)
    expect(await bought()).toEqual([])
  })
})

test('who types faster than the list is drawn gets what the screen says, not what stood there before', async () => {
  const { screen } = await atTerminal(
    'numbers buy -v',
    [
      ['Country:', `GB${keys.enter}`],
      ['contain', `20${keys.enter}`],
      ['❯ +44', keys.ctrlC],
    ],
    { at },
  )
  expect(screen).toContain('search?country_code=GB&contains=20')
})

test('a price above the cap is exit 5 before any question', async () => {
  const [number] = JSON.parse((await parley('numbers search --json', { at })).stdout) as [{ phone_number: string }]
  const { exitCode, screen } = await atTerminal(`numbers buy ${number.phone_number} --max-price 1`, [], { at })
  expect([exitCode, unfolded(screen)]).toEqual([5, expect.stringContaining('Nothing was bought.')])
  expect(screen).not.toContain('(y/N)')
})

test.each([
  ['questions are switched off', 'numbers buy +15005550006 --no-input', 10],
  ['the result is for a program', 'numbers buy +15005550006 --json', 10],
  ['and nothing says which number', 'numbers buy -o id', 2],
])('on a terminal where %s nothing is asked', async (_, args, code) => {
  const { exitCode, screen } = await atTerminal(args, [], { at })
  expect(exitCode).toBe(code)
  expect(screen).not.toMatch(/\(y\/N\)|Country:/)
})

describe('a platform that takes its time', () => {
  const offer = {
    phone_number: '+442071838750',
    phone_number_formatted: '+44 20 7183 8750',
    country_code: 'GB',
    price: 1.3,
    payment_price_id: 'p',
    address_requirements: 'none',
    sms_capable: true,
  }
  const slow = () =>
    startHost(
      (_, response) =>
        void setTimeout(
          () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [offer] })),
          700,
        ),
    )
  const searching = async (env: Record<string, string>, columns = 80) => {
    const { url } = await slow()
    const isPlain = columns === 0 || env.TERM === 'dumb'
    const steps: Step[] = [
      ['contain', keys.enter],
      [isPlain ? '1. +44' : '❯ +44', keys.ctrlC],
    ]
    return atTerminal(`numbers buy --country GB --base-url ${url}`, steps, {
      at,
      columns,
      env: { PARLEY_API_KEY: '1|a', ...env },
    })
  }

  test('has a spinner beside what goes on, which is gone once it is done', async () => {
    const { drawn: raw } = await searching({})
    expect(raw).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏].{0,12}Searching for numbers/)
    expect(raw.lastIndexOf('Searching for numbers')).toBeLessThan(raw.lastIndexOf('Number:'))
  })

  test.each([
    ['in CI', { CI: '1' }, 80],
    ['on a dumb terminal', { TERM: 'dumb' }, 80],
    ['on a terminal of no width', {}, 0],
  ])('has none %s', async (_, env, columns) => {
    const { exitCode, screen } = await searching(env, columns)
    expect(screen).not.toContain('Searching')
    expect(exitCode).toBe(130)
  })
})
