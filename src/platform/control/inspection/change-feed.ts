import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Change, ChangeFeed } from '../../../contract/control/change-feed.ts'
import { crypto } from '../../../node/crypto.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { findRuns, listRecentRows, type RecentRow, recentRows } from '../../store/runtime/recent-rows.ts'
import type { RequestLog } from '../data-folder/request-log.ts'

/** Changes that are remembered for pages that connect again. A page for which they do not suffice loads everything again. */
const maxChanges = 2000

/** What a feed compares. */
type Known = ReadonlyMap<string, RecentRow>

/** Kinds whose rows are compared by age: more new rows than are compared are a gap. */
const counted = ['event', 'delivery', 'message', 'call', 'ledger'] as const

const isUnfinished = ({ kind, status }: RecentRow): boolean => kind === 'run' && /^(RUNNING|PAUSED)$/.test(status ?? '')

/**
 * Creates the feed of changes for pages of the inspector, which load again what they show of the kind of a change
 * (inspector/page/data/changes.ts). A cursor is valid in this process only. Each call compares the newest rows of the tables with those of
 * the call before, unless nothing was written since.
 */
export function createChangeFeed({
  connection,
  dataDir,
  requestLog,
}: Pick<Deps, 'connection'> & { readonly dataDir: string; readonly requestLog: RequestLog | undefined }): ChangeFeed {
  const boot = crypto().randomBytes(6).toString('hex')
  let changes: Change[] = []
  let count = 0
  /** Number of the last change before a gap. */
  let gap = 0
  let known: Known | undefined
  let running: Promise<void> | undefined

  const cursorOf = (n: number): string => `${boot}-${n}`
  const add = (
    { kind, id, account, status }: Omit<RecentRow, 'stamp'>,
    at = new Date(realTime.now()).toISOString(),
  ): void => {
    changes.push({
      cursor: cursorOf(++count),
      kind,
      id,
      account: account === null ? null : Number(account),
      at,
      status,
    })
    if (changes.length > maxChanges * 2) changes = changes.slice(-maxChanges)
  }

  requestLog?.onWritten((lines) => {
    for (const request of lines)
      add({ kind: 'request', id: String(request.id), account: null, status: String(request.status) }, request.at)
  })

  async function compare(): Promise<void> {
    requestLog?.flush()
    const rows = await connection.cachedRead('inspector changes', () => listRecentRows(connection.read))
    const fresh = new Map(rows.map((it) => [`${it.kind} ${it.id}`, it]))
    const stamp = String(statSync(join(dataDir, 'snapshots'), { throwIfNoEntry: false })?.mtimeMs ?? '')
    fresh.set('snapshot ', { kind: 'snapshot', id: '', account: null, status: null, stamp })
    const before = known
    known = fresh
    if (!before) return
    // Newest last.
    for (const [key, entry] of [...fresh].reverse()) {
      const old = before.get(key)
      if (!old || old.stamp !== entry.stamp || old.status !== entry.status) add(entry)
    }
    for (const [key, entry] of before) {
      const isOld = rows.filter(({ kind }) => kind === entry.kind).length >= recentRows
      if (!fresh.has(key) && !isOld && entry.kind !== 'run') add({ ...entry, status: 'deleted' })
    }
    await reportEnded([...before].flatMap(([key, entry]) => (isUnfinished(entry) && !fresh.has(key) ? [entry.id] : [])))
    const isSkipped = (kind: string): boolean => {
      const own = rows.filter((it) => it.kind === kind)
      return own.length >= recentRows && own.every(({ id }) => !before.has(`${kind} ${id}`))
    }
    if (counted.some(isSkipped)) gap = count
  }

  /** Reports runs that are not among the newest and have ended. */
  async function reportEnded(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    for (const { id, account_id: account, status } of await findRuns(connection.read, ids.slice(0, 500)))
      add({ kind: 'run', id, account, status })
  }

  const look = (): Promise<void> =>
    (running ??= compare().finally(() => {
      running = undefined
    }))

  return {
    async now() {
      await look()
      return cursorOf(count)
    },
    async since(cursor) {
      await look()
      const [ownBoot, number] = cursor.split('-')
      const from = Number(number)
      const isKnown = ownBoot === boot && Number.isSafeInteger(from) && from <= count
      const oldest = count - changes.length
      const isGap = !isKnown || from < gap || from < oldest
      return { changes: isKnown ? changes.slice(Math.max(0, from - oldest)) : [], cursor: cursorOf(count), isGap }
    },
  }
}
