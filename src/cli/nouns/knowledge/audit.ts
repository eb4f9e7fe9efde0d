import { type AuditRules, isStale } from '../../program/resources/audit-rules.ts'

/**
 * What `parley audit` asks about knowledge bases. A finding has `detail` as the end of its sentence, which may change, and
 * commands as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley knowledge delete ${id}`,
  unused: () => ({ detail: 'is not used by an assistant.' }),
  stale: ({ id, updated_at: since }, scope) =>
    isStale(since, scope)
      ? {
          detail: 'has not been changed since, so its answers may be outdated.',
          since,
          commands: [`parley knowledge documents list ${id}`],
        }
      : undefined,
}
