import { beforeAll, describe, expect, test } from 'vitest'
import { testCalendar } from '../../../../src/platform/providers/local/test-numbers.ts'
import { databases } from '../../../support/databases.ts'
import { desk, realtime } from '../../../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const path = '/api/user/assistant'
const tool = { description: 'Does it', endpoint: 'https://tools.example', method: 'GET' }
const taken = { phone_number_id: ['The selected phone number id is already assigned to another inbound assistant.'] }

describe.each(databases)('references of an assistant on $name', (database) => {
  let api: Api
  let owner: TestAccount
  let stranger: TestAccount
  /** Ids of the owner's resources, and of those of another account. */
  const own: Record<string, number> = {}
  const foreign: Record<string, number> = {}

  const post = async (url: string, body: object, by: TestAccount): Promise<number> => {
    const { body: answer } = await api.ask('POST', `/api/user/${url}`, { ...by, body })
    return answer.data.id
  }
  const number = async (by: TestAccount): Promise<number> => {
    const { body } = await api.ask('GET', '/api/user/phone-numbers/search?country_code=US')
    return post('phone-numbers/purchase', { phone_number: body.data[0].phone_number }, by)
  }
  beforeAll(async () => {
    api = await fresh(database, { seed: 7 })
    owner = await api.account()
    stranger = await api.account()
    for (const [by, ids] of [
      [owner, own],
      [stranger, foreign],
    ] as const) {
      ids.folder_id = await post('folder', { name: 'Folder' }, by)
      ids.label = await post('label', { name: 'Label' }, by)
      ids.knowledgebase_id = await post('knowledgebases', { name: 'Handbook' }, by)
      ids.tool = await post('tools', { ...tool, name: 'first' }, by)
      ids.phone_number_id = await number(by)
      ids.assistant = await post('assistant', desk, by)
    }
  })

  const create = (body: object, by = owner) => api.ask('POST', path, { ...by, body: { ...desk, ...body } })
  const update = (id: number, body: object, by = owner) => api.ask('PUT', `${path}/${id}`, { ...by, body })
  const errorsOf = async (body: object) => {
    const { status, body: answer } = await create(body)
    expect({ status, message: answer.message }).toEqual({ status: 422, message: 'Validation failed' })
    return answer.errors
  }
  const get = async (id: number, by = owner) =>
    (await api.ask('GET', '/api/user/assistants/get?per_page=100', by)).body.data.find(
      (it: { id: number }) => it.id === id,
    )
  const transfer = (id: number | undefined) => ({ type: 'assistant_transfer', assistant_id: id })
  const warm = (id: number | undefined) => ({
    type: 'warm_call_transfer',
    supervisor_phone: '+14155550100',
    outbound_phone_id: id,
    description: 'When asked',
  })

  test('are resources of the account', async () => {
    const { status, body } = await create({
      type: 'outbound',
      folder_id: own.folder_id,
      knowledgebase_id: own.knowledgebase_id,
      phone_number_id: own.phone_number_id,
      label_ids: [own.label],
      tool_ids: [own.tool],
      tools: [transfer(own.assistant), warm(own.phone_number_id)],
    })
    expect(status).toBe(201)
    expect(await get(body.data.id)).toMatchObject({
      folder_id: own.folder_id,
      label_ids: [own.label],
      tool_ids: [own.tool],
      phone_number_id: own.phone_number_id,
    })
  })

  test('to resources of another account are refused like missing ones', async () => {
    for (const ids of [
      foreign,
      { folder_id: 9999, knowledgebase_id: 9999, phone_number_id: 9999, label: 9999, tool: 9999, assistant: 9999 },
    ])
      expect(
        await errorsOf({
          folder_id: ids.folder_id,
          knowledgebase_id: ids.knowledgebase_id,
          phone_number_id: ids.phone_number_id,
          label_ids: [own.label, ids.label],
          tool_ids: [ids.tool, own.tool],
          tools: [transfer(ids.assistant), warm(ids.phone_number_id)],
        }),
      ).toEqual({
        'tools.0.assistant_id': ['The selected tools.0.assistant id is invalid.'],
        'tools.1.outbound_phone_id': ['The selected tools.1.outbound phone id is invalid.'],
        'label_ids.1': ['The selected label ids.1 is invalid.'],
        'tool_ids.0': ['The selected tool ids.0 is invalid.'],
        folder_id: ['The selected folder id is invalid.'],
        knowledgebase_id: ['The selected knowledgebase id is invalid.'],
        phone_number_id: ['The selected phone number id is invalid.'],
      })
  })

  test('must exist: voices, languages, models, providers', async () => {
    expect(
      await errorsOf({
        voice_id: 9999,
        language_id: 9999,
        llm_model_id: 9999,
        secondary_language_ids: [1, 9999],
        synthesizer_provider_id: 9999,
        transcriber_provider_id: 9999,
      }),
    ).toEqual({
      voice_id: ['The selected voice id is invalid.'],
      language_id: ['The selected language id is invalid.'],
      llm_model_id: ['The selected llm model id is invalid.'],
      'secondary_language_ids.1': ['The selected secondary language ids.1 is invalid.'],
      synthesizer_provider_id: ['The selected synthesizer provider id is invalid.'],
      transcriber_provider_id: ['The selected transcriber provider id is invalid.'],
    })
  })

  test('must be compatible: voice and mode, voice and provider, provider and language', async () => {
    expect(await errorsOf({ voice_id: 43 })).toEqual({
      voice_id: ['The selected voice id cannot be used when mode is pipeline.'],
    })
    expect(await errorsOf({ synthesizer_provider_id: 2 })).toEqual({
      synthesizer_provider_id: ['The selected synthesizer provider id does not have the voice.'],
    })
    const polish = 8
    expect(await errorsOf({ language_id: polish, synthesizer_provider_id: 3, transcriber_provider_id: 3 })).toEqual({
      synthesizer_provider_id: ['The selected synthesizer provider id does not support the language.'],
      transcriber_provider_id: ['The selected transcriber provider id does not support the language.'],
    })
    const { body } = await create({ synthesizer_provider_id: 1 })
    expect((await update(body.data.id, { voice_id: 3 })).body.errors).toEqual({
      synthesizer_provider_id: ['The selected synthesizer provider id does not have the voice.'],
    })
    expect((await update(body.data.id, { voice_id: 3, synthesizer_provider_id: 2 })).status).toBe(200)
  })

  test('are not checked again if a request does not change them', async () => {
    const { body } = await create({ type: 'outbound', tools: [warm(own.phone_number_id)] })
    expect((await update(body.data.id, { name: 'Renamed', max_duration: 30 })).status).toBe(200)
  })

  test('cannot be the assistant itself', async () => {
    expect((await update(own.assistant ?? 0, { tools: [{ type: 'end_call' }, transfer(own.assistant)] })).body).toEqual(
      {
        message: 'Validation failed',
        errors: { 'tools.1.assistant_id': ['The tools.1.assistant id field must not be the assistant itself.'] },
      },
    )
  })

  test('that are duplicates count once, in the given order', async () => {
    const second = await post('tools', { ...tool, name: 'second' }, owner)
    const { body } = await create({ tool_ids: [second, own.tool, second], label_ids: [own.label, own.label] })
    expect(await get(body.data.id)).toMatchObject({ tool_ids: [second, own.tool], label_ids: [own.label] })
  })

  describe('a number', () => {
    test('has one inbound assistant, and any number of outbound ones', async () => {
      const phone_number_id = await number(owner)
      const { body: first } = await create({ phone_number_id })
      expect(await errorsOf({ phone_number_id })).toEqual(taken)
      const { body: caller } = await create({ type: 'outbound', phone_number_id })
      expect((await update(caller.data.id, { type: 'inbound' })).body.errors).toEqual(taken)
      expect((await update(first.data.id, { phone_number_id, name: 'Still mine' })).status).toBe(200)
      expect((await update(first.data.id, { phone_number_id: null })).status).toBe(200)
      expect((await update(caller.data.id, { type: 'inbound' })).status).toBe(200)
    })

    test('goes to one of several concurrent requests', async () => {
      const phone_number_id = await number(owner)
      const answers = await Promise.all(Array.from({ length: 6 }, () => create({ phone_number_id })))
      expect(answers.map((it) => it.status).sort()).toEqual([201, 422, 422, 422, 422, 422])
      for (const { body } of answers.filter((it) => it.status === 422)) expect(body.errors).toEqual(taken)
    })

    test('that is only a caller ID cannot have an inbound assistant', async () => {
      const { body } = await api.ask('GET', '/api/user/phone-numbers/all')
      const shown = body.data.find((it: { type: string }) => it.type === 'caller_id').id
      const by = { id: 0, key: api.platform.credentials().key as string }
      expect((await create({ phone_number_id: shown }, by)).body.errors).toEqual({
        phone_number_id: ['The selected phone number id is a Caller ID and cannot be used when type is inbound.'],
      })
      expect((await create({ phone_number_id: shown, type: 'outbound' }, by)).status).toBe(201)
      // Released, it is on no assistant any more.
      const front = (await api.ask('GET', '/api/user/assistants/get')).body.data.at(-1)
      expect(front.phone_number_id).toBe(shown)
      expect((await api.ask('DELETE', `/api/user/phone-numbers/${shown}`)).status).toBe(200)
      expect(await get(front.id, by)).toMatchObject({ phone_number_id: null })
    })
  })

  test('a deleted resource is removed from all assistants', async () => {
    const [folder_id, label, knowledgebase_id, gone, target] = [
      await post('folder', { name: 'Short-lived' }, owner),
      await post('label', { name: 'Short-lived' }, owner),
      await post('knowledgebases', { name: 'Short-lived' }, owner),
      await post('tools', { ...tool, name: 'short_lived' }, owner),
      await post('assistant', { ...realtime, name: 'Short-lived' }, owner),
    ]
    const { body } = await create({
      folder_id,
      knowledgebase_id,
      label_ids: [label],
      tool_ids: [gone, own.tool],
      tools: [transfer(target), transfer(own.assistant)],
    })
    for (const url of [
      `folder/${folder_id}`,
      `label/${label}`,
      `knowledgebases/${knowledgebase_id}`,
      `tools/${gone}`,
      `assistant/${target}`,
    ])
      expect((await api.ask('DELETE', `/api/user/${url}`, owner)).status, url).toBe(200)
    const left = await get(body.data.id)
    expect(left).toMatchObject({ folder_id: null, knowledgebase_id: null, label_ids: [], tool_ids: [own.tool] })
    expect(left.tools).toMatchObject([transfer(own.assistant)])
  })

  describe('a calendar', () => {
    const first = { type: 'calendar_integration', cal_a_api_key: 'k', cal_a_event_slug: 'visit' }
    const second = { type: 'calendar_integration', calendar_type: 'cal_b', cal_b_api_key: 'token' }
    const uri = (last: string): string => `https://calendar.example/event_types/${last}`

    test('of the first kind has an event by id', async () => {
      const { body } = await create({
        tools: [
          { ...first, cal_a_event_id: 17 },
          { ...first, cal_a_event_name: 'Check-up' },
        ],
      })
      expect((await get(body.data.id)).tools).toMatchObject([
        { cal_a_event_id: 17, cal_a_event_name: 'Event 17' },
        { cal_a_event_name: 'Check-up' },
      ])
      expect(
        await errorsOf({ tools: [{ type: 'end_call' }, { ...first, cal_a_event_id: testCalendar.missingEvent }] }),
      ).toEqual({
        'tools.1.cal_a_event_id': ['The selected tools.1.cal a event id is invalid.'],
      })
    })

    test('of the second kind accepts only event types of its account', async () => {
      expect(
        (await create({ tools: [{ ...second, cal_b_event_type_uri: uri('8d1d5b8e-0f7c-4a53-9f0e-3d0c5a1f8b11') }] }))
          .status,
      ).toBe(201)
      const refused = { tools: ['The event type URI does not belong to the account of the token.'] }
      const tools = [{ ...second, cal_b_event_type_uri: uri(testCalendar.foreignEventType) }]
      expect(await errorsOf({ tools })).toEqual(refused)
      expect((await update(own.assistant ?? 0, { tools })).body.errors).toEqual(refused)
      expect((await update(99999, { tools })).status).toBe(404)
    })
  })
})
