import { expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

test('undoing a deletion twice creates one resource, and names it', async () => {
  const by = operator()
  await by.run('tools delete 1 --confirm lookup_patient')
  const before = await by.json('tools list')
  const first = await by.json('history undo 1')
  const again = await by.run('history undo 1')
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    `Nothing to undo: the tool "lookup_patient" (1) was recreated with id ${first.id}.\n`,
  ])
  expect(await by.json('tools list')).toHaveLength(before.length + 1)
})

test('undoing a deletion creates the resource again after the one of an earlier undo was deleted', async () => {
  const by = operator()
  await by.run('labels delete 1 --yes')
  const first = await by.json('history undo 1')
  await by.run(`labels delete ${first.id} --yes`)
  const second = await by.json('history undo 1')
  expect(second).toMatchObject({ done: 'created' })
  expect(second.id).not.toBe(first.id)
})

const withWebhook = async (url: string): Promise<Operator> => {
  const by = operator()
  await by.run(`assistants enable-webhook 2 --event inbound --webhook-url ${url}`)
  expect(await by.run('assistants delete 2 --yes')).toMatchObject({ exitCode: 0 })
  return by
}
const recalls = async (by: Operator) =>
  (await by.json('assistants list')).filter((it: { name: string }) => it.name === 'Recall')
const newest = async (by: Operator): Promise<number> => (await by.json('history list'))[0].entry

test('undoing a deletion asks for the secret of a webhook before anything is created', async () => {
  const by = await withWebhook('https://x.example/inbound?token=abcdefgh')
  const entry = await newest(by)
  const refused = await by.run(`history undo ${entry}`)
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Missing secrets, which the history does not save: inbound_webhook_url.'),
  })
  expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  expect(await recalls(by)).toEqual([])
  const url = 'https://x.example/inbound?token=another1'
  expect(await by.run(`history undo ${entry} --set inbound_webhook_url=${url}`)).toMatchObject({ exitCode: 0 })
  expect(await recalls(by)).toMatchObject([{ inbound_webhook_url: url }])
})

test.each([
  [
    'an assistant whose webhook cannot be set',
    () => withWebhook('https://x.example/inbound'),
    'Not restored: inbound_webhook_url. ',
    recalls,
  ],
  [
    'an automation that cannot be disabled',
    async () => {
      const by = operator()
      await by.run('automate disable "Opening hours" --yes')
      expect(await by.run('automate delete "Opening hours" --yes')).toMatchObject({ exitCode: 0 })
      return by
    },
    'Not restored: enabled. ',
    async (by: Operator) =>
      (await by.json('automate list')).filter((it: { name: string }) => it.name === 'Opening hours'),
  ],
])('undoing a deletion twice creates one resource: %s', async (_, start, note, list) => {
  const by = await start()
  const entry = await newest(by)
  const through: RunOptions['through'] = async (handle, request) =>
    request.method !== 'GET' && /enable-inbound-webhook|automate\/flows\/./.test(request.url)
      ? { status: 503, headers: {}, body: 'unavailable' }
      : handle(request)
  expect(await by.run(`history undo ${entry} --yes --retries 0`, { through })).toMatchObject({
    exitCode: 11,
    stdout: expect.stringMatching(/^Recreated /),
    stderr: expect.stringContaining(note),
  })
  expect(await list(by)).toHaveLength(1)
  expect(await by.run(`history undo ${entry} --yes`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Nothing to undo: .* was recreated with id /),
  })
  expect(await list(by)).toHaveLength(1)
})
