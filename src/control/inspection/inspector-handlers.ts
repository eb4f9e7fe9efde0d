import type { inspector } from '../../contract/control/inspector.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { HandlersOf } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { listScheduledJobs } from '../../store/runtime/activity.ts'
import type { ServerState } from '../handlers/server-state.ts'
import { describeJobs } from './describe-jobs.ts'
import { listTimeline } from './list-timeline.ts'
import { readOverview } from './read-overview.ts'

/** Dependencies of the handlers of the inspector. */
export interface InspectorDeps extends Pick<Deps, 'connection' | 'clock'> {
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
    const texts = await describeJobs(read, rows)
    return {
      data: rows.slice(0, limit).map((it, n) => ({
        kind: it.kind,
        subject: it.subject,
        text: texts[n] as string,
        account: Number(it.account_id),
        due_at: toIsoMicros(Number(it.due_at)),
        attempts: Number(it.attempts),
      })),
      next: next ? toIsoMicros(Number(next.due_at)) : null,
    }
  },
  overview: ({ account }) => readOverview(deps, account),
})
