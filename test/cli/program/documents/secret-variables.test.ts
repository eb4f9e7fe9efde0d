import { expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import { change, read, writes } from '../../features/as-code/code-folder.ts'

const recall = 'assistants/recall.yaml'
const calendar = (slug: string, key: string) => ({
  type: 'calendar_integration',
  calendar_type: 'cal_a',
  cal_a_api_key: key,
  cal_a_event_slug: slug,
})
const after = 'https://after.example/call?token=after-token'
const inbound = 'https://inbound.example/call?token=inbound-token'

const withWebhooks = async (): Promise<Operator> => {
  const by = operator()
  await by.run(`assistants enable-webhook 2 --event post-call --webhook-url ${after}`)
  await by.run('pull')
  return by
}
const urls = async (by: Operator) => {
  const { webhook_url, inbound_webhook_url } = await by.json('assistants get 2')
  return [webhook_url, inbound_webhook_url]
}

test('different secrets of a resource get different variables', async () => {
  const by = operator()
  const tools = JSON.stringify([calendar('visit', 'key-of-visit'), calendar('cleaning', 'key-of-cleaning')])
  await by.run(['assistants', 'update', '2', '--tools', tools])
  await by.run(`assistants enable-webhook 2 --event post-call --webhook-url ${after}`)
  await by.run(`assistants enable-webhook 2 --event inbound --webhook-url ${inbound}`)
  await by.run('pull')
  const file = read(by, recall)
  expect(file).toContain('cal_a_api_key: ${RECALL_TOOLS_VISIT_CAL_A_API_KEY}\n')
  expect(file).toContain('cal_a_api_key: ${RECALL_TOOLS_CLEANING_CAL_A_API_KEY}\n')
  expect(file).toContain('call?token=${RECALL_WEBHOOK_URL_TOKEN}\n')
  expect(file).toContain('call?token=${RECALL_INBOUND_WEBHOOK_URL_TOKEN}\n')
  expect(await by.run('push', { env: { RECALL_WEBHOOK_URL_TOKEN: 'after-2' } })).toMatchObject({ exitCode: 0 })
  expect(await urls(by)).toEqual([after.replace('after-token', 'after-2'), inbound])
})

test('a file keeps its variable when the resource gets a second secret of the same name', async () => {
  const by = await withWebhooks()
  expect(read(by, recall)).toContain('token=${RECALL_TOKEN}\n')
  await by.run(`assistants enable-webhook 2 --event inbound --webhook-url ${inbound}`)
  expect(await by.run('pull')).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('RECALL') })
  expect(read(by, recall)).toContain('after.example/call?token=${RECALL_TOKEN}\n')
  expect(read(by, recall)).toContain('inbound.example/call?token=${RECALL_INBOUND_WEBHOOK_URL_TOKEN}\n')
})

test('a variable that is used for different secrets is never pushed, and pull separates it', async () => {
  const by = await withWebhooks()
  await by.run(`assistants enable-webhook 2 --event inbound --webhook-url ${inbound}`)
  await by.run('pull')
  change(by, recall, 'RECALL_INBOUND_WEBHOOK_URL_TOKEN', 'RECALL_TOKEN')
  const env = { RECALL_TOKEN: 'after-token' }
  const refused = await by.run('push', { env })
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /recall\.yaml: \$\{RECALL_TOKEN\} is used for different secrets: webhook_url, inbound_webhook_url\. Nothing was sent\./,
    ),
  })
  expect(writes(refused.requests)).toEqual([])
  expect(await urls(by)).toEqual([after, inbound])
  const pulled = await by.run('pull')
  expect(pulled.stderr).toContain(
    'assistants/recall.yaml: ${RECALL_TOKEN} was the variable of different secrets: webhook_url, inbound_webhook_url. Each has its own variable now. Set them where it is pushed: RECALL_WEBHOOK_URL_TOKEN, RECALL_INBOUND_WEBHOOK_URL_TOKEN.',
  )
  expect(await by.run('push', { env })).toMatchObject({ exitCode: 0 })
  expect(await urls(by)).toEqual([after, inbound])
})

test('one variable for equal secrets can be rotated', async () => {
  const by = await withWebhooks()
  await by.run(
    `assistants enable-webhook 2 --event inbound --webhook-url ${inbound.replace('inbound-token', 'after-token')}`,
  )
  await by.run('pull')
  change(by, recall, 'RECALL_INBOUND_WEBHOOK_URL_TOKEN', 'RECALL_TOKEN')
  expect(await by.run('push', { env: { RECALL_TOKEN: 'rotated' } })).toMatchObject({ exitCode: 0 })
  expect(await urls(by)).toEqual([after.replace('after-token', 'rotated'), inbound.replace('inbound-token', 'rotated')])
})
