import { join } from 'node:path'
import { openPendingOperations, type PendingOperations } from '../../../client/approvals/pending-operations.ts'
import { journalName } from '../../../client/journal/journal.ts'
import { crypto } from '../../../node/crypto.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { System } from '../system.ts'

/** Opens the pending operations of this machine. */
export const openPending = (system: System): PendingOperations =>
  openPendingOperations({
    file: join(dataDir(system), journalName),
    now: system.now,
    newId: () => crypto().randomUUID(),
    owner: system,
  })
