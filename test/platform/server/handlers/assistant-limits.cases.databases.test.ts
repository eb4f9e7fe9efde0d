import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { assistants } from '../../../../src/contract/resources/assistants.ts'
import { caseCount, everyNth } from '../../../support/case-count.ts'
import { databases } from '../../../support/databases.ts'
import { desk, realtime } from '../../../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

interface Limit {
  readonly takes: readonly unknown[]
  readonly refuses: readonly (readonly [value: unknown, text: string, path?: string])[]
  /** Of an assistant of multimodal mode; pipeline otherwise. */
  readonly realtime?: true
}

const words = (field: string): string => field.replaceAll('_', ' ')
const x = (length: number): string => 'x'.repeat(length)
/** A character that is two UTF-16 units, and one to people. */
const smile = (length: number): string => '🙂'.repeat(length)

const bounded =
  (min: number, max: number, step: number, wrongType: string) =>
  (field: string): Limit => {
    const text = `The ${words(field)} field must be between ${min} and ${max}.`
    const type = `The ${words(field)} field must be ${wrongType}.`
    const near = (value: number): number => Number(value.toFixed(6))
    return {
      takes: [min, near(min + step), near(max - step), max],
      refuses: [
        [near(min - step), text],
        [near(max + step), text],
        ['1', type],
        [true, type],
        [[1], type],
        ...(step === 1 ? [[min + 0.5, type] as const] : []),
      ],
    }
  }
const whole = (min: number, max: number) => bounded(min, max, 1, 'an integer')
const decimal = (min: number, max: number) => bounded(min, max, 0.01, 'a number')
const switched = (field: string): Limit => ({
  takes: [true, false],
  refuses: ['true', 1, 'yes', []].map((value) => [value, `The ${words(field)} field must be true or false.`]),
})
const oneOf =
  (...values: string[]) =>
  (field: string): Limit => ({
    takes: values,
    refuses: [`${values[0]}s`, values[0]?.toUpperCase(), 1, []].map((value) => [
      value,
      `The selected ${words(field)} is invalid.`,
    ]),
  })
const text =
  (max: number, isRequired = false) =>
  (field: string): Limit => ({
    takes: [x(1), x(max - 1), x(max), smile(max), ...(isRequired ? [] : [''])],
    refuses: [
      [x(max + 1), `The ${words(field)} field must not be greater than ${max} characters.`],
      [smile(max + 1), `The ${words(field)} field must not be greater than ${max} characters.`],
      [1, `The ${words(field)} field must be a string.`],
      ...(isRequired ? [['', `The ${words(field)} field is required.`] as const] : []),
    ],
  })
const reference =
  (known: number) =>
  (field: string): Limit => ({
    takes: [known],
    refuses: [
      [99999, `The selected ${words(field)} is invalid.`],
      [0, `The ${words(field)} field must be at least 1.`],
      [String(known), `The ${words(field)} field must be an integer.`],
      [1.5, `The ${words(field)} field must be an integer.`],
    ],
  })
const references =
  (known: number) =>
  (field: string): Limit => ({
    takes: [[], [known]],
    refuses: [
      [known, `The ${words(field)} field must be an array.`],
      [[99999], `The selected ${words(field)}.0 is invalid.`, `${field}.0`],
      [[String(known)], `The ${words(field)}.0 field must be an integer.`, `${field}.0`],
    ],
  })
const address = (field: string): Limit => ({
  takes: ['https://hooks.example', `https://hooks.example/${x(2026)}`],
  refuses: [
    [`https://hooks.example/${x(2027)}`, `The ${words(field)} field must not be greater than 2048 characters.`],
    ['hooks.example', `The ${words(field)} field must be a valid URL.`],
    ['ftp://hooks.example', `The ${words(field)} field must be a valid URL.`],
    [1, `The ${words(field)} field must be a string.`],
  ],
})
const extracted = (change: object): object[] => [{ name: 'reason', type: 'string', description: 'Why', ...change }]

/** Sections 4.15 and 4.16 field by field, and what the platform's public references add. */
const limits: Readonly<Record<string, (field: string) => Limit>> = {
  name: text(255, true),
  voice_id: reference(1),
  language_id: reference(1),
  type: oneOf('inbound', 'outbound'),
  mode: () => ({ takes: ['pipeline'], refuses: [['turbo', 'The selected mode is invalid.']] }),
  timezone: () => ({
    takes: ['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires'],
    refuses: ['Mars/Olympus', '+01:00', 'CEST+1', 'Europe'].map((value) => [
      value,
      'The timezone field must be a valid timezone.',
    ]),
  }),
  initial_message: text(200, true),
  system_prompt: () => ({
    takes: ['x', x(100_000)],
    refuses: [
      ['', 'The system prompt field is required.'],
      [1, 'The system prompt field must be a string.'],
    ],
  }),
  llm_model_id: reference(1),
  multimodal_model_id: (field) => ({ ...reference(22)(field), realtime: true }),
  chat_llm_fallback_id: (field) => ({ ...reference(1)(field), realtime: true }),
  turn_detection_threshold: (field) => ({ ...decimal(0, 1)(field), realtime: true }),
  secondary_language_ids: references(2),
  knowledgebase_id: reference(1),
  knowledgebase_mode: oneOf('function_call', 'prompt'),
  folder_id: reference(1),
  label_ids: references(1),
  phone_number_id: reference(1),
  tool_ids: references(1),
  tools: () => ({
    takes: [
      [],
      [{ type: 'end_call' }, { type: 'collect_keypad', timeout: 30 }],
      [
        {
          type: 'warm_call_transfer',
          supervisor_phone: '+14155550100',
          outbound_phone_id: 1,
          description: 'x',
          hold_music_volume: 100,
        },
      ],
    ],
    refuses: [
      [{}, 'The tools field must be an array.'],
      [[{ type: 'teleport' }], 'The selected tools.0.type is invalid.', 'tools.0.type'],
      [[{}], 'The tools.0.type field is required.', 'tools.0.type'],
      [[{ type: 'call_transfer' }], 'The tools.0.phone number field is required.', 'tools.0.phone_number'],
      [
        [{ type: 'collect_keypad', timeout: 31 }],
        'The tools.0.timeout field must be between 1 and 30.',
        'tools.0.timeout',
      ],
      [
        [{ type: 'collect_keypad', timeout: 0 }],
        'The tools.0.timeout field must be between 1 and 30.',
        'tools.0.timeout',
      ],
      [[{ type: 'collect_keypad', stop_key: '0' }], 'The selected tools.0.stop key is invalid.', 'tools.0.stop_key'],
      [
        [
          {
            type: 'warm_call_transfer',
            supervisor_phone: '+14155550100',
            outbound_phone_id: 1,
            description: 'x',
            hold_music_volume: 101,
          },
        ],
        'The tools.0.hold music volume field must be between 0 and 100.',
        'tools.0.hold_music_volume',
      ],
      [
        [{ type: 'assistant_transfer', assistant_id: 1, message_before_transfer: x(501) }],
        'The tools.0.message before transfer field must not be greater than 500 characters.',
        'tools.0.message_before_transfer',
      ],
      [
        [
          {
            type: 'calendar_integration',
            calendar_type: 'cal_b',
            cal_b_api_key: 'k',
            cal_b_event_type_uri: 'https://calendar.example/visit',
          },
        ],
        'The tools.0.cal b event type uri field format is invalid.',
        'tools.0.cal_b_event_type_uri',
      ],
    ],
  }),
  tts_emotion_enabled: switched,
  voice_stability: decimal(0, 1),
  voice_similarity: decimal(0, 1),
  speech_speed: decimal(0.7, 1.2),
  llm_temperature: decimal(0, 1),
  synthesizer_provider_id: reference(1),
  transcriber_provider_id: reference(1),
  allow_interruptions: switched,
  fillers: switched,
  filler_config: () => ({
    takes: [{ positive: ['great'], neutral: [x(255)] }],
    refuses: [
      [['hm'], 'The filler config field must be an object.'],
      [{ neutral: 'hm' }, 'The filler config.neutral field must be an array.', 'filler_config.neutral'],
      [{ sad: ['oh'] }, 'The filler config.sad field is not recognized.', 'filler_config.sad'],
      [
        { neutral: [x(256)] },
        'The filler config.neutral.0 field must not be greater than 255 characters.',
        'filler_config.neutral.0',
      ],
    ],
  }),
  record: switched,
  enable_noise_cancellation: switched,
  wait_for_customer: switched,
  max_duration: whole(20, 1200),
  max_silence_duration: whole(1, 360),
  max_initial_silence_duration: whole(1, 120),
  ringing_time: whole(1, 60),
  reengagement_interval: whole(7, 600),
  reengagement_prompt: text(1000),
  end_call_on_voicemail: switched,
  voice_mail_message: text(1000),
  endpoint_type: oneOf('vad', 'ai'),
  endpoint_sensitivity: decimal(0, 5),
  interrupt_sensitivity: decimal(0, 5),
  min_interrupt_words: whole(0, 10),
  ambient_sound: oneOf('off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'),
  ambient_sound_volume: decimal(0, 1),
  is_webhook_active: (field) => ({ ...switched(field), takes: [false] }),
  webhook_url: address,
  send_webhook_only_on_completed: switched,
  include_recording_in_webhook: switched,
  post_call_evaluation: switched,
  post_call_schema: () => ({
    takes: [
      [],
      extracted({}),
      extracted({ name: 'a_1' }),
      extracted({ name: x(16), type: 'bool', description: x(255) }),
    ],
    refuses: [
      [extracted({ name: 'ab' }), 'The post call schema.0.name field format is invalid.', 'post_call_schema.0.name'],
      [extracted({ name: x(17) }), 'The post call schema.0.name field format is invalid.', 'post_call_schema.0.name'],
      [
        extracted({ name: 'Reason' }),
        'The post call schema.0.name field format is invalid.',
        'post_call_schema.0.name',
      ],
      [extracted({ type: 'boolean' }), 'The selected post call schema.0.type is invalid.', 'post_call_schema.0.type'],
      [
        extracted({ description: 'ab' }),
        'The post call schema.0.description field must be at least 3 characters.',
        'post_call_schema.0.description',
      ],
      [
        extracted({ description: x(256) }),
        'The post call schema.0.description field must not be greater than 255 characters.',
        'post_call_schema.0.description',
      ],
    ],
  }),
  variables: () => ({
    takes: [{}, { clinic: 'Northwind', beds: 3 }],
    refuses: [
      [['a'], 'The variables field must be an object.'],
      ['a', 'The variables field must be an object.'],
    ],
  }),
  conversation_inactivity_timeout: whole(1, 1440),
  conversation_ended_retrigger: switched,
  conversation_ended_webhook_url: address,
}
const fields = Object.keys(limits)
const limitOf = (field: string): Limit => (limits[field] as (field: string) => Limit)(field)

describe.each(databases.slice(0, 1))('every field of an assistant', (database) => {
  let api: Api
  let owner: TestAccount
  const ids: Record<'pipeline' | 'realtime', number> = { pipeline: 0, realtime: 0 }
  const post = async (url: string, body: object): Promise<number> =>
    (await api.ask('POST', `/api/user/${url}`, { ...owner, body })).body.data.id
  beforeAll(async () => {
    api = await fresh(database, { empty: true })
    owner = await api.account()
    await post('folder', { name: 'Folder' })
    await post('label', { name: 'Label' })
    await post('knowledgebases', { name: 'Handbook' })
    await post('tools', { name: 'first', description: 'Does it', endpoint: 'https://tools.example', method: 'GET' })
    await api.buy('+15005550006', owner)
    ids.pipeline = await post('assistant', desk)
    ids.realtime = await post('assistant', realtime)
  })
  const idFor = (limit: Limit): number => (limit.realtime ? ids.realtime : ids.pipeline)
  const update = (id: number, body: object) => api.ask('PUT', `/api/user/assistant/${id}`, { ...owner, body })
  const get = async (id: number) =>
    (await api.ask('GET', '/api/user/assistants/get?per_page=100', owner)).body.data.find(
      (it: { id: number }) => it.id === id,
    )

  test('has its limits in this test', () => {
    expect(Object.keys(assistants.update.body.shape).sort()).toEqual([...fields].sort())
  })

  test.each(everyNth(3, fields))('%s accepts everything within its limits', async (field) => {
    const limit = limitOf(field)
    for (const value of limit.takes) {
      const answer = await update(idFor(limit), { [field]: value })
      expect({ value, ...answer.body.errors, status: answer.status }).toEqual({ value, status: 200 })
      expect((await get(idFor(limit)))[field]).toEqual(
        field === 'tools' ? (value as object[]).map((it) => expect.objectContaining(it)) : value,
      )
    }
  })

  test.each(everyNth(3, fields))(
    '%s refuses values beyond its limits and changes nothing, on update and create',
    async (field) => {
      const limit = limitOf(field)
      const before = await get(idFor(limit))
      for (const [value, said, at = field] of limit.refuses) {
        const refused = { value, status: 422, body: { message: 'Validation failed', errors: { [at]: [said] } } }
        const { status, body } = await update(idFor(limit), { [field]: value })
        expect({ value, status, body }).toEqual(refused)
        const draft = limit.realtime ? realtime : desk
        const created = await api.ask('POST', '/api/user/assistant', { ...owner, body: { ...draft, [field]: value } })
        expect({ value, status: created.status, errors: created.body.errors }).toMatchObject({
          status: 422,
          errors: { [at]: [said] },
        })
      }
      expect(await get(idFor(limit))).toEqual(before)
    },
  )

  test('is refused alone, whatever the other fields are', async () => {
    const usual = fields.filter(
      (field) => !limitOf(field).realtime && !['mode', 'is_webhook_active', 'phone_number_id', 'type'].includes(field),
    )
    const choice = fc.uniqueArray(fc.tuple(fc.constantFrom(...usual), fc.boolean(), fc.nat()), {
      selector: ([field]) => field,
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(choice, async (chosen) => {
        const body: Record<string, unknown> = {}
        const wrong: string[] = []
        for (const [field, isRight, n] of chosen) {
          const { takes, refuses } = limitOf(field)
          const refused = refuses[n % refuses.length] as Limit['refuses'][number]
          body[field] = isRight ? takes[n % takes.length] : refused[0]
          if (!isRight) wrong.push(refused[2] ?? field)
        }
        const { status, body: answer } = await update(ids.pipeline, body)
        // Errors that only the platform can find (an unknown id) are checked once the rest is valid.
        const shown = Object.keys(answer.errors ?? {})
        expect(status).toBe(wrong.length === 0 ? 200 : 422)
        expect(wrong).toEqual(expect.arrayContaining(shown))
        if (wrong.length > 0) expect(shown.length).toBeGreaterThan(0)
      }),
      { seed: 415, numRuns: caseCount(150, 40) },
    )
  })
})
