import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { keyMark } from '../../client/credentials.ts'
import type { JournalEntry } from '../../client/journal.ts'
import { scanJournal } from '../../client/journal-scan.ts'
import { isSamePlatform } from '../../client/open-operation.ts'
import { accountOf } from '../account.ts'
import type { Context } from '../context.ts'
import { isSameAccount } from '../known-accounts.ts'
import { local } from '../profiles.ts'
import { usage } from '../usage.ts'
import type { Content } from './content.ts'
import type { Kind } from './kind.ts'
import { localPrefix, openReached, type Reached } from './reached.ts'

/** What is known of recipients before a file is sent: who got which content, and of whom the outcome is unknown. */
export interface Progress {
  readonly reached: Reached
  /** Whether an operation with this content has no known outcome, in whatever file or command it was. `own`: the beginning of the keys of this file. */
  isOpen(phone: string, content: Content, own: string): boolean
}

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const week = 604_800_000

/** Milliseconds of `--within`; 7 days unless given. @throws ClientFailure `usage` */
export function withinOf(text: unknown): number {
  if (text === undefined) return week
  const [, n, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(String(text)) ?? []
  if (n === undefined) throw usage(`--within must be a span such as 12h, 7d or 2w, not "${text}".`)
  return Number(n) * (spans[unit] as number)
}

/** Opens what is known for one target of the current account; of messages the journal is read into it first. */
export async function openProgress(context: Context, kind: Kind, folder: string, within: number): Promise<Progress> {
  const { baseUrl } = await context.settings()
  const account = await accountOf(context)
  const name = createHash('sha256')
    .update(JSON.stringify([kind.endpoint.name, kind.target, baseUrl.value, account ?? '']))
    .digest('hex')
    .slice(0, 32)
  const reached = openReached(join(folder, `${baseUrl.value === local.base_url ? localPrefix : ''}${name}.reached`))
  const open = kind.endpoint.risk === 'spends' ? await fromJournal(context, kind, reached, within) : []
  const keysBy = new Map<string, string[]>()
  for (const it of open) {
    const found = kind.rowOf?.(it.input)
    if (found) keysBy.set(textOf(found.phone, found.content), [...(keysBy.get(textOf(found.phone, found.content)) ?? []), it.idempotencyKey])
  }
  return {
    reached,
    isOpen: (phone, content, own) => keysBy.size > 0 && (keysBy.get(textOf(phone, content)) ?? []).some((it) => !it.startsWith(own)),
  }
}

const textOf = (phone: string, { high, low }: Content): string => `${phone} ${high} ${low}`

/** Reads what went through since the last time into `reached`, and answers the entries without an outcome. */
async function fromJournal(context: Context, kind: Kind, reached: Reached, within: number): Promise<readonly JournalEntry[]> {
  const { world } = context
  const [{ baseUrl }, connected, journal] = [await context.settings(), await context.connected(), await context.journal()]
  const key = await connected.key()
  const mark = key === undefined ? undefined : keyMark(key)
  const isMine = (it: JournalEntry): boolean =>
    isSamePlatform(it.baseUrl, connected.base) && (it.keyMark === undefined || mark === undefined || isSameAccount(world, baseUrl.value, it.keyMark, mark))
  const now = world.now()
  // Another process may have written its line a little later than it says.
  const since = new Date(Math.max(reached.syncedTo - 60_000, now - Math.max(within, 4 * week), 0)).toISOString()
  const open = scanJournal(journal.lines(), {
    endpoint: kind.endpoint.name,
    since,
    done(entry) {
      const found = isMine(entry) ? kind.rowOf?.(entry.input) : undefined
      if (found && reached.at(found.phone, found.content) === undefined) reached.add({ phone: found.phone, ...found.content }, Date.parse(entry.at))
    },
  })
  if (now - reached.syncedTo > 60_000) reached.synced(now)
  return open.filter(isMine)
}
