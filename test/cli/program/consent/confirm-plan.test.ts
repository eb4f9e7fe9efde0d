import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  confirmPlan,
  platformLabel,
  requireConfirmation,
} from '../../../../src/cli/program/consent/require-confirmation.ts'
import type { Context } from '../../../../src/cli/program/context.ts'
import { operator } from '../../../support/operator.ts'

interface Offer {
  readonly price: number
}

/** A terminal whose prompts are answered with the given answers, and what was shown there. */
function terminal({ answers = [] as boolean[], yes = false, isTerminal = true } = {}) {
  const shown: string[] = []
  let pauses = 0
  const context = {
    interactive: isTerminal,
    globals: { yes },
    promptAnswers: [],
    approvals: { replacesConfirmation: async () => false },
    pauses: () => pauses,
    settings: async () => ({
      profileName: { value: 'staging', from: '' },
      baseUrl: { value: 'https://platform.example', from: '' },
    }),
    notes: { warn: async (text: string) => void shown.push(`warning: ${text}`) },
    prompts: async () => ({
      confirm: async (question: string) => {
        shown.push(question)
        pauses += 1
        return answers.shift()
      },
    }),
  } as unknown as Context
  return { context, shown, choose: () => void (pauses += 1) }
}

/** Confirms the price 0.9, which is each of `prices` in turn when it is read again. */
function buy(context: Context, prices: number[], readAt?: number) {
  const reads: number[] = []
  const bought = confirmPlan<Offer>(context, {
    plan: { price: 0.9 },
    ...(readAt !== undefined && { readAt }),
    ask: ({ price }, isAskedAgain) =>
      requireConfirmation(
        context,
        { question: `Buy it for ${price} USD?`, refusalMessage: 'Buying requires confirmation.' },
        { isAskedAgain },
      ),
    read: async () => {
      const price = prices.shift() as number
      reads.push(price)
      if (price > 2) throw new Error('above the limit')
      return { price }
    },
    describeChanges: (agreed, current) =>
      agreed.price === current.price ? [] : [`The price changed from ${agreed.price} USD to ${current.price} USD.`],
  })
  return { bought, reads }
}

describe('what was agreed to is compared again after a person was asked', () => {
  test('an unchanged plan is read once and carried out', async () => {
    const { context, shown } = terminal({ answers: [true] })
    const { bought, reads } = buy(context, [0.9])
    expect(await bought).toEqual({ price: 0.9 })
    expect(reads).toEqual([0.9])
    expect(shown).toEqual(['[staging · https://platform.example] Buy it for 0.9 USD?'])
  })

  test('a changed plan is shown with both values, and asked about again', async () => {
    const { context, shown } = terminal({ answers: [true, true] })
    expect(await buy(context, [1.3, 1.3]).bought).toEqual({ price: 1.3 })
    expect(shown).toEqual([
      '[staging · https://platform.example] Buy it for 0.9 USD?',
      'warning: The price changed from 0.9 USD to 1.3 USD.',
      '[staging · https://platform.example] Buy it for 1.3 USD?',
    ])
  })

  test('a plan that changes during the second question is asked about a third time', async () => {
    const { context, shown } = terminal({ answers: [true, true, true] })
    expect(await buy(context, [1.3, 1.5, 1.5]).bought).toEqual({ price: 1.5 })
    expect(shown.at(-1)).toBe('[staging · https://platform.example] Buy it for 1.5 USD?')
  })

  test('no as the second answer ends with exit 10', async () => {
    const { context } = terminal({ answers: [true, false] })
    await expect(buy(context, [1.3]).bought).rejects.toMatchObject({ exit: 'consent' })
  })

  test('a plan that may not be carried out any more ends the command', async () => {
    const { context } = terminal({ answers: [true] })
    await expect(buy(context, [9]).bought).rejects.toThrow('above the limit')
  })

  test('--yes without a pause reads nothing', async () => {
    for (const isTerminal of [true, false]) {
      const { context, shown } = terminal({ yes: true, isTerminal })
      const { bought, reads } = buy(context, [])
      expect([await bought, reads, shown]).toEqual([{ price: 0.9 }, [], []])
    }
  })

  test('a choice from a list is a pause too: a terminal asks about the change despite --yes', async () => {
    const { context, shown, choose } = terminal({ yes: true, answers: [true] })
    choose()
    expect(await buy(context, [1.3, 1.3], 0).bought).toEqual({ price: 1.3 })
    expect(shown).toEqual([
      'warning: The price changed from 0.9 USD to 1.3 USD.',
      '[staging · https://platform.example] Buy it for 1.3 USD?',
    ])
  })

  test('a change that cannot be asked about is exit 5 with both values', async () => {
    const { context, choose } = terminal({ yes: true, isTerminal: false })
    choose()
    await expect(buy(context, [1.3], 0).bought).rejects.toMatchObject({
      exit: 'conflict',
      message: 'The price changed from 0.9 USD to 1.3 USD.\nNothing was sent.',
    })
  })
})

describe('a question starts with the platform that it is about', () => {
  const label = (profile: string, url: string, reachesOutside?: boolean): string =>
    platformLabel({ profileName: { value: profile, from: '' }, baseUrl: { value: url, from: '' } }, reachesOutside)

  test.each([
    ['staging', 'https://platform.example', '[staging · https://platform.example]'],
    ['https://platform.example', 'https://platform.example', '[https://platform.example]'],
    ['local', 'embedded:', '[local · simulated]'],
    ['clinic', 'embedded:', '[clinic · simulated]'],
    ['embedded:', 'embedded:', '[local · simulated]'],
  ])('profile %s at %s', (profile, url, expected) => {
    expect(label(profile, url)).toBe(expected)
  })

  test('a local platform is not called simulated where the action reaches systems outside', () => {
    expect(label('local', 'embedded:', true)).toBe('[local]')
  })

  test.each([
    ['tools delete 2', 'Delete tool', 'another'],
    ['numbers buy +15005550006', 'Buy +15005550006'],
    ['calls start +14155550142 --assistant 2', 'Call +14155550142 with'],
    ['campaigns start 1', 'Start campaign'],
    ['keys delete 2', 'Delete API key'],
    ['server reset', 'Delete all data'],
  ])('%s on the local platform', async (line, question, answer: string | false = false) => {
    const { run } = operator()
    const { asked, exitCode } = await run(line, { answers: [[question, answer]] })
    expect({ exitCode, asked }).toEqual({ exitCode: 10, asked: [expect.stringMatching(/^\[local · simulated\] /)] })
  })

  test('the name of a protected profile, and a profile that is removed', async () => {
    const { run } = operator()
    await run('profile set staging --url https://platform.example --protected')
    const typed = await run('tools delete 2 --profile staging', {
      answers: [['Type staging to confirm', 'other']],
    })
    expect(typed.asked[0]).toMatch(/^\[staging · https:\/\/platform\.example\] Profile "staging" is protected\./)
    const removed = await run('profile remove staging', { answers: [['Remove profile', false]] })
    expect(removed.asked[0]).toMatch(/^\[staging · https:\/\/platform\.example\] Remove profile "staging"/)
  })

  test('no command asks yes or no, or for a name, without it', () => {
    const asking = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.ts') &&
        !file.includes('prompts') &&
        /\.(confirm|confirmName)\(/.test(readFileSync(join('src/cli', file), 'utf8')),
    )
    expect(asking).toEqual([join('program', 'consent', 'require-confirmation.ts')])
  })
})
