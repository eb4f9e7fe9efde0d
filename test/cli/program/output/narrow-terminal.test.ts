import { describe, expect, test } from 'vitest'
import { matchingId } from '../../../../src/cli/program/input/shortened-ids.ts'
import { type Column, leastIdLength } from '../../../../src/cli/program/output/format.ts'
import { columnValue } from '../../../../src/cli/program/output/tables/columns.ts'
import { shortenedIds } from '../../../../src/cli/program/output/tables/table.ts'
import { textWidth } from '../../../../src/cli/program/terminal/text-width.ts'
import { stateText } from '../../../../src/contract/values/states.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const lists = [
  'keys list',
  'tools list',
  'numbers search',
  'numbers list',
  'messaging senders --status all',
  'messaging templates 1 --status all',
  'assistants list',
  'models list',
  'synthesizers list',
  'transcribers list',
  'voices list',
  'languages list',
  'folders list',
  'labels list',
  'knowledge list',
  'knowledge documents list 1',
  'sip-trunks list',
  'profile list',
  'server accounts list',
  'server accounts ledger 1',
  'ops list',
  'campaigns list',
  'leads list',
  'conversations list',
  'calls list',
  'api --list',
]

const commands = new Map((await allCommands()).map(([words, command]) => [words, command]))
const columnsOf = (line: string): readonly Column<never>[] =>
  commands.get(line.replace(/ (\d+|-).*$/, ''))?.view?.columns ?? []

const hasLongIds = (line: string): boolean => commands.get(line.replace(/ (\d+|-).*$/, ''))?.view?.hasLongIds === true

/** What people type into the next command: it has to be there, and whole. */
const typed = (line: string): Column<never>[] => columnsOf(line).filter((it) => it.priority === 1)

describe('ids and names that people type', () => {
  let someone: Promise<Operator> | undefined
  const buyer = async (): Promise<Operator> => {
    const by = operator({ lasts: 'file' })
    expect((await by.run('numbers buy +15005550006 --yes')).exitCode).toBe(0)
    return by
  }

  describe.each([80, 60, 40])('are complete on a terminal of %d columns', (columns) => {
    test.each(lists)('%s', async (line) => {
      const { run, json } = await (someone ??= buyer())
      const { exitCode, stdout } = await run(line, { terminal: true, columns })
      expect(exitCode).toBe(0)
      const items = (await json(line)) as never[]
      expect(items.length).toBeGreaterThan(0)
      expect(typed(line).length).toBeGreaterThan(0)
      for (const item of items)
        for (const column of typed(line)) {
          const value = columnValue(item, column)
          const text = column.kind === 'status' || column.kind === 'choice' ? stateText(String(value)) : String(value)
          // Commands accept the beginning of a long id.
          const isShort = hasLongIds(line) && column.key === 'id' && !stdout.includes(text)
          expect(stdout).toContain(isShort ? `${text.slice(0, leastIdLength)}…` : text)
        }
      // A single word may be wider than the terminal, and so may a whole address.
      for (const word of stdout.split('\n'))
        if (textWidth(word) > columns) expect(word.trim().split(/\s+/).length, word).toBeLessThan(3)
    })
  })

  test.each(lists)('are the last column that is dropped, and never cut: %s', (line) => {
    const names = ['id', 'name', 'phone_number', 'iso_2', 'key']
    const views = columnsOf(line)
    expect(
      views
        .filter((it) => names.includes(String(it.key)) && it.priority !== 1 && it.title !== 'Key')
        .map((it) => it.title),
    ).toEqual([])
    expect(views.filter((it) => it.priority === 1 && it.flexible).map((it) => it.title)).toEqual([])
  })
})

test('a template has its full name at 80 columns', async () => {
  const by = operator()
  const templates = (await by.run('messaging templates 1 --no-color', { terminal: true, columns: 80 })).stdout
  expect(templates).toMatch(/^ID {2}Name +Language/)
  expect(templates).toContain('  appointment_reminder  ')
})

test('at 80 columns, every list shows what it cost, how long it took and when', async () => {
  const by = operator({ lasts: 'file' })
  await by.run('numbers buy +15005550006 --yes')
  await by.run('messaging send --sender 1 --template 2 --to +14155550142')
  for (const line of [
    ...lists,
    'messaging list',
    'automate list',
    'automate runs list',
    'billing usage',
    'history list',
  ]) {
    const { exitCode, stderr } = await by.run(line, { terminal: true, columns: 80 })
    expect(exitCode, line).toBe(0)
    const [, hidden = ''] = /Hidden columns: (.*?)\. Show/.exec(stderr.replaceAll(/\s+/g, ' ')) ?? []
    expect(
      hidden.split(', ').filter((it) => /^(Cost|Amount|Per month|Duration|When|Started|Sent|State|Status)$/.test(it)),
      line,
    ).toEqual([])
  }
})

describe('long ids are shortened where columns would be hidden', () => {
  const by = operator({ lasts: 'file' })
  const table = async (line: string) => by.run(`${line} --no-color`, { terminal: true, columns: 80 })

  test.each([
    ['conversations list', 'conversations get'],
    ['automate runs list', 'automate runs get'],
    ['ops list', 'ops show'],
  ])('%s: %s takes the shortened id, also with its ellipsis', async (list, get) => {
    await by.run('numbers buy +15005550006 --yes')
    const [{ id }] = await by.json(list)
    const short = id.slice(0, 8)
    const { stdout, stderr } = await table(list)
    expect(stdout).toContain(`\n${short}… `)
    expect(stdout).not.toContain(id)
    expect(stderr).toContain('--full-ids shows them whole')
    const whole = await by.run(`${get} ${id}`)
    expect(await by.run(`${get} ${short}`)).toMatchObject({ exitCode: 0, stdout: whole.stdout })
    expect(await by.run([...get.split(' '), `${short}…`])).toMatchObject({ exitCode: 0, stdout: whole.stdout })
    expect((await by.run(`${list} --full-ids`, { terminal: true, columns: 80 })).stdout).toContain(id)
    expect((await by.run(list)).stdout).toContain(id)
    expect((await by.run(`${list} --no-color`, { terminal: true, columns: 160 })).stdout).toContain(id)
  })

  test('an automation is found by the beginning of its id, after its name', async () => {
    const [{ id, name }] = await by.json('automate list')
    expect((await by.json(`automate get ${id.slice(0, 8)}`)).name).toBe(name)
    expect((await by.run(`automate get ${id.slice(0, 7)}`)).exitCode).toBe(4)
  })

  test('an unknown beginning is not found, and an ambiguous one is refused', async () => {
    expect((await by.run('conversations get 00000000')).exitCode).toBe(4)
    expect(() => matchingId(['abcdefgh1', 'abcdefgh2'], 'abcdefgh', 'run')).toThrow(
      'The ids of several runs begin with "abcdefgh"',
    )
  })

  test('equal beginnings are shown as far as they differ', () => {
    expect(shortenedIds(['abcdefghij-1-kl', 'abcdefghij-2-kl', 'zzzzzzzzzz-3-kl'])).toEqual([
      'abcdefghij-1…',
      'abcdefghij-2…',
      'zzzzzzzzzz-3…',
    ])
    expect(shortenedIds(['short-1', 'short-2'])).toBeUndefined()
  })
})

test.each(['leads list', 'calls list', 'campaigns list', 'conversations list'])(
  'at 40 columns no value of %s is dropped',
  async (line) => {
    const { stdout, stderr } = await operator().run(`${line} --no-color`, { terminal: true, columns: 40 })
    expect(stderr).not.toContain('Not shown')
    for (const { title } of columnsOf(line)) expect(stdout).toMatch(new RegExp(`^${title}(  |$)`, 'm'))
  },
)

test('columns that do not fit on a wider terminal are named', async () => {
  const { stdout, stderr } = await operator().run('conversations list --no-color', { terminal: true, columns: 80 })
  expect(stdout).toMatch(/^ID +Type +Customer +Status +Cost +Updated/)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('Hidden columns: Assistant, Messages, AI, Created. Show them with')
})

test('a colored status fits the terminal like any other value', async () => {
  const { stdout } = await operator().run('campaigns get 1 --color always', { terminal: true, columns: 40 })
  expect(stdout).toMatch(/Status\S*\n {2}\S*paused/)
})

test('an automation without a binding shows a dash', async () => {
  expect((await operator().run('automate list')).stdout).toMatch(/\tOpening hours\tenabled\t.*\t1 of 2\t-\n/)
})
