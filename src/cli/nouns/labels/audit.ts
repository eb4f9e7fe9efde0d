import type { AuditRules } from '../../program/resources/audit-rules.ts'

/** What `parley audit` asks about labels. */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley labels delete ${id}`,
  unused: () => ({ detail: 'has no assistants.' }),
}
