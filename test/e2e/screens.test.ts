import { describe, expect, test } from 'vitest'
import { keys, type Step } from '../support/terminal.ts'
import { type Screen, screenOf } from '../support/terminal-screen.ts'
import { newPlace, type Place, parley } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'

// What stands on the screen in the end, and not only what was sent to it: sessions as somebody sees them, narrow and wide, with and without colour, and read aloud.

interface Look {
  readonly columns: number
  readonly env: Readonly<Record<string, string>>
}
const looks: Readonly<Record<string, Look>> = {
  '80 columns': { columns: 80, env: {} },
  '200 columns without colour': { columns: 200, env: { NO_COLOR: '1' } },
  'a screen reader': { columns: 80, env: { ACCESSIBLE: '1' } },
}
const isRead = ({ env }: Look): boolean => env.ACCESSIBLE === '1'

async function newWorld(): Promise<Place> {
  const at = newPlace()
  expect((await parley('server seed --seed 7', { at })).exitCode).toBe(0)
  return at
}

/** The screen after a session that ended with `code`, which must be left as it was found. */
async function session(at: Place, line: string, look: Look, steps: readonly Step[], code = 0): Promise<Screen> {
  const { exitCode, drawn } = await atTerminal(line, steps, { at, ...look })
  const screen = screenOf(drawn, look.columns)
  expect(exitCode, screen.text).toBe(code)
  expect({ isCursorHidden: screen.isCursorHidden, isStyled: screen.isStyled }).toEqual({
    isCursorHidden: false,
    isStyled: false,
  })
  // Only what is copied may run over the edge, where the terminal itself breaks it: a command line, the path of a file.
  expect(screen.broken.filter((it) => / /.test(it.trim()) && !it.startsWith('  parley '))).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  if (look.env.NO_COLOR) expect(drawn).not.toMatch(/\x1b\[(3|4|9)\dm/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor or clears what is drawn
  if (isRead(look)) expect(drawn).not.toMatch(/\x1b\[[\d;]*[A-HJKSTf]/)
  return screen
}

const choose = (look: Look, drawnAs: string, typed: string, n: number): Step[] =>
  isRead(look)
    ? [['Enter a number from 1 to', `${n}${keys.enter}`]]
    : [
        ['?', typed],
        [`❯ ${drawnAs}`, keys.enter],
      ]

describe.each(Object.entries(looks))('with %s', (_, look) => {
  const wide = look.columns > 80
  const done = isRead(look) ? '' : '✔ '

  test('buying a number reads from the question to what comes next', async () => {
    const steps: Step[] = [
      ...choose(look, 'GB  United Kingdom', 'GB', 3),
      ['Filter by digits (optional):', `20${keys.enter}`],
      ...choose(look, '+44', '', 1),
      ['(y/N)', `y${keys.enter}`],
    ]
    const { lines } = await session(await newWorld(), 'numbers buy', look, steps)
    const [number = ''] = /\+44\d{8,}/.exec(lines.join('\n')) ?? []
    const asked = wide
      ? [
          `${done}Buy ${number} for 1.30 USD/month until you release it (non-refundable; address required: local)? (y/N) Yes`,
        ]
      : isRead(look)
        ? [
            `Buy ${number} for 1.30 USD/month until you release it (non-refundable)? An`,
            '  address is required (local). (y/N) y',
          ]
        : [
            `✔ Buy ${number} for 1.30 USD/month until you release it (non-refundable)? An`,
            'address is required (local). (y/N) Yes',
          ]
    expect(lines.slice(-4 - asked.length)).toEqual([
      ...asked,
      `Phone number purchased successfully. ${number}, 1.30 USD/month. Id: 6`,
      'Next: parley numbers update 6 --nickname <name>',
      'Local platform: numbers, calls and messages are simulated.',
      `Equivalent command: parley numbers buy ${number} --yes`,
    ])
    if (!isRead(look))
      expect(lines.slice(0, 2)).toEqual(['✔ Country: GB  United Kingdom', '✔ Filter by digits (optional): 20'])
  })

  test('restoring an automation says what it touches, has its name typed, and shows what is different and the way back', async () => {
    const at = await newWorld()
    const trigger = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
    }
    const code =
      'export const code = async (inputs) => ({ answer: "We will be open again as soon as the holidays are over" })'
    const flow = {
      trigger,
      steps: [{ type: 'CODE', settings: { sourceCode: { code, packageJson: '{}' }, input: {} } }],
    }
    expect(
      (await parley(['automate', 'update', 'Opening hours', '--file', '-'], { at, input: JSON.stringify(flow) }))
        .exitCode,
    ).toBe(0)
    const steps: Step[] = [...choose(look, 'Opening hours', 'Opening', 1), ['to go on:', `Opening hours${keys.enter}`]]
    const { text, lines } = await session(at, 'automate restore', look, steps)
    const unfolded = text.replaceAll(/\s+/g, ' ')
    expect(unfolded).toMatch(
      /warning: \+ step_2 .* The automation stays enabled\. .*Restore version 2 of \S+ of "Opening hours" \(\S+\)\? Type Opening hours to confirm: Opening hours Restored version 2 as version 4\./,
    )
    expect(text).toMatch(/^\+ step_2 \(Answer\) added, main$[\s\S]*^~ step_1 \(Find the opening hours\) changed$/m)
    expect(text).toMatch(/^ {4}settings\.sourceCode\.code:\n {6}- \S/m)
    // What has no room goes on further in.
    if (!wide) expect(lines.filter((it) => /^ {6}\S/.test(it)).length).toBeGreaterThan(0)
    expect(text).toMatch(/^Undo: parley \S/m)
    expect(lines.at(-1)).toMatch(/parley automate restore \S+ --confirm 'Opening hours'$/)
  })

  test('a chat looks like one', async () => {
    const { lines } = await session(await newWorld(), 'conversations chat --assistant 1', look, [
      ['You ', `When are you open?${keys.enter}`],
      ['17:00.'],
      ['You ', `/cost${keys.enter}`],
      ['messages.'],
      ['You ', keys.ctrlD],
      ['Go on with it'],
    ])
    expect(lines.map((it) => it.replace(/[0-9a-f-]{36}/, '<id>'))).toEqual([
      'Assistant  Northwind Dental, how can I help you?',
      'You        When are you open?',
      'Assistant  We are open Monday to Friday, 8:00 to 17:00.',
      'You        /cost',
      '0.00 USD, 3 messages.',
      'You',
      'Resume this conversation: parley conversations chat <id>',
    ])
  })
})

describe('a list to pick from', () => {
  const names = [
    '日本語のとても長い名前を持つ鍵で、八十桁の端末の一行には決して収まらないほど長い名前です',
    'family 👩‍👩‍👧‍👦',
    'x'.repeat(100),
    'a b '.repeat(30).trim(),
  ]
  const newKeys = async (): Promise<Place> => {
    const at = await newWorld()
    for (const name of [...names, 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'])
      expect((await parley(['keys', 'create', '--name', name], { at })).exitCode).toBe(0)
    return at
  }

  test('keeps a line for each choice, however long and wide its name is, with its id', async () => {
    const down = ['ci', 'dashboard', '日本語', 'family', 'xxx', 'a b'].map((it): Step => [`❯ ${it}`, keys.down])
    const steps: Step[] = [['❯ local', keys.down], ...down, ['❯ k1', keys.ctrlC]]
    const { lines } = await session(await newKeys(), 'keys delete', looks['80 columns'] as Look, steps, 130)
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

  test('shows what was chosen in full, and survives a terminal that gets narrow and wide again meanwhile', async () => {
    const at = await newKeys()
    const steps: Step[] = [
      ['❯ local', { columns: 40 }],
      ['', '日本'],
      ['❯ 日本', { columns: 80 }],
      ['', keys.enter],
      ['(y/N)', keys.enter],
      ['Nothing was changed.'],
    ]
    const { text } = await session(at, 'keys delete', looks['80 columns'] as Look, steps, 10)
    expect(text.replaceAll(/\s+/g, '')).toContain(`✔Whichkey?${names[0]}(4)`)
    expect(text.replaceAll(/\s+/g, '')).toContain(`DeleteAPIkey"${names[0]}"(4)?Whateverusesitstopsworking.(y/N)No`)
  })
})

test('an assistant that is asked through ends as one line a question', async () => {
  const at = await newWorld()
  const enter = (question: string): Step[] => [[question, keys.enter]]
  const words = ['--name', 'Desk', '--type', 'inbound', '--initial-message', 'Hello', '--system-prompt', 'Help.'].join(
    ' ',
  )
  const steps = [
    ...enter('❯ pipeline'),
    ...enter('❯ English'),
    ...enter('❯ Amelia'),
    ['Model:', keys.enter],
    ['Time zone:', 'UTC'],
    ['❯ UTC', keys.enter],
  ] as Step[]
  const { lines } = await session(at, `assistants create ${words}`, looks['80 columns'] as Look, steps)
  expect(lines.slice(0, 5).map((it) => it.split(':')[0])).toEqual([
    '✔ Engine mode',
    '✔ Language',
    '✔ Voice',
    '✔ Model',
    '✔ Time zone',
  ])
  expect(lines[5]).toMatch(/^Assistant created.* Id: \d+$/)
  expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toMatch(
    /Equivalent command: parley assistants create .*--timezone UTC/,
  )
})
