import * as check from './checks.ts'
import { act, answer, booked, branch, exists, given, isText, isTrue, webhook } from './nodes.ts'
import type { Template } from './template.ts'

const now = '{{new Date().toISOString()}}'
const asked = (name: string): string => given('body', name)

export const callBefore: Template = {
  key: 'calendar-a-call-before-appointment',
  name: 'Call before an appointment',
  description: 'Calls whoever booked an appointment some hours before it, unless it was cancelled; one that was moved is called before its new time.',
  use_when: 'People forget their appointments.',
  binding: null,
  connections: ['calendar-a'],
  sends: true,
  params: [
    { key: 'assistant_id', label: 'Assistant', description: 'Id of the assistant that calls', required: true, example: '2', check: check.id },
    {
      key: 'hours_before',
      label: 'Hours before',
      description: 'Hours before the appointment; one booked later than that is called at once',
      default: '24',
      check: check.hours,
    },
    {
      key: 'phone_expression',
      label: 'Phone number',
      description: 'Where in the appointment the number stands',
      default: given('phone'),
    },
  ],
  flow: ({ assistant_id: assistant, hours_before: hours, phone_expression: phone }) => {
    const before = (start: string): string => `{{new Date(Date.parse(${start}) - ${Number(hours)} * 3600000).toISOString()}}`
    const look = (name: string): object => act(name, 'Look it up again', 'calendar-a', 'find_bookings', { id: given('id') })
    return {
      trigger: booked,
      steps: [
        act('step_1', 'Wait', 'delay', 'delay_until', { delayUntilTimestamp: before("trigger['start']") }),
        look('step_2'),
        act('step_3', 'Wait if it was moved', 'delay', 'delay_until', { delayUntilTimestamp: before("step_2['booking']['start']") }),
        look('step_4'),
        branch('step_5', 'Still booked?', isText("{{step_4['booking']['status']}}", 'booked'), [
          act('step_6', 'Call', 'platform', 'makePhoneCall', {
            assistant: Number(assistant),
            phone_number: phone,
            variables: { name: given('name'), appointment: given('title'), appointment_time: "{{step_4['booking']['start']}}" },
          }),
        ]),
      ],
    }
  },
}

const nothing = { done: false, message: 'No appointment was found.' }

export const cancelOrMove: Template = {
  key: 'calendar-a-cancel-reschedule-midcall',
  name: 'Cancel or move an appointment during a call',
  description:
    'Finds the next appointment of a mail address, cancels it or moves it, and answers what it did. The assistant gives action (cancel, reschedule or find), email, and to move it start and timezone. Make a tool of it for the assistant.',
  use_when: 'Callers want to cancel or move what they booked.',
  gives: 'action (cancel, reschedule or find), email (unless attendee_email is fixed), start and timezone (to move), reason (to cancel)',
  binding: null,
  connections: [],
  sends: true,
  params: [
    {
      key: 'attendee_email',
      label: 'Mail address',
      description: 'Mail address the appointment was booked with, or where in the request it stands',
      required: true,
      example: "{{trigger['body']['email']}}",
      check: check.mail,
    },
  ],
  flow: ({ attendee_email: email }) => {
    const id = "{{step_1['booking']['id']}}"
    return {
      trigger: webhook('The assistant asks: action cancel, reschedule or find'),
      steps: [
        act('step_1', 'Find the appointment', 'calendar-a', 'find_bookings', { email, from: now, limit: 1 }),
        branch(
          'step_2',
          'Is there one?',
          // Without an address every appointment would be found.
          [...isTrue("{{step_1['found']}}"), ...exists(email), ...isText("{{step_1['booking']['email']}}", email ?? '')],
          [
            branch('step_3', 'Cancel?', isText(asked('action'), 'cancel'), [
              act('step_4', 'Cancel it', 'calendar-a', 'cancel_booking', { id, reason: asked('reason') }),
              answer('step_5', { done: true, message: 'The appointment is cancelled.', start: "{{step_4['start']}}" }),
            ]),
            branch('step_6', 'Move?', isText(asked('action'), 'reschedule'), [
              act('step_7', 'Move it', 'calendar-a', 'reschedule_booking', { id, start: asked('start'), timezone: asked('timezone') }),
              answer('step_8', { done: true, message: 'The appointment is moved.', start: "{{step_7['start']}}" }),
            ]),
            answer('step_9', { done: false, message: 'The appointment was found.', start: "{{step_1['booking']['start']}}" }),
          ],
          [answer('step_10', nothing)],
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
    'Finds, books, moves or cancels an appointment of a caller in the CRM, keeps the caller as a contact, and answers what it did. The assistant gives action (find, book, move or cancel) and phone; name, email, event and start to book; start to move. Make a tool of it for the assistant.',
  use_when: 'Your appointments are in the CRM, and callers shall manage them on the phone.',
  gives: 'action (find, book, move or cancel), phone; to book also name, email, event and start; to move start; to cancel reason',
  binding: null,
  connections: ['crm-b'],
  sends: false,
  params: [
    {
      key: 'timezone',
      label: 'Time zone',
      description: 'Zone in which callers mean their times',
      default: 'UTC',
      example: 'America/Los_Angeles',
      check: check.zone,
    },
  ],
  flow: ({ timezone }) => {
    const [id, phone, email] = ["{{step_1['booking']['id']}}", asked('phone'), asked('email')]
    const name = "{{trigger['body']['name'] || trigger['body']['phone']}}"
    return {
      trigger: webhook('The assistant asks: action find, book, move or cancel'),
      steps: [
        act('step_1', 'Find the appointment', 'crm-b', 'find_bookings', { phone, from: now, limit: 1 }),
        branch('step_2', 'Book?', isText(asked('action'), 'book'), [
          act('step_3', 'Keep the contact', 'crm-b', 'create_contact', { name, phone, email }),
          act('step_4', 'Book it', 'crm-b', 'create_booking', {
            event: "{{trigger['body']['event'] || 'Appointment'}}",
            start: asked('start'),
            timezone,
            name,
            phone,
            email,
          }),
          act('step_5', 'Note it', 'crm-b', 'add_note_to_contact', { id: "{{step_3['id']}}", note: "Booked on the phone for {{step_4['start']}}." }),
          answer('step_6', { done: true, message: 'The appointment is booked.', start: "{{step_4['start']}}" }),
        ]),
        branch(
          'step_7',
          'Is there one?',
          // Without a number every appointment would be found.
          [...isTrue("{{step_1['found']}}"), ...exists(phone)],
          [
            branch('step_8', 'Cancel?', isText(asked('action'), 'cancel'), [
              act('step_9', 'Cancel it', 'crm-b', 'cancel_booking', { id, reason: asked('reason') }),
              answer('step_10', { done: true, message: 'The appointment is cancelled.', start: "{{step_9['start']}}" }),
            ]),
            branch('step_11', 'Move?', isText(asked('action'), 'move'), [
              act('step_12', 'Move it', 'crm-b', 'reschedule_booking', { id, start: asked('start'), timezone }),
              answer('step_13', { done: true, message: 'The appointment is moved.', start: "{{step_12['start']}}" }),
            ]),
            answer('step_14', { done: false, message: 'The appointment was found.', start: "{{step_1['booking']['start']}}" }),
          ],
          [answer('step_15', nothing)],
        ),
      ],
    }
  },
  sample: () => ({ action: 'find', phone: '+15005550111' }),
}
