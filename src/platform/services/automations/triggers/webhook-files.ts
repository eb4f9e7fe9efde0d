import { day, type Micros } from '../../../../contract/values/micros.ts'
import { crypto } from '../../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import {
  deleteValuesInRange,
  readAutomationValue,
  writeAutomationValue,
} from '../../../store/automations/stored-values.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** A file that was sent to a webhook. */
export interface WebhookFile {
  /** Form field of the file; null when the file is the whole body. */
  readonly field: string | null
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Path prefix of files sent to webhooks. Stored payloads have it, so it never changes. Their addresses cannot be guessed, and are readable without credentials. */
export const filesPath = '/automate/api/v1/files/'

/** Days a file is available, as long as runs are. */
const retentionDays = 30

/** Returns the owner of files of a day: rows are found and purged by it in this order, so it never changes. */
const storageOwner = (days: number): string => `hook-files:${String(days).padStart(7, '0')}`

/** Stores a file, in the caller's transaction, and removes expired files. Returns the path of its address. */
export async function storeFile(
  query: AccountQuery,
  { secret }: Pick<Deps, 'secret'>,
  account: number,
  file: WebhookFile,
  now: Micros,
  about: string,
): Promise<string> {
  const today = Math.floor(now / day)
  await deleteValuesInRange(accountQuery(query, account), storageOwner(0), storageOwner(today - retentionDays))
  // The hash of the content is part of the key, so that two requests of one moment share an address only for equal
  // files.
  const content = Buffer.from(file.bytes)
  const key = secret(`hook file ${about} ${crypto().createHash('sha256').update(content).digest('hex')}`, 32)
  const value = stringifyJson({ name: file.name, type: file.type, content: content.toString('base64') })
  await writeAutomationValue(accountQuery(query, account), storageOwner(today), key, value)
  return `${filesPath}${account}-${today}-${key}`
}

/** Returns a stored file by the last segment of its path; undefined when it does not exist or has expired. */
export async function findFile(query: PlatformQuery, id: string): Promise<Omit<WebhookFile, 'field'> | undefined> {
  const [, account, days, key = ''] = /^(\d{1,15})-(\d{1,7})-(\w{32})$/.exec(id) ?? []
  const text =
    account === undefined
      ? undefined
      : await readAutomationValue(accountQuery(query, Number(account)), storageOwner(Number(days)), key)
  if (text === undefined) return undefined
  const { name, type, content } = parseJson(text) as { name: string; type: string; content: string }
  return { name, type, bytes: Buffer.from(content, 'base64') }
}

/** Adds a text to a form. Further texts of the same name make a list. */
export function addField(fields: Record<string, unknown>, name: string, value: string): void {
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (Array.isArray(before)) {
    before.push(value)
    return
  }
  Object.defineProperty(fields, name, {
    value: before === undefined ? value : [before, value],
    writable: true,
    enumerable: true,
    configurable: true,
  })
}
