import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { crypto } from '../../../node/crypto.ts'
import { stringifyJson } from '../../../node/json.ts'
import { signHeaders } from '../../../node/webhook-signature.ts'
import type { Context } from '../../program/context.ts'
import type { ForwardedEvent, Forwarder } from './forwarder.ts'
import { type ListenState, openListenState } from './listen-state.ts'
import type { RecordedEvent } from './recorded-events.ts'
import { describeInvisible, type RemoteEvent, readRemoteEvents, readVisibility } from './remote-events.ts'

/** Milliseconds between two polls of a deployment. */
const pollIntervalMs = 5000
/** Lists are read from this long before the latest event: a conversation may end long after it started. */
const overlapMs = 3 * 24 * 60 * 60 * 1000
const [firstWaitMs, maxWaitMs] = [1000, 30_000]

/** Where events go. */
export interface ListenOptions {
  readonly forward: Forwarder | undefined
  readonly record: ((event: RecordedEvent) => void) | undefined
  readonly limit: number | undefined
}

/**
 * Polls a deployment and yields its new events after their delivery, in order. An event is delivered again only if the
 * process was killed between the response of the receiver and saving it, with the same id. A receiver that cannot be
 * reached stops the order: the event is sent until it answers.
 */
export async function* listenRemotely(context: Context, options: ListenOptions): AsyncGenerator<ForwardedEvent> {
  const { system, notes } = context
  const { profileName, baseUrl } = await context.settings()
  const sees = await readVisibility(context)
  const platformNow = await context.platformNow()
  const state = openListenState(system, { profile: profileName.value, baseUrl: baseUrl.value, platformNow })
  try {
    await notes.note(describeInvisible(sees))
    if (options.forward) await notes.note(`The signing secret is in the first line of ${state.file}.`)
    let remaining = options.limit ?? Number.POSITIVE_INFINITY
    for (let isFirst = true; !system.signal.aborted; isFirst = false) {
      const read = () => readRemoteEvents(context, state.lastAt - overlapMs, sees)
      const events = isFirst ? await read() : await readWhenReachable(context, read)
      if (!events) return
      if (!state.isResumed) {
        state.start(events.map(({ key }) => key))
        await notes.note('Listening. Stop with Ctrl-C.')
      }
      for (const event of events) {
        if (state.has(event.key)) continue
        const sent = await deliver(context, event, state, `${baseUrl.value} ${event.key}`, options)
        if (!sent) return
        yield sent
        if (--remaining <= 0) return
      }
      await system.sleep(pollIntervalMs, system.signal).catch(() => undefined)
    }
  } finally {
    state.close()
  }
}

/** Failures of a deployment that restarts. */
const outages: ReadonlySet<ExitName> = new Set(['connection', 'platform', 'rate_limited'])

/** Repeats a poll until the deployment answers. Undefined if the command was interrupted before. */
async function readWhenReachable<T>({ system, notes }: Context, read: () => Promise<T>): Promise<T | undefined> {
  for (let waitMs = firstWaitMs; !system.signal.aborted; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    try {
      return await read()
    } catch (error) {
      if (system.signal.aborted) return undefined
      if (!(error instanceof ClientFailure) || !outages.has(error.exit)) throw error
      if (waitMs === firstWaitMs) await notes.warn(`Waiting until the deployment can be reached: ${error.message}`)
      await system.sleep(waitMs, system.signal).catch(() => undefined)
    }
  }
  return undefined
}

/** Delivers one event and saves it as delivered. Undefined if the command was interrupted before. */
async function deliver(
  { system, notes }: Context,
  { key, kind, at, payload }: RemoteEvent,
  state: ListenState,
  identity: string,
  { forward, record }: ListenOptions,
): Promise<ForwardedEvent | undefined> {
  const id = `msg_${crypto().createHash('sha256').update(identity).digest('hex').slice(0, 27)}`
  const body = stringifyJson(payload)
  record?.({ id, kind, payload })
  let status: number | null = null
  for (let waitMs = firstWaitMs; forward; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    const headers = {
      'content-type': 'application/json',
      ...signHeaders([state.secret], id, Math.floor(system.now() / 1000), body),
    }
    const sent = await forward({ headers, body })
    if (system.signal.aborted) return undefined
    status = sent.status
    if (status !== null) break
    if (waitMs === firstWaitMs) await notes.warn(`${kind} waits until the receiver can be reached: ${sent.error}`)
    await system.sleep(waitMs, system.signal).catch(() => undefined)
    if (system.signal.aborted) return undefined
  }
  state.add(key, at)
  return { id, kind, genuine: true, status, error: null, payload }
}
