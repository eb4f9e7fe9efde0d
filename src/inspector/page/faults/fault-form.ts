import { account } from '../data/session.ts'
import { openForm } from '../parts/form-dialog.tsx'
import { socketEffects } from './describe-fault.ts'

const endpoints = [
  '*',
  'numbers.buy',
  'numbers.*',
  'messaging.send',
  'messaging.sendFreeform',
  'sms.send',
  'calls.start',
  'conversations.send',
  'automate.*',
  'leads.create',
  'campaigns.*',
]

/** Effects of the form. Those of the connection have the names of `socketEffects`, which the request sends. */
const effects = [
  { value: 'status', label: 'Return an HTTP status' },
  { value: 'error', label: 'Return a platform error' },
  { value: 'latency', label: 'Delay the request' },
  ...Object.entries(socketEffects).map(([value, text]) => ({
    value,
    label: text[0]?.toUpperCase() + text.slice(1),
  })),
]

/** Returns the body of a new rule, or what is wrong with the values. */
function faultBody(values: Readonly<Record<string, string>>, accountId: number | undefined): object | string {
  const { endpoint = '*', effect = '', value = '', times = '', probability = '100', scope } = values
  const rule: Record<string, unknown> = { endpoint }
  if (effect === 'status') {
    if (!/^[45]\d\d$/.test(value)) return 'The HTTP status must be from 400 to 599.'
    rule.status = Number(value)
  } else if (effect === 'error') {
    if (!value) return 'Enter the code of an error, such as numbers.not_available.'
    rule.error = value
  } else if (effect === 'latency') {
    if (!/^\d{1,6}$/.test(value)) return 'Enter the delay in milliseconds, such as 2000.'
    rule.latency_ms = Number(value)
  } else rule.socket = effect
  if (times) rule.times = Number(times)
  if (probability !== '100') rule.probability = Number(probability) / 100
  if (scope === 'account' && accountId !== undefined) rule.account = accountId
  return rule
}

/** Opens the form that adds a fault rule. */
export function openFaultForm(onDone: () => void): void {
  openForm({
    title: 'Create a fault rule',
    fields: [
      {
        name: 'endpoint',
        label: 'Endpoint',
        value: 'numbers.buy',
        proposals: endpoints,
        isRequired: true,
        hint: 'An endpoint such as numbers.buy, all of a resource such as numbers.*, or *',
      },
      { name: 'effect', label: 'Effect', options: effects },
      {
        name: 'value',
        label: 'Value',
        value: '503',
        hint: 'HTTP status, error code from "parley help errors", or delay in milliseconds',
      },
      { name: 'times', label: 'Number of times (empty: unlimited)', kind: 'number', value: '1' },
      { name: 'probability', label: 'Probability in percent', kind: 'number', value: '100' },
      {
        name: 'scope',
        label: 'Requests of',
        options: [
          { value: 'all', label: 'All accounts' },
          { value: 'account', label: 'The shown account' },
        ],
      },
    ],
    label: 'Create',
    toAction(values) {
      const body = faultBody(values, account.value)
      return typeof body === 'string' ? body : { method: 'POST', path: '/control/faults', body, label: 'Create' }
    },
    onDone,
  })
}
