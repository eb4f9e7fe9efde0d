import { keyMark } from '../../client/credentials.ts'
import { ClientFailure, reconcile } from '../../client/failure.ts'
import type { JournalEntry, SpendOutcome } from '../../client/journal.ts'
import { isSamePlatform } from '../../client/open-operation.ts'
import { uuidFrom } from '../../client/uuid.ts'
import { automate } from '../../contract/automate.ts'
import type { Context } from '../context.ts'
import type { Live } from './live.ts'

/** What an update or restore of a live automation started from, as the journal keeps it: enough to finish it after a crash. */
export interface Guarded {
  readonly id: string
  readonly name: string
  readonly before: { readonly content: string; readonly status: string; readonly version: string | null; readonly updated_at: string; readonly bound: boolean }
  /** Whether it is to be enabled when all is done. */
  readonly enabled: boolean
  /** Whether a definition that fails its test is rolled back. */
  readonly rollback: boolean
  /** Of a restore: fingerprint of the definition that is to be live; null where it is not known before. */
  readonly target?: string | null
}

/** An open entry of the journal. */
export interface Opened {
  readonly guarded: Guarded
  /** ISO 8601. */
  readonly at: string
  settle(outcome: SpendOutcome, detail?: object): void
}

export const guardedFrom = ({ automation, version, content }: Live, enabled: boolean, rollback: boolean): Guarded => {
  const { id, name, status, updated_at } = automation
  return { id, name: String(name), before: { content, status, version: version ?? null, updated_at, bound: Boolean(automation.binding) }, enabled, rollback }
}

/** Writes down what is about to happen to a live automation, before the request leaves. @throws ClientFailure `usage` when it cannot be written */
export async function openEntry(context: Context, kind: 'update' | 'restore', guarded: Guarded): Promise<Opened> {
  const [journal, connected, { profileName }] = [await context.journal(), await context.connected(), await context.settings()]
  const key = await connected.key()
  const id = journal.begin({
    endpoint: automate[kind].name,
    input: guarded,
    idempotencyKey: uuidFrom(context.world.random),
    profile: profileName.value,
    baseUrl: connected.base,
    ...(key !== undefined && { keyMark: keyMark(key) }),
  })
  const at = new Date(context.world.now()).toISOString()
  return { guarded, at, settle: (outcome, detail) => journal.settle(id, outcome, detail) }
}

/** Whether an entry of the journal is an update or a restore of an automation. */
export const isGuarded = ({ endpoint, input }: JournalEntry): boolean =>
  (endpoint === automate.update.name || endpoint === automate.restore.name) && typeof (input as Partial<Guarded> | null)?.before === 'object'

/** Exit 12: nobody can say what is live, or it is not yet as it should be. */
export const unfinished = (message: string, cause?: unknown): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: 'update_unfinished',
    message,
    hint: 'Finish it: parley ops reconcile.',
    next: reconcile,
    ...(cause !== undefined && { cause }),
    ...(cause instanceof ClientFailure && cause.status !== undefined && { status: cause.status }),
    ...(cause instanceof ClientFailure && cause.requestId !== undefined && { requestId: cause.requestId }),
  })

/** Whether a write surely changed nothing: it was refused, or never left. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof ClientFailure)) return false
  if (error.exit === 'unknown') return false
  return error.status === undefined ? error.sent !== true : error.status >= 400 && error.status < 500 && error.status !== 408
}

/** Whether an entry is a restore, which only has to be looked for. */
export const isRestoreEntry = ({ endpoint }: JournalEntry): boolean => endpoint === automate.restore.name

/** Entries of an automation from here whose outcome is not known, oldest first. */
async function openEntries(context: Context, id: string): Promise<readonly (Opened & { readonly isRestore: boolean })[]> {
  const [journal, connected, { profileName }] = [await context.journal(), await context.connected(), await context.settings()]
  const isMine = (it: JournalEntry): boolean =>
    it.profile === profileName.value && isSamePlatform(it.baseUrl, connected.base) && (it.input as Guarded).id === id
  const open = journal.list({ open: true, texts: ['"endpoint":"automate.', JSON.stringify(id)] }).filter((it) => isGuarded(it) && isMine(it))
  return open.map((it) => ({
    guarded: it.input as Guarded,
    at: it.at,
    isRestore: isRestoreEntry(it),
    settle: (outcome, detail) => journal.settle(it.id, outcome, detail),
  }))
}

/** The newest restore of an automation from here whose outcome is not known. */
export const openRestore = async (context: Context, id: string): Promise<Opened | undefined> => (await openEntries(context, id)).findLast((it) => it.isRestore)

/** Updates of an automation from here whose outcome is not known. */
export const openUpdates = async (context: Context, id: string): Promise<readonly Opened[]> => (await openEntries(context, id)).filter((it) => !it.isRestore)
