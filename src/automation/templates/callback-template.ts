import * as check from './param-checks.ts'
import type { Template } from './template.ts'
import {
  branchStep,
  callEndedTrigger,
  extractedVariable,
  isAffirmative,
  pieceStep,
  sampleNumber,
  triggerField,
} from './template-nodes.ts'

/** Returns the local time one day later. */
const tomorrow = (now: number): string => new Date(now + 24 * 3600_000).toISOString().slice(0, 16)

export const callbackOnRequest: Template = {
  key: 'post-call-callback',
  name: 'Call back when asked to',
  description: 'Calls back at the time the caller asked for. Times without a time zone use the time zone set here.',
  use_when: 'Callers ask to be called at another time.',
  binding: 'post_call',
  connections: [],
  sends: true,
  params: [
    {
      key: 'callback_variable',
      label: 'Call-back variable',
      description: 'Variable of the call that says yes when a call back is wanted',
      default: 'callback_wanted',
      check: check.variable,
    },
    {
      key: 'time_variable',
      label: 'Time variable',
      description: 'Variable of the call with the date and time that was asked for, such as 2027-03-02 09:30',
      default: 'callback_time',
      check: check.variable,
    },
    {
      key: 'from_timezone',
      label: 'Time zone',
      description: 'Time zone of times without one',
      example: 'America/New_York',
      auto: 'assistant_timezone',
      check: check.zone,
    },
  ],
  flow: ({ callback_variable: wanted = '', time_variable: time = '', from_timezone: timezone }, { assistant }) => ({
    trigger: callEndedTrigger,
    steps: [
      branchStep('step_1', 'Call back?', isAffirmative(extractedVariable(wanted)), [
        pieceStep('step_2', 'Wait until then', 'delay', 'delay_until', {
          delayUntilTimestamp: extractedVariable(time),
          timezone,
        }),
        pieceStep('step_3', 'Call back', 'platform', 'makePhoneCall', {
          assistant,
          phone_number: triggerField('customer_phone'),
          variables: { previous_summary: extractedVariable('summary') },
        }),
      ]),
    ],
  }),
  sample: ({ callback_variable: wanted = '', time_variable: time = '' }, { now }) => ({
    customer_phone: sampleNumber,
    extracted_variables: { [wanted]: 'yes', [time]: tomorrow(now) },
  }),
}
