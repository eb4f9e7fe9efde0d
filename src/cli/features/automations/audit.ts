import { automate } from '../../../contract/resources/automate.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { type AuditRules, type AuditScope, isStale } from '../../program/resources/audit-rules.ts'

/** What `parley audit` asks about automations. */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley automate delete ${id}`,
  isOff: ({ status }) => status !== 'enabled',
  async stale({ id, status, updated_at: since, last_run: listed }, scope) {
    // One that was published lately had no time to run.
    if (!isStale(since, scope)) return undefined
    if (status !== 'enabled') return { detail: 'is disabled and was not changed since.', since }
    // A Parley server lists the last run.
    const run = listed === undefined ? await lastRun(String(id), scope) : listed
    if (run === undefined) return undefined
    const commands = [`parley automate disable ${id}`]
    const last = isObject(run) ? run.start_time : null
    if (last === null) return { detail: 'is enabled and has never run.', since, commands }
    return isStale(last, scope) ? { detail: 'is enabled and has not run since.', since: last, commands } : undefined
  },
}

/** Returns the last run of an automation; null without one, undefined if runs cannot be read. */
async function lastRun(id: string, { call, signal }: AuditScope): Promise<unknown> {
  const answer = await call(automate.runs, { id, limit: 1 }, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return answer && 'runs' in answer ? (answer.runs[0] ?? null) : undefined
}
