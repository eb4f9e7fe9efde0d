import { maxPerPage } from '../../../contract/values/page-size.ts'
import { call } from '../data/api.ts'
import { account } from '../data/session.ts'
import { notify } from '../parts/action.tsx'
import { openForm } from '../parts/form-dialog.tsx'

interface Named {
  readonly id: number
  readonly name?: string
  readonly display_name?: string
}

/** Loads the choices of a form. Says why if it fails. */
async function choices(path: string): Promise<{ value: string; label: string }[] | null> {
  try {
    const { body } = await call<{ data: readonly Named[] }>({ path, account: account.value })
    return body.data.map((it) => ({ value: String(it.id), label: it.name ?? it.display_name ?? String(it.id) }))
  } catch (error) {
    notify((error as Error).message, true)
    return null
  }
}

/** Opens a form that simulates an inbound message of a customer. */
export async function simulateMessage(onDone?: (conversation: string) => void): Promise<void> {
  const senders = await choices('/api/user/messaging/senders?status=all')
  if (!senders) return
  openForm({
    title: "Simulate a customer's message",
    fields: [
      { name: 'sender', label: 'To the sender', options: senders },
      { name: 'from', label: 'From (E.164)', value: '+14155550142', isRequired: true },
      { name: 'name', label: 'Name of the customer (optional)' },
      { name: 'text', label: 'Text', isRequired: true, value: 'When are you open today?' },
    ],
    label: 'Simulate',
    toAction: ({ sender, from, name, text }) => ({
      method: 'POST',
      path: '/control/simulate/message',
      body: { account: account.value, sender: Number(sender), from, text, ...(name && { name }) },
      label: 'Simulate',
    }),
    onDone: (answer) =>
      onDone?.(String((answer.body as { data?: { conversation_id?: string } }).data?.conversation_id ?? '')),
  })
}

/** A line of the form, which becomes a turn with the fields of `simulate.call` (contract/control/simulate.ts). */
const turnLine = /^(customer|assistant)\s*:\s*(.+)$/i

/** Opens a form that simulates a phone call. */
export async function simulateCall(onDone?: (id: number) => void): Promise<void> {
  const assistants = await choices(`/api/user/assistants/get?per_page=${maxPerPage}`)
  if (!assistants) return
  openForm({
    title: 'Simulate a call',
    fields: [
      { name: 'assistant', label: 'Assistant', options: assistants },
      { name: 'direction', label: 'Direction', options: ['inbound', 'outbound'] },
      { name: 'phone_number', label: 'Number of the customer (E.164)', value: '+14155550143', isRequired: true },
      {
        name: 'turns',
        label: 'Turns, one per line',
        kind: 'long',
        value: 'customer: When are you open today?\nassistant: Until five. Goodbye.',
        hint: 'Start each line with customer: or assistant:',
      },
    ],
    label: 'Simulate',
    toAction({ assistant, direction, phone_number, turns = '' }) {
      const lines = turns.split('\n').filter((it) => it.trim() !== '')
      const wrong = lines.find((it) => !turnLine.test(it))
      if (wrong !== undefined) return `Start each line with customer: or assistant:, not "${wrong}".`
      return {
        method: 'POST',
        path: '/control/simulate/call',
        body: {
          account: account.value,
          assistant: Number(assistant),
          direction,
          phone_number,
          turns: lines.map((line) => {
            const [, who = '', text = ''] = turnLine.exec(line) ?? []
            return { [who.toLowerCase()]: text }
          }),
        },
        label: 'Simulate',
      }
    },
    onDone: (answer) => onDone?.(Number((answer.body as { data?: { id?: number } }).data?.id ?? 0)),
  })
}
