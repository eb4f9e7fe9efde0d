import type { Reply } from '../../client/call.ts'
import { automate } from '../../contract/automate.ts'
import { ifVersionHeader, publishedHeader, publishHeader, publishWhenTested } from '../../contract/automation-headers.ts'
import type { BuiltAutomation } from '../../contract/automation-records.ts'
import type { Input } from '../command.ts'
import { confirmed } from '../commands/automate/sending.ts'
import type { Context } from '../context.ts'
import { showOnly } from '../requests.ts'
import { refillFlow } from '../secrets/refill-flow.ts'
import { finishUpdate } from './finish.ts'
import { guardedFrom, isRefused, type Opened, openEntry, unfinished } from './guard.ts'
import { type Live, notLive, readLive, stateOf } from './live.ts'
import { checkLocally, type LocalVerdict, notTestedLine } from './local-check.ts'
import { rollBack } from './rollback.ts'
import { keepSample, keptSample } from './samples.ts'

export interface SafeUpdate {
  readonly id: string
  /** The fields to send, a definition among them. */
  readonly change: Input & { readonly flow: unknown }
  /** Leaves out the check that needs no platform. */
  readonly skipLocalTest?: boolean
  /** Puts the previous version back when the test fails after publishing (default: true). */
  readonly rollback?: boolean
  /** Only samples of that time are used, for a definition of that time (ISO 8601). */
  readonly sampleBefore?: string
  /** What a spinner says. */
  readonly during: string
}

type Built = Partial<BuiltAutomation> & { readonly status?: string }

/** How an update of a definition ended. */
export type UpdateOutcome = {
  /** The sample was sent before: when. */
  readonly sampleAt?: string | undefined
  readonly verdict?: LocalVerdict | undefined
} & (
  | { readonly kind: 'shown' }
  /** The local check found what would fail: nothing was sent. */
  | { readonly kind: 'not_sent'; readonly verdict: LocalVerdict }
  /** Tested, published, and read back. */
  | { readonly kind: 'live'; readonly built: Built; readonly live: Live; readonly isAnswerLost?: true }
  /** Answered as done, and something else is live: these fields are not as they were sent. */
  | { readonly kind: 'differs'; readonly built: Built; readonly live: Live; readonly fields: readonly string[]; readonly isAnswerLost?: true }
  /** The draft failed its test: what was live stays as it was. */
  | { readonly kind: 'not_published'; readonly built: Built; readonly live: Live }
  /** The test failed after publishing: the previous version is live again. */
  | { readonly kind: 'rolled_back'; readonly built: Built; readonly live: Live; readonly wasBound: boolean }
  /** The test failed after publishing, and it was left so. */
  | { readonly kind: 'left'; readonly built: Built; readonly live: Live }
)

/**
 * Replaces the definition of a live automation so that production is not left down: checks it here first, has it tested before it is published where the
 * platform offers that, and elsewhere restores the previous version when its test fails. What is live in the end is read back.
 * @throws ClientFailure; `unknown` (exit 12) when what is live is not known or not as before: then `ops reconcile` finishes it
 */
export async function updateSafely(context: Context, it: SafeUpdate): Promise<UpdateOutcome> {
  const { id, during } = it
  const { printCurl, dryRun } = context.globals
  const kept = it.change.sample === undefined ? await keptSample(context, id, it.sampleBefore) : undefined
  const change: Input = { ...it.change, ...(kept && { sample: kept.sample }) }
  if (printCurl) {
    await showOnly(context, automate.update, { ...it.change, id })
    return { kind: 'shown' }
  }
  const flow = await refillFlow(context, id, change.flow)
  const verdict = it.skipLocalTest ? undefined : await context.progress.during('Checking locally', checkLocally(context, flow, change.sample))
  const more = { verdict, sampleAt: kept?.at }
  if (verdict && verdict.failures.length > 0) return { ...more, kind: 'not_sent', verdict }
  const untested = verdict && notTestedLine(verdict)
  if (untested) await context.notes.note(untested)
  if (dryRun) {
    await showOnly(context, automate.update, { ...it.change, id })
    return { kind: 'shown' }
  }
  await (await import('./reconcile.ts')).finishEarlier(context, id)
  const before = await readLive(context, id)
  const rollback = it.rollback !== false
  // What is to be left live whatever its test says is published first.
  const isStaged = rollback && (await context.has('when-tested'))
  const enabled = change.enabled === undefined ? before.automation.status === 'enabled' : change.enabled === true
  // A platform that does not stage enables whatever passes its test, unless it is told otherwise.
  const input: Input = { ...change, flow, id, ...(!isStaged && !enabled && { enabled: false }) }
  const entry = await openEntry(context, 'update', guardedFrom(before, enabled, rollback))
  // What --if-unchanged read must still be live when the platform publishes.
  const isGuarded = context.unchanged !== undefined && before.version !== undefined && (await context.has('version-guard'))
  const headers = {
    headers: { ...(isStaged && { [publishHeader]: publishWhenTested }), ...(isGuarded && { [ifVersionHeader]: before.version as string }) },
  }
  let reply: Reply<unknown>
  try {
    reply = await confirmed(context, input, (body) => context.progress.during(during, context.call.raw(automate.update, body as never, headers)))
  } catch (error) {
    if (isRefused(error)) {
      entry.settle('refused', { message: (error as Error).message })
      throw error
    }
    return { ...more, ...(await afterLostAnswer(context, { entry, before, flow }, error)) }
  }
  if (it.change.sample !== undefined) await keepSample(context, id, it.change.sample)
  return { ...more, ...(await afterAnswer(context, { entry, before, reply, flow, isStaged })) }
}

interface Answered {
  readonly entry: Opened
  readonly before: Live
  readonly reply: Reply<unknown>
  readonly flow: unknown
  readonly isStaged: boolean
}

/** Nobody interrupts the way back. */
const uninterrupted = (): AbortSignal => new AbortController().signal

async function afterAnswer(context: Context, { entry, before, reply, flow, isStaged }: Answered): Promise<UpdateOutcome> {
  const built = reply.output as Built
  const { guarded } = entry
  const signal = uninterrupted()
  const read = (): Promise<Live> =>
    readLive(context, guarded.id, signal).catch((error: unknown) => {
      entry.settle('unknown')
      throw unfinished(
        `The platform answered ${JSON.stringify(built.status ?? 'nothing')}, and what is live could not be read: ${(error as Error).message}`,
        error,
      )
    })
  if (isStaged && reply.headers[publishedHeader] === 'false') {
    const live = await read()
    if (live.content !== before.content || live.automation.status !== before.automation.status) return otherwise(entry, before, live)
    entry.settle('refused', { reconciled: 'Its test failed: nothing was published.' })
    await (await import('../history/recorder.ts')).dropCopy(context)
    return { kind: 'not_published', built, live }
  }
  if (built.status !== 'test_failed') {
    const live = await read()
    const missing = (await notLive(flow, live)) ?? []
    const state = (live.automation.status === 'enabled') === guarded.enabled ? [] : [`status (${live.automation.status})`]
    entry.settle('done')
    if (missing.length + state.length > 0) return { kind: 'differs', built, live, fields: [...missing, ...state] }
    return { kind: 'live', built, live }
  }
  const live = await read()
  if (!guarded.rollback) {
    entry.settle('done', { reconciled: 'Its test failed, and it was left so.' })
    return { kind: 'left', built, live }
  }
  // Somebody else has published since: what is live now is theirs.
  if (live.content !== before.content && ((await notLive(flow, live)) ?? []).length > 0) return otherwise(entry, before, live)
  try {
    const again = await context.progress.during('Restoring the previous version', rollBack(context, guarded, live, signal))
    entry.settle('refused', { reconciled: 'Its test failed: the previous version is live again.' })
    await (await import('../history/recorder.ts')).dropCopy(context)
    return { kind: 'rolled_back', built, live: again, wasBound: guarded.before.bound }
  } catch (error) {
    entry.settle('unknown', { message: (error as Error).message })
    throw error
  }
}

/** What is live is neither what was sent nor what was live before. */
function otherwise(entry: Opened, before: Live, live: Live): never {
  entry.settle('refused', { reconciled: 'Somebody else changed the automation.' })
  throw unfinished(`The test of the new definition failed, and "${before.automation.name}" was changed by somebody else at the same time. ${stateOf(live)}`)
}

/** The answer was lost, or does not say: what is live decides. @throws ClientFailure `unknown` while the platform may still be at it */
async function afterLostAnswer(context: Context, { entry, before, flow }: Omit<Answered, 'reply' | 'isStaged'>, error: unknown): Promise<UpdateOutcome> {
  const { name } = entry.guarded
  const reason = (error as Error).message
  entry.settle('unknown', { message: reason })
  if (context.world.signal.aborted) throw unfinished(`The update of "${name}" was interrupted: what is live now is not known.`, error)
  const finished = await finishUpdate(context, entry.guarded, { at: entry.at, signal: uninterrupted() }).catch((failure: unknown) => {
    throw unfinished(
      `The answer to the update of "${name}" was lost (${reason}) and what is live could not be found out: ${(failure as Error).message}`,
      failure,
    )
  })
  const { verdict, live, isRolledBack } = finished
  const built: Built = { automation_id: entry.guarded.id }
  if (verdict === 'live') {
    const fields = (await notLive(flow, live)) ?? []
    entry.settle('done', { reconciled: fields.length > 0 ? 'Another definition is live.' : 'The new definition is live.' })
    if (fields.length > 0) return { kind: 'differs', built, live, fields, isAnswerLost: true }
    return { kind: 'live', built, live, isAnswerLost: true }
  }
  if (verdict === 'before' && isRolledBack) {
    entry.settle('refused', { reconciled: 'The previous version is live again.' })
    await (await import('../history/recorder.ts')).dropCopy(context)
    return { kind: 'rolled_back', built: { ...built, status: 'test_failed' }, live, wasBound: entry.guarded.before.bound }
  }
  const definition =
    live.content === before.content
      ? 'The previous definition is live for now; the new one may still follow.'
      : 'Another definition is live; it may be the new one.'
  throw unfinished(`The answer to the update of "${name}" was lost: ${reason} ${definition} ${stateOf(live)}`, error)
}
