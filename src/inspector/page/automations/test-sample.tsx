import { account } from '../data/session.ts'
import { prettyJson, words } from '../data/values.ts'
import { openForm, parseFormJson } from '../parts/form-dialog.tsx'
import type { AutomationRecord } from './automation-records.ts'

/** Opens a form that triggers the event of an automation with an edited payload. */
export function openTestForm(automation: AutomationRecord, payload: unknown): void {
  const { binding } = automation
  if (!binding) return
  openForm({
    title: `Test "${automation.name}"`,
    isWide: true,
    note: (
      <p>
        This triggers the event {words(binding.type)} of assistant "{binding.assistant_name}". The automation runs for
        real: it may send messages and requests.
      </p>
    ),
    fields: [{ name: 'payload', label: 'Payload (JSON)', kind: 'long', value: prettyJson(payload ?? {}) }],
    label: 'Run with this payload',
    toAction({ payload: text = '' }) {
      const parsed = parseFormJson(text)
      if (typeof parsed === 'string') return parsed
      return {
        method: 'POST',
        path: '/control/events',
        body: {
          kind: binding.type,
          account: account.value,
          assistant_id: binding.assistant_id,
          payload: parsed.value,
        },
        label: 'Run with this payload',
      }
    },
  })
}
