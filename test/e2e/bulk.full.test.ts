import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keys } from '../support/terminal.ts'
import { newPlace, type Place, parley, start } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'
import { serve } from './support/server-process.ts'

// Rows of files through the built program, which is killed, stopped and run twice at a time.

const seededLeads = 6
const numberOf = (n: number): string => `+1415${5_000_000 + n}`

function withRows(name: string, rows: number): Place {
  const at = newPlace()
  const lines = Array.from({ length: rows }, (_, n) => `${numberOf(n)},"Anna ${n}, B",Monday\n`)
  writeFileSync(join(at.dir, name), `phone,first_name,appointment_day\n${lines.join('')}`)
  return at
}

const importing = 'leads import --campaign 1 --file leads.csv'
const result = (stdout: string): Record<string, number> => JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')

async function leadsOf(at: Place): Promise<string[]> {
  const { stdout } = await parley('leads list --campaign 1 --all -o tsv --fields phone_number --no-header', { at })
  return stdout.trim().split('\n')
}

/** A bulk send from the sender without a limit, with any template it has. */
async function sendingOf(at: Place): Promise<string> {
  const { stdout } = await parley('messaging templates 2 --json', { at })
  const [first] = JSON.parse(stdout) as { id: number; variables: string[] }[]
  return `messaging send --sender 2 --template ${first?.id} --file people.csv --yes ${(first?.variables ?? []).map((it) => `--var ${it}=x`).join(' ')}`.trim()
}

/** Charges for messages. */
async function charges(at: Place): Promise<string[]> {
  const { stdout } = await parley('server accounts ledger 1 --json', { at })
  return (JSON.parse(stdout) as { reason: string }[])
    .map((it) => it.reason)
    .filter((it) => it.startsWith('Message to +14155'))
}

describe('killed with kill -9', () => {
  test('an import resumes where it stopped: no lead twice, no finished row sent again', async () => {
    const rows = 20_000
    const at = withRows('leads.csv', rows)
    await parley('leads list', { at })
    for (const items of [1, 6000, 13_000]) {
      const run = start(`${importing} -o ndjson`, { at })
      await run.until(`"line":${items + 1},`)
      run.kill('SIGKILL')
      await run.ended
    }
    const { exitCode, stdout } = await parley(`${importing} --json`, { at })
    const last = JSON.parse(stdout)
    expect([exitCode, last.rows, last.done + last.done_before, last.already, last.failed, last.left]).toEqual([
      0,
      rows,
      rows,
      0,
      0,
      0,
    ])
    // At most the rows that were in progress when it was killed, and those of the tenth of a second before.
    expect(last.done_before).toBeGreaterThan(700)
    const leads = await leadsOf(at)
    expect([leads.length, new Set(leads).size]).toEqual([rows + seededLeads, rows + seededLeads])
    const again = await parley(`${importing} --verbose`, { at })
    expect([again.exitCode, again.stderr.match(/POST/g)]).toEqual([0, null])
  })

  test('a server loses no lead of an import and creates none twice, and the import continues without it', async () => {
    const rows = 9000
    const at = withRows('leads.csv', rows)
    await parley('leads list', { at })
    const server = await serve(at)
    const run = start(`${importing} -o ndjson`, { at })
    await run.until('"line":2,')
    server.process.kill('SIGKILL')
    await server.process.ended
    await run.ended
    const { exitCode, stdout } = await parley(`${importing} --json`, { at })
    const last = JSON.parse(stdout)
    expect([exitCode, last.done + last.done_before, last.failed, last.left]).toEqual([0, rows, 0, 0])
    const leads = await leadsOf(at)
    expect([leads.length, new Set(leads).size]).toEqual([rows + seededLeads, rows + seededLeads])
  })

  test('messages are sent and paid for once each', async () => {
    const rows = 14
    const at = withRows('people.csv', rows)
    const line = await sendingOf(at)
    // Messages in progress end in any order: the second run is killed after any one of them.
    for (const mark of ['"line":2,', '"type":"item"']) {
      const run = start(`${line} -o ndjson`, { at })
      await run.until(mark)
      run.kill('SIGKILL')
      await run.ended
    }
    const { exitCode, stdout, stderr } = await parley(`${line} --json`, { at })
    const last = JSON.parse(stdout)
    expect([exitCode, last.done + last.done_before, last.unknown, last.failed], stderr).toEqual([0, rows, 0, 0])
    const paid = await charges(at)
    expect([paid.length, new Set(paid).size]).toEqual([rows, rows])
    expect(JSON.parse((await parley('ops list --open --json', { at })).stdout)).toEqual([])
  })
})

test('two processes with the same rows: the second is refused, and names the first', async () => {
  const at = withRows('people.csv', 45)
  const line = await sendingOf(at)
  const first = start(`${line} -o ndjson`, { at })
  await first.until('"line":3,')
  // On a busy machine the second would start after the first has ended.
  process.kill(first.pid, 'SIGSTOP')
  const second = await parley(line, { at })
  process.kill(first.pid, 'SIGCONT')
  expect([second.exitCode, second.stdout, second.stderr]).toEqual([
    5,
    '',
    expect.stringContaining(`Process ${first.pid} is sending the rows of people.csv`),
  ])
  const { exitCode, stdout } = await first.ended
  expect([exitCode, result(stdout).done]).toEqual([0, 45])
  expect(await charges(at)).toHaveLength(45)
})

test.each([
  ['Ctrl-C', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
] as const)('%s ends cleanly, and the same command sends the rest', async (_, signal, code) => {
  // Five messages a second: enough of them remain while this process notices the third one.
  const rows = 45
  const at = withRows('people.csv', rows)
  const line = await sendingOf(at)
  const run = start(`${line} -o ndjson`, { at, env: {} })
  await run.until('"line":3,')
  run.kill(signal)
  const { exitCode, stderr } = await run.ended
  expect([exitCode, stderr]).toEqual([
    code,
    expect.stringMatching(/Stopped: \d+ of 45 rows are done\. Run the same command again to resume\./),
  ])
  const { stdout } = await parley(`${line} --json`, { at })
  expect(result(stdout.replaceAll('\n', '')).done_before).toBeGreaterThan(0)
  expect(await charges(at)).toHaveLength(rows)
  expect(readdirSync(join(at.data, 'bulk')).filter((it) => !/\.(ledger|reached)$/.test(it))).toEqual([])
})

test('the rate limit is respected: 20 messages take at least three seconds', async () => {
  const at = withRows('people.csv', 20)
  const line = await sendingOf(at)
  const last = result((await parley(`${line} -o ndjson`, { at })).stdout)
  expect(last.done).toBe(20)
  expect(last.seconds).toBeGreaterThan(3)
})

/** What was drawn in place, each time. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const drawnLines = (drawn: string): string[] => [...drawn.matchAll(/\r([^\r\n]+)\x1b\[K/g)].map((it) => it[1] as string)

test.each([
  [80, {}],
  [200, {}],
  [80, { NO_COLOR: '1' }],
] as const)(
  'on a terminal of %i columns an import is previewed, confirmed, interrupted and resumed (%o)',
  async (columns, env) => {
    const at = withRows('leads.csv', 8_000)
    const options = { at, columns, env: { ...env, LANG: 'C.UTF-8' } }
    const first = await atTerminal(
      importing,
      [
        ['leads.csv: 8,000 rows, 8,000 numbers'],
        ['phone            -> phone_number'],
        ['first_name       -> variable first_name'],
        ['+14155000000  first_name=Anna 0, B  appointment_day=Monday'],
        ['Import 8,000 leads into "Call back" (1)?', `y${keys.enter}`],
        [' left', keys.ctrlC],
      ],
      options,
    )
    expect([first.exitCode, first.screen]).toEqual([
      130,
      expect.stringMatching(
        /Stopped: [\d,]+ of 8,000 rows are done\.\s+Run\s+the\s+same\s+command\s+again\s+to\s+resume\./,
      ),
    ])
    const drawn = drawnLines(first.drawn)
    expect(drawn.length).toBeGreaterThan(0)
    for (const line of drawn) {
      expect(line).toMatch(/^([█░]+ {2})?Importing [\d,]+ of 8,000 \(\d+ %\), [\d.,]+\/s(, [\d a-z]+ left)?$/)
      expect(line.length).toBeLessThan(columns)
    }
    const second = await atTerminal(importing, [['Import ', `y${keys.enter}`], ['were done before.']], options)
    expect([second.exitCode, second.screen]).toEqual([
      0,
      expect.stringMatching(/[\d,]+ leads imported in \d+ s; [\d,]+ were done before\./),
    ])
  },
)

test('in accessible mode nothing is redrawn', async () => {
  const at = withRows('leads.csv', 2000)
  const { exitCode, drawn, screen } = await atTerminal(importing, [['Import 2,000 leads', `y${keys.enter}`]], {
    at,
    env: { ACCESSIBLE: '1', LANG: 'C.UTF-8' },
  })
  expect([exitCode, screen]).toEqual([0, expect.stringContaining('2,000 leads imported')])
  expect(drawnLines(drawn)).toEqual([])
  expect(drawn).not.toMatch(/[█░]/)
})
