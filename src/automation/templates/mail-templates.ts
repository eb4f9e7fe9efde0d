import * as check from './param-checks.ts'
import type { Template } from './template.ts'
import {
  branchStep,
  callEndedTrigger,
  extractedVariable,
  isAffirmative,
  pieceStep,
  triggerField,
  webhookTrigger,
} from './template-nodes.ts'

const callSummary = `Number: ${triggerField('customer_phone')}\nDuration: ${triggerField('duration')} seconds\nSummary: ${extractedVariable('summary')}\nVariables: ${triggerField('extracted_variables')}`

const mailStep = (name: string, to: string | undefined, subject: string, body: string): object =>
  pieceStep(name, 'Send an email', 'mail', 'send_email', {
    receiver: [to ?? ''],
    subject,
    body_type: 'plain_text',
    body,
  })

const recipient = { label: 'Recipient', required: true, example: 'team@northwind.example', check: check.mail } as const

export const transcriptEmail: Template = {
  key: 'post-call-transcript-email',
  name: 'Call transcript by email',
  description: 'Sends an email with summary, variables and transcript after each call.',
  use_when: 'You want to read every call.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Email address of the recipient', ...recipient }],
  flow: ({ recipient_email: to }) => ({
    trigger: callEndedTrigger,
    steps: [
      mailStep(
        'step_1',
        to,
        `Call with ${triggerField('customer_phone')}`,
        `${callSummary}\n\n${triggerField('formatted_transcript')}\n`,
      ),
    ],
  }),
}

export const hotLeadAlert: Template = {
  key: 'post-call-hot-lead-alert',
  name: 'Hot lead alert',
  description: 'Sends an email as soon as a call identifies a hot lead.',
  use_when: 'A person calls promising leads back without delay.',
  binding: 'post_call',
  connections: ['mail'],
  sends: true,
  params: [
    { key: 'alert_email', description: 'Email address that receives the alert', ...recipient },
    {
      key: 'hot_variable',
      label: 'Hot variable',
      description: 'Variable of the call that is yes for a hot lead',
      default: 'status',
      check: check.variable,
    },
  ],
  flow: ({ alert_email: to, hot_variable: hot = '' }) => ({
    trigger: callEndedTrigger,
    steps: [
      branchStep('step_1', 'Hot?', isAffirmative(extractedVariable(hot)), [
        mailStep('step_2', to, `Hot lead: ${triggerField('customer_phone')}`, `${callSummary}\n`),
      ]),
    ],
  }),
  sample: ({ hot_variable: hot = '' }) => ({ extracted_variables: { [hot]: 'yes' } }),
}

export const conversationSummary: Template = {
  key: 'conversation-ended-summary-email',
  name: 'Chat summary by email',
  description: 'Sends an email with summary, variables and transcript when a chat has ended.',
  use_when: 'You want to know what customers write about in chats.',
  binding: 'conversation_ended',
  connections: ['mail'],
  sends: true,
  params: [{ key: 'recipient_email', description: 'Email address of the recipient', ...recipient }],
  flow: ({ recipient_email: to }) => {
    const bodyField = (name: string): string => triggerField('body', name)
    const about = [
      `Channel: ${bodyField('type')}`,
      `Customer: ${bodyField('customer_name')} ${bodyField('customer_phone')}`,
      `Summary: ${triggerField('body', 'extracted_variables', 'summary')}`,
      `Variables: ${bodyField('extracted_variables')}`,
    ]
    const subject = `Chat with {{trigger['body']['customer_name'] || trigger['body']['customer_phone'] || 'a visitor'}}`
    return {
      trigger: webhookTrigger('Conversation ended'),
      steps: [mailStep('step_1', to, subject, `${about.join('\n')}\n\n${bodyField('formatted_transcript')}\n`)],
    }
  },
}
