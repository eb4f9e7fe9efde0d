import { ClientFailure } from '../../client/failure.ts'
import { automate } from '../../contract/automate.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { AutomationVersion } from '../../contract/automation-records.ts'
import type { Context } from '../context.ts'
import { isObject } from '../hidden.ts'
import type { Copy } from '../history/copies.ts'
import { listCopies } from '../history/copies.ts'
import { placeOf } from '../history/recorder.ts'
import { contentOf, type Live } from './live.ts'

/** A version that could go live again. */
export interface Target {
  /** Its number on the platform; undefined where the platform does not number versions. */
  readonly number: number | undefined
  /** For people: `version 2 of 2026-11-22 14:03`. */
  readonly called: string
  /** Undefined where nobody can say what it holds. */
  readonly definition: AutomationNode | undefined
  /** Fingerprint of the definition; undefined where that is not known for sure. */
  readonly content: string | undefined
  readonly binding: { readonly type: string; readonly assistant_id: number } | null | undefined
  readonly source: 'platform' | 'history' | 'file' | 'unknown'
  /** It is the one right before the live one: the specified endpoint restores it. */
  readonly isPrevious?: true
}

/** The most versions a platform lists at once. */
export const listLimit = 50

const noPrevious = (): ClientFailure =>
  new ClientFailure({ exit: 'conflict', code: 'no_previous_version', message: 'There is no previous version to restore.', hint: 'Nothing was sent.' })

export const versionsOf = async (context: Context, id: string): Promise<readonly AutomationVersion[]> =>
  (await context.call(automate.versions, { id, limit: listLimit })).versions

/** The version that is live, by its number; undefined where none is. */
export const liveIn = (versions: readonly AutomationVersion[]): AutomationVersion | undefined => versions.find((it) => it.live)

/** The number of the version published right before the live one. @throws ClientFailure `conflict` where there is none */
export async function previousNumber(context: Context, id: string): Promise<number> {
  const versions = await versionsOf(context, id)
  const live = liveIn(versions)
  const numbers = versions.map((it) => it.number).filter((it) => live === undefined || it < live.number)
  if (numbers.length === 0) throw noPrevious()
  return Math.max(...numbers)
}

/** Says of a version that is not there which there are; other failures are passed on. */
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

/** One version with its definition, credentials included where the platform shows them. @throws ClientFailure `not_found` naming the command that lists them */
export async function versionAt(context: Context, id: string, number: number): Promise<Target> {
  const { data } = await context.call(automate.version, { id, number, include_secrets: true }).catch(versionNotFound(id, number))
  return {
    number,
    called: `version ${number} of ${data.published_at}`,
    definition: data.definition as AutomationNode,
    content: await contentOf(data.definition),
    binding: data.binding,
    source: 'platform',
  }
}

/** The previous version as far as the history of this computer knows it: what was live before the newest change from here that made what is live. */
export async function previousInHistory(context: Context, { automation }: Live): Promise<Target> {
  const unknown: Target = {
    number: undefined,
    called: 'the previous version',
    definition: undefined,
    content: undefined,
    binding: undefined,
    source: 'unknown',
  }
  const { maskDefinition } = await import('../../automation/definition/mask.ts')
  const masked = (it: unknown): Promise<string> => contentOf(isObject(it) ? maskDefinition(it as AutomationNode) : null)
  const live = await masked(automation.definition)
  const copies = (await copiesOf(context, automation.id)).filter((it) => it.action !== 'delete' && it.after && isObject(it.after.definition))
  const [newest] = copies
  if (!newest || (await masked(newest.after?.definition)) !== live || !isObject(newest.before?.definition)) return unknown
  // A change of the name alone publishes nothing.
  if ((await masked(newest.before.definition)) === live) return unknown
  return { ...ofCopy(newest), called: `the previous version (as entry ${newest.entry} of the history has it)` }
}

/** What a copy of the history holds. Its credentials are masked, so that it cannot be compared with what is live. */
export const ofCopy = ({ entry, at, before }: Copy): Target => ({
  number: undefined,
  called: `the version of ${at} (entry ${entry} of the history)`,
  definition: before?.definition as AutomationNode,
  content: undefined,
  binding: (before?.binding ?? null) as Target['binding'],
  source: 'history',
})

/** Copies of an automation with a definition, newest first. */
export async function copiesOf(context: Context, id: string): Promise<Copy[]> {
  const copies = listCopies(context.world, await placeOf(context))
  return copies.filter((it) => it.noun === 'automate' && String(it.ids.id) === id && isObject(it.before?.definition))
}

/** The copy of an automation under a number of the history. @throws ClientFailure `not_found` */
export async function copyAt(context: Context, id: string, entry: number): Promise<Copy> {
  const copy = (await copiesOf(context, id)).find((it) => it.entry === entry)
  if (copy) return copy
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `This deployment does not list versions, and the history of this computer has no entry ${entry} of automation ${id}. Nothing was sent.`,
    hint: `See what there is: parley automate versions list ${id}. A version can be given with --file as well.`,
  })
}

/** A version by its number, from the platform or, where that does not list them, from the history of this computer. */
export const targetAt = async (context: Context, id: string, number: number): Promise<Target> =>
  (await context.has('versions')) ? versionAt(context, id, number) : ofCopy(await copyAt(context, id, number))
