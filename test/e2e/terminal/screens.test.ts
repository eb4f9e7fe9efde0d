import { beforeAll, describe, expect, test } from 'vitest'
import { keys, type Step } from '../../support/terminal.ts'
import { filledPlace, type Place, parley } from '../support/built-program.ts'
import { buying, chatting, looks, restoring, session } from '../support/screens.ts'

// The final content of the screen, not only what was sent to it: sessions as users see them, narrow and wide, with and without color, and with a screen reader.
// screens.full.test.ts has every session in every look.

buying('80 columns')
restoring('200 columns without colour')
chatting('a screen reader')

describe('a list to pick from', () => {
  const names = [
    '日本語のとても長い名前を持つ鍵で、八十桁の端末の一行には決して収まらないほど長い名前です',
    'family 👩‍👩‍👧‍👦',
    'x'.repeat(100),
    'a b '.repeat(30).trim(),
  ]
  let at: Place
  beforeAll(async () => {
    at = await filledPlace(7)
    for (const name of [...names, 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'])
      expect((await parley(['keys', 'create', '--name', name], { at })).exitCode).toBe(0)
  })

  test('has one line per choice with its id, however long and wide its name is', async () => {
    const down = ['ci', 'dashboard', '日本語', 'family', 'xxx', 'a b'].map((it): Step => [`❯ ${it}`, keys.down])
    const steps: Step[] = [['❯ local', keys.down], ...down, ['❯ k1', keys.ctrlC]]
    const { lines } = await session(at, 'keys delete', looks['80 columns'], steps, 130)
    expect(lines).toEqual([
      '? Which key?',
      expect.stringMatching(/^ {2}(ci|dashboard) /),
      expect.anything(),
      expect.stringMatching(/^ {2}日本語.*… \(4\)$|^ {2}family/),
      ...lines.slice(4, 11),
      '',
      '↑↓ navigate • ⏎ select',
      'error: Interrupted.',
    ])
    expect(lines.find((it) => it.startsWith('  xxx'))).toMatch(/^ {2}x{60,}… \(6\)$/)
    expect(lines.find((it) => it.startsWith('  a b'))).toMatch(/^ {2}(a b )+(a )?… \(7\)$|^ {2}[ab ]+… \(7\)$/)
  })

  test('shows the whole selection, also after the terminal is resized', async () => {
    const steps: Step[] = [
      ['❯ local', { columns: 40 }],
      ['', '日本'],
      ['❯ 日本', { columns: 80 }],
      ['', keys.enter],
      ['(y/N)', keys.enter],
      ['Nothing was changed.'],
    ]
    const { text } = await session(at, 'keys delete', looks['80 columns'], steps, 10)
    expect(text.replaceAll(/\s+/g, '')).toContain(`✔Whichkey?${names[0]}(4)`)
    expect(text.replaceAll(/\s+/g, '')).toContain(`DeleteAPIkey"${names[0]}"(4)?Itsclientsloseaccess.(y/N)No`)
  })
})

test('the prompts of a new assistant end as one line per question', async () => {
  const at = await filledPlace(7)
  const enter = (question: string): Step[] => [[question, keys.enter]]
  const words = ['--name', 'Desk', '--type', 'inbound', '--initial-message', 'Hello', '--system-prompt', 'Help.'].join(
    ' ',
  )
  const steps = [
    ...enter('❯ pipeline'),
    ...enter('❯ English'),
    ...enter('❯ Amelia'),
    ['Which model?', keys.enter],
    ['Which time zone?', 'UTC'],
    ['❯ UTC', keys.enter],
  ] as Step[]
  const { lines } = await session(at, `assistants create ${words}`, looks['80 columns'], steps)
  expect(lines.slice(0, 5).map((it) => it.split('?')[0])).toEqual([
    '✔ Which engine mode',
    '✔ Which language',
    '✔ Which voice',
    '✔ Which model',
    '✔ Which time zone',
  ])
  expect(lines[5]).toMatch(/^Assistant created.* Id: \d+$/)
  expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toMatch(
    /Equivalent command: parley assistants create .*--timezone UTC/,
  )
})
