import { account } from '../data/session.ts'
import { prettyJson } from '../data/values.ts'
import { act } from '../parts/action.tsx'
import { openForm, parseFormJson } from '../parts/form-dialog.tsx'

/** Address of the test receiver of this inspector. */
export const testReceiverUrl = `${location.origin}/_parley/receiver`

interface Original {
  readonly id: number
  readonly url: string
  readonly payload: unknown
}

const path = '/control/deliveries/replay'

/** Sends a copy of a delivery to the test receiver. */
export const sendToTestReceiver = ({ id }: Original): Promise<unknown> =>
  act({ method: 'POST', path, body: { id, url: testReceiverUrl }, label: 'Send to the test receiver' })

/** Opens the form that sends a changed copy of a delivery. */
export function editAndReplay({ id, url, payload }: Original): void {
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
