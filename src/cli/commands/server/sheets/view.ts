import type { Sheet, SheetRow } from '../../../../contract/control/sheets.ts'
import type { CommandFlag } from '../../../commandline/command.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { itemShape } from '../../../output/tables/item-shape.ts'

export const argument = { name: 'name', describe: 'Name of the spreadsheet' } as const

export const sheetView: View<Sheet> = {
  id: (it) => it.name,
  columns: [
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'sheet', title: 'Sheet', priority: 2 },
    { key: 'rows', title: 'Rows', priority: 1, kind: 'number' },
    { key: (it) => it.file ?? 'database', field: 'file', title: 'Stored in', priority: 3, flexible: true },
  ],
  empty: 'No spreadsheets. Create one: parley server sheets create <name> --columns Name,Phone.',
}

export const rowFlag: CommandFlag = {
  flags: '--row <n>',
  describe: 'Number of the row, as "parley server sheets rows" shows it; the header is row 1',
  field: 'row',
}

export const cellFlag: CommandFlag = {
  flags: '--cell <column=value>',
  describe: 'Value of a cell, by the header or the letters of its column; repeatable',
  repeatable: true,
}

const cellsOf = ({ values }: SheetRow): string =>
  Object.entries(values)
    .map(([column, value]) => `${column}: ${value}`)
    .join(', ')

export const rowView: View<SheetRow> = {
  id: (it) => it.number,
  columns: [
    { key: 'number', title: 'Row', priority: 1, kind: 'number' },
    { key: cellsOf, field: 'cells', title: 'Cells', priority: 1, flexible: true },
  ],
  empty: 'No rows. Add one: parley server sheets add-row <name> --cell <column=value>.',
}

/** Prints the result of a write: what was written for programs, a sentence for people. */
export async function printWritten({ out, command }: Context, message: string, written: object): Promise<void> {
  if (out.settings.form === 'table' && out.settings.fields === undefined) await out.done(message)
  else await out.record(written, itemShape(command) as never)
}
