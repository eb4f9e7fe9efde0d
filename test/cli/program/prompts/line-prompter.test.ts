import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createLinePrompter } from '../../../../src/cli/program/prompts/line-prompter.ts'
import type { Choice, Prompter } from '../../../../src/cli/program/prompts/prompts.ts'
import type { NodeInput, Sink } from '../../../../src/cli/program/terminal/streams.ts'
import { memorySink } from '../../../support/memory-sink.ts'

// Questions of a screen reader or a simple terminal: one line each, nothing is redrawn.

/** Asks a question, types the next line at each prompt, and returns the answer and what was shown. */
async function ask<T>(question: (prompter: Prompter) => Promise<T>, lines: readonly string[]) {
  const left = [...lines]
  const raw: boolean[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => raw.push(isRaw) })
  const shown = memorySink({ isTTY: true })
  const stderr: Sink = {
    isTTY: true,
    columns: shown.columns,
    rows: 0,
    async write(text) {
      await shown.write(text)
      if (!/[:?)] $/.test(text)) return
      const line = left.shift()
      if (line === undefined) input.end()
      else setImmediate(() => input.write(`${line}\n`))
    },
  }
  const answer = await question(createLinePrompter(input as unknown as NodeInput, stderr)).catch(
    (error: Error) => error.name,
  )
  return { answer, shown: shown.all, left, raw }
}

describe('a question of yes or no', () => {
  test.each([
    ['y', true],
    ['Yes ', true],
    ['YES', true],
    ['n', false],
    ['No', false],
    ['no', false],
    ['', false],
  ])('is answered by %j', async (line, answer) => {
    expect(await ask((it) => it.confirm('Delete it?', undefined), [line])).toEqual({
      answer,
      shown: 'Delete it? (y/N) ',
      left: [],
      raw: [],
    })
  })

  test.each(['maybe', 'yess', 'none', '1', 'true'])('is asked again after %j', async (line) => {
    const asked = await ask((it) => it.confirm('Delete it?', undefined), [line, 'y'])
    expect(asked).toMatchObject({ answer: true, left: [] })
    expect(asked.shown).toBe('Delete it? (y/N) Enter y or n.\nDelete it? (y/N) ')
  })

  test('without an answer is not agreed to', async () => {
    expect(await ask((it) => it.confirm('Delete it?', undefined), [])).toMatchObject({ answer: 'Interrupted' })
  })
})

describe('a question with choices', () => {
  const cities: Choice<number>[] = [
    { name: 'Warsaw', value: 1, description: 'in Poland' },
    { name: 'Vienna', value: 2 },
    { name: 'Vigo', value: 3, disabled: 'closed' },
  ]
  const select = (lines: readonly string[]) => ask((it) => it.select('City?', cities, false, undefined), lines)

  test.each([
    ['its first number', '1', 1],
    ['a number', '2', 2],
    ['a name', 'Warsaw', 1],
    ['a name with spaces around it', ' Vienna ', 2],
  ])('is answered by %s', async (_, line, answer) => {
    expect(await select([line])).toMatchObject({ answer, left: [] })
  })

  test.each([
    ['a number below the first', '0', 'No matching choice.'],
    ['a number after the last', '4', 'No matching choice.'],
    ['nothing', '', 'No matching choice.'],
    ['an unknown name', 'Oslo', 'No matching choice.'],
    ['a choice that is not available', '3', 'This choice is not available.'],
  ])('is asked again after %s', async (_, line, said) => {
    const { answer, shown } = await select([line, '2'])
    expect(answer).toBe(2)
    expect(shown).toContain(said)
  })

  test('shows the choices, why one is not available, and those that match a part of a name', async () => {
    const { answer, shown } = await select(['vi', '1'])
    expect(answer).toBe(1)
    expect(shown).toContain('  1. Warsaw: in Poland\n  2. Vienna\n  3. Vigo (closed)\n')
    expect(shown).toContain('Enter a number from 1 to 3: \n  2. Vienna\n  3. Vigo (closed)\n'.replace(': \n', ': '))
    expect(shown).not.toContain('No matching choice.')
  })

  test.each([
    [20, undefined],
    [21, '  1 more. Type part of a name to search.'],
  ])('shows at most 20 of %i choices, and how many more there are', async (count, more) => {
    const many = Array.from({ length: count }, (_, n) => ({ name: `item-${n + 1}`, value: n + 1 }))
    const { answer, shown } = await ask((it) => it.select('Which?', many, false, undefined), [String(count)])
    expect(answer).toBe(count)
    expect(shown).toContain('  20. item-20\n')
    expect(shown).not.toContain('  21. ')
    if (more) expect(shown).toContain(more)
    else expect(shown).not.toContain('more.')
  })
})

describe('a question for text', () => {
  test('is asked again until the value is valid, and an empty line is the default', async () => {
    const validate = (it: string) => it.length > 2 || 'Too short.'
    const asked = await ask((it) => it.input('Name?', { validate }, undefined), ['ab', 'abc'])
    expect(asked).toMatchObject({ answer: 'abc', shown: 'Name? Too short.\nName? ', raw: [] })
    expect(await ask((it) => it.input('Name?', { default: 'desk' }, undefined), [''])).toMatchObject({
      answer: 'desk',
      shown: 'Name? (desk) ',
    })
  })

  test.each([
    ['a password', (it: Prompter) => it.password('Key?', undefined)],
    ['a hidden value', (it: Prompter) => it.input('Key?', { mask: true }, undefined)],
  ])('does not echo %s, and lets the terminal echo again after it', async (_, question) => {
    expect(await ask(question, ['secreŧ\x7ft'])).toEqual({
      answer: 'secret',
      shown: 'Key? \n',
      left: [],
      raw: [true, false],
    })
    expect(await ask(question, ['wrong\x15right'])).toMatchObject({ answer: 'right', raw: [true, false] })
    // Ctrl-C.
    expect(await ask(question, ['half\x03'])).toMatchObject({ answer: 'Interrupted', raw: [true, false] })
  })
})
