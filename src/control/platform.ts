import type { platform } from '../contract/control.ts'
import type { DueLoop } from '../events/due.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Provider } from '../services/ports.ts'
import { checkDatabase, checkLists, recountLists } from '../store/check.ts'
import type { Query } from '../store/connection.ts'
import { forgetDeliveries } from '../store/deliveries.ts'
import { listFaults } from '../store/faults.ts'
import { readMeta } from '../store/meta.ts'
import { versionKey } from '../store/migrate.ts'
import { forgetEvents } from '../store/outbox.ts'
import { forgetRuns } from '../store/runs.ts'
import { toClockState } from './clock.ts'
import { forgetRequests } from './request-log.ts'
import { spanOf } from './spans.ts'
import { fill, filledWith, type WorldDeps } from './world.ts'

export interface PlatformDeps extends WorldDeps {
  readonly version: string
  readonly due: DueLoop
}

/** What a provider says of itself; why there is none, where it cannot be made. */
const told = async (it: Provider): Promise<string> => (await it.told?.().catch((error: Error) => error.message)) ?? it.description

export function platformHandlers(deps: PlatformDeps): HandlersOf<typeof platform> {
  const { connection, clock } = deps
  const rows = async (table: 'account' | 'phone_number' | 'due'): Promise<number> => {
    const { n } = await connection.read
      .selectFrom(table)
      .select((it) => it.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }
  /** In transactions of their own, so that others can write in between. */
  async function wholly(forget: (query: Query, before: number) => Promise<number>, before: number): Promise<number> {
    for (let all = 0; ; ) {
      const n = await connection.write((query) => forget(query, before))
      all += n
      if (n === 0) return all
    }
  }

  return {
    async status() {
      const faults = await listFaults(connection.read)
      const { done: _, ...now } = toClockState(await clock.read())
      return {
        version: deps.version,
        schema: Number(await readMeta(connection.read, versionKey)),
        database: connection.dialect,
        seed: (await filledWith(deps)) ?? null,
        providers: {
          telephony: await told(deps.providers.telephony),
          payments: await told(deps.providers.payments),
          reader: await told(deps.providers.reader),
          voice: await told(deps.providers.voice),
          language: await told(deps.providers.language),
          carrier: await told(deps.providers.carrier),
          texting: await told(deps.providers.texting),
          mail: await told(deps.providers.mail),
          sheets: await told(deps.providers.sheets),
          calendars: await told(deps.providers.calendarA),
          crm: await told(deps.providers.crmB),
        },
        clock: now,
        accounts: await rows('account'),
        numbers: await rows('phone_number'),
        due: await rows('due'),
        faults: faults.length,
        faults_fired: faults.reduce((sum, it) => sum + it.fired, 0),
      }
    },
    check: async () => ({
      database: connection.dialect,
      schema: Number(await readMeta(connection.read, versionKey)),
      problems: await checkDatabase(connection),
      lists: await checkLists(connection.read),
    }),
    recount: async () => ({ message: 'Counters made anew.', lists: await connection.write(recountLists) }),
    seed: async ({ seed = null }) => ({ message: 'Platform seeded successfully.', token: await fill(deps, { seed, replace: false }) }),
    reset: async ({ seed = null }) => ({ message: 'Platform reset successfully.', token: await fill(deps, { seed, replace: true }) }),
    async purge({ older_than }) {
      const before = (await clock.now()) - spanOf(older_than)
      const until = deps.wall() - spanOf(older_than) / 1000
      const forgotten = {
        deliveries: await wholly(forgetDeliveries, before),
        events: await wholly(forgetEvents, before),
        runs: await wholly(forgetRuns, before),
        requests: forgetRequests(deps.dataDir, until),
      }
      return {
        message: `Forgotten: deliveries ${forgotten.deliveries}, events ${forgotten.events}, runs ${forgotten.runs}, requests ${forgotten.requests}.`,
        ...forgotten,
      }
    },
    drain: async () => ({ message: `Due work done: ${(await deps.due.drain()).length}.` }),
  }
}
