import { beforeAll, describe, expect, test } from 'vitest'
import { toolDefaultTexts } from '../../src/contract/assistants/built-in-tools.ts'
import { sqlite } from '../support/databases.ts'
import { desk } from '../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

interface Field {
  /** Must be given. */
  readonly required?: true
  /** The value when the field is missing. */
  readonly fallback?: unknown
  readonly takes: readonly unknown[]
  readonly refuses: readonly unknown[]
}

interface Kind {
  /** As little as it takes. */
  readonly least: Readonly<Record<string, unknown>>
  readonly fields: Readonly<Record<string, Field>>
}

const x = (length: number): string => 'x'.repeat(length)
const words: Field = { takes: ['x', x(2000)], refuses: [1, []] }
const required: Field = { required: true, takes: ['+14155550100', 'x'], refuses: [1, ''] }
const phoneNumber: Field = {
  required: true,
  takes: ['+14155550100', '+442071838750'],
  refuses: [1, '', 'x', '4155550100'],
}
const flag = (fallback?: boolean): Field => ({
  ...(fallback !== undefined && { fallback }),
  takes: [true, false],
  refuses: ['yes', 1],
})
const worded = (fallback: string): Field => ({ ...words, fallback })
const choice = (...values: readonly string[]): Field => ({
  fallback: values[0],
  takes: values,
  refuses: [`${values[0]}s`, 1],
})
const calendarA = {
  type: 'calendar_integration',
  calendar_type: 'cal_a',
  cal_a_api_key: 'k',
  cal_a_event_slug: 'visit',
}
const booking = { slug: 'name', type: 'text', label: 'Name' }

/** Section 4.15, kind by kind. `phone` and `assistant` stand for ids of the account's own. */
const kinds = (phone: number, assistant: number): Readonly<Record<string, Kind>> => ({
  call_transfer: {
    least: { type: 'call_transfer', phone_number: '+14155550100' },
    fields: {
      phone_number: phoneNumber,
      description: words,
      custom: flag(),
      timezone: { takes: ['Europe/Paris'], refuses: ['Mars'] },
      warm_transfer: flag(false),
      warm_transfer_message: words,
    },
  },
  warm_call_transfer: {
    least: {
      type: 'warm_call_transfer',
      supervisor_phone: '+14155550100',
      outbound_phone_id: phone,
      description: 'When asked',
    },
    fields: {
      supervisor_phone: phoneNumber,
      outbound_phone_id: { required: true, takes: [phone], refuses: ['x', 0] },
      description: required,
      custom_sip: flag(false),
      caller_id_mode: choice('outbound_number', 'customer_number', 'custom'),
      custom_caller_id: words,
      hold_music: choice('hold_music', 'none'),
      hold_music_volume: { fallback: 80, takes: [0, 100], refuses: [-1, 101, '80'] },
      hold_message: worded(toolDefaultTexts.hold),
      summary_instructions: worded(toolDefaultTexts.summary),
      briefing_initial_message: worded(toolDefaultTexts.briefing),
      connected_message: worded(toolDefaultTexts.connected),
    },
  },
  end_call: { least: { type: 'end_call' }, fields: { description: words } },
  dtmf_input: { least: { type: 'dtmf_input' }, fields: { description: words } },
  collect_keypad: {
    least: { type: 'collect_keypad' },
    fields: { timeout: { fallback: 5, takes: [1, 30], refuses: [0, 31, 1.5] }, stop_key: choice('#', '*') },
  },
  assistant_transfer: {
    least: { type: 'assistant_transfer', assistant_id: assistant },
    fields: {
      assistant_id: { required: true, takes: [assistant], refuses: ['x', 99999] },
      description: { fallback: toolDefaultTexts.transfer, takes: ['x', x(500)], refuses: [x(501), 1] },
      message_before_transfer: { takes: ['x', x(500)], refuses: [x(501), 1] },
      speak_transfer_greeting: flag(true),
    },
  },
  calendar_a: {
    least: calendarA,
    fields: {
      cal_a_api_key: { ...required, takes: ['k'] },
      cal_a_event_slug: required,
      cal_a_team_slug: words,
      cal_a_endpoint: choice('us', 'eu', 'custom'),
      cal_a_custom_endpoint: { takes: ['https://calendar.example'], refuses: ['calendar.example'] },
      cal_a_event_id: { takes: ['17'], refuses: [0, ''] },
      cal_a_event_name: words,
      cal_a_booking_fields: {
        takes: [[], [{ ...booking, required: true, options: ['a', 'b'] }]],
        refuses: [
          {},
          [{ type: 'text', label: 'Name' }],
          [{ slug: 'name', label: 'Name' }],
          [{ slug: 'name', type: 'text' }],
          [{ ...booking, options: 'a' }],
        ],
      },
      description: words,
    },
  },
  calendar_b: {
    least: {
      type: 'calendar_integration',
      calendar_type: 'cal_b',
      cal_b_api_key: 'token',
      cal_b_event_type_uri: 'https://calendar.example/event_types/8d1d5b8e-0f7c-4a53-9f0e-3d0c5a1f8b11',
    },
    fields: {
      cal_b_api_key: { ...required, takes: ['token'] },
      cal_b_event_type_uri: {
        required: true,
        takes: ['https://calendar.example/event_types/8d1d5b8e-0f7c-4a53-9f0e-3d0c5a1f8b11'],
        refuses: ['https://calendar.example/visit', 'http://calendar.example/event_types/1'],
      },
    },
  },
})

/** Credentials are answered as they were sent; what is under test here is the field. */
const rows = Object.entries(kinds(0, 0)).flatMap(([kind, { fields }]) =>
  Object.keys(fields).map((field) => [kind, field] as const),
)

describe('a built-in tool', () => {
  let api: Api
  let owner: TestAccount
  let id: number
  let all: Readonly<Record<string, Kind>>
  beforeAll(async () => {
    api = await fresh(sqlite, { empty: true })
    owner = await api.account()
    const post = async (url: string, body: object): Promise<number> =>
      (await api.ask('POST', `/api/user/${url}`, { ...owner, body })).body.data.id
    const phone = (await api.buy('+15005550006', owner)).body.data.id
    const other = await post('assistant', { ...desk, name: 'Other' })
    id = await post('assistant', desk)
    all = kinds(phone, other)
  })

  /** The tool as the assistant then has it, or the refusals. */
  async function put(tool: object): Promise<Record<string, unknown>> {
    const { status, body } = await api.ask('PUT', `/api/user/assistant/${id}`, { ...owner, body: { tools: [tool] } })
    if (status !== 200) return { status, ...body.errors }
    const { body: list } = await api.ask('GET', '/api/user/assistants/get', owner)
    return list.data.find((it: { id: number }) => it.id === id).tools[0]
  }

  test.each(rows)('%s has %s', async (kind, field) => {
    const { least, fields } = all[kind] as Kind
    const { required: isRequired, fallback, takes, refuses } = fields[field] as Field
    const { [field]: _, ...without } = least
    const at = (key: string): boolean => key === `tools.0.${field}` || key.startsWith(`tools.0.${field}.`)
    if (isRequired) expect(Object.keys(await put(without)).filter(at)).toEqual([`tools.0.${field}`])
    else expect((await put(without))[field]).toEqual(fallback)
    for (const value of takes)
      expect((await put({ ...least, [field]: value }))[field]).toEqual(
        Array.isArray(value) ? value.map((it) => expect.objectContaining(it)) : value,
      )
    for (const value of refuses)
      expect(Object.keys(await put({ ...least, [field]: value })).some(at), JSON.stringify(value)).toBe(true)
  })

  test('of a calendar has the first provider by default, and fields of its form are optional by default', async () => {
    const { calendar_type: _, ...least } = calendarA
    expect(await put({ ...least, cal_a_booking_fields: [booking] })).toMatchObject({
      calendar_type: 'cal_a',
      cal_a_booking_fields: [{ ...booking, required: false }],
    })
  })
})
