import { property } from '../../../../client/response-body.ts'
import { expectation, selectFromList, step, stepExpecting, type WriteStep } from './write-step.ts'

/** Finds a sender, and a template without placeholders. */
export const senderSteps: readonly WriteStep[] = [
  step('messaging.senders', {}, 'sender', selectFromList('data', 'id')),
  step(
    'messaging.templates',
    { senderId: '$sender' },
    'template',
    selectFromList('data', 'id', { has_variables: false }),
  ),
]

/** Sends messages. The template opens the window for text without one. The account must have senders. */
export const messageSteps: readonly WriteStep[] = [
  ...senderSteps,
  step('messaging.updateAssignment', { id: '$sender', assistant_id: '$assistant' }),
  stepExpecting(
    'messaging.send',
    { sender_id: '$sender', template_id: '$template', recipient_phone: '+14155550142' },
    expectation(
      'messaging.session',
      { sender_id: '$sender', recipient_phone: '+14155550142' },
      'an open 24-hour window after a template',
      (output) => property(property(output, 'session_status'), 'is_open') === true,
    ),
  ),
  step('messaging.sendFreeform', { sender_id: '$sender', recipient_phone: '+14155550142', message: 'Conformance' }),
]

/** Finds the senders and templates for the refusals of messages. */
export const messageLookupSteps: readonly WriteStep[] = [
  ...senderSteps,
  step('messaging.senders', { status: 'all' }, 'offline', selectFromList('data', 'id', { status: 'offline' })),
  step(
    'messaging.templates',
    { senderId: '$offline' },
    'offlineTemplate',
    selectFromList('data', 'id', { has_variables: false }),
  ),
]
