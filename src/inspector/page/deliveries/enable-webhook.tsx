import { routePath } from '../app/routes.ts'
import { account } from '../data/session.ts'
import { words } from '../data/values.ts'
import { openForm } from '../parts/form-dialog.tsx'
import { testReceiverUrl } from './replay-copy.tsx'

interface Original {
  readonly event: string
  readonly assistant_id: number | null
  readonly url: string
}

const enablePaths: Readonly<Record<string, string>> = {
  post_call: '/api/user/assistants/enable-webhook',
  conversation_ended: '/api/user/assistants/enable-conversation-ended-webhook',
}

/** Returns whether the webhook of a delivery is one that the page can enable. */
export const canEnableWebhook = ({ event, assistant_id }: Original): boolean =>
  assistant_id !== null && enablePaths[event] !== undefined

/** Says that a replay has no receiver, and what to do. */
export const DisabledWebhook = ({ event }: { event: string }) => (
  <p class="notice warning">
    The webhook for the event "{words(event)}" is disabled, so a replay has no receiver. Enable the webhook and replay,
    or send a copy to the <a href={routePath('deliveries', ['receiver'])}>test receiver</a>.
  </p>
)

/** Opens the form that enables the webhook of a delivery. `onDone` is called after it was enabled. */
export function enableWebhook({ event, assistant_id, url }: Original, onDone: () => void): void {
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
