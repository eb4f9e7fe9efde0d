import type { Migration } from '../database/connection.ts'
import { first } from './0001-first.ts'
import { assistants } from './0002-assistants.ts'
import { campaigns } from './0003-campaigns.ts'
import { conversations } from './0004-conversations.ts'
import { faults } from './0005-faults.ts'
import { automations } from './0006-automations.ts'
import { connected } from './0007-connected.ts'
import { events } from './0008-events.ts'
import { passages } from './0009-passages.ts'
import { runRecords } from './0010-run-records.ts'
import { servers } from './0011-servers.ts'
import { leadNumbers } from './0012-lead-numbers.ts'
import { actionTimes } from './0013-action-times.ts'
import { calledRuns } from './0014-called-runs.ts'
import { versionEngine } from './0015-version-engine.ts'
import { corrections } from './0016-corrections.ts'
import { runIdle } from './0017-run-idle.ts'
import { earlierErrors } from './0018-earlier-errors.ts'
import { keyRestrictions } from './0019-key-restrictions.ts'
import { approvals } from './0020-approvals.ts'
import { accountKeys } from './0021-account-keys.ts'
import { accountNames } from './0022-account-names.ts'
import { accountCommits } from './0023-account-commits.ts'
import { listIndexes } from './0024-list-indexes.ts'
import { blockedContacts } from './0025-blocked-contacts.ts'
import { accountStop } from './0026-account-stop.ts'
import { contactHours } from './0027-contact-hours.ts'
import { waitingContacts } from './0028-waiting-contacts.ts'
import { openHandOvers } from './0029-open-hand-overs.ts'
import { handOverIndexes } from './0030-hand-over-indexes.ts'
import { statusIndexes } from './0031-status-indexes.ts'

/** Every migration, oldest first: the first creates version 1 of the schema, the next version 2, and so on. */
export const migrations: readonly Migration[] = [
  first,
  assistants,
  campaigns,
  conversations,
  faults,
  automations,
  connected,
  events,
  passages,
  runRecords,
  servers,
  leadNumbers,
  actionTimes,
  calledRuns,
  versionEngine,
  corrections,
  runIdle,
  earlierErrors,
  keyRestrictions,
  approvals,
  accountKeys,
  accountNames,
  accountCommits,
  listIndexes,
  blockedContacts,
  accountStop,
  contactHours,
  waitingContacts,
  openHandOvers,
  handOverIndexes,
  statusIndexes,
]
