import { type TurnEvent, turns } from '../../../contract/control/turns.ts'
import type { Input, Output } from '../../../contract/endpoint/endpoint.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { crypto } from '../../../node/crypto.ts'
import { withAnySignal } from '../../../node/time-limit.ts'
import { settingSources } from '../../program/configuration/setting-origins.ts'
import type { Context } from '../../program/context.ts'
import type { MessagePrice } from './chat-budget.ts'

export type Answer = Output<typeof conversations.send>

/** Default timeout of a reply in milliseconds; models and functions can be slow. */
const replyTimeoutMs = 120_000
/** Timeout of one poll for reply events in milliseconds. */
const followTimeoutMs = 20_000

interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly onEvent?: ((event: TurnEvent) => Promise<void>) | undefined
  /** Price of the message, if it was compared with a budget. */
  readonly price?: MessagePrice | undefined
}

/**
 * Sends a message. On the local platform `onEvent` receives the events of the reply; other platforms return only the
 * whole reply.
 */
export async function exchange(
  context: Context,
  message: Input<typeof conversations.send>,
  { signal, onEvent, price }: ExchangeOptions,
): Promise<Answer> {
  const { timeoutMs } = await context.settings()
  // It is chosen here and not by the client, because the events of the reply are found under it.
  const key = context.writeSettings.idempotencyKey ?? crypto().randomUUID()
  const more = {
    signal,
    idempotencyKey: key,
    ...price,
    timeoutMs: timeoutMs.from === settingSources.builtIn ? Math.max(replyTimeoutMs, timeoutMs.value) : timeoutMs.value,
  }
  const isOwn = onEvent !== undefined && (await context.connection()).via !== 'remote'
  const over = new AbortController()
  const sending = context.call(conversations.send, message, more).finally(() => over.abort())
  sending.catch(() => {})
  // Failing to show events must not fail the request.
  if (isOwn) await follow(context, key, onEvent, signal, over.signal).catch(() => {})
  return sending
}

/**
 * Polls for events until the reply is complete. Once `over` is aborted, fetches the remaining events without waiting.
 */
async function follow(
  context: Context,
  key: string,
  onEvent: (event: TurnEvent) => Promise<void>,
  signal: AbortSignal,
  over: AbortSignal,
): Promise<void> {
  for (let after = 0; ; ) {
    const isLast = over.aborted
    const page = await withAnySignal([signal, isLast ? undefined : over], (either) =>
      context.call(turns.follow, { key, after, wait: isLast ? 0 : 10 }, { signal: either, timeoutMs: followTimeoutMs }),
    ).catch((error) => {
      if (isLast || !over.aborted) throw error
      return undefined
    })
    for (const event of page?.events ?? []) await onEvent(event)
    after += page?.events.length ?? 0
    if (isLast || page?.done) return
  }
}
