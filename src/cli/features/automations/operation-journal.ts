// Updates and restores of live automations in the journal of operations. An entry must be enough to finish the operation after
// a crash, and entries of earlier versions stay readable.

import { ClientFailure, reconcileCommands } from '../../../client/failures/client-failure.ts'
import type { JournalEntry, JournalFilter, OperationOutcome } from '../../../client/journal/open-operations.ts'
import { isOnPlatform } from '../../../client/journal/open-operations.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { crypto } from '../../../node/crypto.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import type { LiveAutomation } from './live-automation.ts'

/**
 * State before an update or restore of a live automation, as saved in the operations journal. It suffices to finish the
 * operation after a crash.
 */
export interface AutomationOperation {
  readonly id: string
  readonly name: string
  readonly before: {
    readonly content: string
    readonly status: string
    readonly version: string | null
    readonly updated_at: string
    readonly bound: boolean
  }
  /** Whether the automation is enabled at the end. */
  readonly enabled: boolean
  /** Whether a definition that fails its test is rolled back. */
  readonly rollback: boolean
  /** For a restore: fingerprint of the restored definition; null if it is unknown in advance. */
  readonly target?: string | null
  /** For an update: the sent definition, as `packDefinition` returns it. Entries of earlier versions have none. */
  readonly sent?: string
}

/** An open entry of the journal. */
export interface OpenOperation {
  readonly operation: AutomationOperation
  /** ISO 8601. */
  readonly at: string
  settle(outcome: OperationOutcome, detail?: object): void
}

/** Returns the journal input for a change of a live automation. `enabled` is the wanted state at the end. */
export const toAutomationOperation = (
  { automation, version, fingerprint }: LiveAutomation,
  enabled: boolean,
  rollback: boolean,
): AutomationOperation => {
  const { id, name, status, updated_at } = automation
  return {
    id,
    name: String(name),
    before: { content: fingerprint, status, version: version ?? null, updated_at, bound: Boolean(automation.binding) },
    enabled,
    rollback,
  }
}

/**
 * Records a change of a live automation before the request is sent. @throws ClientFailure `usage` if the journal cannot
 * be written
 */
export async function openOperation(
  context: Context,
  kind: 'update' | 'restore',
  operation: AutomationOperation,
): Promise<OpenOperation> {
  const [journal, connected, { profileName }] = [
    await context.journal(),
    await context.connection(),
    await context.settings(),
  ]
  const key = await connected.key()
  const id = journal.recordIntent({
    endpoint: automate[kind].name,
    input: operation,
    idempotencyKey: crypto().randomUUID(),
    profile: profileName.value,
    baseUrl: connected.platform,
    ...(key !== undefined && { keyMark: keyPrefix(key) }),
  })
  const at = new Date(context.system.now()).toISOString()
  return { operation, at, settle: (outcome, detail) => journal.recordOutcome(id, outcome, detail) }
}

/** Returns whether a journal entry is an update or a restore of an automation. */
export const isAutomationOperation = ({ endpoint, input }: JournalEntry): boolean =>
  (endpoint === automate.update.name || endpoint === automate.restore.name) &&
  typeof (input as Partial<AutomationOperation> | null)?.before === 'object'

/** Returns the error for exit 12: the live state is unknown or not final. */
export const unfinishedError = (message: string, cause?: unknown): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: 'update_unfinished',
    message,
    hint: 'To finish it: parley ops reconcile.',
    next: reconcileCommands,
    ...(cause !== undefined && { cause }),
    ...(cause instanceof ClientFailure && cause.status !== undefined && { status: cause.status }),
    ...(cause instanceof ClientFailure && cause.requestId !== undefined && { requestId: cause.requestId }),
  })

/** Returns whether a journal entry is a restore. */
export const isRestoreEntry = ({ endpoint }: JournalEntry): boolean => endpoint === automate.restore.name

/** Returns the updates and restores of an automation on the platform in use, oldest first. */
async function operationsOf(
  context: Context,
  id: string,
  filter: Pick<JournalFilter, 'open'>,
): Promise<readonly JournalEntry[]> {
  const [journal, connected, { profileName }] = [
    await context.journal(),
    await context.connection(),
    await context.settings(),
  ]
  const isMine = (entry: JournalEntry): boolean =>
    entry.profile === profileName.value &&
    isOnPlatform(entry, connected.platform) &&
    (entry.input as AutomationOperation).id === id
  // Lines without these texts are not parsed: the journal writes an endpoint so, without spaces.
  return journal
    .list({ ...filter, texts: ['"endpoint":"automate.', stringifyJson(id)] })
    .filter((it) => isAutomationOperation(it) && isMine(it))
}

/** Returns the entries of an automation with an unknown outcome, oldest first. */
async function openOperations(
  context: Context,
  id: string,
): Promise<readonly (OpenOperation & { readonly isRestore: boolean })[]> {
  const journal = await context.journal()
  return (await operationsOf(context, id, { open: true })).map((entry) => ({
    operation: entry.input as AutomationOperation,
    at: entry.at,
    isRestore: isRestoreEntry(entry),
    settle: (outcome, detail) => journal.recordOutcome(entry.id, outcome, detail),
  }))
}

/**
 * Returns the time of the update whose definition was published last, if it failed its test and was rolled back. Then the
 * previous version of the platform is the one that failed. Later operations that published nothing, such as a change of
 * the name or state, do not matter.
 */
export async function findRolledBackUpdate(
  context: Context,
  { automation, fingerprint }: LiveAutomation,
): Promise<string | undefined> {
  const isRolledBack = ({ detail }: JournalEntry): boolean =>
    (detail as { readonly rolled_back?: unknown } | undefined)?.rolled_back === true
  for (const entry of [...(await operationsOf(context, automation.id, {}))].reverse()) {
    if ((entry.input as AutomationOperation).before.content !== fingerprint) return undefined
    if (isRolledBack(entry)) return entry.at
  }
  return undefined
}

/** Returns the newest restore of an automation with an unknown outcome. */
export const findOpenRestore = async (context: Context, id: string): Promise<OpenOperation | undefined> =>
  (await openOperations(context, id)).findLast((it) => it.isRestore)

/** Returns the updates of an automation with an unknown outcome. */
export const findOpenUpdates = async (context: Context, id: string): Promise<readonly OpenOperation[]> =>
  (await openOperations(context, id)).filter((it) => !it.isRestore)
