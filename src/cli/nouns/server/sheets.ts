// Commands of `server sheets`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type Sheet, type SheetRow, sheets } from '../../../contract/control/sheets.ts'
import { type CommandFlag, command, type Invocation, repeatedFlag } from '../../program/commandline/command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { parseVariables } from '../../program/input/parse-variables.ts'
import type { View } from '../../program/output/format.ts'
import { applyLimit, printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordArgument, recordFlag } from '../../program/prompts/equivalent-command.ts'
import { accountFlag, resolveAccount } from './connections.ts'

const missingName = (): never => {
  throw usageError('Missing name of the spreadsheet.', 'List spreadsheets: parley server sheets list.')
}

/** Returns the name of a spreadsheet, or prompts for one of the account. @throws ClientFailure `usage` without a terminal */
async function sheetName(context: Context, given: string | undefined, account: number): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) return missingName()
  const { data } = await context.call(sheets.list, { account })
  if (data.length === 0)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: 'No spreadsheets to choose from.',
      hint: 'Create one: parley server sheets create <name>.',
    })
  const names = [...new Set(data.map((it) => it.name))]
  const name = await (await context.prompts()).select('Which spreadsheet?', promptChoices(names, String))
  recordArgument(context, name)
  return name
}

/** Returns the name of a new spreadsheet, or prompts for it. @throws ClientFailure `usage` without a terminal */
async function newSheetName(context: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) return missingName()
  const name = await (await context.prompts()).input('Name of the spreadsheet:', {
    validate: (it) => it.trim() !== '' || 'Enter a name.',
  })
  recordArgument(context, name)
  return name
}

/** Returns the columns of a new spreadsheet, or prompts for them. @throws ClientFailure `usage` without a terminal */
async function sheetColumns(context: Context, given: unknown): Promise<readonly string[]> {
  if (given !== undefined) return given as readonly string[]
  if (!context.interactive)
    throw usageError('Missing --columns.', 'Pass the headers, for example --columns Name,Phone.')
  const text = await (await context.prompts()).input('Headers, separated by commas:', {
    validate: (it) => it.trim() !== '' || 'Enter at least one header.',
  })
  recordFlag(context, '--columns', text)
  return text.split(',').map((it) => it.trim())
}

/** Returns the number of `--row`, or prompts for it. @throws ClientFailure `usage` if it is invalid, or without a terminal */
async function rowNumber(context: Context, flags: Invocation['flags'], name: string): Promise<number> {
  const row = parseCount(flags.row as string | undefined, '--row')
  if (row !== undefined) return row
  if (!context.interactive)
    throw usageError('Missing --row.', `Pass the number of a row: parley server sheets rows ${name}.`)
  const text = await (await context.prompts()).input('Number of the row; the header is row 1:', {
    validate: (it) => /^[1-9]\d*$/.test(it) || 'Enter a number.',
  })
  recordFlag(context, '--row', text)
  return Number(text)
}

/** Returns the cells of `--values` and `--cell`, or prompts for one. @throws ClientFailure `usage` without a terminal */
async function cellValues(context: Context, { input, flags }: Invocation): Promise<Record<string, string>> {
  const hint = 'Example: --cell Name=Ada.'
  const values = {
    ...(input.values as Record<string, string> | undefined),
    ...parseVariables(repeatedFlag(flags, 'cell'), hint, '--cell'),
  }
  if (Object.keys(values).length > 0) return values
  if (!context.interactive) throw usageError('Missing --cell.', 'Pass at least one cell, for example --cell Name=Ada.')
  const text = await (await context.prompts()).input('Cell, such as Name=Ada:', {
    validate: (it) => it.indexOf('=') > 0 || 'Enter column=value.',
  })
  recordFlag(context, '--cell', text)
  return parseVariables([text], hint, '--cell')
}

const argument = { name: 'name', describe: 'Name of the spreadsheet' } as const

/** How spreadsheets are shown to people: titles and columns may change. Programs get the fields of the contract. */
const sheetView: View<Sheet> = {
  id: (it) => it.name,
  columns: [
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'sheet', title: 'Sheet', priority: 2 },
    { key: 'rows', title: 'Rows', priority: 1, kind: 'number' },
    { key: (it) => it.file ?? 'database', field: 'file', title: 'Stored in', priority: 3, flexible: true },
  ],
  empty: 'No spreadsheets. Create one: parley server sheets create <name> --columns Name,Phone.',
}

const rowFlag: CommandFlag = {
  flags: '--row <n>',
  describe: 'Number of the row, as "parley server sheets rows" shows it; the header is row 1',
  field: 'row',
}

const cellFlag: CommandFlag = {
  flags: '--cell <column=value>',
  describe: 'Value of a cell, by the header or the letters of its column; repeatable',
  repeatable: true,
}

const cellsOf = ({ values }: SheetRow): string =>
  Object.entries(values)
    .map(([column, value]) => `${column}: ${value}`)
    .join(', ')

const rowView: View<SheetRow> = {
  id: (it) => it.number,
  columns: [
    { key: 'number', title: 'Row', priority: 1, kind: 'number' },
    { key: cellsOf, field: 'cells', title: 'Cells', priority: 1, flexible: true },
  ],
  empty: 'No rows. Add one: parley server sheets add-row <name> --cell <column=value>.',
}

/** Prints the result of a write: what was written for programs, a sentence for people. */
async function printWritten({ out, command }: Context, message: string, written: object): Promise<void> {
  await out.result(written, message, itemShape(command))
}

export const addRow = command({
  endpoint: sheets.addRow,
  argument,
  flags: [cellFlag, accountFlag],
  examples: ['contacts --cell Name=Ada --cell Phone=+14155550142', `contacts --values '{"Name": "Ada"}'`],
  notes: 'A column that does not exist is added.',
  view: rowView,
  async run(context, invocation) {
    const account = await resolveAccount(context, invocation.flags.account)
    const name = await sheetName(context, invocation.argument, account)
    const values = await cellValues(context, invocation)
    const answer = await sendRequest(context, sheets.addRow, { ...invocation.input, values, account, name })
    if (answer) await printWritten(context, `${answer.message} Row: ${answer.data.number}`, answer.data)
  },
})

export const create = command({
  endpoint: sheets.create,
  argument,
  flags: [accountFlag],
  examples: ['contacts --columns Name,Phone', 'contacts --sheet Archive --columns Name,Phone --account 1'],
  view: sheetView,
  async run(context, { argument: given, input, flags }) {
    const name = await newSheetName(context, given)
    const columns = await sheetColumns(context, input.columns)
    const account = await resolveAccount(context, flags.account)
    const answer = await sendRequest(context, sheets.create, { ...input, columns, account, name })
    if (answer) await printWritten(context, answer.message, answer.data)
  },
})

export const deleteRow = command({
  endpoint: sheets.deleteRow,
  argument,
  flags: [rowFlag, accountFlag],
  examples: ['contacts --row 2 --yes'],
  notes: 'Later rows move up by one.',
  async run(context, { argument: given, input, flags }) {
    const account = await resolveAccount(context, flags.account)
    const name = await sheetName(context, given, account)
    const row = await rowNumber(context, flags, name)
    const query = { ...input, account, name, row }
    if (await previewRequest(context, sheets.deleteRow, query)) return
    await requireConfirmation(context, {
      question: `Delete row ${row} of spreadsheet "${name}"?`,
      refusalMessage: `Deleting row ${row} of spreadsheet "${name}" cannot be undone and requires confirmation.`,
    })
    const { message } = await context.call(sheets.deleteRow, query)
    await printMessage(context, message, row)
  },
})

export const list = command({
  endpoint: sheets.list,
  flags: [accountFlag],
  isList: true,
  examples: ['', '--account 1 --json'],
  notes:
    'Lists the folder of the "spreadsheet" connection (--connection for another one), or spreadsheets/<account id> of the data folder. With PostgreSQL, spreadsheets are in the database.',
  view: sheetView,
  run: async (context, { input, flags }) =>
    printList(context, sheets.list, { ...input, account: await resolveAccount(context, flags.account) }),
})

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
    const { format, fields } = context.out.settings
    const isPlain = !context.globals.envelope && !context.globals.printCurl && fields === undefined
    if (!isPlain || (format !== 'table' && format !== 'csv' && format !== 'tsv'))
      return printList(context, sheets.rows, query)
    await printCells(context, (await context.call(sheets.rows, query)).data)
  },
})

/**
 * Returns a row as tsv and csv print it. The fields that --filter and --sort read are not printed. Scripts read `row` and the
 * columns of the spreadsheet by the header.
 */
function flatRow(source: SheetRow, names: readonly string[]): object {
  const row = { row: source.number, ...Object.fromEntries(names.map((name) => [name, source.values[name] ?? ''])) }
  for (const field of ['number', 'values'] as const)
    if (!Object.hasOwn(row, field)) Object.defineProperty(row, field, { value: source[field], enumerable: false })
  return row
}

/** Prints rows with a column for each column of the spreadsheet. */
async function printCells(context: Context, all: readonly SheetRow[]): Promise<void> {
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
  const isTable = context.out.settings.format === 'table'
  const items = isTable ? data : data.map((it) => flatRow(it, names))
  async function* batches(): AsyncIterable<readonly object[]> {
    if (items.length > 0) yield items
  }
  await context.out.pages(batches(), { view })
}

export const updateRow = command({
  endpoint: sheets.updateRow,
  argument,
  flags: [rowFlag, cellFlag, accountFlag],
  examples: ['contacts --row 2 --cell Phone=+14155550143', `contacts --row 2 --values '{"Name": "Ada"}'`],
  notes: 'Other cells of the row are unchanged. A column that does not exist is added.',
  view: rowView,
  async run(context, invocation) {
    const account = await resolveAccount(context, invocation.flags.account)
    const name = await sheetName(context, invocation.argument, account)
    const row = await rowNumber(context, invocation.flags, name)
    const values = await cellValues(context, invocation)
    const answer = await sendRequest(context, sheets.updateRow, { ...invocation.input, values, account, name, row })
    if (answer) await printWritten(context, `${answer.message} Row: ${answer.data.number}`, answer.data)
  },
})
