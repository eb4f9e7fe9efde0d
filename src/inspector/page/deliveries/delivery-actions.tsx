import { routePath } from '../app/routes.ts'
import { account } from '../data/session.ts'
import { prettyJson, words } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { openForm, parseFormJson } from '../parts/form-dialog.tsx'

/** Address of the test receiver of this inspector (inspector.ts), which only this machine can use. */
export const testReceiverUrl = `${location.origin}/_parley/receiver`

interface ReplayedDelivery {
  readonly id: number
  readonly url: string
  readonly payload: unknown
}

const path = '/control/deliveries/replay'

/** Sends a copy of a delivery to the test receiver. */
export const sendToTestReceiver = ({ id }: ReplayedDelivery): Promise<unknown> =>
  act({ method: 'POST', path, body: { id, url: testReceiverUrl }, label: 'Send to the test receiver' })

/** Opens the form that sends a changed copy of a delivery. */
export function editAndReplay({ id, url, payload }: ReplayedDelivery): void {
  const text = prettyJson(payload)
  openForm({
    title: 'Edit and replay',
    isWide: true,
    note: <p>A copy is sent once, with its own message id and signature. The original is not changed.</p>,
    fields: [
      {
        name: 'url',
        label: 'Send to',
        value: url,
        proposals: [...new Set([url, testReceiverUrl])],
        hint: `Test receiver: ${testReceiverUrl}`,
      },
      { name: 'payload', label: 'Payload (JSON)', kind: 'long', value: text },
      {
        name: 'headers',
        label: 'Additional headers (JSON)',
        value: '{}',
        hint: 'For example {"x-request-id": "test"}. The signature is added.',
      },
    ],
    label: 'Send',
    toAction(values) {
      const edited = parseFormJson(values.payload ?? '')
      if (typeof edited === 'string') return edited
      const headers = parseFormJson(values.headers?.trim() || '{}')
      if (typeof headers === 'string') return headers
      return {
        method: 'POST',
        path,
        account: account.value,
        body: { id, url: values.url?.trim() || url, payload: edited.value, headers: headers.value },
        label: 'Send',
      }
    },
  })
}

interface WebhookDelivery {
  readonly event: string
  readonly assistant_id: number | null
  readonly url: string
}

/** Path that enables the webhook of an event, by the name of the event in deliveries. Other events have no webhook of an assistant. */
const enablePaths: Readonly<Record<string, string>> = {
  post_call: '/api/user/assistants/enable-webhook',
  conversation_ended: '/api/user/assistants/enable-conversation-ended-webhook',
}

/** Returns whether the webhook of a delivery is one that the page can enable. */
export const canEnableWebhook = ({ event, assistant_id }: WebhookDelivery): boolean =>
  assistant_id !== null && enablePaths[event] !== undefined

/** Says that a replay has no receiver, and what to do. */
export const DisabledWebhook = ({ event }: { event: string }) => (
  <p class="notice warning">
    The webhook for the event "{words(event)}" is disabled, so a replay has no receiver. Enable the webhook and replay,
    or send a copy to the <a href={routePath('deliveries', ['receiver'])}>test receiver</a>.
  </p>
)

/** Opens the form that enables the webhook of a delivery. `onDone` is called after it was enabled. */
export function enableWebhook({ event, assistant_id, url }: WebhookDelivery, onDone: () => void): void {
  openForm({
    title: 'Enable the webhook',
    note: <p>The assistant sends this event to the URL from now on. Then replay the delivery.</p>,
    fields: [
      {
        name: 'url',
        label: 'Send to',
        value: testReceiverUrl,
        proposals: [...new Set([testReceiverUrl, url])],
        isRequired: true,
        hint: `This is the test receiver of the inspector. The delivery was sent to ${url}`,
      },
    ],
    label: 'Enable',
    toAction: (values) => ({
      method: 'POST',
      path: enablePaths[event] ?? '',
      account: account.value,
      body: { assistant_id, webhook_url: values.url?.trim() },
      label: 'Enable',
      done: () => 'The webhook is enabled. Replay the delivery now.',
    }),
    onDone,
  })
}
