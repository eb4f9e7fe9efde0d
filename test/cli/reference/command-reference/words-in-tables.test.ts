import { expect, test } from 'vitest'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { elementOf, recordField } from '../../../../src/cli/program/lists/record-fields.ts'
import { columnField } from '../../../../src/cli/program/output/fields.ts'
import type { Column } from '../../../../src/cli/program/output/format.ts'
import { withEnumKind } from '../../../../src/cli/program/output/tables/columns.ts'
import { itemShape } from '../../../../src/cli/program/output/tables/item-shape.ts'
import { describeCommands } from '../../../../src/cli/reference/command-reference/command-descriptions.ts'
import { printedSchema } from '../../../../src/cli/reference/command-reference/printed-schema.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { lines, linesOf, runsOf } from './command-lines.ts'

/** Returns the values of all enums in a JSON Schema. */
function enumValues(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum.filter((it) => typeof it === 'string') : []
  return [...own, ...Object.values(schema).flatMap(enumValues)]
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const isWord = (text: string): boolean => methods.includes(text) || !/_|^[A-Z-]+$/.test(text)

test.each(lines.filter((it) => !it.isSpoken && !it.isDocument))(
  'parley $line: a table has words where JSON has values of an enum',
  async (row) => {
    const { path } = findCommand(row.line.split(' '))
    const [described] = await describeCommands(path)
    const raw = new Set(enumValues(described?.output_schema).filter((value) => !isWord(value)))
    if (raw.size === 0) return
    const { stdout, exitCode } = await runsOf(row).perform('-o table')
    expect(exitCode).toBe(0)
    const cells = linesOf(stdout).flatMap((line) => line.split('\t'))
    expect(cells.filter((cell) => raw.has(cell))).toEqual([])
  },
)

test('every column of a field with such values shows words', async () => {
  const wrong: string[] = []
  for (const [words, command] of await allCommands()) {
    const printed = printedSchema(words, command)
    if (!printed || !command.view) continue
    const item = elementOf(printed) ?? printed
    for (const column of command.view.columns as readonly Column<unknown>[]) {
      const field = columnField(column)
      const allowed = field === undefined ? undefined : recordField(item, field).allowed
      if (!allowed?.some((value) => value.includes('_'))) continue
      const { kind, key } = withEnumKind(column, itemShape(command).schema)
      if (typeof key === 'string' && kind !== 'status' && kind !== 'choice') wrong.push(`${words}: ${field}`)
      if (typeof key !== 'string') console.log(words, field, String(key))
    }
  }
  expect(wrong).toEqual([])
})
