import { events } from '../../../contract/control/events.ts'
import { webhooks } from '../../../contract/control/webhooks.ts'
import { stringifyJson } from '../../../node/json.ts'
import { signHeaders } from '../../../node/webhook-signature.ts'
import type { Context } from '../../program/context.ts'
import { createForwarder } from './forwarder.ts'
import { listenSecret } from './listen-state.ts'
import type { RecordedEvent } from './recorded-events.ts'
import { triggerKindOf } from './view.ts'

/** What happened to an event of a replay. */
export interface ReplayedEvent {
  readonly id: string
  readonly kind: string
  /**
   * `sent`: accepted. `refused`: the receiver answered with an error. `no_receiver`: the platform triggered it, and the
   * assistant has neither an automation nor a webhook for it. `unreachable`: there was no answer. `skipped`: it cannot be
   * triggered. `planned`: it would be sent.
   */
  readonly outcome: 'sent' | 'refused' | 'no_receiver' | 'unreachable' | 'skipped' | 'planned'
  /** HTTP status of the receiver. */
  readonly status: number | null
  /** What received the event, or why none did. */
  readonly detail: string | null
}

/** Sends one event. */
export type EventSender = (event: RecordedEvent, replay: string) => Promise<Omit<ReplayedEvent, 'id' | 'kind'>>

/** Returns a sender that signs events like webhooks and sends them to a URL, under their recorded ids. */
export async function urlSender(
  context: Context,
  target: string,
  account: () => Promise<number>,
): Promise<EventSender> {
  const forward = await createForwarder(context, target)
  const secret = await signingSecret(context, account)
  return async ({ id, payload }) => {
    const body = stringifyJson(payload)
    const headers = {
      'content-type': 'application/json',
      ...signHeaders([secret], id, Math.floor(context.system.now() / 1000), body),
    }
    const { status, error } = await forward({ headers, body })
    if (status === null) return { outcome: 'unreachable', status, detail: error }
    return { outcome: status >= 200 && status < 300 ? 'sent' : 'refused', status, detail: null }
  }
}

/** Returns the secret that also signs the events of `events listen` on this platform. */
async function signingSecret(context: Context, account: () => Promise<number>): Promise<string> {
  const { system } = context
  if ((await context.connection()).via !== 'remote' || system.env.PARLEY_CONTROL_TOKEN)
    return (await context.call(webhooks.secret, { account: await account() })).secret
  const { profileName, baseUrl } = await context.settings()
  const platformNow = await context.platformNow()
  return listenSecret(system, { profile: profileName.value, baseUrl: baseUrl.value, platformNow })
}

/** Returns a sender that triggers events of an assistant, which start its automations and reach its webhooks. */
export const platformSender =
  (context: Context, account: number, assistant: number): EventSender =>
  async ({ id, kind, payload }, replay) => {
    const trigger = triggerKindOf(kind)
    if (!trigger) return { outcome: 'skipped', status: null, detail: 'no event of an assistant' }
    const { data, message } = await context.call(events.fire, {
      ...{ kind: trigger, account, assistant_id: assistant, key: `${replay}-${id}`.slice(0, 255) },
      payload: payload as Record<string, unknown>,
    })
    if (data.holder === null) return { outcome: 'no_receiver', status: null, detail: message }
    return { outcome: 'sent', status: null, detail: data.run_id ?? data.target ?? message }
  }
