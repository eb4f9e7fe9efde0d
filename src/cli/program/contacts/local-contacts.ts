// The list of blocked contacts for platforms without one. It is a file of this computer for each platform, and guards the sends of
// this program only. Commands use it through the endpoints of contacts, so that they need no second way.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { platformName } from '../../../client/failures/platform-name.ts'
import type { Endpoint, Input } from '../../../contract/endpoint/endpoint.ts'
import { failures, wireCode } from '../../../contract/errors/failures.ts'
import { channels } from '../../../contract/resources/campaigns.ts'
import type { BlockedContact, contacts } from '../../../contract/resources/contacts.ts'
import { numberPrefix, parseE164 } from '../../../contract/values/phone-number.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { requireValue } from '../../../node/require-value.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

type Channel = BlockedContact['channel']

/**
 * Endpoints that contact somebody, each with its channel and the field with the number. Through one that is missing
 * here, blocked numbers would be contacted.
 */
export const sends: Readonly<Record<string, readonly [channel: Channel, field: string]>> = {
  'messaging.send': ['messaging', 'recipient_phone'],
  'messaging.sendFreeform': ['messaging', 'recipient_phone'],
  'sms.send': ['sms', 'to'],
  'calls.start': ['call', 'phone_number'],
}

/** Endpoints that the list of this computer replaces. */
const replaced = ['contacts.list', 'contacts.block', 'contacts.unblock']

/** The list of this computer for one platform. */
interface LocalList {
  readonly file: string
  readonly blocks: Map<string, BlockedContact>
}

/** The lists that a command has read, by its context, because an import changes one many times. */
const lists = new WeakMap<object, LocalList>()

const keyOf = (channel: string, phone: string): string => `${channel} ${phone}`

/** Returns the file of the list for the platform of a command. Existing lists are found by it: it never changes. */
async function fileOf(context: Context): Promise<string> {
  const { baseUrl } = await context.settings()
  const name = createHash('sha256').update(baseUrl.value.replace(/\/+$/, '')).digest('hex').slice(0, 32)
  return join(dataDir(context.system), 'contacts', `${name}.ndjson`)
}

async function readList(context: Context): Promise<LocalList> {
  const known = lists.get(context.responses)
  if (known) return known
  const file = await fileOf(context)
  const blocks = new Map<string, BlockedContact>()
  for (const line of readLines(file)) {
    const entry = parseJsonLine(line) as (BlockedContact & { readonly unblocked?: true }) | undefined
    if (typeof entry?.phone_number !== 'string') continue
    const key = keyOf(entry.channel, entry.phone_number)
    if (entry.unblocked) blocks.delete(key)
    else blocks.set(key, entry)
  }
  const list = { file, blocks }
  lists.set(context.responses, list)
  return list
}

/** Appends lines with the fields of a block, and `unblocked` for its end. Other versions read them: fields are added, not renamed. */
function append({ file }: LocalList, entries: readonly object[]): void {
  if (entries.length === 0) return
  makeFolder(join(file, '..'))
  appendLines(file, entries, { isDurable: true })
}

/** Returns a number as a platform requires and stores it. @throws UsageError for another text */
async function requireNumber(given: string): Promise<string> {
  const number = await parseE164(given)
  if (number === undefined) throw usageError(`"${given}" is not a phone number in E.164 format, such as +14155550142.`)
  return number
}

const channelsOf = (channel: Channel | 'all'): readonly Channel[] => (channel === 'all' ? channels : [channel])

async function block(list: LocalList, { contacts: given }: Input<typeof contacts.block>, now: number) {
  const added: BlockedContact[] = []
  let existing = 0
  const numbers = await Promise.all(given.map((it) => requireNumber(it.phone_number)))
  for (const [n, { channel, reason = null, source = 'cli' }] of given.entries())
    for (const each of channelsOf(channel)) {
      const phone_number = requireValue(numbers[n])
      const key = keyOf(each, phone_number)
      if (list.blocks.has(key)) existing++
      else {
        const created_at = new Date(now).toISOString().replace('Z', '000Z')
        const entry = { phone_number, channel: each, reason, source, created_at }
        list.blocks.set(key, entry)
        added.push(entry)
      }
    }
  append(list, added)
  const data = { received: given.length, blocked: added.length, already_blocked: existing, in_progress: 0 }
  // The messages are those of the platform (server/handlers/contacts.ts).
  return { message: 'Contacts blocked.', data }
}

async function unblock(list: LocalList, { contacts: given }: Input<typeof contacts.unblock>) {
  const numbers = await Promise.all(given.map((it) => requireNumber(it.phone_number)))
  const removed = given.flatMap(({ channel }, n) => {
    const phone_number = requireValue(numbers[n])
    return channelsOf(channel)
      .filter((each) => list.blocks.delete(keyOf(each, phone_number)))
      .map((each) => ({ phone_number, channel: each, unblocked: true }))
  })
  append(list, removed)
  return { message: 'Contacts unblocked.', data: { unblocked: removed.length } }
}

function page({ blocks }: LocalList, input: Input<typeof contacts.list>) {
  const numbers = input.phone_numbers?.split(',')
  const found = [...blocks.values()]
    .filter(({ channel }) => input.channel === undefined || channel === input.channel)
    .filter(
      ({ phone_number }) =>
        input.phone_number === undefined || phone_number.startsWith(numberPrefix(input.phone_number)),
    )
    .filter(({ phone_number }) => numbers === undefined || numbers.includes(phone_number))
    .sort((a, b) => (keyOf(a.phone_number, a.channel) < keyOf(b.phone_number, b.channel) ? -1 : 1))
  const { page: current = 1, per_page: size = 15 } = input
  const data = found.slice((current - 1) * size, current * size)
  const last = Math.max(1, Math.ceil(found.length / size))
  const from = data.length === 0 ? null : (current - 1) * size + 1
  const url = (n: number): string => `/?page=${n}`
  return {
    current_page: current,
    data,
    first_page_url: url(1),
    from,
    last_page: last,
    last_page_url: url(last),
    links: [],
    next_page_url: current < last ? url(current + 1) : null,
    path: '/',
    per_page: size,
    prev_page_url: current > 1 ? url(current - 1) : null,
    to: from === null ? null : from + data.length - 1,
    total: found.length,
  }
}

/**
 * Answers an endpoint of contacts from the list of this computer, on a platform without one. Returns undefined for any other
 * endpoint, and on a platform that has the list.
 */
export async function answerFromLocalContacts(context: Context, endpoint: Endpoint, input: unknown): Promise<unknown> {
  // A request that names the endpoint is for the platform.
  if (!replaced.includes(endpoint.name) || context.commandName === 'api' || (await context.supports('opt-outs', true)))
    return undefined
  const list = await readList(context)
  if (endpoint.name === 'contacts.list') return page(list, input as Input<typeof contacts.list>)
  await noteLocalList(context)
  return endpoint.name === 'contacts.block'
    ? block(list, input as Input<typeof contacts.block>, context.system.now())
    : unblock(list, input as Input<typeof contacts.unblock>)
}

/**
 * Refuses a send to a contact that is blocked in the list of this computer, on a platform without one.
 * @throws ClientFailure `conflict` with the code of a platform that has the list
 */
export async function requireNotBlockedLocally(context: Context, endpoint: Endpoint, input: unknown): Promise<void> {
  const send = sends[endpoint.name]
  // Without a list, a send costs no request for the capabilities of the platform.
  if (!send || !existsSync(await fileOf(context)) || (await context.supports('opt-outs'))) return
  const [channel, field] = send
  const { blocks } = await readList(context)
  await noteLocalList(context)
  if (!blocks.has(keyOf(channel, String((input as Readonly<Record<string, unknown>>)[field])))) return
  const { text, exit } = failures['contacts.blocked']
  throw new ClientFailure({
    exit,
    code: wireCode('contacts.blocked'),
    message: text,
    hint: 'The block is on this computer. See the reason: parley contacts list --phone-number <number>.',
    sent: false,
  })
}

const noted = new WeakSet<object>()

/** Says once in a command that the list guards only the sends of this program. */
async function noteLocalList(context: Context): Promise<void> {
  if (noted.has(context.responses)) return
  noted.add(context.responses)
  const { baseUrl } = await context.settings()
  await context.notes.note(
    `${platformName(baseUrl.value)} has no list of opt-outs. The list is on this computer, and other programs and campaigns do not know it.`,
  )
}
