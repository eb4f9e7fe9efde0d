import { expect, test } from 'vitest'
import type { Handle } from '../../../support/operator.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

const count = 3000
const [id, url] = [2345, 'https://hooks.example/ended']

/** A platform with many assistants, of which the one with `id` can be changed. It has a list, and no endpoint for a single one. */
function manyAssistants(): NonNullable<RunOptions['through']> {
  let isEnabled = false
  const listed = async (handle: Handle, request: Parameters<Handle>[0]) => {
    const query = new URL(request.url, 'http://x').searchParams
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 10)]
    const response = await handle({ ...request, url: '/api/user/assistants/get?per_page=1' })
    const envelope = JSON.parse(String(response.body))
    const data = Array.from({ length: Math.max(0, Math.min(size, count - (page - 1) * size)) }, (_, n) => {
      const own = (page - 1) * size + n + 1
      const changed = own === id && isEnabled ? { conversation_ended_webhook_url: url } : {}
      return { ...envelope.data[0], conversation_ended_webhook_url: null, id: own, name: `Desk ${own}`, ...changed }
    })
    const last = Math.ceil(count / size)
    const next = page < last ? `http://x/?page=${page + 1}` : null
    const body = {
      ...envelope,
      data,
      current_page: page,
      per_page: size,
      last_page: last,
      total: count,
      next_page_url: next,
    }
    return { ...response, body: JSON.stringify(body) }
  }
  return async (handle, request) => {
    if (request.url.startsWith('/api/user/assistants/get')) return listed(handle, request)
    if (request.method !== 'POST') return handle(request)
    isEnabled = true
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"message":"Enabled.","data":[]}' }
  }
}

test('a change of one of many assistants is saved and read back with a few requests, not with every page', async () => {
  const by = operator()
  const line = `assistants enable-webhook ${id} --event conversation-ended --webhook-url ${url} --yes`
  const { exitCode, stderr, requests } = await by.run(line, { through: manyAssistants() })
  expect(exitCode, stderr).toBe(0)
  expect(requests.filter((it) => it.startsWith('GET /api/user/assistants')).length).toBeLessThanOrEqual(6)
  const [entry] = await by.json('history list')
  expect(entry).toMatchObject({ noun: 'assistants', name: `Desk ${id}` })
})
