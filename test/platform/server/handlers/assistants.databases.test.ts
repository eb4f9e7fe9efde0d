import { beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'
import { defaults, desk, duplex, realtime } from '../../../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const path = '/api/user/assistant'

describe.each(databases)('assistants on $name', (database) => {
  let api: Api
  let owner: TestAccount
  let tables: Connection
  beforeAll(async () => {
    const platform = await fresh(database, { seed: 7 })
    api = platform
    tables = await tablesOf(platform.place)
    owner = await api.account()
  })

  const create = (body: object, by: { key: string } = owner) => api.ask('POST', path, { ...by, body })
  const update = (id: number, body: object, by: { key: string } = owner) =>
    api.ask('PUT', `${path}/${id}`, { ...by, body })
  const list = async (by: { key: string } = owner, query = 'per_page=100') =>
    (await api.ask('GET', `/api/user/assistants/get?${query}`, by)).body
  const get = async (id: number, by: { key: string } = owner) =>
    (await list(by)).data.find((it: { id: number }) => it.id === id)
  const made = async (body: object): Promise<number> => {
    const { status, body: answer } = await create(body)
    expect(answer).toMatchObject({ message: 'Assistant created successfully' })
    expect(status).toBe(201)
    return answer.data.id
  }
  const changed = async (id: number, body: object) => {
    const { status, body: answer } = await update(id, body)
    expect({ status, answer }).toMatchObject({ status: 200, answer: { message: 'Assistant updated successfully' } })
    return get(id)
  }

  test.each([
    [desk, {}],
    [realtime, { fillers: null, voice_stability: null, voice_similarity: null, speech_speed: null }],
    [duplex, { fillers: null }],
  ])('an assistant is created in the mode of $name with every default of that mode', async (draft, unset) => {
    const answer = await create(draft)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      message: 'Assistant created successfully',
      data: { id: expect.any(Number), name: draft.name, status: 'inactive', type: 'inbound', mode: draft.mode },
    })
    expect(await get(answer.body.data.id)).toEqual({
      ...defaults,
      ...draft,
      llm_model_id: draft.llm_model_id ?? null,
      ...unset,
      id: answer.body.data.id,
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      status: 'inactive',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
  })

  test('each mode requires its own model, and accepts no model of another mode', async () => {
    const missing = async (body: object) =>
      (await create({ ...body, llm_model_id: undefined, multimodal_model_id: undefined })).body.errors
    expect(await missing(desk)).toEqual({ llm_model_id: ['The llm model id field is required when mode is pipeline.'] })
    expect(await missing(realtime)).toEqual({
      multimodal_model_id: ['The multimodal model id field is required when mode is multimodal.'],
    })
    expect(await missing(duplex)).toEqual({
      multimodal_model_id: ['The multimodal model id field is required when mode is dualplex.'],
    })
    expect((await create({ ...desk, llm_model_id: 21 })).body.errors).toEqual({
      llm_model_id: ['The selected llm model id is invalid.'],
    })
    expect((await create({ ...realtime, multimodal_model_id: 41 })).body.errors).toEqual({
      multimodal_model_id: ['The selected multimodal model id is invalid.'],
    })
    expect((await create({ ...duplex, multimodal_model_id: 1 })).body.errors).toEqual({
      multimodal_model_id: ['The selected multimodal model id is invalid.'],
    })
    expect((await create({ ...duplex, chat_llm_fallback_id: 41 })).body.errors).toEqual({
      chat_llm_fallback_id: ['The selected chat llm fallback id is invalid.'],
    })
  })

  test('settings of another mode are accepted and not saved', async () => {
    const strange = {
      fillers: true,
      filler_config: { neutral: ['hm'] },
      transcriber_provider_id: 1,
      voice_stability: 0.1,
      llm_model_id: 1,
    }
    const id = await made({ ...realtime, ...strange })
    for (const name of Object.keys(strange)) expect((await get(id))[name], name).toBeNull()
    expect(await changed(id, { speech_speed: 1.1, transcriber_provider_id: 1, max_duration: 60 })).toMatchObject({
      speech_speed: null,
      transcriber_provider_id: null,
      max_duration: 60,
    })
  })

  test('interruptions and a knowledge base by prompt are only for pipeline mode', async () => {
    expect(
      (await get(await made({ ...desk, allow_interruptions: false, knowledgebase_mode: 'prompt' })))
        .allow_interruptions,
    ).toBe(false)
    for (const draft of [realtime, duplex])
      expect((await create({ ...draft, allow_interruptions: false, knowledgebase_mode: 'prompt' })).body).toMatchObject(
        {
          message: 'Validation failed',
          errors: {
            allow_interruptions: [`The allow interruptions field cannot be false when mode is ${draft.mode}.`],
            knowledgebase_mode: [`The knowledgebase mode field must be function_call when mode is ${draft.mode}.`],
          },
        },
      )
  })

  describe('another mode', () => {
    const rich = {
      ...desk,
      voice_stability: 0.9,
      voice_similarity: 0.8,
      speech_speed: 1.2,
      fillers: true,
      filler_config: { positive: ['great'] },
      transcriber_provider_id: 2,
      synthesizer_provider_id: 1,
      allow_interruptions: false,
      llm_temperature: 0.4,
      max_duration: 90,
    }

    test('resets settings that depend on the mode, and leaves the rest', async () => {
      const id = await made(rich)
      const before = await get(id)
      const after = await changed(id, { mode: 'multimodal', multimodal_model_id: 21, voice_id: 43 })
      const reset = {
        llm_model_id: null,
        transcriber_provider_id: null,
        fillers: null,
        filler_config: null,
        synthesizer_provider_id: null,
      }
      expect(after).toEqual({
        ...before,
        ...reset,
        voice_stability: null,
        voice_similarity: null,
        speech_speed: null,
        allow_interruptions: true,
        mode: 'multimodal',
        multimodal_model_id: 21,
        voice_id: 43,
        updated_at: after.updated_at,
      })
      // And back: nothing of what it once was comes back.
      const back = await changed(id, { mode: 'pipeline', llm_model_id: 3, voice_id: 1 })
      expect(back).toMatchObject({
        ...reset,
        llm_model_id: 3,
        fillers: false,
        voice_stability: 0.7,
        voice_similarity: 0.5,
        speech_speed: 1,
        multimodal_model_id: null,
      })
    })

    test('keeps the settings of the same request', async () => {
      const id = await made(rich)
      expect(
        await changed(id, {
          mode: 'dualplex',
          multimodal_model_id: 42,
          speech_speed: 0.8,
          turn_detection_threshold: 0.3,
        }),
      ).toMatchObject({
        speech_speed: 0.8,
        turn_detection_threshold: 0.3,
        voice_stability: 0.7,
        fillers: null,
      })
    })

    test('requires its model and a compatible voice in the same request, or changes nothing', async () => {
      const id = await made(rich)
      const before = await get(id)
      expect((await update(id, { mode: 'multimodal' })).body).toEqual({
        message: 'Validation failed',
        errors: {
          voice_id: ['The selected voice id cannot be used when mode is multimodal.'],
          multimodal_model_id: ['The multimodal model id field is required when mode is multimodal.'],
        },
      })
      expect(await get(id)).toEqual(before)
      const dual = await made(duplex)
      expect((await update(dual, { mode: 'multimodal', voice_id: 43 })).body.errors).toEqual({
        multimodal_model_id: ['The multimodal model id field is required when mode is multimodal.'],
      })
    })

    test('that is the current one resets nothing', async () => {
      const id = await made(rich)
      const { updated_at: _, ...before } = await get(id)
      expect(await changed(id, { mode: 'pipeline' })).toMatchObject(before)
    })
  })

  test('null clears exactly the nullable fields', async () => {
    const printed = {
      max_initial_silence_duration: 20,
      reengagement_prompt: 'Still there?',
      voice_mail_message: 'Bye',
      min_interrupt_words: 3,
      webhook_url: 'https://hooks.example/a',
      synthesizer_provider_id: 1,
      transcriber_provider_id: 1,
      conversation_inactivity_timeout: 5,
      conversation_ended_webhook_url: 'https://hooks.example/b',
    }
    const id = await made({ ...desk, ...printed })
    expect(await get(id)).toMatchObject(printed)
    for (const name of Object.keys(printed)) expect((await changed(id, { [name]: null }))[name], name).toBeNull()
    const other = await made({ ...realtime, chat_llm_fallback_id: 1, turn_detection_threshold: 0.5 })
    for (const name of ['chat_llm_fallback_id', 'turn_detection_threshold'])
      expect((await changed(other, { [name]: null }))[name], name).toBeNull()
    for (const name of [
      'name',
      'voice_id',
      'tools',
      'tool_ids',
      'max_duration',
      'record',
      'endpoint_type',
      'variables',
    ])
      expect((await update(id, { [name]: null })).body.errors, name).toHaveProperty(name)
  })

  test('lists and objects are replaced, and empty ones remove all', async () => {
    const id = await made({
      ...desk,
      secondary_language_ids: [2, 3],
      tools: [{ type: 'end_call' }],
      filler_config: { positive: ['great'] },
      variables: { a: 1, b: 2 },
    })
    expect(
      await changed(id, {
        secondary_language_ids: [4],
        tools: [{ type: 'dtmf_input' }],
        filler_config: { neutral: ['hm'] },
        variables: { c: 3 },
      }),
    ).toMatchObject({
      secondary_language_ids: [4],
      tools: [{ type: 'dtmf_input' }],
      filler_config: { neutral: ['hm'] },
      variables: { c: 3 },
    })
    for (const empty of [[], {}]) {
      await changed(id, { filler_config: { neutral: ['hm'] } })
      expect((await changed(id, { filler_config: empty })).filler_config).toBeNull()
    }
    expect(await changed(id, { secondary_language_ids: [], tools: [], variables: {} })).toMatchObject({
      secondary_language_ids: [],
      tools: [],
      variables: {},
    })
  })

  test('a record from the list can be sent unchanged', async () => {
    const id = await made({
      ...desk,
      tools: [{ type: 'collect_keypad' }],
      is_webhook_active: true,
      webhook_url: 'https://hooks.example',
    })
    const { updated_at: _, ...shown } = await get(id)
    const body = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))
    expect(await changed(id, body)).toMatchObject(shown)
    expect((await update(id, { colour: 'red' })).body.errors).toEqual({
      colour: ['The colour field is not recognized.'],
    })
  })

  test('the list has pages of ten in the order of creation', async () => {
    const by = await api.account()
    for (let n = 1; n <= 12; n++) await create({ ...desk, name: `Desk ${n}` }, by)
    const first = await list(by, '')
    expect(first).toMatchObject({
      current_page: 1,
      per_page: 10,
      total: 12,
      last_page: 2,
      from: 1,
      to: 10,
      path: '/api/user/assistants/get',
    })
    const second = (await api.ask('GET', first.next_page_url, by)).body
    expect([...first.data, ...second.data].map((it) => it.name)).toEqual(
      Array.from({ length: 12 }, (_, n) => `Desk ${n + 1}`),
    )
    expect(await list(by, 'page=3')).toMatchObject({ data: [], from: null, to: null, total: 12 })
    expect(
      (await api.ask('GET', '/api/user/assistants/get', { ...by, headers: { host: 'platform.example' } })).body.path,
    ).toBe('http://platform.example/api/user/assistants/get')
    for (const query of ['per_page=0', 'per_page=101', 'page=0', 'per_page=ten'])
      expect((await api.ask('GET', `/api/user/assistants/get?${query}`, by)).status, query).toBe(422)
  })

  test('the same idempotency key returns the same assistant', async () => {
    const headers = { 'idempotency-key': 'desk-1' }
    const [first, second] = [
      await api.ask('POST', path, { ...owner, body: desk, headers }),
      await api.ask('POST', path, { ...owner, body: desk, headers }),
    ]
    expect(second.body).toEqual(first.body)
  })

  test('an assistant of another account is not found', async () => {
    const [id, stranger] = [await made(desk), await api.account()]
    expect(await update(id, { name: 'Mine' }, stranger)).toMatchObject({
      status: 404,
      body: { message: 'Assistant not found' },
    })
    const deletion = await api.ask('DELETE', `${path}/${id}`, stranger)
    expect(deletion).toMatchObject({
      status: 404,
      body: { message: 'Assistant not found or does not belong to the authenticated user' },
    })
    expect((await list(stranger)).data).toEqual([])
    expect((await get(id)).name).toBe('Desk')
    for (const wrong of ['0', 'abc', '99999']) expect((await update(wrong as never, { name: 'x' })).status).toBe(404)
  })

  test('a deleted assistant is not found, and its id is not used again', async () => {
    const id = await made(desk)
    expect(await api.ask('DELETE', `${path}/${id}`, owner)).toMatchObject({
      status: 200,
      body: { message: 'Assistant deleted successfully' },
    })
    expect(await get(id)).toBeUndefined()
    expect((await update(id, { name: 'x' })).status).toBe(404)
    expect((await api.ask('DELETE', `${path}/${id}`, owner)).status).toBe(404)
    expect(await made(desk)).toBe(id + 1)
  })

  test('a deleted assistant is removed from its sender', async () => {
    const sender = {
      phone_number: '+14155550177',
      display_name: 'Desk',
      status: 'online',
      quality_rating: 'GREEN',
      messaging_limit: null,
    } as const
    const id = await made(desk)
    const row = {
      ...sender,
      account_id: owner.id,
      limit_known: 1,
      voice_calling_enabled: 0,
      assistant_id: id,
      created_at: 1,
    }
    await tables.write('rows', (query) => query.insertInto('sender').values(row).execute())
    await api.ask('DELETE', `${path}/${id}`, owner)
    expect(
      await tables.read.selectFrom('sender').select('assistant_id').where('account_id', '=', owner.id).execute(),
    ).toEqual([{ assistant_id: null }])
  })
})
