import * as check from './param-checks.ts'
import type { Template } from './template.ts'
import {
  bookingTrigger,
  branchStep,
  equalsText,
  exists,
  isTrue,
  pieceStep,
  respondStep,
  triggerField,
  webhookTrigger,
} from './template-nodes.ts'

const now = '{{new Date().toISOString()}}'
const requestField = (name: string): string => triggerField('body', name)

export const callBeforeAppointment: Template = {
  key: 'calendar-a-call-before-appointment',
  name: 'Call before an appointment',
  description:
    'Calls customers some hours before their appointment, unless it was cancelled. If the appointment was moved, calls before the new time.',
  use_when: 'Customers forget their appointments.',
  binding: null,
  connections: ['calendar-a'],
  sends: true,
  params: [
    {
      key: 'assistant_id',
      label: 'Assistant',
      description: 'Id of the assistant that makes the call',
      required: true,
      example: '2',
      check: check.id,
    },
    {
      key: 'hours_before',
      label: 'Hours before',
      description: 'Hours before the appointment. Calls immediately if the appointment is booked later than that',
      default: '24',
      check: check.hours,
    },
    {
      key: 'phone_expression',
      label: 'Phone number',
      description: 'Field of the appointment that contains the phone number',
      default: triggerField('phone'),
    },
  ],
  flow: ({ assistant_id: assistant, hours_before: hours, phone_expression: phone }) => {
    const before = (start: string): string =>
      `{{new Date(Date.parse(${start}) - ${Number(hours)} * 3600000).toISOString()}}`
    const findBooking = (name: string): object =>
      pieceStep(name, 'Find it again', 'calendar-a', 'find_bookings', { id: triggerField('id') })
    return {
      trigger: bookingTrigger,
      steps: [
        pieceStep('step_1', 'Wait', 'delay', 'delay_until', { delayUntilTimestamp: before("trigger['start']") }),
        findBooking('step_2'),
        pieceStep('step_3', 'Wait if it was moved', 'delay', 'delay_until', {
          delayUntilTimestamp: before("step_2['booking']['start']"),
        }),
        findBooking('step_4'),
        branchStep('step_5', 'Still booked?', equalsText("{{step_4['booking']['status']}}", 'booked'), [
          pieceStep('step_6', 'Call', 'platform', 'makePhoneCall', {
            assistant: Number(assistant),
            phone_number: phone,
            variables: {
              name: triggerField('name'),
              appointment: triggerField('title'),
              appointment_time: "{{step_4['booking']['start']}}",
            },
          }),
        ]),
      ],
    }
  },
}

const notFoundAnswer = { done: false, message: 'No appointment was found.' }

export const cancelOrReschedule: Template = {
  key: 'calendar-a-cancel-reschedule-midcall',
  name: 'Cancel or move an appointment during a call',
  description:
    'Finds the next appointment of an email address, cancels or moves it, and returns the result. The assistant passes action (cancel, reschedule or find), email, and start and timezone to move it. Add it to the assistant as a tool.',
  use_when: 'Callers want to cancel or move their appointments.',
  gives:
    'action (cancel, reschedule or find), email (unless attendee_email is fixed), start and timezone (to move), reason (to cancel)',
  binding: null,
  connections: [],
  sends: true,
  params: [
    {
      key: 'attendee_email',
      label: 'Email address',
      description: 'Email address the appointment was booked with, or the field of the request that contains it',
      required: true,
      example: "{{trigger['body']['email']}}",
      check: check.mail,
    },
  ],
  flow: ({ attendee_email: email }) => {
    const id = "{{step_1['booking']['id']}}"
    return {
      trigger: webhookTrigger('The assistant asks: action cancel, reschedule or find'),
      steps: [
        pieceStep('step_1', 'Find the appointment', 'calendar-a', 'find_bookings', { email, from: now, limit: 1 }),
        branchStep(
          'step_2',
          'Is there one?',
          // Without an email address, the search would match every appointment.
          [
            ...isTrue("{{step_1['found']}}"),
            ...exists(email),
            ...equalsText("{{step_1['booking']['email']}}", email ?? ''),
          ],
          [
            branchStep('step_3', 'Cancel?', equalsText(requestField('action'), 'cancel'), [
              pieceStep('step_4', 'Cancel it', 'calendar-a', 'cancel_booking', { id, reason: requestField('reason') }),
              respondStep('step_5', {
                done: true,
                message: 'The appointment is cancelled.',
                start: "{{step_4['start']}}",
              }),
            ]),
            branchStep('step_6', 'Move?', equalsText(requestField('action'), 'reschedule'), [
              pieceStep('step_7', 'Move it', 'calendar-a', 'reschedule_booking', {
                id,
                start: requestField('start'),
                timezone: requestField('timezone'),
              }),
              respondStep('step_8', { done: true, message: 'The appointment is moved.', start: "{{step_7['start']}}" }),
            ]),
            respondStep('step_9', {
              done: false,
              message: 'The appointment was found.',
              start: "{{step_1['booking']['start']}}",
            }),
          ],
          [respondStep('step_10', notFoundAnswer)],
        ),
      ],
    }
  },
  sample: () => ({ action: 'find', email: 'sample@northwind.example' }),
}

export const crmAppointments: Template = {
  key: 'crm-b-appointment-manage-midcall',
  name: 'Appointments in a CRM during a call',
  description:
    'Finds, books, moves or cancels an appointment of a caller in the CRM, saves the caller as a contact, and returns the result. The assistant passes action (find, book, move or cancel) and phone, also name, email, event and start to book, and start to move. Add it to the assistant as a tool.',
  use_when: 'Your appointments are in the CRM, and callers manage them by phone.',
  gives:
    'action (find, book, move or cancel), phone; to book also name, email, event and start; to move start; to cancel reason',
  binding: null,
  connections: ['crm-b'],
  sends: false,
  params: [
    {
      key: 'timezone',
      label: 'Time zone',
      description: 'Time zone of the times that callers say',
      default: 'UTC',
      example: 'America/Los_Angeles',
      check: check.zone,
    },
  ],
  flow: ({ timezone }) => {
    const [id, phone, email] = ["{{step_1['booking']['id']}}", requestField('phone'), requestField('email')]
    const name = "{{trigger['body']['name'] || trigger['body']['phone']}}"
    return {
      trigger: webhookTrigger('The assistant asks: action find, book, move or cancel'),
      steps: [
        pieceStep('step_1', 'Find the appointment', 'crm-b', 'find_bookings', { phone, from: now, limit: 1 }),
        branchStep('step_2', 'Book?', equalsText(requestField('action'), 'book'), [
          pieceStep('step_3', 'Save the contact', 'crm-b', 'create_contact', { name, phone, email }),
          pieceStep('step_4', 'Book it', 'crm-b', 'create_booking', {
            event: "{{trigger['body']['event'] || 'Appointment'}}",
            start: requestField('start'),
            timezone,
            name,
            phone,
            email,
          }),
          pieceStep('step_5', 'Add a note', 'crm-b', 'add_note_to_contact', {
            id: "{{step_3['id']}}",
            note: "Booked by phone for {{step_4['start']}}.",
          }),
          respondStep('step_6', { done: true, message: 'The appointment is booked.', start: "{{step_4['start']}}" }),
        ]),
        branchStep(
          'step_7',
          'Is there one?',
          // Without a phone number, the search would match every appointment.
          [...isTrue("{{step_1['found']}}"), ...exists(phone)],
          [
            branchStep('step_8', 'Cancel?', equalsText(requestField('action'), 'cancel'), [
              pieceStep('step_9', 'Cancel it', 'crm-b', 'cancel_booking', { id, reason: requestField('reason') }),
              respondStep('step_10', {
                done: true,
                message: 'The appointment is cancelled.',
                start: "{{step_9['start']}}",
              }),
            ]),
            branchStep('step_11', 'Move?', equalsText(requestField('action'), 'move'), [
              pieceStep('step_12', 'Move it', 'crm-b', 'reschedule_booking', {
                id,
                start: requestField('start'),
                timezone,
              }),
              respondStep('step_13', {
                done: true,
                message: 'The appointment is moved.',
                start: "{{step_12['start']}}",
              }),
            ]),
            respondStep('step_14', {
              done: false,
              message: 'The appointment was found.',
              start: "{{step_1['booking']['start']}}",
            }),
          ],
          [respondStep('step_15', notFoundAnswer)],
        ),
      ],
    }
  },
  sample: () => ({ action: 'find', phone: '+15005550111' }),
}
