import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { filterChoices } from '../../../../src/cli/program/prompts/choices.ts'
import { discardTypeahead } from '../../../../src/cli/program/prompts/create-prompts.ts'
import { createInquirerPrompter } from '../../../../src/cli/program/prompts/inquirer-prompter.ts'
import { Interrupted } from '../../../../src/cli/program/prompts/prompts.ts'
import { controlTime, releaseTime } from '../../../support/fake-timers.ts'
import { hangMs } from '../../../support/hang-timeout.ts'

const tools = ['lookup_patient', 'book_appointment', 'quote_treatment'].map((name, value) => ({ name, value }))

/** A terminal of keys and of what is drawn. */
function terminal() {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => modes.push(mode) })
  const output = new PassThrough()
  let drawn = ''
  output.on('data', (chunk) => {
    drawn += chunk
  })
  const screen = () => stripVTControlCharacters(drawn)
  return {
    input,
    output,
    modes,
    screen,
    shows: (text: string) => vi.waitFor(() => expect(screen()).toContain(text), { timeout: hangMs }),
  }
}

describe('a list that is filtered by typing', () => {
  const ask = () => {
    const at = terminal()
    return {
      ...at,
      answer: createInquirerPrompter(at.input, at.output, false).select('Which tool?', tools, true, undefined),
    }
  }

  test('selects nothing if nothing matches, even if Enter follows immediately', async () => {
    const { input, screen, shows, answer } = ask()
    await shows('lookup_patient')
    input.write('zzz\r')
    await shows('No results')
    input.write('\r')
    input.write('\x03')
    await expect(answer).rejects.toBeInstanceOf(Interrupted)
    expect(screen()).not.toContain('Which tool? lookup_patient')
  })

  test.each([
    ['in one go', ['quote\r']],
    ['key by key', [...'quote', '\r']],
    ['with the Enter of another system', ['quote\r\n']],
    ['with a mistake', ['quoti\x7fe\r']],
  ])('selects the match, typed %s', async (_, chunks) => {
    const { input, screen, shows, answer } = ask()
    await shows('lookup_patient')
    for (const chunk of chunks) input.write(chunk)
    expect(await answer).toBe(2)
    expect(screen()).toContain('Which tool? quote_treatment')
  })
})

describe('before a question', () => {
  test('typed text is discarded, also without Enter, and the terminal is restored', async () => {
    const { input, modes } = terminal()
    input.write('y\ry')
    await discardTypeahead(input, undefined)
    expect(modes).toEqual([true, false])
    expect(input.read()).toBeNull()
    input.write('n')
    expect(String(input.read())).toBe('n')
  })

  test('the wait continues while keys arrive', async () => {
    const { input } = terminal()
    controlTime({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let isDone = false
      const done = discardTypeahead(input, undefined).then(() => {
        isDone = true
      })
      for (let n = 0; n < 10; n++) {
        input.write('y')
        await new Promise(setImmediate)
        await vi.advanceTimersByTimeAsync(40)
      }
      expect(isDone).toBe(false)
      await vi.advanceTimersByTimeAsync(60)
      await done
    } finally {
      releaseTime()
    }
  })

  test('Ctrl-C, the end of input, an interruption and keys without end stop the run', async () => {
    const ways: ((at: ReturnType<typeof terminal>, interrupt: AbortController) => unknown)[] = [
      ({ input }) => input.write('y\x03'),
      ({ input }) => input.end(),
      (_, interrupt) => interrupt.abort(),
    ]
    for (const way of ways) {
      const [at, interrupt] = [terminal(), new AbortController()]
      const done = discardTypeahead(at.input, interrupt.signal)
      way(at, interrupt)
      await expect(done).rejects.toBeInstanceOf(Interrupted)
      expect(at.modes).toEqual([true, false])
    }
    controlTime()
    try {
      const { input } = terminal()
      const done = expect(discardTypeahead(input, undefined)).rejects.toBeInstanceOf(Interrupted)
      for (let n = 0; n < 600; n++) {
        input.emit('data', 'y')
        await vi.advanceTimersByTimeAsync(10)
      }
      await done
    } finally {
      releaseTime()
    }
  })
})

test('digits find a number that is shown in groups, and prices only as they are written', () => {
  const numbers = ['+44 20 8534 6444  1.30 USD/month', '+1 (415) 555-0142  1.15 USD/month'].map((name) => ({
    name,
    value: name,
  }))
  const found = (typed: string): readonly string[] => filterChoices(numbers, typed).map((it) => it.name.slice(0, 3))
  expect(found('208534')).toEqual(['+44'])
  expect(found('+4420')).toEqual(['+44'])
  expect(found('4155550142')).toEqual(['+1 '])
  expect(found('8534 6444')).toEqual(['+44'])
  expect(found('130')).toEqual([])
  expect(found('1.30')).toEqual(['+44'])
})
