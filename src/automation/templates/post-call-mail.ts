import * as check from './checks.ts'
import { act, branch, callEnds, found, given, saysYes, webhook } from './nodes.ts'
import type { Template } from './template.ts'

const ended = `Number: ${given('customer_phone')}\nDuration: ${given('duration')} seconds\nSummary: ${found('summary')}\nVariables: ${given('extracted_variables')}`

const mail = (name: string, to: string | undefined, subject: string, body: string): object =>
  act(name, 'Send an email', 'mail', 'send_email', { receiver: [to ?? ''], subject, body_type: 'plain_text', body })

const recipient = { label: 'Recipient', required: true, example: 'team@northwind.example', check: check.mail } as const

export const transcriptEmail: Template = {
  key: 'post-call-transcript-email',
  name: 'Call transcript by email',
  description: 'Sends an email with summary, variables and transcript after each call.',
  use_when: 'Somebody wants to read every call.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Who gets the email', ...recipient }],
  flow: ({ recipient_email: to }) => ({
    trigger: callEnds,
    steps: [mail('step_1', to, `Call with ${given('customer_phone')}`, `${ended}\n\n${given('formatted_transcript')}\n`)],
  }),
}

export const hotLeadAlert: Template = {
  key: 'post-call-hot-lead-alert',
  name: 'Hot lead alert',
  description: 'Sends an email at once when a call found a hot lead.',
  use_when: 'A person shall call back promising callers without delay.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [
    { key: 'alert_email', description: 'Who is alerted', ...recipient },
    { key: 'hot_variable', label: 'Hot variable', description: 'Variable of the call that says yes for a hot lead', default: 'status', check: check.variable },
  ],
  flow: ({ alert_email: to, hot_variable: hot = '' }) => ({
    trigger: callEnds,
    steps: [branch('step_1', 'Hot?', saysYes(found(hot)), [mail('step_2', to, `Hot lead: ${given('customer_phone')}`, `${ended}\n`)])],
  }),
  sample: ({ hot_variable: hot = '' }) => ({ extracted_variables: { [hot]: 'yes' } }),
}

export const conversationSummary: Template = {
  key: 'conversation-ended-summary-email',
  name: 'Chat summary by email',
  description: 'Sends an email with summary, variables and transcript when a chat has ended.',
  use_when: 'Somebody wants to know what is written about in chats.',
  binding: 'conversation_ended',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Who gets the email', ...recipient }],
  flow: ({ recipient_email: to }) => {
    const said = (name: string): string => given('body', name)
    const about = [
      `Channel: ${said('type')}`,
      `Customer: ${said('customer_name')} ${said('customer_phone')}`,
      `Summary: ${given('body', 'extracted_variables', 'summary')}`,
      `Variables: ${said('extracted_variables')}`,
    ]
    const subject = `Chat with {{trigger['body']['customer_name'] || trigger['body']['customer_phone'] || 'a visitor'}}`
    return {
      trigger: webhook('Conversation ended'),
      steps: [mail('step_1', to, subject, `${about.join('\n')}\n\n${said('formatted_transcript')}\n`)],
    }
  },
}
