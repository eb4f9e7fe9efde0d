import type { inspector } from '../../contract/control/inspector.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { fromMillionths } from '../../contract/values/millionths.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { HandlersOf } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { findRenewals, listScheduledJobs } from '../../store/runtime/activity.ts'
import type { ServerState } from '../handlers/server-state.ts'
import { listTimeline } from './list-timeline.ts'
import { readOverview } from './read-overview.ts'

/** Dependencies of the handlers of the inspector. */
export interface InspectorDeps extends Pick<Deps, 'connection' | 'clock' | 'wall'> {
  readonly dataDir: string
  readonly state: Pick<ServerState, 'createInspectorLogin'>
}

/** Creates the handlers of the control API for the inspector. */
export const inspectorHandlers = (deps: InspectorDeps): HandlersOf<typeof inspector> => ({
  async login() {
    const code = await deps.state.createInspectorLogin?.()
    if (code === undefined) throw new Failure('inspector.unavailable')
    return { code, path: `/_parley/login?code=${code}`, expires_in: 300 }
  },
  timeline: (filters) => listTimeline(deps, filters),
  async due({ limit }) {
    const { read } = deps.connection
    const rows = await listScheduledJobs(read, limit + 1)
    const next = rows[limit]
    const renewals = await findRenewals(
      read,
      rows.flatMap((it) => (it.kind === 'subscription' ? [Number(it.subject)] : [])),
    )
    const textOf = ({ kind, subject }: (typeof rows)[number]): string | null => {
      const found = kind === 'subscription' ? renewals.get(Number(subject)) : undefined
      return found ? `${found.phone_number}, ${fromMillionths(found.price).toFixed(2)} USD` : null
    }
    return {
      data: rows.slice(0, limit).map((it) => ({
        kind: it.kind,
        subject: it.subject,
        text: textOf(it),
        account: Number(it.account_id),
        due_at: toIsoMicros(Number(it.due_at)),
        attempts: Number(it.attempts),
      })),
      next: next ? toIsoMicros(Number(next.due_at)) : null,
    }
  },
  overview: ({ account }) => readOverview(deps, account),
})
