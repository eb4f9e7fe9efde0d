import { type AuditRules, hasAssistant } from '../../program/resources/audit-rules.ts'

/**
 * What `parley audit` asks about SIP trunks, to which other resources refer as numbers. A finding has `detail` as the end of
 * its sentence, which may change, and commands as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  referredAs: 'numbers',
  removeCommand: ({ id }) => `parley sip-trunks delete ${id}`,
  unused: (_, __, users) =>
    hasAssistant(users) ? undefined : { detail: 'is not used by an assistant, campaign or automation.' },
}
