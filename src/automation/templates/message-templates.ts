import { messageParams } from './message-params.ts'
import * as check from './param-checks.ts'
import { placeholders } from './param-values.ts'
import type { Template } from './template.ts'
import { callEndedTrigger, pieceStep, triggerField } from './template-nodes.ts'

export const smsFollowUp: Template = {
  key: 'post-call-sms-followup',
  name: 'SMS after a call',
  description: 'Sends an SMS to the caller after each call.',
  use_when: 'Callers get a link, an address or a thank-you in writing.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'from_phone_id',
      label: 'From',
      description: 'Id of the number the SMS is sent from',
      required: true,
      example: '3',
      check: check.id,
    },
    {
      key: 'message',
      label: 'Message',
      description: 'Text of the SMS. Use {{ }} for values from the call',
      required: true,
      example: 'Thank you for calling Northwind Dental.',
    },
  ],
  flow: ({ from_phone_id: from, message }) => ({
    trigger: callEndedTrigger,
    steps: [
      pieceStep('step_1', 'Send an SMS', 'platform', 'sendSms', {
        from: Number(from),
        to: triggerField('customer_phone'),
        body: message,
      }),
    ],
  }),
}

export const messagingConfirmation: Template = {
  key: 'post-call-messaging-confirmation',
  name: 'Template message after a call',
  description: 'Sends an approved message template to the caller after each call.',
  use_when: 'Callers get a confirmation on the messaging channel.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    ...messageParams,
    {
      key: 'variable_1',
      label: 'First placeholder',
      description:
        'Value of the first placeholder. variable_2, variable_3 and so on set the others, variable_<name> a named one',
      repeatPattern: /^variable_[A-Za-z0-9_]{1,64}$/,
      example: "{{trigger['extracted_variables']['first_name']}}",
    },
  ],
  flow: ({ sender_id: sender, messaging_template: template, ...more }) => ({
    trigger: callEndedTrigger,
    steps: [
      pieceStep('step_1', 'Send the template', 'platform', 'sendTemplate', {
        sender: Number(sender),
        template,
        to: triggerField('customer_phone'),
        variables: placeholders(more, 'variable_'),
      }),
    ],
  }),
}
