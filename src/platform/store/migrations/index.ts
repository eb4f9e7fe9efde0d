import type { Migration } from '../database/connection.ts'
import { first } from './0001-first.ts'
import { assistants } from './0002-assistants.ts'
import { campaigns } from './0003-campaigns.ts'
import { faults } from './0005-faults.ts'
import { automations } from './0006-automations.ts'
import { connected } from './0007-connected.ts'
import { events } from './0008-events.ts'
import { passages } from './0009-passages.ts'
import { runRecords } from './0010-run-records.ts'
import { actionTimes } from './0013-action-times.ts'
import { calledRuns } from './0014-called-runs.ts'
import { versionEngine } from './0015-version-engine.ts'
import { corrections } from './0016-corrections.ts'
import { runIdle } from './0017-run-idle.ts'
import { earlierErrors } from './0018-earlier-errors.ts'

/** Loads one step of the schema. A database that is up to date needs none. */
export type Step = () => Promise<Migration>

/** Every step of the schema, oldest first: the first creates version 1, the next version 2, and so on. */
export const migrations: readonly Step[] = [
  async () => first,
  async () => assistants,
  async () => campaigns,
  async () => (await import('./0004-conversations.ts')).conversations,
  async () => faults,
  async () => automations,
  async () => connected,
  async () => events,
  async () => passages,
  async () => runRecords,
  async () => (await import('./0011-servers.ts')).servers,
  async () => (await import('./0012-lead-numbers.ts')).leadNumbers,
  async () => actionTimes,
  async () => calledRuns,
  async () => versionEngine,
  async () => corrections,
  async () => runIdle,
  async () => earlierErrors,
]
