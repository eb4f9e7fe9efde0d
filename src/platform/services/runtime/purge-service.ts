import { type Micros, second } from '../../../contract/values/micros.ts'
import type { OwnLeases } from '../../jobs/leases.ts'
import { purgeRuns } from '../../store/automations/run-retention.ts'
import { purgeWaitingContacts } from '../../store/contacts/waiting-contacts.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { purgeDeliveries } from '../../store/deliveries/deliveries.ts'
import { purgeEvents } from '../../store/deliveries/outbox.ts'
import { purgeIdempotencyKeys } from '../../store/runtime/idempotency-keys.ts'
import { type PurgeBatch, type PurgedBatch, purgeJobKind, retentionMicros } from '../../store/runtime/purge-batches.ts'
import { deleteJob, type JobRow, requeueJob } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from './deps.ts'

/** Shortest pause between two parts of a purge. A part that took long is followed by a pause of several times as long. */
const minPause: Micros = second / 10
const pausesPerPart = 4

type Purge = (query: AccountQuery, batch: PurgeBatch, wall: number) => Promise<PurgedBatch>

/** What an operator can delete, too. The order is that in which events cause deliveries. */
const operatorPurges = { deliveries: purgeDeliveries, events: purgeEvents, runs: purgeRuns } satisfies Record<
  string,
  Purge
>

const purges = {
  ...operatorPurges,
  idempotencyKeys: purgeIdempotencyKeys,
  waitingContacts: purgeWaitingContacts,
} satisfies Record<string, Purge>

type Positions = Map<string, number>

/**
 * Positions of purges in progress, by account. Without them, each part would begin with the index entries of rows that were
 * deleted before. They belong to the process, as its leases do: another one starts at the beginning.
 */
const positions = new WeakMap<OwnLeases, Map<number, Positions>>()

/** Deletes what is old, in transactions of few rows. */
export function purgeService({
  connection,
  clock,
  wall,
  leases,
}: Pick<Deps, 'connection' | 'clock' | 'wall' | 'leases'>) {
  return {
    /** Scheduled job: deletes some old rows of each kind of an account, and is due again soon while there are more. */
    async run({ account_id: account, subject }: Pick<JobRow, 'account_id' | 'subject'>): Promise<void> {
      const byAccount = positions.get(leases) ?? new Map<number, Positions>()
      positions.set(leases, byAccount)
      const known: Positions = byAccount.get(account) ?? new Map()
      const rest: Positions = new Map()
      const began = wall()
      for (const [name, purge] of Object.entries<Purge>(purges)) {
        // Once a table has no more old rows, the others are finished without it.
        if (known.size > 0 && !known.has(name)) continue
        // An event outlives its delivery, and is not read again in this purge once its turn is over.
        if (name === 'events' && rest.has('deliveries')) {
          rest.set(name, known.get(name) ?? 0)
          continue
        }
        const { next } = await connection.write({ rows: account }, async (query) =>
          purge(query, { before: (await clock.now(query)) - retentionMicros, after: known.get(name) ?? 0 }, wall()),
        )
        if (next !== undefined) rest.set(name, next)
      }
      const pause = Math.max(minPause, (wall() - began) * 1000 * pausesPerPart)
      await connection.write({ rows: account }, async (query) => {
        if (rest.size === 0) await deleteJob(query, purgeJobKind, subject)
        else await requeueJob(query, purgeJobKind, subject, (await clock.now(query)) + pause)
      })
      if (rest.size === 0) byAccount.delete(account)
      else byAccount.set(account, rest)
    },

    /** Deletes everything of an account from before a time that an operator can delete. Returns the numbers of rows. */
    async purgeAccount(account: number, before: Micros): Promise<Record<keyof typeof operatorPurges, number>> {
      const deleted = { deliveries: 0, events: 0, runs: 0 }
      for (const [name, purge] of Object.entries(operatorPurges))
        for (let after: number | undefined = 0; after !== undefined; ) {
          const batch: PurgeBatch = { before, after }
          const purged = await connection.write({ rows: account }, (query) => purge(query, batch))
          deleted[name as keyof typeof operatorPurges] += purged.deleted
          after = purged.next
        }
      return deleted
    },
  }
}
