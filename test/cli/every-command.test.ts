import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { forms } from '../../src/cli/output/form.ts'
import { allCommands } from '../../src/generate/reference.ts'
import { type Operator, operator, type Run } from '../harness.ts'

interface Line {
  readonly line: string
  /** Lines that must have been run before. */
  readonly after?: readonly string[]
  readonly prints: 'list' | 'record'
  readonly fresh?: boolean
}

const made = '--name weather --description "Tell the weather" --endpoint https://weather.example --method GET'
const staging = 'profile set staging --url https://platform.example'
const bought = 'numbers buy +15005550006 --yes'

/** A line of every command that answers with data. */
const lines: readonly Line[] = [
  { line: 'keys list', prints: 'list' },
  { line: 'keys create --name laptop', prints: 'record' },
  { line: 'keys delete 2 --yes', prints: 'record' },
  { line: 'tools list', prints: 'list' },
  { line: 'tools get 2', prints: 'record' },
  { line: `tools create ${made}`, prints: 'record' },
  { line: 'tools update 2 --tool-timeout 20', prints: 'record' },
  { line: 'tools delete 2 --yes', prints: 'record' },
  { line: 'numbers search --country GB', prints: 'list' },
  { line: bought, prints: 'record' },
  { line: 'numbers list', prints: 'list' },
  { line: 'numbers update 1 --nickname Reception', prints: 'record' },
  { line: 'numbers release 1 --yes', prints: 'record' },
  { line: 'profile list', prints: 'list' },
  { line: 'profile show --origin', prints: 'record' },
  { line: staging, prints: 'record' },
  { line: 'profile use staging', after: [staging], prints: 'record' },
  { line: 'profile remove staging --yes', after: [staging], prints: 'record' },
  { line: 'server status', prints: 'record' },
  { line: 'server stop', prints: 'record' },
  { line: 'server seed --seed 7', prints: 'record', fresh: true },
  { line: 'server reset --seed 7 --yes', prints: 'record' },
  { line: 'server accounts list', prints: 'list' },
  { line: 'server accounts create --name Second', prints: 'record' },
  { line: 'server accounts update 1 --top-up 5', prints: 'record' },
  { line: 'server accounts ledger 1', prints: 'list' },
  { line: 'server clock show', prints: 'record' },
  { line: 'server clock freeze', prints: 'record' },
  { line: 'server clock advance 1h', prints: 'record' },
  { line: 'server clock resume', prints: 'record' },
  { line: 'ops list', after: [bought], prints: 'list' },
  { line: 'ops reconcile', prints: 'list' },
  { line: 'whoami', prints: 'record' },
  { line: 'api --list', prints: 'list' },
]

/** Commands that print text whatever form is asked for, or end only when they are told to. */
const text = ['help', 'completion', 'demo', 'server start']

const plainTerminals = { NO_COLOR: '1', CI: '1', TERM: 'dumb' }

async function perform({ line, after = [], fresh = false }: Line, more: string): Promise<{ ran: Run; by: Operator }> {
  const by = operator({ fresh, env: plainTerminals })
  for (const it of after) expect((await by.run(it)).exitCode, it).toBe(0)
  return { ran: await by.run(`${line} ${more}`), by }
}

const linesOf = (stdout: string): string[] => stdout.split('\n').slice(0, -1)
/** What differs between two runs: ids of requests and of journal entries. */
const steady = (stdout: string): string => stdout.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>').replaceAll(/parley-operator-\w+/g, '<folder>')

test('a line stands here for every command', async () => {
  const commands = (await allCommands()).map(([words]) => words)
  const seen = commands.filter((words) => lines.some(({ line }) => `${line} `.startsWith(`${words} `)))
  expect(commands.filter((it) => !seen.includes(it) && !text.includes(it))).toEqual([])
})

describe.each(lines)('parley $line', (it) => {
  test('answers the same data in json, yaml and ndjson', async () => {
    const { ran: json } = await perform(it, '-o json')
    expect(json).toMatchObject({ exitCode: 0 })
    const data: unknown = JSON.parse(steady(json.stdout))
    expect(Array.isArray(data)).toBe(it.prints === 'list')
    const { ran: yaml } = await perform(it, '-o yaml')
    expect(parseYaml(steady(yaml.stdout))).toEqual(data)
    const { ran: ndjson } = await perform(it, '-o ndjson')
    expect(linesOf(steady(ndjson.stdout)).map((line) => JSON.parse(line))).toEqual(it.prints === 'list' ? data : [data])
  })

  test('answers rows of equal length in tsv and in a table that is piped', async () => {
    for (const form of it.prints === 'list' ? ['tsv', 'table'] : ['tsv']) {
      const { ran } = await perform(it, `-o ${form}`)
      expect(ran.exitCode).toBe(0)
      const rows = linesOf(ran.stdout).map((line) => line.split('\t').length)
      expect(new Set(rows).size, ran.stdout).toBeLessThanOrEqual(1)
      const { ran: bare } = await perform(it, `-o ${form} --no-header`)
      expect(linesOf(steady(bare.stdout))).toEqual(linesOf(steady(ran.stdout)).slice(1))
    }
  })

  test('answers one word an item with -o id', async () => {
    const { ran } = await perform(it, '-o id')
    expect(ran).toMatchObject({ exitCode: 0 })
    for (const line of linesOf(ran.stdout)) expect(line).toMatch(/^[^\t{[]+$/)
    const { ran: json } = await perform(it, '-o json')
    const data = JSON.parse(json.stdout)
    expect(linesOf(ran.stdout)).toHaveLength(Array.isArray(data) ? data.length : 1)
  })

  test('keeps data off stderr, and colour and boxes off both', async () => {
    for (const form of forms) {
      const { ran } = await perform(it, `-o ${form}`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(ran.stdout + ran.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|[│─┌]/)
      for (const line of linesOf(ran.stderr)) expect(line, form).not.toMatch(/^[{["]|\t|^\d+$/)
      const { ran: quiet } = await perform(it, `-o ${form} --quiet`)
      expect(quiet.stderr).toBe('')
      expect(steady(quiet.stdout)).toBe(steady(ran.stdout))
    }
  })
})
