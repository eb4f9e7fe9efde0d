import { day, type Micros } from '../../../jobs/clock.ts'
import { crypto } from '../../../node/crypto.ts'
import {
  deleteValuesInRange,
  readAutomationValue,
  writeAutomationValue,
} from '../../../store/automations/stored-values.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** A file that was sent to a webhook. */
export interface WebhookFile {
  /** Field of the form it came in; null when it is the whole body. */
  readonly field: string | null
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Where the files of calls to webhooks are found: anybody who knows an address, which cannot be guessed, may read it. */
export const filesPath = '/automate/api/v1/files/'

/** Days that files are available, as long as runs are. */
const retentionDays = 30

const storageOwner = (days: number): string => `hook-files:${String(days).padStart(7, '0')}`

/** Stores a file, in the caller's transaction. Files past their time are removed. Returns the path of its address. */
export async function storeFile(
  query: Query,
  { secret }: Pick<Deps, 'secret'>,
  account: number,
  file: WebhookFile,
  now: Micros,
  about: string,
): Promise<string> {
  const today = Math.floor(now / day)
  await deleteValuesInRange(query, account, storageOwner(0), storageOwner(today - retentionDays))
  // Two calls of one moment must not share an address unless they brought the same.
  const content = Buffer.from(file.bytes)
  const key = secret(`hook file ${about} ${crypto().createHash('sha256').update(content).digest('hex')}`, 32)
  const value = JSON.stringify({ name: file.name, type: file.type, content: content.toString('base64') })
  await writeAutomationValue(query, account, storageOwner(today), key, value)
  return `${filesPath}${account}-${today}-${key}`
}

/** A stored file by the last part of its path; undefined when there is none, or its time is over. */
export async function findFile(query: Query, id: string): Promise<Omit<WebhookFile, 'field'> | undefined> {
  const [, account, days, key = ''] = /^(\d{1,15})-(\d{1,7})-(\w{32})$/.exec(id) ?? []
  const text =
    account === undefined
      ? undefined
      : await readAutomationValue(query, Number(account), storageOwner(Number(days)), key)
  if (text === undefined) return undefined
  const { name, type, content } = JSON.parse(text) as { name: string; type: string; content: string }
  return { name, type, bytes: Buffer.from(content, 'base64') }
}

/** Adds a value to a form; what is there already becomes a list. */
export function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  const before = Object.hasOwn(fields, name) ? [fields[name]].flat() : undefined
  Object.defineProperty(fields, name, {
    value: before ? [...before, value] : value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}
