import { expect, test } from 'vitest'
import { keys, type Step } from '../../support/terminal.ts'
import { type Screen, screenOf } from '../../support/terminal-screen.ts'
import { filledPlace, type Place, parley } from './built-program.ts'
import { atTerminal } from './program-terminal.ts'

export interface Look {
  readonly columns: number
  readonly env: Readonly<Record<string, string>>
}
export const looks = {
  '80 columns': { columns: 80, env: {} },
  '200 columns without colour': { columns: 200, env: { NO_COLOR: '1' } },
  'a screen reader': { columns: 80, env: { ACCESSIBLE: '1' } },
} as const satisfies Record<string, Look>
export type LookName = keyof typeof looks
const isRead = ({ env }: Look): boolean => env.ACCESSIBLE === '1'

/** The screen after a session that ended with `code`, which must be left as it was found. */
export async function session(at: Place, line: string, look: Look, steps: readonly Step[], code = 0): Promise<Screen> {
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

/** Buying a number reads from the question to what comes next. */
export function buying(name: LookName): void {
  const look: Look = looks[name]
  const wide = look.columns > 80
  const done = isRead(look) ? '' : '✔ '

  test(`with ${name}, buying a number shows everything from the question to the next command`, async () => {
    const steps: Step[] = [
      ...choose(look, 'GB  United Kingdom', 'GB', 3),
      ['Filter by digits (optional):', `20${keys.enter}`],
      ...choose(look, '+44', '', 1),
      ['(y/N)', `y${keys.enter}`],
    ]
    const { lines } = await session(await filledPlace(7), 'numbers buy', look, steps)
    const [number = ''] = /\+44\d{8,}/.exec(lines.join('\n')) ?? []
    const asked = wide
      ? [
          `${done}[local · simulated] Buy ${number} for 1.30 USD/month until you release it (non-refundable; address required: local)? (y/N) Yes`,
        ]
      : isRead(look)
        ? [
            `[local · simulated] Buy ${number} for 1.30 USD/month until you release it`,
            '  (non-refundable; address required: local)? (y/N) y',
          ]
        : [
            `✔ [local · simulated] Buy ${number} for 1.30 USD/month until you release it`,
            '(non-refundable; address required: local)? (y/N) Yes',
          ]
    expect(lines.slice(-4 - asked.length)).toEqual([
      ...asked,
      `Phone number purchased successfully. ${number}, 1.30 USD/month. Id: 6`,
      'Next: parley numbers update 6 --nickname <name>',
      'Local platform: numbers, calls and messages are simulated.',
      `Equivalent command: parley numbers buy ${number} --yes`,
    ])
    if (!isRead(look))
      expect(lines.slice(0, 2)).toEqual(['✔ Which country? GB  United Kingdom', '✔ Filter by digits (optional): 20'])
  })
}

/** What a restore says on the way. */
export function restoring(name: LookName): void {
  const look: Look = looks[name]
  const wide = look.columns > 80

  test(`with ${name}, restoring an automation shows what it affects, asks for its name, and prints the differences and how to undo`, async () => {
    const at = await filledPlace(7)
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
    const steps: Step[] = [
      ...choose(look, 'Opening hours', 'Opening', 1),
      ['to confirm:', `Opening hours${keys.enter}`],
    ]
    const { text, lines } = await session(at, 'automate restore', look, steps)
    const unfolded = text.replaceAll(/\s+/g, ' ')
    expect(unfolded).toMatch(
      /warning: \+ step_2 .* The automation stays enabled\. .*Restore version 2 of [-\d]+ [\d:]+ UTC of "Opening hours" \(\S+\)\? Type Opening hours to confirm: Opening hours Restored version 2 as version 4\./,
    )
    expect(text).toMatch(/^\+ step_2 \(Answer\) added, main$[\s\S]*^~ step_1 \(Find the opening hours\) changed$/m)
    expect(text).toMatch(/^ {4}settings\.sourceCode\.code:\n {6}- \S/m)
    // What does not fit continues with an indent.
    if (!wide) expect(lines.filter((it) => /^ {6}\S/.test(it)).length).toBeGreaterThan(0)
    expect(text).toMatch(/^Undo: parley \S/m)
    expect(lines.at(-1)).toMatch(/parley automate restore \S+ --confirm 'Opening hours'$/)
  })
}

/** A chat looks like one. */
export function chatting(name: LookName): void {
  const look: Look = looks[name]
  test(`with ${name}, a chat shows both sides`, async () => {
    const { lines } = await session(await filledPlace(7), 'conversations chat --assistant 1', look, [
      ['You ', `When are you open?${keys.enter}`],
      ['17:00.'],
      ['You ', `/cost${keys.enter}`],
      ['messages.'],
      ['You ', keys.ctrlD],
      ['Resume this conversation'],
    ])
    expect(lines.map((it) => it.replace(/[0-9a-f-]{36}/, '<id>'))).toEqual([
      'Assistant  Northwind Dental, how can I help you?',
      'You        When are you open?',
      'Assistant  We are open Monday to Friday, 8:00 to 17:00.',
      'You        /cost',
      '0.00 USD, 3 messages.',
      'You',
      ...(look.columns > 80
        ? ['Resume this conversation: parley conversations chat <id>']
        : ['Resume this conversation:', '  parley conversations chat <id>']),
    ])
  })
}
