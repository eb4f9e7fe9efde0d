import { type AuditRules, isStale } from '../../program/resources/audit-rules.ts'

/** What `parley audit` asks about campaigns. */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley campaigns delete ${id}`,
  isOff: ({ status }) => status === 'completed',
  stale: ({ status, updated_at: since }, scope) =>
    (status === 'draft' || status === 'paused') && isStale(since, scope)
      ? { detail: status === 'draft' ? 'is a draft that was not started.' : 'is paused and was not resumed.', since }
      : undefined,
}
