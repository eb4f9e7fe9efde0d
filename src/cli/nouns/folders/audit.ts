import type { AuditRules } from '../../program/resources/audit-rules.ts'

/**
 * What `parley audit` asks about folders. A finding has `detail` as the end of its sentence, which may change, and commands
 * as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley folders delete ${id}`,
  unused: () => ({ detail: 'has no assistants.' }),
}
