import { join } from 'node:path'
import { openJournalOperations } from '../../../client/approvals/journal-operations.ts'
import type { ListedOperation, PendingOperations } from '../../../client/approvals/pending-operations.ts'
import { localPlatform } from '../../../client/transport/platform-address.ts'
import { crypto } from '../../../node/crypto.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { Context } from '../context.ts'

/** Opens the pending operations in the journal of this machine. */
export const openJournalPending = ({ system }: Pick<Context, 'system'>): PendingOperations =>
  openJournalOperations({
    file: join(dataDir(system), dataFiles.journal),
    now: system.now,
    newId: () => crypto().randomUUID(),
    owner: system,
  })

/**
 * Opens the pending operations of the platform of the command, if it is a server that stores them. The platform in the data
 * folder has none: every program that can use the folder could decide.
 */
async function openServerPending(context: Context): Promise<PendingOperations | undefined> {
  const { baseUrl } = await context.settings()
  if (baseUrl.value === localPlatform || !(await context.supports('approvals'))) return undefined
  const { openServerOperations } = await import('../../../client/approvals/server-operations.ts')
  return openServerOperations({ call: context.call, owner: context.system })
}

/** Opens the place where operations of the platform of the command wait. */
export const openPending = async (context: Context): Promise<PendingOperations> =>
  (await openServerPending(context)) ?? openJournalPending(context)

/** An operation in a list, with its place. */
export interface PlacedOperation {
  readonly operation: ListedOperation
  readonly pending: PendingOperations
}

/** Returns the operations in the journal, and those of the platform of the command, newest first. */
export async function listPlacedOperations(context: Context): Promise<PlacedOperation[]> {
  const places = [openJournalPending(context), await openServerPending(context)].filter((it) => it !== undefined)
  const found = places.map(async (pending) => (await pending.list()).map((operation) => ({ operation, pending })))
  return (await Promise.all(found)).flat().sort((a, b) => Date.parse(b.operation.at) - Date.parse(a.operation.at))
}

/** Returns the operations whose id begins with a text: those in the journal, else those of the platform of the command. */
export async function findPlacedOperations(context: Context, id: string): Promise<PlacedOperation[]> {
  const isMeant = (it: ListedOperation): boolean => id !== '' && it.id.startsWith(id)
  const journal = openJournalPending(context)
  const own = (await journal.list()).filter(isMeant)
  if (own.length > 0) return own.map((operation) => ({ operation, pending: journal }))
  const server = await openServerPending(context)
  return ((await server?.list()) ?? [])
    .filter(isMeant)
    .flatMap((operation) => (server ? [{ operation, pending: server }] : []))
}
