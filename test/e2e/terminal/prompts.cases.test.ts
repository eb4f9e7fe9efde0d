import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { beforeAll, expect, test, vi } from 'vitest'
import { longOnly } from '../../support/case-count.ts'
import { afterFile } from '../../support/cleanup.ts'
import { hangMs } from '../../support/hang-timeout.ts'
import { keys } from '../../support/terminal.ts'
import { filledPlace, parley, programInShell } from '../support/built-program.ts'
import { holdings } from '../support/holdings.ts'
import { atTerminal } from '../support/program-terminal.ts'

// What a command asks for when it is run by hand without all it needs, and what it asks before it takes something away.

const at = await filledPlace()

// What an assistant uses is deleted by its name only: these tests are about what is asked with yes or no.
beforeAll(async () => {
  for (const id of [1, 2]) expect((await parley(`assistants update ${id} --tool-ids []`, { at })).exitCode).toBe(0)
})

test('a missing id is picked from a list that is filtered by typing', async () => {
  const { exitCode, screen, stdout } = await atTerminal(
    'tools get',
    [
      ['lookup_patient', 'book'],
      ['❯ book_appointment', keys.enter],
    ],
    { at, stdoutToFile: true },
  )
  expect([exitCode, screen]).toEqual([0, expect.stringContaining('Which tool?')])
  expect(stdout).toContain('book_appointment')
  expect(stdout).not.toContain('lookup_patient')
})

test('line by line a choice is picked by its number', async () => {
  const { exitCode, screen, stdout } = await atTerminal(
    'tools get',
    [['1. lookup_patient'], ['Enter a number from 1 to', `1${keys.enter}`]],
    {
      at,
      env: { ACCESSIBLE: '1' },
      stdoutToFile: true,
    },
  )
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('lookup_patient')])
  expect(screen).not.toContain('❯')
})

test.each([
  ['Enter', keys.enter, 10],
  ['Ctrl-C', keys.ctrlC, 130],
  ...longOnly<[string, string, number]>(['n', `n${keys.enter}`, 10], ['the end of input', keys.ctrlD, 130]),
])('deleting a picked resource asks first, and %s deletes nothing', async (_, answer, code) => {
  const before = holdings(at)
  const { exitCode, stdout } = await atTerminal(
    'tools delete',
    [
      ['lookup_patient', keys.enter],
      ['(y/N)', answer],
    ],
    { at, stdoutToFile: true },
  )
  expect([exitCode, stdout]).toEqual([code, ''])
  expect(holdings(at)).toEqual(before)
})

test('a tour step by step runs each command when Enter was pressed, and ends with Ctrl-C', async () => {
  const { exitCode, screen } = await atTerminal(
    'demo --step',
    [
      ['$ parley whoami'],
      ['Enter runs it', keys.enter],
      ['Northwind Dental'],
      ['$ parley keys list'],
      ['Enter runs it', keys.ctrlC],
    ],
    { at },
  )
  expect(exitCode).toBe(130)
  expect(screen).not.toContain('Last used')
})

test('only what was confirmed is deleted', async () => {
  const before = holdings(at)
  const { exitCode, screen } = await atTerminal(
    'tools delete',
    [
      ['lookup_patient', keys.down],
      ['❯ book_appointment', keys.enter],
      ['Delete tool', `y${keys.enter}`],
    ],
    { at },
  )
  expect([exitCode, screen]).toEqual([0, expect.stringMatching(/deleted/i)])
  expect(holdings(at).tools).toEqual(before.tools.filter((it) => it !== 'book_appointment'))
})

test.each([
  ['typed before anything is drawn', '', 'zzz'],
  ...longOnly(['typed as fast as possible', 'lookup_patient', 'zzz']),
])('a name without a match selects nothing, %s', async (_, first, typed) => {
  const before = holdings(at)
  const { exitCode, screen } = await atTerminal(
    'tools delete',
    [
      [first, `${typed}${keys.enter}${keys.enter}`],
      ['Which tool?', first === '' ? `${typed}${keys.enter}` : undefined],
      ['No results', keys.enter],
      ['No results', keys.ctrlC],
    ].map(([text, type]) => (type === undefined ? [text as string] : [text as string, type])),
    { at },
  )
  expect(exitCode).toBe(130)
  expect(screen).not.toContain('(y/N)')
  expect(holdings(at)).toEqual(before)
})

test('a y typed before the question deletes nothing', async () => {
  const before = holdings(at)
  for (const env of [{}, { ACCESSIBLE: '1' }]) {
    const { exitCode, screen } = await atTerminal(
      'tools delete 1',
      [
        ['', `y${keys.enter}y`],
        ['(y/N)', keys.enter],
      ],
      { at, env },
    )
    expect([exitCode, screen]).toEqual([10, expect.stringContaining('Cancelled.')])
  }
  expect(holdings(at)).toEqual(before)
})

test.each([
  ['left as it is', 'true', 0, 'No changes.'],
  ['changed', "sed -i 's/^timeout: .*/timeout: 29/'", 0, 'timeout: 15 -> 29'],
])('a record that is opened in an editor and %s', async (_, editor, code, text) => {
  const own = await filledPlace()
  const { exitCode, screen } = await atTerminal('tools update 2 --edit', [], { at: own, env: { EDITOR: editor } })
  expect([exitCode, screen]).toEqual([code, expect.stringContaining(text)])
  const { timeout } = JSON.parse((await parley('tools get 2 --json', { at: own })).stdout)
  expect(timeout).toBe(editor.startsWith('sed') ? 29 : 15)
})

test('releasing a number in use shows what is lost, and a wrong number cancels it', async () => {
  const before = (await parley('numbers list --json', { at })).stdout
  const { exitCode, screen } = await atTerminal(
    'numbers release',
    [
      ['Which number?', 'Front'],
      ['Front desk', keys.enter],
      ['confirm:', `y${keys.enter}`],
    ],
    { at, columns: 200 },
  )
  expect(exitCode).toBe(10)
  expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
    /Release number \+\d+ \(\d+\)\? Its subscription ends with the billing period, without a refund\..* It is in use\. Type \+\d+ to confirm:/,
  )
  expect(screen).toMatch(/Calls to \+\d+ are no longer answered: "Front desk" \(1\) loses it\./)
  expect((await parley('numbers list --json', { at })).stdout).toBe(before)
})

test('a released number stays until the end of its billing period', async () => {
  const owned = JSON.parse((await parley('numbers list --json', { at })).stdout) as {
    nickname: string
    phone_number: string
  }[]
  const { phone_number: phone } = owned.find((it) => it.nickname === 'Front desk') as { phone_number: string }
  expect(
    (
      await atTerminal(
        'numbers release',
        [
          ['Which number?', 'Front'],
          ['Front desk', keys.enter],
          ['confirm:', `${phone}${keys.enter}`],
        ],
        { at },
      )
    ).exitCode,
  ).toBe(0)
  const numbers = JSON.parse((await parley('numbers list --json', { at })).stdout) as {
    nickname: string
    ends_at: string | null
  }[]
  expect(numbers.filter((it) => it.ends_at !== null).map((it) => it.nickname)).toEqual(['Front desk'])
})

test('missing fields are prompted for, and invalid values again', async () => {
  const steps = [
    ['Name of the key:', `${'n'.repeat(300)}${keys.enter}`],
    ['255', `\x15by-hand${keys.enter}`],
  ] as const
  const { exitCode } = await atTerminal('keys create', steps, { at })
  expect(exitCode).toBe(0)
  expect(holdings(at).keys).toContain('by-hand')
})

test('a protected profile requires its exact name', async () => {
  const own = await filledPlace()
  await parley('profile set local --protected', { at: own })
  for (const [typed, code] of [
    ['', 10],
    ['locale', 10],
    ['local', 0],
  ] as const) {
    const { exitCode } = await atTerminal('keys create --name guarded', [['confirm:', `${typed}${keys.enter}`]], {
      at: own,
    })
    expect([typed, exitCode]).toEqual([typed, code])
  }
  expect((await parley('keys create --name scripted', { at: own })).exitCode).toBe(10)
  expect(holdings(own).keys.filter((it) => it === 'guarded' || it === 'scripted')).toEqual(['guarded'])
})

test.each([
  ['wide enough', 120, {}],
  ['narrow', 60, {}],
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

test('a terminal that is closed during a question ends the command with 129', async () => {
  const before = holdings(at)
  const file = join(at.dir, 'exit-code')
  // The shell survives the terminal, to write the exit code.
  const line = `trap '' HUP; ${programInShell} tools delete; echo $? > "${file}"`
  const terminal = spawn('bash', ['-c', line], { cwd: at.dir, env: { ...at.env } })
  afterFile(() => terminal.kill('SIGKILL'))
  const screen: string[] = []
  terminal.onData((text) => screen.push(text))
  await vi.waitUntil(() => screen.join('').includes('lookup_patient'), { timeout: hangMs })
  ;(terminal as unknown as { destroy(): void }).destroy()
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '', { timeout: hangMs })
  expect(readFileSync(file, 'utf8')).toBe('129\n')
  expect(holdings(at)).toEqual(before)
})
