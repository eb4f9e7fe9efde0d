import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, text } from '../endpoint/field-schemas.ts'
import { createdResponse, deletedResponse, listResponse, updatedResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'

/** Spreadsheet of an account: a CSV file, or a CSV text in the database. */
export const Sheet = z.object({
  name: z.string(),
  sheet: z.string().nullable().describe('Name of the sheet; null for the first one'),
  rows: z.int().nullable().describe('Number of rows without the header; null if it is not valid CSV'),
  file: z.string().nullable().describe('Path of the file; null if the spreadsheet is in the database'),
})
export type Sheet = z.output<typeof Sheet>

/** Row of a spreadsheet. */
export const SheetRow = z.object({
  number: z.int().describe('Number of the row; the header is row 1'),
  values: z.record(z.string(), z.string()).describe('Cells by column: its header, or its letters if it has none'),
})
export type SheetRow = z.output<typeof SheetRow>

const account = { account: id.describe('Id of the account') }
const path = z.object({ ...account, name: text(128, 1).describe('Name of the spreadsheet') })
const row = path.extend({ row: z.int().min(2).describe('Number of the row; the header is row 1') })

const place = {
  sheet: text(128, 1).optional().describe('Name of the sheet (default: the first one)'),
  connection: text(64, 1).optional().describe('Name of the connection whose folder has the spreadsheet'),
}
const cells = z
  .record(z.string().min(1).max(1000), z.string().max(50_000))
  .refine((it) => Object.keys(it).length > 0, { error: 'The values field must have at least one cell.' })
  .describe('Cells by column: its header or its letters')

const shared = {
  ...controlEndpoint,
  errors: ['accounts.not_found', 'connections.not_found', 'sheets.not_found'],
} as const

/** Spreadsheets that automations of an account read and write. */
export const sheets = resource('sheets', {
  list: {
    ...shared,
    ...listResponse(Sheet),
    method: 'GET',
    path: '/control/accounts/{account}/sheets',
    summary: 'List the spreadsheets of an account',
    params: z.object(account),
    query: z.object({ connection: place.connection }),
  },
  rows: {
    ...shared,
    ...listResponse(SheetRow),
    method: 'GET',
    path: '/control/accounts/{account}/sheets/{name}/rows',
    summary: 'List the rows of a spreadsheet',
    params: path,
    query: z.object(place),
  },
  create: {
    ...shared,
    ...createdResponse(Sheet),
    method: 'POST',
    path: '/control/accounts/{account}/sheets/{name}',
    summary: 'Create a spreadsheet with a header row',
    params: path,
    body: z.object({ columns: z.array(text(1000, 1)).min(1).max(702).describe('Headers of its columns'), ...place }),
    errors: [...shared.errors, 'sheets.exists'],
  },
  addRow: {
    ...shared,
    ...createdResponse(SheetRow),
    method: 'POST',
    path: '/control/accounts/{account}/sheets/{name}/rows',
    summary: 'Add a row to a spreadsheet',
    params: path,
    body: z.object({ values: cells, ...place }),
  },
  updateRow: {
    ...shared,
    ...updatedResponse(SheetRow),
    method: 'PUT',
    path: '/control/accounts/{account}/sheets/{name}/rows/{row}',
    summary: 'Change cells of a row of a spreadsheet',
    params: row,
    body: z.object({ values: cells, ...place }),
  },
  deleteRow: {
    ...shared,
    ...deletedResponse,
    method: 'DELETE',
    path: '/control/accounts/{account}/sheets/{name}/rows/{row}',
    summary: 'Delete a row of a spreadsheet; later rows move up',
    params: row,
    query: z.object(place),
  },
})
