import { type Activity, user } from '../../../contract/resources/user.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { AccountActivity } from '../../services/runtime/stop-service.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the account with their handlers. */
export const userResource = (deps: Deps): LoadedResource => loadedResource(user, userHandlers(deps))

/** `total_balance` is in the account's unit: credits for tenants, minutes for direct users. */
function userHandlers(deps: Deps): HandlersOf<typeof user> {
  const service = async () => (await import('../../services/runtime/stop-service.ts')).stopService(deps)
  return {
    me: (_, { account }) => ({
      name: account.name,
      email: account.email,
      total_balance: fromMillionths(account.balance),
    }),
    async references({ kind, id, name }, { account, key }) {
      const { findReferences } = await import('../../services/runtime/reference-search.ts')
      return findReferences(deps, account.id, { kind, id, name, key })
    },
    activity: async (_, { account }) => ({ data: toWire(await (await service()).activity(account.id)) }),
    stop: async (_, { account }) => ({
      message: 'Everything is stopped',
      data: toWire(await (await service()).stop(account.id)),
    }),
    async resume({ stopped_at }, { account }) {
      const { activity, stoppedAt } = await (await service()).resume(account.id, stopped_at)
      return { message: stoppedAt === null ? 'Nothing was stopped' : 'Everything is resumed', data: toWire(activity) }
    },
  }
}

const toWire = ({ stoppedAt, campaigns, runs, calls, waiting, finishing }: AccountActivity): Activity => ({
  stopped_at: stoppedAt === null ? null : toIsoMicros(stoppedAt),
  campaigns,
  runs,
  calls,
  waiting,
  finishing,
})
