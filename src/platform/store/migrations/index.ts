import type { Migration } from '../database/connection.ts'

/** Loads one step of the schema. A database that is up to date needs none. */
export type Step = () => Promise<Migration>

/** Every step of the schema, oldest first: the first creates version 1, the next version 2, and so on. */
export const migrations: readonly Step[] = [
  async () => (await import('./0001-first.ts')).first,
  async () => (await import('./0002-assistants.ts')).assistants,
  async () => (await import('./0003-campaigns.ts')).campaigns,
  async () => (await import('./0004-conversations.ts')).conversations,
  async () => (await import('./0005-faults.ts')).faults,
  async () => (await import('./0006-automations.ts')).automations,
  async () => (await import('./0007-connected.ts')).connected,
  async () => (await import('./0008-events.ts')).events,
  async () => (await import('./0009-passages.ts')).passages,
  async () => (await import('./0010-run-records.ts')).runRecords,
  async () => (await import('./0011-servers.ts')).servers,
  async () => (await import('./0012-lead-numbers.ts')).leadNumbers,
  async () => (await import('./0013-action-times.ts')).actionTimes,
  async () => (await import('./0014-called-runs.ts')).calledRuns,
  async () => (await import('./0015-version-engine.ts')).versionEngine,
  async () => (await import('./0016-corrections.ts')).corrections,
  async () => (await import('./0017-run-idle.ts')).runIdle,
  async () => (await import('./0018-earlier-errors.ts')).earlierErrors,
  async () => (await import('./0019-key-restrictions.ts')).keyRestrictions,
  async () => (await import('./0020-approvals.ts')).approvals,
  async () => (await import('./0021-account-keys.ts')).accountKeys,
  async () => (await import('./0022-account-names.ts')).accountNames,
  async () => (await import('./0023-account-commits.ts')).accountCommits,
  async () => (await import('./0024-list-indexes.ts')).listIndexes,
  async () => (await import('./0025-blocked-contacts.ts')).blockedContacts,
  async () => (await import('./0026-account-stop.ts')).accountStop,
  async () => (await import('./0027-contact-hours.ts')).contactHours,
  async () => (await import('./0028-waiting-contacts.ts')).waitingContacts,
  async () => (await import('./0029-open-hand-overs.ts')).openHandOvers,
  async () => (await import('./0030-hand-over-indexes.ts')).handOverIndexes,
]
