import { beforeAll, expect, test } from 'vitest'
import { keys } from '../../support/terminal.ts'
import { filledPlace, parley } from '../support/built-program.ts'
import { holdings } from '../support/holdings.ts'
import { atTerminal } from '../support/program-terminal.ts'

// What a command asks for when it is run by hand without all it needs, and what it asks before it takes something away.

const at = await filledPlace()

// What an assistant uses is deleted by its name only: these tests are about what is asked with yes or no.
beforeAll(async () => {
  for (const id of [1, 2]) expect((await parley(`assistants update ${id} --tool-ids []`, { at })).exitCode).toBe(0)
})

test('Ctrl-C in the list exits with 130', async () => {
  expect((await atTerminal('tools delete', [['lookup_patient', keys.ctrlC]], { at })).exitCode).toBe(130)
})

test.each([
  ['emptied', 'truncate -s 0', 2, 'Cancelled: the file is empty.'],
  ['given up by the editor', 'false', 1, 'The editor failed with exit code 1.'],
  ['not edited, for there is no such editor', 'no-such-editor --wait', 2, 'Editor "no-such-editor --wait" not found.'],
])('a record that is opened in an editor and %s', async (_, editor, code, text) => {
  const own = await filledPlace()
  const { exitCode, screen } = await atTerminal('tools update 2 --edit', [], { at: own, env: { EDITOR: editor } })
  expect([exitCode, screen]).toEqual([code, expect.stringContaining(text)])
  const { timeout } = JSON.parse((await parley('tools get 2 --json', { at: own })).stdout)
  expect(timeout).toBe(editor.startsWith('sed') ? 29 : 15)
})

test('fields are prompted for until Ctrl-C, which creates nothing', async () => {
  const before = holdings(at)
  expect(
    (
      await atTerminal(
        'tools create --name half',
        [
          ['When and how', `Something.${keys.enter}`],
          ['?', keys.ctrlC],
        ],
        { at },
      )
    ).exitCode,
  ).toBe(130)
  expect(holdings(at)).toEqual(before)
})

test.each([
  ['very narrow', 30, {}],
  ['without colour', 120, { NO_COLOR: '1' }],
  ['read aloud', 120, { ACCESSIBLE: '1', TERM: 'dumb' }],
])('a list fits a terminal that is %s, and names what it hides', async (_, columns, env) => {
  const { exitCode, drawn, screen } = await atTerminal('numbers list', [], { at, columns, env })
  const [table = '', note] = screen.split('Hidden columns:')
  expect(exitCode).toBe(0)
  expect(table).toMatch(
    columns > 30 ? /ID +Number +Nickname[\s\S]*Front desk/ : /ID +\d[\s\S]*Number +\+\d[\s\S]*Nickname +Front desk/,
  )
  expect(Math.max(...table.split(/\r?\n/).map((it) => it.length))).toBeLessThanOrEqual(columns)
  expect(note === undefined).toBe(columns !== 60)
  // Words are not split.
  expect((note ?? '').split(/\r?\n/).filter((it) => it.length > columns)).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any sequence at all
  if (Object.keys(env).length > 0) expect(drawn).not.toMatch(/\x1b/)
})
