import { type AuditRules, hasAssistant } from '../../program/resources/audit-rules.ts'

/** What `parley audit` asks about SIP trunks, to which other resources refer as numbers. */
export const audit: AuditRules = {
  referredAs: 'numbers',
  removeCommand: ({ id }) => `parley sip-trunks delete ${id}`,
  unused: (_, __, users) =>
    hasAssistant(users) ? undefined : { detail: 'is not used by an assistant, campaign or automation.' },
}
