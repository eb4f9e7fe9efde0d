import type { AuditRules } from '../../program/resources/audit-rules.ts'

/** What `parley audit` asks about folders. */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley folders delete ${id}`,
  unused: () => ({ detail: 'has no assistants.' }),
}
