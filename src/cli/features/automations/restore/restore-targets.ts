import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { AutomationVersion } from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import type { Context } from '../../../program/context.ts'
import { type HistoryEntry, historyScope, listEntries } from '../../../program/history/entries.ts'
import { describeTime } from '../../../program/output/time.ts'
import { fingerprintDefinition, type LiveAutomation } from '../live-automation.ts'

/** A version that can be restored. */
export interface RestoreTarget {
  /** Its number; undefined if the platform does not number versions. */
  readonly number: number | undefined
  /** Label for messages: `version 2 of 2026-11-22 14:03`. */
  readonly label: string
  /** Undefined if its content is unknown. */
  readonly definition: AutomationNode | undefined
  /** Fingerprint of the definition; undefined if it is uncertain. */
  readonly fingerprint: string | undefined
  readonly binding: { readonly type: string; readonly assistant_id: number } | null | undefined
  /** `automate restore --dry-run` prints it as JSON: words are added, not renamed. */
  readonly source: 'platform' | 'history' | 'file' | 'unknown'
  /** Whether it is the version before the live one, which the restore endpoint of the specification restores. */
  readonly isPrevious?: true
}

/**
 * Maximum number of versions that a platform lists at once: `maxVersions` of version-endpoints.ts. A larger one would be
 * refused.
 */
export const maxListedVersions = 50

const noPreviousError = (): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'no_previous_version',
    message: 'There is no previous version to restore.',
    hint: 'Nothing was sent.',
  })

/** Lists the newest versions of an automation, at most `maxListedVersions`. */
export const listVersions = async (context: Context, id: string): Promise<readonly AutomationVersion[]> =>
  (await context.call(automate.versions, { id, limit: maxListedVersions })).versions

/** Returns the live version; undefined if there is none. */
export const findLiveVersion = (versions: readonly AutomationVersion[]): AutomationVersion | undefined =>
  versions.find((it) => it.live)

/** Returns the number of the version before the live one. @throws ClientFailure `conflict` if there is none */
export async function previousNumber(context: Context, id: string): Promise<number> {
  const versions = await listVersions(context, id)
  const live = findLiveVersion(versions)
  const numbers = versions.map((it) => it.number).filter((it) => live === undefined || it < live.number)
  if (numbers.length === 0) throw noPreviousError()
  return Math.max(...numbers)
}

/**
 * Returns an error handler that names the command for listing versions if a version does not exist. Other errors are
 * rethrown.
 */
export const versionNotFound =
  (id: string, number: number) =>
  (error: unknown): never => {
    if (!(error instanceof ClientFailure) || error.exit !== 'not_found' || !/version/i.test(error.message)) throw error
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `Automation ${id} has no version ${number}.`,
      hint: `List the versions: parley automate versions list ${id}.`,
    })
  }

/**
 * Reads one version with its definition, including credentials if the platform shows them. @throws ClientFailure
 * `not_found` with the command that lists versions
 */
export async function readVersion(context: Context, id: string, number: number): Promise<RestoreTarget> {
  const { data } = await context
    .call(automate.version, { id, number, include_secrets: true })
    .catch(versionNotFound(id, number))
  return {
    number,
    label: `version ${number} of ${describeTime(data.published_at)}`,
    definition: data.definition as AutomationNode,
    fingerprint: await fingerprintDefinition(data.definition),
    binding: data.binding,
    source: 'platform',
  }
}

/**
 * Returns the previous version from the local history: the state before the newest local change, if that change
 * produced the live version.
 */
export async function previousInHistory(context: Context, { automation }: LiveAutomation): Promise<RestoreTarget> {
  const unknown: RestoreTarget = {
    number: undefined,
    label: 'the previous version',
    definition: undefined,
    fingerprint: undefined,
    binding: undefined,
    source: 'unknown',
  }
  const maskedFingerprint = (value: unknown): Promise<string> =>
    fingerprintDefinition(isObject(value) ? maskDefinition(value as AutomationNode) : null)
  const live = await maskedFingerprint(automation.definition)
  const copies = (await historyEntriesOf(context, automation.id)).filter(
    (it) => it.action !== 'delete' && it.after && isObject(it.after.definition),
  )
  const [newest] = copies
  if (!newest || (await maskedFingerprint(newest.after?.definition)) !== live || !isObject(newest.before?.definition))
    return unknown
  // The newest change did not change the definition, so it published nothing.
  if ((await maskedFingerprint(newest.before.definition)) === live) return unknown
  return { ...fromHistoryEntry(newest), label: `the previous version (history entry ${newest.entry})` }
}

/**
 * Returns the version in a history entry. Its credentials are masked, so it has no fingerprint to compare with the live
 * version.
 */
export const fromHistoryEntry = ({ entry, at, before }: HistoryEntry): RestoreTarget => ({
  number: undefined,
  label: `the version of ${describeTime(at)} (history entry ${entry})`,
  definition: before?.definition as AutomationNode,
  fingerprint: undefined,
  binding: (before?.binding ?? null) as RestoreTarget['binding'],
  source: 'history',
})

/** Returns the history entries of an automation that have a definition, newest first. */
export async function historyEntriesOf(context: Context, id: string): Promise<HistoryEntry[]> {
  const copies = listEntries(context.system, await historyScope(context))
  return copies.filter((it) => it.noun === 'automate' && String(it.ids.id) === id && isObject(it.before?.definition))
}

/** Returns a history entry of an automation by its number. @throws ClientFailure `not_found` */
export async function historyEntryAt(context: Context, id: string, entry: number): Promise<HistoryEntry> {
  const copy = (await historyEntriesOf(context, id)).find((it) => it.entry === entry)
  if (copy) return copy
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `This deployment does not list versions, and the local history has no entry ${entry} of automation ${id}. Nothing was sent.`,
    hint: `List versions: parley automate versions list ${id}. You can also pass a version with --file.`,
  })
}

/** Returns a version by its number, from the platform or, if it does not list versions, from the local history. */
export const resolveRestoreTarget = async (context: Context, id: string, number: number): Promise<RestoreTarget> =>
  (await context.supports('versions'))
    ? readVersion(context, id, number)
    : fromHistoryEntry(await historyEntryAt(context, id, number))

/** Prints the command that restores a version that was replaced, with its number if the platform has versions. */
export async function noteUndo(context: Context, { automation: { id }, version }: LiveAutomation): Promise<void> {
  const hasVersions = version !== undefined && (await context.supports('versions'))
  // The change is done: without the list, the command names no version.
  const versions = hasVersions ? await listVersions(context, id).catch(() => []) : []
  const number = versions.find((it) => it.id === version)?.number
  await context.notes.note(`Undo: parley automate restore ${id}${number === undefined ? '' : ` --to ${number}`}`)
}
