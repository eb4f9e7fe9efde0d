import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../support/databases.ts'
import { desk, realtime } from '../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

describe('an update of an assistant', () => {
  let api: Api
  let owner: TestAccount
  const own: Record<string, number> = {}
  const post = async (url: string, body: object): Promise<number> =>
    (await api.ask('POST', `/api/user/${url}`, { ...owner, body })).body.data.id
  beforeAll(async () => {
    api = await fresh(sqlite, { seed: 7 })
    owner = await api.account()
    own.folder = await post('folder', { name: 'Folder' })
    for (const name of ['one', 'two']) {
      own[`label ${name}`] = await post('label', { name })
      own[`tool ${name}`] = await post('tools', {
        name,
        description: 'Does it',
        endpoint: 'https://tools.example',
        method: 'GET',
      })
    }
    own.knowledge = await post('knowledgebases', { name: 'Handbook' })
    own.number = (await api.buy('+15005550006', owner)).body.data.id
  })
  const get = async (id: number) =>
    (await api.ask('GET', '/api/user/assistants/get?per_page=100', owner)).body.data.find(
      (it: { id: number }) => it.id === id,
    )
  const change = async (id: number, body: object) => {
    expect((await api.ask('PUT', `/api/user/assistant/${id}`, { ...owner, body })).status).toBe(200)
    return get(id)
  }

  test('clears its folder, number and knowledge base with null', async () => {
    const held = { folder_id: own.folder, phone_number_id: own.number, knowledgebase_id: own.knowledge }
    const id = await post('assistant', { ...desk, ...held })
    expect(await get(id)).toMatchObject(held)
    for (const field of Object.keys(held)) expect((await change(id, { [field]: null }))[field], field).toBeNull()
  })

  test('replaces labels and tools, removes all of them with an empty list, and keeps them if they are omitted', async () => {
    const id = await post('assistant', {
      ...desk,
      folder_id: own.folder,
      label_ids: [own['label one']],
      tool_ids: [own['tool one']],
    })
    expect(await change(id, { name: 'Renamed' })).toMatchObject({
      folder_id: own.folder,
      label_ids: [own['label one']],
      tool_ids: [own['tool one']],
    })
    expect(await change(id, { label_ids: [own['label two']], tool_ids: [own['tool two']] })).toMatchObject({
      label_ids: [own['label two']],
      tool_ids: [own['tool two']],
    })
    expect(await change(id, { label_ids: [], tool_ids: [] })).toMatchObject({ label_ids: [], tool_ids: [] })
  })

  test('keeps the model of a mode only in that mode', async () => {
    const [pipeline, multimodal] = [await post('assistant', desk), await post('assistant', realtime)]
    expect(await change(pipeline, { multimodal_model_id: 21 })).toMatchObject({
      llm_model_id: 1,
      multimodal_model_id: null,
    })
    expect(await change(multimodal, { llm_model_id: 1 })).toMatchObject({ llm_model_id: null, multimodal_model_id: 21 })
  })

  test('changes nothing without fields', async () => {
    const id = await post('assistant', desk)
    const { updated_at: _, ...before } = await get(id)
    expect(await change(id, {})).toMatchObject(before)
  })
})
