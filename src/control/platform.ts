import type { platform } from '../contract/control.ts'
import type { DueLoop } from '../events/due.ts'
import type { HandlersOf } from '../server/handler.ts'
import { checkDatabase, checkLists, recountLists } from '../store/check.ts'
import type { Query } from '../store/connection.ts'
import { forgetDeliveries } from '../store/deliveries.ts'
import { listFaults } from '../store/faults.ts'
import { readMeta } from '../store/meta.ts'
import { versionKey } from '../store/migrate.ts'
import { forgetEvents } from '../store/outbox.ts'
import { toClockState } from './clock.ts'
import { forgetRequests } from './request-log.ts'
import { spanOf } from './spans.ts'
import { fill, filledWith, type WorldDeps } from './world.ts'

export interface PlatformDeps extends WorldDeps {
  readonly version: string
  readonly due: DueLoop
}

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
          telephony: deps.providers.telephony.description,
          payments: deps.providers.payments.description,
          reader: deps.providers.reader.description,
          voice: deps.providers.voice.description,
          language: deps.providers.language.description,
          carrier: deps.providers.carrier.description,
          texting: deps.providers.texting.description,
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
        requests: forgetRequests(deps.dataDir, until),
      }
      return { message: `Forgotten: deliveries ${forgotten.deliveries}, events ${forgotten.events}, requests ${forgotten.requests}.`, ...forgotten }
    },
    drain: async () => ({ message: `Due work done: ${(await deps.due.drain()).length}.` }),
  }
}
