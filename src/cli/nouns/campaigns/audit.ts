import { type AuditRules, isStale } from '../../program/resources/audit-rules.ts'

/**
 * What `parley audit` asks about campaigns. A finding has `detail` as the end of its sentence, which may change, and commands
 * as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley campaigns delete ${id}`,
  isOff: ({ status }) => status === 'completed',
  stale: ({ status, updated_at: since }, scope) =>
    (status === 'draft' || status === 'paused') && isStale(since, scope)
      ? { detail: status === 'draft' ? 'is a draft that was not started.' : 'is paused and was not resumed.', since }
      : undefined,
}
