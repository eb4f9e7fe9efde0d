import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { describeCommands } from '../../../../src/cli/reference/command-reference/command-descriptions.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import type { Run } from '../../../support/operator.ts'
import { elsewhereTested, lines, linesOf, runsOf, stable, text } from './command-lines.ts'

// Each command with JSON, and those that read with one other form, in turn. every-form-*.full.test.ts has every command in every form and every surrounding.

test('every command has a line in this test', async () => {
  const commands = (await allCommands()).map(([words]) => words)
  const seen = commands.filter((words) => lines.some(({ line }) => `${line} `.startsWith(`${words} `)))
  expect(
    commands.filter((it) => !seen.includes(it) && !text.includes(it) && !elsewhereTested.includes(it)),
    'Commands without a line. Add one to preparedLines of test/cli/reference/command-reference/command-lines.ts',
  ).toEqual([])
})

const preparation =
  'If the first example needs more than the sample data, add a line with "after" to preparedLines of command-lines.ts'
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })

/** Expects no color and no boxes, and no data on stderr. */
function expectPlain({ stdout, stderr }: Run): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|[│─┌]/)
  for (const line of linesOf(stderr)) expect(line).not.toMatch(/^[{["]|\t|^\d+$/)
}

test.each(lines.map((it, nth) => ({ ...it, nth })))(
  'parley $line: JSON as "parley commands" describes it, and no data on stderr',
  async (row) => {
    const { perform, reads } = runsOf(row)
    const json = await perform('-o json')
    expect(json, `${json.stderr}\n${preparation}`).toMatchObject({ exitCode: 0 })
    const data: unknown = JSON.parse(json.stdout)
    expect(Array.isArray(data)).toBe(row.prints === 'list')
    const { path } = findCommand(row.line.split(' '))
    const [described] = await describeCommands(path)
    expect(described?.output_schema, path.join(' ')).not.toBeNull()
    const isValid = ajv.compile(described?.output_schema as object)
    isValid(data)
    expect(isValid.errors ?? []).toEqual([])
    expectPlain(json)
    if (!(await reads)) return

    const form = (['yaml', 'tsv', 'id', 'table'] as const)[row.nth % 4]
    const other = await perform(`-o ${form}`)
    expect(other, other.stderr).toMatchObject({ exitCode: 0 })
    const rows = linesOf(other.stdout)
    if (form === 'yaml') expect(parseYaml(stable(other.stdout))).toEqual(JSON.parse(stable(json.stdout)))
    if (form === 'tsv')
      expect(new Set(rows.map((row) => row.split('\t').length)).size, other.stdout).toBeLessThanOrEqual(1)
    if (form === 'id') {
      // Where no server runs there is no address to print.
      const isNone = path.join(' ') === 'server status' && rows.length === 0
      if (!isNone) expect(rows).toHaveLength(Array.isArray(data) ? data.length : 1)
      for (const row of rows) expect(row).toMatch(/^[^\t{[]+$/)
    }
    expectPlain(other)
  },
)
