import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { riskOf } from '../../../src/cli/program/commandline/command.ts'
import { formats } from '../../../src/cli/program/output/format.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { parseCsv } from '../../../src/node/parse-csv.ts'
import { postgresCommands } from '../../support/postgres-commands.ts'
import { splitWords } from '../../support/split-words.ts'
import { type Finished, newPlace, parley, program, run as runProgram } from '../support/built-program.ts'
import { serve } from '../support/server-process.ts'

// What every reading command of the built program prints can be parsed. A process for each command in each form would take a minute: here each command has
// one form, another than the one before it, and a few have them all; test/cli/reference/command-reference/every-form.ts has all of both, in process.

/** Commands that print text in any output form, run until they are stopped, or need another database. */
const others = new Set(['demo', 'completion', 'help', 'mcp', 'events listen', ...postgresCommands])
/** Replacements for examples that need files or resources which the sample data does not have. */
const instead: Readonly<Record<string, string>> = {
  'automate diff': '"Opening hours" --file flow.json',
  'automate test': '"Opening hours"',
  'automate lint': '--file flow.json',
  'automate pull': '--folder flows --dry-run',
  'server deliveries get': '',
  'history get': '',
  'history diff': '',
  'ops get': '',
  'ops wait': '',
  schema: 'tools.update',
  api: '--list',
}

const trigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
const step = {
  type: 'CODE',
  settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
}

const at = newPlace()
beforeAll(async () => {
  expect((await parley('server seed --seed 7', { at })).exitCode).toBe(0)
  expect((await parley('pull', { at })).exitCode).toBe(0)
  writeFileSync(join(at.dir, 'flow.json'), JSON.stringify({ trigger, steps: [step] }))
  const rubric = 'version: 1\nname: Short\ncriteria:\n  - {id: short, check: {max_messages: 100}}\n'
  writeFileSync(join(at.dir, 'rubric.yaml'), rubric)
  await serve(at)
  for (const line of [
    'server sheets create contacts --columns Name',
    'server snapshot save before-tests',
    'messaging send --sender 1 --template opening_hours --to +14155550111',
  ])
    expect((await parley(line, { at })).exitCode, line).toBe(0)
})

const reading = (await allCommands()).flatMap(([words, command]) => {
  const example = (instead[words] ?? command.examples[0] ?? '').replace('Greeting', '"Opening hours"')
  return riskOf(command) === 'read' && !others.has(words) && !(words in instead && example === '')
    ? [`${words} ${example}`.trim()]
    : []
})

/** What a script in some form would do with it; throws where that fails. */
const readers: Readonly<Record<(typeof formats)[number], (text: string) => unknown>> = {
  json: JSON.parse,
  yaml: (text) => parseYaml(text),
  ndjson: (text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((it) => JSON.parse(it)),
  tsv: rectangular,
  csv: (text) => {
    const lengths = new Set(parseCsv(text, ',').rows.map((it) => it.length))
    if (lengths.size > 1) throw new Error(`Rows of ${[...lengths].join(', ')} cells: ${text}`)
  },
  table: (text) => text,
  id: (text) => {
    for (const line of text.split('\n').slice(0, -1)) if (!/^[^\t{[]+$/.test(line)) throw new Error(`no id: ${line}`)
  },
}

function rectangular(text: string): void {
  const lengths = new Set(
    text
      .split('\n')
      .slice(0, -1)
      .map((it) => it.split('\t').length),
  )
  if (lengths.size > 1) throw new Error(`Rows of ${[...lengths].join(', ')} cells: ${text}`)
}

const expectReadable = async (line: string, format: (typeof formats)[number]): Promise<void> => {
  const { exitCode, stdout, stderr }: Finished = await parley([...splitWords(line), '-o', format], { at })
  // A check that finds something has its result on stdout too.
  expect([0, 20], `${line}: ${stderr}`).toContain(exitCode)
  expect(() => readers[format](stdout), `${line} -o ${format}`).not.toThrow()
  expect(stdout).not.toContain('\x1b')
  expect(stdout === '' || stdout.endsWith('\n'), line).toBe(true)
}

test('many commands are tested', () => expect(reading.length).toBeGreaterThan(45))

describe('every reading command', () => {
  test.concurrent.each(reading.map((line, n) => [line, formats[n % formats.length] ?? 'json'] as const))(
    '%s -o %s',
    expectReadable,
  )
})

describe.each(['tools list', 'doctor'])('%s in every output format', (line) => {
  test.concurrent.each(formats)('%s', (format) => expectReadable(line, format))
})

test('a script can loop over the output formats of a list', async () => {
  const loop = 'for f in table json ndjson yaml tsv csv id; do "$@" numbers list -o $f || exit; done | wc -l'
  const { exitCode, stdout } = await runProgram('bash', ['-o', 'pipefail', '-c', loop, 'bash', ...program], {
    at,
  })
  expect([exitCode, Number(stdout)]).toEqual([0, expect.any(Number)])
  expect(Number(stdout)).toBeGreaterThan(20)
})
