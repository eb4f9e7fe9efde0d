import { describe, expect, test } from 'vitest'
import type { Column } from '../../../src/cli/output/form.ts'
import { columnValue } from '../../../src/cli/output/tables/columns.ts'
import { textWidth } from '../../../src/cli/terminal/text-width.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { type Operator, operator } from '../../support/operator.ts'

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

const commands = new Map((await allCommands()).map(([words, it]) => [words, it]))
const columnsOf = (line: string): readonly Column<never>[] =>
  commands.get(line.replace(/ (\d+|-).*$/, ''))?.view?.columns ?? []

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
        for (const column of typed(line)) expect(stdout).toContain(String(columnValue(item, column)))
      // A single word may be wider than the terminal, and so may a whole address.
      for (const it of stdout.split('\n'))
        if (textWidth(it) > columns) expect(it.trim().split(/\s+/).length, it).toBeLessThan(3)
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

test('a template has its full name at 80 columns, and a journal entry its id', async () => {
  const by = operator()
  await by.run('numbers buy +15005550006 --yes')
  const templates = (await by.run('messaging templates 1 --no-color', { terminal: true, columns: 80 })).stdout
  expect(templates).toMatch(/^ID {2}Name +Language/)
  expect(templates).toContain('  appointment_reminder  ')
  const [spend] = await by.json('ops list')
  expect((await by.run('ops list --no-color', { terminal: true, columns: 80 })).stdout).toMatch(
    new RegExp(`^ID.*\\n${spend.id} `),
  )
  expect((await by.run('ops list', { terminal: true, columns: 40 })).stdout).toContain(`\n  ${spend.id}\n`)
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
  expect(stdout).toMatch(/^ID +Type +Assistant +Updated/)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'Hidden columns: Messages, AI, Status, Cost, Created. Show them with',
  )
})

test('a colored status fits the terminal like any other value', async () => {
  const { stdout } = await operator().run('campaigns get 1 --color always', { terminal: true, columns: 40 })
  expect(stdout).toMatch(/Status\S*\n {2}\S*paused/)
})

test('an automation without a binding shows a dash', async () => {
  expect((await operator().run('automate list')).stdout).toMatch(/\tOpening hours\tenabled\t-\n/)
})
