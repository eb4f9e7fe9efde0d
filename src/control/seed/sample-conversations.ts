import { day, hour, type Micros, minute } from '../../contract/values/micros.ts'

type Line = readonly [role: 'user' | 'assistant', content: string]

/** A conversation of the sample data. */
export interface SampleChat {
  readonly type: 'widget' | 'test' | 'api'
  /** Index of the sample assistant, counted from 0. */
  readonly assistant: number
  /** Microseconds since it started. */
  readonly ago: Micros
  readonly identifier?: string
  readonly variables?: Readonly<Record<string, string>>
  /** Set when a person has taken over the conversation. */
  readonly isAiDisabled?: true
  readonly lines: readonly Line[]
}

/** A call of the sample data. */
export interface SampleCall {
  readonly type: 'inbound' | 'outbound' | 'web'
  readonly assistant: number
  readonly ago: Micros
  readonly client: string | null
  readonly status: string
  /** Seconds. */
  readonly duration: number
  readonly answeredBy: 'human' | 'machine' | null
  readonly transcript: string | null
}

const greeting: Line = ['assistant', 'Northwind Dental, how can I help you?']
const recallGreeting: Line = ['assistant', 'Hello, this is Northwind Dental. Your check-up is due.']

/** The conversations of the sample data. */
export const sampleChats: readonly SampleChat[] = [
  {
    type: 'test',
    assistant: 1,
    ago: 5 * day,
    lines: [
      recallGreeting,
      ['user', 'Can I book a visit?'],
      ['assistant', 'I can help with appointments. Which day would suit you?'],
    ],
  },
  {
    type: 'widget',
    assistant: 0,
    ago: 2 * day,
    lines: [
      greeting,
      ['user', 'Hello, when are you open?'],
      ['assistant', 'We are open Monday to Friday, 8:00 to 17:00.'],
      ['user', 'Thank you!'],
      ['assistant', 'You are welcome. Is there anything else?'],
    ],
  },
  {
    type: 'api',
    assistant: 0,
    ago: 26 * hour,
    identifier: 'patient-1042',
    variables: { first_name: 'Clara' },
    lines: [
      ['user', 'Can I move my visit to Friday?'],
      ['assistant', 'I can help with appointments. Which day would suit you?'],
    ],
  },
  {
    type: 'widget',
    assistant: 0,
    ago: 40 * minute,
    isAiDisabled: true,
    lines: [greeting, ['user', 'My tooth hurts, can somebody call me?']],
  },
]

/** The calls of the sample data. */
export const sampleCalls: readonly SampleCall[] = [
  {
    type: 'outbound',
    assistant: 1,
    ago: 4 * day,
    client: '+14155550161',
    status: 'no-answer',
    duration: 0,
    answeredBy: null,
    transcript: null,
  },
  {
    type: 'outbound',
    assistant: 1,
    ago: 4 * day - 5 * minute,
    client: '+14155550142',
    status: 'ended_by_customer',
    duration: 74,
    answeredBy: 'human',
    transcript: `AI: ${recallGreeting[1]}\nCustomer: Thank you for calling. I will think about it.\nAI: Goodbye.`,
  },
  {
    type: 'inbound',
    assistant: 0,
    ago: 3 * hour,
    client: '+14155550143',
    status: 'ended_by_assistant',
    duration: 41,
    answeredBy: 'human',
    transcript: `AI: ${greeting[1]}\nCustomer: When are you open today?\nAI: Until five. Goodbye.`,
  },
]
