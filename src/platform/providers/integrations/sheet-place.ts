import { join } from 'node:path'
import type { ConnectionAccess, SheetLocation } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'

/** A problem with a spreadsheet. The message is shown to users. */
export class SheetFailure extends Error {
  override readonly name = 'SheetFailure'
  readonly because: 'missing' | undefined

  constructor(message: string, because?: 'missing') {
    super(message)
    this.because = because
  }
}

/**
 * Returns whether a name is safe as part of a path: letters, digits, spaces, dots, dashes and underscores, and neither
 * hidden nor a parent folder.
 */
const isName = (text: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,127}$/u.test(text) && !text.includes('..')

/** Place of a sheet. */
export interface SheetPlace {
  /** `<spreadsheet>.csv` for the first sheet, `<spreadsheet>/<sheet>.csv` for others, below the folder. */
  readonly file: string
  /** Name in the database; undefined if the connection names a folder. */
  readonly name: string | undefined
  /** The folder that the connection names. */
  readonly folder: string | undefined
}

/** Returns the folder that a connection names; undefined for the folder or database of the platform. */
export const namedFolder = ({ secret }: ConnectionAccess): string | undefined =>
  typeof secret.folder === 'string' && secret.folder !== '' ? secret.folder : undefined

/**
 * Returns the place of a sheet. The folder is the one that the connection names, else the account's folder below
 * `folder`. @throws SheetFailure for an invalid name
 */
export function sheetPlace(
  folder: string,
  access: ConnectionAccess,
  { spreadsheet, sheet }: SheetLocation,
): SheetPlace {
  const named = namedFolder(access)
  const names = sheet === undefined || sheet === '0' ? [spreadsheet] : [spreadsheet, sheet]
  const invalidName = names.find((it) => !isName(it))
  if (invalidName !== undefined)
    throw new SheetFailure(`Invalid spreadsheet name ${stringifyJson(invalidName)}.`, 'missing')
  const own = ['spreadsheets', String(access.account), ...names]
  return named === undefined
    ? { file: `${join(folder, ...own)}.csv`, name: `${own.join('/')}.csv`, folder: undefined }
    : { file: `${join(named, ...names)}.csv`, name: undefined, folder: named }
}
