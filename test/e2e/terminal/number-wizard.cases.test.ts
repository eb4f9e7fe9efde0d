import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { longOnly } from '../../support/case-count.ts'
import { startHost } from '../../support/servers/http-hosts.ts'
import { keys, type Step } from '../../support/terminal.ts'
import { filledPlace, parley } from '../support/built-program.ts'
import { numbersOf } from '../support/holdings.ts'
import {
  drawn,
  endings,
  enterBuysNothing,
  givingUpBuysNothing,
  looks,
  price,
  unfolded,
} from '../support/number-wizard.ts'
import { atTerminal } from '../support/program-terminal.ts'

// Buying a number by hand, on a real terminal: nothing is bought but what was agreed to, in full knowledge of its price.

const at = await filledPlace()
let before: readonly string[]
const bought = (): string[] => numbersOf(at).filter((it) => !before.includes(it))
beforeAll(() => {
  before = numbersOf(at)
})

enterBuysNothing(
  at,
  looks.filter(([name]) => name === 'no colour' || name === 'a terminal of no width'),
)

describe('agreed to', () => {
  afterEach(() => {
    before = numbersOf(at)
  })

  test('buys the number that was shown, and prints its id and the next command', async () => {
    const { exitCode, screen } = await atTerminal('numbers buy', [...drawn, ['(y/N)', `y${keys.enter}`]], { at })
    expect(exitCode).toBe(0)
    const number = price.exec(unfolded(screen))?.[1]
    expect(bought()).toEqual([number])
    const { stdout } = await parley(`numbers update ${number} --nickname London -o id`, { at })
    expect(screen).toContain(`Phone number purchased successfully. ${number}, 1.30 USD/month. Id: ${stdout.trim()}`)
    expect(screen).toContain(`Next: parley numbers update ${stdout.trim()} --nickname <name>`)
  })

  test('with stdout in a file the questions are on the terminal, and the file has only the result', async () => {
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
    expect(bought()).toEqual([number])
  })
})

givingUpBuysNothing(
  at,
  endings.filter(([where]) => where === 'at the price, with y already typed' || where === 'line by line at the number'),
)

test('a price above --max-price exits with 5 before any question', async () => {
  const [number] = JSON.parse((await parley('numbers search --json', { at })).stdout) as [{ phone_number: string }]
  const { exitCode, screen } = await atTerminal(`numbers buy ${number.phone_number} --max-price 1`, [], { at })
  expect([exitCode, unfolded(screen)]).toEqual([5, expect.stringContaining('Nothing was bought.')])
  expect(screen).not.toContain('(y/N)')
})

test.each([
  ['questions are switched off', 'numbers buy +15005550006 --no-input', 10],
  ...longOnly<[string, string, number]>(
    ['the result is for a program', 'numbers buy +15005550006 --json', 10],
    ['and nothing says which number', 'numbers buy -o id', 2],
  ),
])('on a terminal where %s nothing is prompted for', async (_, args, code) => {
  const { exitCode, screen } = await atTerminal(args, [], { at })
  expect(exitCode).toBe(code)
  expect(screen).not.toMatch(/\(y\/N\)|Which country/)
})

describe('a slow platform', () => {
  const offer = {
    phone_number: '+442071838750',
    phone_number_formatted: '+44 20 7183 8750',
    country_code: 'GB',
    price: 1.3,
    payment_price_id: 'p',
    address_requirements: 'none',
    sms_capable: true,
  }
  /** Answers the search once the spinner was seen, or at once where none is shown. */
  const searching = async (env: Record<string, string>, columns = 80, showsSpinner = false) => {
    let answer = (): void => {}
    const { url } = await startHost((_, response) => {
      answer = () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: [offer] }))
      if (!showsSpinner) answer()
    })
    const isPlain = columns === 0 || env.TERM === 'dumb'
    const steps: Step[] = [
      ['Filter by digits', keys.enter],
      ...(showsSpinner ? [['Searching for numbers', () => answer()] as const] : []),
      [isPlain ? '1. +44' : '❯ +44', keys.ctrlC],
    ]
    return atTerminal(`numbers buy --country GB --base-url ${url}`, steps, {
      at,
      columns,
      env: { PARLEY_API_KEY: '1|a', ...env },
    })
  }

  test('shows a spinner during work, which disappears at the end', async () => {
    const { drawn: raw } = await searching({}, 80, true)
    expect(raw).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏].{0,12}Searching for numbers/)
    expect(raw.lastIndexOf('Searching for numbers')).toBeLessThan(raw.lastIndexOf('Which number?'))
  })

  test.each([
    ['in CI', { CI: '1' }, 80],
    ...longOnly<[string, Record<string, string>, number]>(
      ['on a dumb terminal', { TERM: 'dumb' }, 80],
      ['on a terminal of no width', {}, 0],
    ),
  ])('has none %s', async (_, env, columns) => {
    const { exitCode, screen } = await searching(env, columns)
    expect(screen).not.toContain('Searching')
    expect(exitCode).toBe(130)
  })
})
