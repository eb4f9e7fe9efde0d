import { type SheetRow, sheets } from '../../../../contract/control/sheets.ts'
import { command } from '../../../commandline/command.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { printList } from '../../../output/print-list.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'
import { sheetName } from './prompts.ts'
import { argument, rowView } from './view.ts'

export const rows = command({
  endpoint: sheets.rows,
  argument,
  flags: [accountFlag],
  isList: true,
  examples: ['contacts', 'contacts --sheet Archive -o csv', 'contacts --filter values.Name=Ada --sort number --json'],
  notes: 'Tables, tsv and csv have a column for each column of the spreadsheet, after the number of the row.',
  view: rowView,
  async run(context, { argument: given, input, flags }) {
    const account = await resolveAccount(context, flags.account)
    const query = { ...input, account, name: await sheetName(context, given, account) }
    const { form, fields } = context.out.settings
    const isPlain = !context.globals.envelope && !context.globals.printCurl && fields === undefined
    if (!isPlain || (form !== 'table' && form !== 'csv' && form !== 'tsv'))
      return printList(context, sheets.rows, query)
    await printCells(context, (await context.call(sheets.rows, query as never)).data)
  },
})

/** Returns a row as tsv and csv print it. The fields that --filter and --sort read are not printed. */
function flatRow(it: SheetRow, names: readonly string[]): object {
  const row = { row: it.number, ...Object.fromEntries(names.map((name) => [name, it.values[name] ?? ''])) }
  for (const field of ['number', 'values'] as const)
    if (!Object.hasOwn(row, field)) Object.defineProperty(row, field, { value: it[field], enumerable: false })
  return row
}

/** Prints rows with a column for each column of the spreadsheet. */
async function printCells(context: Context, all: readonly SheetRow[]): Promise<void> {
  const { applyLimit } = await import('../../../output/print-list.ts')
  const data = applyLimit(context, all)
  const names = [...new Set(data.flatMap(({ values }) => Object.keys(values)))]
  const view: View<SheetRow> = {
    ...rowView,
    columns: [
      { key: 'number', title: 'Row', priority: 1, kind: 'number' },
      ...names.map((name, at) => ({
        key: ({ values }: SheetRow) => values[name] ?? '',
        title: name,
        priority: at + 2,
        flexible: true,
      })),
    ],
  }
  const isTable = context.out.settings.form === 'table'
  const items = isTable ? data : data.map((it) => flatRow(it, names))
  async function* batches(): AsyncIterable<readonly object[]> {
    if (items.length > 0) yield items
  }
  await context.out.pages(batches(), { view } as never)
}
