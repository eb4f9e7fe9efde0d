import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { keys, type Step } from '../../support/terminal.ts'
import { filledPlace, parley } from '../support/built-program.ts'
import { numbersOf } from '../support/holdings.ts'
import { lines, price, unfolded } from '../support/number-wizard.ts'
import { atTerminal } from '../support/program-terminal.ts'

// More ways to answer the questions of a purchase than number-wizard.cases.test.ts has.

const at = await filledPlace()
let before: readonly string[]
const bought = (): string[] => numbersOf(at).filter((it) => !before.includes(it))
beforeAll(() => {
  before = numbersOf(at)
})

describe('agreed to', () => {
  afterEach(() => {
    before = numbersOf(at)
  })

  test('line by line it works the same', async () => {
    const { exitCode, screen } = await atTerminal(
      'numbers buy',
      [...lines, ['(y/N)', `maybe${keys.enter}`], ['Enter y or n.'], ['(y/N)', `yes${keys.enter}`]],
      { at, env: { ACCESSIBLE: '1' } },
    )
    expect(exitCode).toBe(0)
    expect(bought()).toEqual([price.exec(unfolded(screen))?.[1]])
  })

  test('a number on the command line is confirmed once', async () => {
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
    expect(bought()).toEqual([number.phone_number])
  })

  test('digits without a match are prompted for again', async () => {
    const steps: Step[] = [
      ['Filter by digits', `12ab${keys.enter}`],
      ['Enter digits only, at most 10.', `\x15${'9'.repeat(10)}${keys.enter}`],
      ['No numbers in US contain 9999999999. Try fewer digits.'],
      ['Filter by digits', keys.enter],
      ['❯ +1', keys.enter],
      ['(y/N)', `y${keys.enter}`],
    ]
    expect((await atTerminal('numbers buy --country us', steps, { at })).exitCode).toBe(0)
    expect(bought()).toHaveLength(1)
  })
})

test('typing faster than the list is drawn selects what the screen shows, not the earlier entry', async () => {
  const { screen } = await atTerminal(
    'numbers buy -v',
    [
      ['Which country?', `GB${keys.enter}`],
      ['Filter by digits', `20${keys.enter}`],
      ['❯ +44', keys.ctrlC],
    ],
    { at },
  )
  expect(screen).toContain('search?country_code=GB&contains=20')
})
