import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, failures } from '../contract/errors.ts'
import type { Snapshot, snapshots } from '../contract/snapshots.ts'
import { crypto } from '../crypto.ts'
import { toIsoMicros } from '../events/clock.ts'
import { makeFolder } from '../folder.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Snapshots } from '../store/connection.ts'
import { readMeta } from '../store/meta.ts'
import { migrations } from '../store/migrations/index.ts'
import { openStore } from '../store/open.ts'
import { type Belongings, beginRestoring, dropRestoring, finishRestoring, restoredKey } from './restoring.ts'
import { secretKeyText } from './secret-key.ts'
import { filledWith, type WorldDeps } from './world.ts'

/** What a copy says of itself. */
interface About extends Belongings, Pick<Snapshot, 'saved_at' | 'time' | 'seed' | 'accounts' | 'numbers'> {}

/** Milliseconds after which what a killed process left is nobody's. */
const leftMs = 3600_000

export function snapshotHandlers(deps: WorldDeps): HandlersOf<typeof snapshots> {
  const { connection, clock, dataDir, wall } = deps
  const folder = join(dataDir, 'snapshots')
  const fileOf = (name: string): string => join(folder, `${name}.db`)
  const files = (): string[] => (connection.snapshots ? entries(folder) : []).filter((it) => /^[a-z0-9][a-z0-9._-]*\.db$/.test(it))
  const isThere = (name: string): boolean => files().includes(`${name}.db`)

  function supported(): Snapshots {
    if (!connection.snapshots) throw new Failure('snapshots.unsupported')
    return connection.snapshots
  }

  function toWire(name: string): Snapshot & { readonly at: number } {
    const { size, mtimeMs } = statSync(fileOf(name))
    const about = connection.snapshots?.about(fileOf(name))
    const { saved_at = new Date(mtimeMs).toISOString(), time = null, seed = null, accounts = null, numbers = null } = about ? aboutOf(about.text) : {}
    const status = about === undefined ? 'damaged' : about.schema > migrations.length ? 'newer' : 'ok'
    return { name, status, saved_at, time, bytes: size, seed, accounts, numbers, at: Date.parse(saved_at) }
  }
  const shown = (name: string): Snapshot => {
    const { at: _, ...rest } = toWire(name)
    return rest
  }

  const count = async (table: 'account' | 'phone_number'): Promise<number> => {
    const all = connection.read.selectFrom(table).select((it) => it.fn.countAll<number>().as('n'))
    return Number((await all.executeTakeFirstOrThrow()).n)
  }

  /** A copy of this program's schema: the file itself, or one that is brought up to date in `place`. */
  async function current(file: string, schema: number, place: () => string): Promise<string> {
    if (schema === migrations.length) return file
    const newer = join(place(), 'platform.db')
    copyFileSync(file, newer)
    await (await openStore({ file: newer })).close()
    return newer
  }

  function clean(): void {
    for (const it of entries(folder)) {
      const left = join(folder, it)
      const isLeft = it.startsWith('.') || /\.db\.[\w-]+$/.test(it)
      if (isLeft && (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? 0) < wall() - leftMs) rmSync(left, { recursive: true, force: true })
    }
  }

  return {
    list: async () => ({
      data: files()
        .map((it) => toWire(it.slice(0, -3)))
        .sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
        .map(({ at: _, ...it }) => it),
    }),

    async save({ name: given, replace }) {
      const copies = supported()
      makeFolder(folder)
      clean()
      const at = new Date(wall()).toISOString()
      const name = given ?? free(`${at.slice(0, 10)}-${at.slice(11, 19).replaceAll(':', '')}`, isThere)
      if (isThere(name) && !replace) throw new Failure('snapshots.exists')
      const { secret, key } = deps.credentials.current
      const about: About = {
        saved_at: at,
        time: toIsoMicros(await clock.now()),
        seed: (await filledWith(deps)) ?? null,
        accounts: await count('account'),
        numbers: await count('phone_number'),
        secret,
        key,
        seal: secretKeyText(dataDir),
      }
      await copies.save(fileOf(name), JSON.stringify(about))
      return { message: 'Snapshot saved successfully.', data: shown(name) }
    },

    async restore({ name }) {
      const copies = supported()
      if (!isThere(name)) throw new Failure('snapshots.not_found')
      clean()
      const about = copies.about(fileOf(name))
      if (!about) throw unreadable('it is damaged, or is none.')
      if (about.schema > migrations.length) throw unreadable('a newer version of Parley made it. Upgrade Parley.')
      const belongings = aboutOf(about.text)
      if (belongings.seed !== null && deps.isReachable) throw new Failure('snapshots.seeded')
      const places: string[] = []
      const place = (): string => {
        places.push(mkdtempSync(join(folder, '.restoring-')))
        return places[0] as string
      }
      try {
        const file = await current(fileOf(name), about.schema, place)
        const isDone = await deps.alone(async () => {
          const id = crypto().randomUUID()
          beginRestoring(dataDir, id, { secret: belongings.secret, key: belongings.key, seal: belongings.seal, pid: deps.pid })
          // Whoever comes from here on waits; whoever was there before must have gone, or would write what it read of other rows.
          const others = await lasting(deps.others)
          if (others.length > 0) {
            dropRestoring(dataDir)
            throw inUse(others)
          }
          await copies.restore(file, [restoredKey, id]).catch((error) => {
            dropRestoring(dataDir)
            throw error
          })
          await finishRestoring(deps)
          const seed = await readMeta(connection.read, 'seed')
          deps.restored(seed === undefined || seed === 'random' ? null : Number(seed))
          return true
        })
        if (!isDone) throw new Failure('snapshots.busy')
        return { message: 'Snapshot restored successfully.', token: deps.credentials.current.key }
      } finally {
        for (const it of places) rmSync(it, { recursive: true, force: true })
      }
    },

    async delete({ name }) {
      if (!isThere(name)) throw new Failure('snapshots.not_found')
      rmSync(fileOf(name), { force: true })
      return { message: 'Snapshot deleted successfully.' }
    },
  }
}

const aboutOf = (text: string): About => JSON.parse(text) as About

/** Milliseconds that are waited for commands of other processes to end, and between two looks. */
const patienceMs = 3000
const lookMs = 50

async function lasting(others: () => readonly number[]): Promise<readonly number[]> {
  for (let waited = 0; ; waited += lookMs) {
    const now = others()
    if (now.length === 0 || waited >= patienceMs) return now
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

const inUse = (pids: readonly number[]): Failure =>
  new Failure('snapshots.in_use', { text: failures['snapshots.in_use'].text.replace('{who}', `process ${pids.join(', ')}`) })

const unreadable = (why: string): Failure => new Failure('snapshots.unreadable', { text: failures['snapshots.unreadable'].text.replace('{why}', () => why) })

/** The name, or with a number behind it the first that nobody has. */
function free(name: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) {
    const it = n === 1 ? name : `${name}-${n}`
    if (!isTaken(it)) return it
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
