import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { sheets } from '../../../../contract/control/sheets.ts'
import { type Invocation, repeatedFlag } from '../../../commandline/command.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { parseCount } from '../../../input/count-flag.ts'
import { parseVariables } from '../../../input/parse-variables.ts'
import { promptChoices } from '../../../prompts/choices.ts'
import { recordArgument, recordFlag } from '../../../prompts/equivalent-command.ts'

const missingName = (): never => {
  throw usageError('Missing name of the spreadsheet.', 'List spreadsheets: parley server sheets list.')
}

/** Returns the name of a spreadsheet, or prompts for one of the account. @throws ClientFailure `usage` without a terminal */
export async function sheetName(context: Context, given: string | undefined, account: number): Promise<string> {
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
export async function newSheetName(context: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) return missingName()
  const name = await (await context.prompts()).input('Name of the spreadsheet:', {
    validate: (it) => it.trim() !== '' || 'Enter a name.',
  })
  recordArgument(context, name)
  return name
}

/** Returns the columns of a new spreadsheet, or prompts for them. @throws ClientFailure `usage` without a terminal */
export async function sheetColumns(context: Context, given: unknown): Promise<readonly string[]> {
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
export async function rowNumber(context: Context, flags: Invocation['flags'], name: string): Promise<number> {
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
export async function cellValues(context: Context, { input, flags }: Invocation): Promise<Record<string, string>> {
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
