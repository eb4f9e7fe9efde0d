import { expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'

const calendar = (slug: string) =>
  `[{"type":"calendar_integration","calendar_type":"cal_a","cal_a_api_key":"abcdefgh","cal_a_event_slug":"${slug}"}]`

/** A platform that completes the tools of assistants, and whose answers to updates do not show them. */
const completes: NonNullable<RunOptions['through']> = async (handle, request) => {
  const response = await handle(request)
  if (request.method !== 'GET' || !request.url.includes('/assistants/get')) return response
  const { data, ...page } = JSON.parse(String(response.body))
  for (const assistant of data)
    assistant.tools = assistant.tools.map((one: object) => ({ ...one, cal_a_timezone: 'UTC' }))
  return { ...response, body: JSON.stringify({ data, ...page }) }
}

test('an update of nested values that the platform completes can be undone', async () => {
  const by = operator()
  const options = { through: completes }
  expect(await by.run(['assistants', 'update', '2', '--tools', calendar('visit')], options)).toMatchObject({
    exitCode: 0,
  })
  expect(await by.run('history undo 1', options)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Restored/),
  })
  expect((await by.json('assistants get 2')).tools).toEqual([])
})

test('a change of such values by others is still noticed', async () => {
  const by = operator()
  const options = { through: completes }
  await by.run(['assistants', 'update', '2', '--tools', calendar('visit')], options)
  await by.run(['assistants', 'update', '2', '--tools', calendar('other')], options)
  expect(await by.run('history undo 1', options)).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('was changed since: tools'),
  })
})

test('an update whose read back stays outdated is exit 20 and can still be undone', async () => {
  const by = operator()
  const before = (await by.json('assistants get 2')).max_duration
  let [isWritten, old]: [boolean, string | undefined] = [false, undefined]
  const through: RunOptions['through'] = async (handle, request) => {
    const response = await handle(request)
    if (request.method !== 'GET') isWritten = true
    else if (!isWritten) old = String(response.body)
    else if (old !== undefined) return { ...response, body: old }
    return response
  }
  expect(await by.run('assistants update 2 --max-duration 301', { through })).toMatchObject({
    exitCode: 20,
    stdout: `The platform accepted the update, but the assistant differs: max_duration is ${before}, sent 301. Id: 2\n`,
  })
  expect(await by.run('history undo 1 --force')).toMatchObject({ exitCode: 0 })
  expect((await by.json('assistants get 2')).max_duration).toBe(before)
})

test('an update that cannot be read back is exit 12, is in the history and can be undone', async () => {
  const by = operator()
  let isWritten = false
  const through: RunOptions['through'] = async (handle, request) => {
    if (request.method !== 'GET') isWritten = true
    else if (isWritten) return { status: 503, headers: {}, body: 'unavailable' }
    return handle(request)
  }
  expect(await by.run('assistants update 2 --max-duration 301', { through })).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining(
      'The assistant 2 was accepted, but the result is unknown. It could not be read back:',
    ),
  })
  expect(await by.json('history list')).toMatchObject([{ state: 'done' }])
  expect(await by.run('history undo 1')).toMatchObject({ exitCode: 0 })
})
