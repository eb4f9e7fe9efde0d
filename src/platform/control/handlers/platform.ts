import { faults as faultEndpoints } from '../../../contract/control/faults.ts'
import { platform } from '../../../contract/control/platform.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import type { Provider } from '../../../engine/ports.ts'
import { parseMicros } from '../../jobs/clock.ts'
import type { JobLoop } from '../../jobs/job-loop.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { faultService } from '../../services/runtime/fault-service.ts'
import { purgeService } from '../../services/runtime/purge-service.ts'
import { listAccounts } from '../../store/accounts/accounts.ts'
import {
  checkBalances,
  checkCounters,
  checkIntegrity,
  checkNames,
  rebuildChecked,
} from '../../store/database/check-integrity.ts'
import type { PlatformQuery } from '../../store/database/connection.ts'
import { countRows, readMeta } from '../../store/database/meta.ts'
import { schemaVersionKey } from '../../store/database/migrate.ts'
import { StoreError } from '../../store/database/store-error.ts'
import { listFaults } from '../../store/runtime/fault-rules.ts'
import { purgeRequests } from '../data-folder/request-log.ts'
import { type ControlDeps, fillPlatform, readPlatformSeed } from '../sample-data/fill-platform.ts'
import { toClockState } from './clock.ts'
import { durationMicros } from './durations.ts'

/** Dependencies of the platform's control handlers. */
export interface PlatformDeps extends ControlDeps {
  readonly version: string
  readonly due: JobLoop
}

/** Returns the description of a provider, or the error that prevents its creation. */
const describeProvider = async (provider: Provider): Promise<string> =>
  (await provider.describe?.().catch((error: Error) => error.message)) ?? provider.description

/** Compares balances with the ledger, as decimal numbers; null if the tables cannot be read. */
async function readBalances(query: PlatformQuery) {
  try {
    const { accounts, wrong } = await checkBalances(query)
    return {
      accounts,
      wrong: wrong.map(({ account, balance, ledger }) => ({
        account,
        balance: fromMillionths(balance),
        ledger: fromMillionths(ledger),
      })),
    }
  } catch (error) {
    if (error instanceof StoreError) return null
    throw error
  }
}

/** Returns the endpoints of the resource with their handlers. */
export const platformResource = (deps: PlatformDeps): LoadedResource => loadedResource(platform, platformHandlers(deps))

/** Creates the handlers of the control API for the platform. */
function platformHandlers(deps: PlatformDeps): HandlersOf<typeof platform> {
  const { connection, clock } = deps
  const purges = purgeService(deps)
  async function addFault(rule: object): Promise<void> {
    await faultService(deps).add(faultEndpoints.add.body.parse(rule))
  }

  return {
    async status() {
      const faults = await listFaults(connection.read)
      const { done: _, ...now } = toClockState(await clock.read())
      return {
        version: deps.version,
        schema: Number(await readMeta(connection.read, schemaVersionKey)),
        database: connection.dialect,
        database_location: connection.dialect === 'postgres' ? connection.location : null,
        database_distributed: connection.isSharded?.() === true,
        seed: (await readPlatformSeed(deps)) ?? null,
        providers: {
          telephony: await describeProvider(deps.providers.telephony),
          payments: await describeProvider(deps.providers.payments),
          reader: await describeProvider(deps.providers.reader),
          voice: await describeProvider(deps.providers.voice),
          language: await describeProvider(deps.providers.language),
          carrier: await describeProvider(deps.providers.carrier),
          texting: await describeProvider(deps.providers.sms),
          mail: await describeProvider(deps.providers.mail),
          sheets: await describeProvider(deps.providers.sheets),
          calendars: await describeProvider(deps.providers.calendarA),
          crm: await describeProvider(deps.providers.crmB),
        },
        clock: now,
        accounts: await countRows(connection.read, 'account'),
        numbers: await countRows(connection.read, 'phone_number'),
        due: await countRows(connection.read, 'due'),
        faults: faults.length,
        faults_fired: faults.reduce((sum, it) => sum + it.fired, 0),
      }
    },
    check: async () => ({
      database: connection.dialect,
      schema: Number(await readMeta(connection.read, schemaVersionKey).catch(() => 0)),
      problems: await checkIntegrity(connection),
      lists: [...(await checkCounters(connection.read)), await checkNames(connection.read)],
      balances: await readBalances(connection.read),
      settings: [...((await connection.findSettingProblems?.()) ?? [])],
    }),
    async recount() {
      const problems = await checkIntegrity(connection)
      if (problems.length > 0) throw new Failure('platform.damaged')
      return { message: 'Counters rebuilt.', lists: await connection.write('everything', rebuildChecked) }
    },
    seed: async ({ seed = null, data }) => ({
      message: 'Platform seeded successfully.',
      token: await fillPlatform(deps, { seed, data, replace: false }),
    }),
    async export({ include_secrets: hasSecrets }) {
      const { exportSampleData } = await import('../sample-data/export-sample-data.ts')
      return { data: { ...(await exportSampleData(deps, { hasSecrets })) } }
    },
    async reset({ seed = null, data, clock: at }) {
      const frozenAt = at === undefined ? deps.startTime : parseMicros(at)
      const token = await fillPlatform(deps, { seed, data, replace: true, frozenAt })
      purgeRequests(deps.dataDir, Number.POSITIVE_INFINITY)
      for (const rule of deps.startFaults ?? []) await addFault(rule)
      return { message: 'Platform reset successfully.', token }
    },
    async purge({ older_than }) {
      const before = (await clock.now()) - durationMicros(older_than)
      const until = deps.wall() - durationMicros(older_than) / 1000
      const purged = { deliveries: 0, events: 0, runs: 0, requests: purgeRequests(deps.dataDir, until) }
      for (const { id } of await listAccounts(connection.read)) {
        const own = await purges.purgeAccount(id, before)
        purged.deliveries += own.deliveries
        purged.events += own.events
        purged.runs += own.runs
      }
      return {
        message: `Deleted: deliveries ${purged.deliveries}, events ${purged.events}, runs ${purged.runs}, requests ${purged.requests}.`,
        ...purged,
      }
    },
    drain: async () => ({ message: `Jobs run: ${(await deps.due.drain()).length}.` }),
  }
}
