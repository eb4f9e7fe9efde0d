import { ClientFailure } from '../../client/failure.ts'
import { automate } from '../../contract/automate.ts'
import { ifVersionHeader } from '../../contract/automation-headers.ts'
import type { Automation, Restored } from '../../contract/automation-records.ts'
import type { Context } from '../context.ts'
import { finishRestore } from './finish.ts'
import { guardedFrom, isRefused, type Opened, openEntry, unfinished } from './guard.ts'
import { type Live, readLive, stateOf } from './live.ts'
import { restoreSentence } from './reconcile.ts'
import { liveIn, type Target, versionsOf } from './targets.ts'

/** A restore that was carried out and read back. */
export interface RestoredLive {
  /** What the platform answered; empty where it said nothing. */
  readonly answer: Partial<Restored>
  readonly live: Live
  readonly isAnswerLost: boolean
}

/**
 * Restores an earlier version and reads back what is live. `shown` is what was live when it was agreed to: another version that was published since is not
 * replaced (exit 5). @throws ClientFailure; `unknown` (exit 12) when nobody can say what is live, with an entry in the journal
 */
export async function restoreSafely(context: Context, shown: Live, target: Target): Promise<RestoredLive> {
  const { id, name } = shown.automation
  const isGuarded = shown.version !== undefined && (await context.has('version-guard'))
  if (!isGuarded) await refuseChanged(context, shown)
  const guarded = { ...guardedFrom(shown, shown.automation.status === 'enabled', false), target: target.content ?? null }
  const entry = await openEntry(context, 'restore', guarded)
  const headers = isGuarded ? { headers: { [ifVersionHeader]: shown.version as string } } : {}
  const sent =
    target.number === undefined || target.isPrevious
      ? context.call(automate.restore, { id }, headers)
      : context.call(automate.restoreVersion, { id, number: target.number }, headers)
  let answer: Partial<Restored>
  try {
    answer = (await context.progress.during('Restoring', sent)) as Partial<Restored>
  } catch (error) {
    if (isRefused(error)) {
      entry.settle('refused', { message: (error as Error).message })
      throw await explained(context, error as ClientFailure, id)
    }
    if (isAnswered(error)) {
      const live = await readLive(context, id).catch(() => undefined)
      // A platform that failed and changed nothing has said so.
      if (live && live.content === shown.content && live.version === shown.version && live.automation.updated_at === shown.automation.updated_at) {
        entry.settle('refused', { message: (error as Error).message })
        throw await explained(context, error as ClientFailure, id)
      }
    }
    return afterLostAnswer(context, entry, error)
  }
  return { answer, live: await readBack(context, entry, shown, target), isAnswerLost: false }

  async function readBack(from: Context, { settle }: Opened, before: Live, { content }: Target): Promise<Live> {
    const live = await readLive(from, id, new AbortController().signal).catch((error: unknown) => {
      settle('unknown')
      throw unfinished(`The platform answered that "${name}" was restored, and what is live could not be read: ${(error as Error).message}`, error)
    })
    const isMoved =
      live.version !== undefined && before.version !== undefined ? live.version !== before.version : live.automation.updated_at !== before.automation.updated_at
    const isThere = content === undefined ? live.content !== before.content || isMoved : live.content === content
    settle(isThere ? 'done' : 'refused', isThere ? undefined : { reconciled: 'Another definition is live.' })
    if (isThere && live.automation.status === before.automation.status) return live
    throw new ClientFailure({
      exit: 'platform',
      code: isThere ? 'state_changed' : 'restore_without_effect',
      message: isThere
        ? `"${name}" was restored, but it was ${before.automation.status} and is ${live.automation.status} now.`
        : `The platform answered that "${name}" was restored, but ${live.content === before.content ? 'the version that was live before is still live' : 'another definition is live'}. ${stateOf(live)}`,
      hint: isThere
        ? `Switch it back: parley automate ${before.automation.status === 'enabled' ? 'enable' : 'disable'} ${id}`
        : `See what is live: parley automate get ${id}`,
    })
  }
}

/** Whether a platform answered at all: then it is not under way any more. */
const isAnswered = (error: unknown): boolean =>
  error instanceof ClientFailure && error.status !== undefined && error.status !== 408 && ![502, 503, 504].includes(error.status)

/** Reads the live version right before a restore where the platform does not guard it. @throws ClientFailure `conflict` when another one is live than was shown */
async function refuseChanged(context: Context, shown: Live): Promise<void> {
  const now = await readLive(context, shown.automation.id)
  if (now.content === shown.content && now.automation.updated_at === shown.automation.updated_at) {
    await context.notes.note('This deployment has no version guard: a change by somebody else in the moment between this check and the restore is not noticed.')
    return
  }
  throw changedSince(now.automation)
}

const changedSince = ({ name, id, updated_at: at }: Automation): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'version_changed',
    message: `"${name}" (${id}) was changed by somebody else at ${at}, after it was read. Nothing was sent.`,
    hint: `Compare, then decide anew: parley automate diff ${id}`,
  })

/** The refusals of a restore, with what is live and the way on. */
async function explained(context: Context, error: ClientFailure, id: string): Promise<ClientFailure> {
  const { exit, code, message, status, requestId, details } = error
  const again = (parts: { exit?: ClientFailure['exit']; message?: string; hint: string }): ClientFailure =>
    new ClientFailure({
      exit,
      code,
      message,
      details,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      cause: error,
      ...parts,
    })
  if (code === 'version_changed') return again({ exit: 'conflict', hint: `Compare, then decide anew: parley automate diff ${id}` })
  // It was not live when it was shown: somebody else was faster.
  if (code === 'already_live') {
    const live = await versionsOf(context, id).then(liveIn, () => undefined)
    return again({
      exit: 'conflict',
      ...(live && { message: `${message} Version ${live.number} is live since ${live.published_at}.` }),
      hint: `Compare, then decide anew: parley automate diff ${id}`,
    })
  }
  if (code === 'binding_conflict') return again({ exit: 'conflict', hint: error.hint ?? 'Detach what holds the event, then restore again.' })
  if (code !== 'publish_failed') return error
  const isConflict = /already has an automation or custom webhook/i.test(message)
  return again({
    ...(isConflict && { exit: 'conflict' as const }),
    hint: `See the draft: parley automate get ${id} --draft. What was live before is live still.`,
  })
}

/** The answer was lost: what is live decides. @throws ClientFailure `unknown` while the restore may still follow */
async function afterLostAnswer(context: Context, entry: Opened, error: unknown): Promise<RestoredLive> {
  const { name } = entry.guarded
  entry.settle('unknown', { message: (error as Error).message })
  if (context.world.signal.aborted) throw unfinished(`The restore of "${name}" was interrupted: whether it was carried out is not known.`, error)
  const finished = await finishRestore(context, entry.guarded, entry.at, new AbortController().signal).catch((failure: unknown) => {
    throw unfinished(`The answer to the restore of "${name}" was lost, and what is live could not be read: ${(failure as Error).message}`, failure)
  })
  if (finished.verdict === 'live') {
    entry.settle('done', { reconciled: 'The restore was carried out.' })
    return { answer: {}, live: finished.live, isAnswerLost: true }
  }
  throw unfinished(`The answer to the restore was lost: ${(error as Error).message} ${restoreSentence(entry.guarded, finished)}`, error)
}
