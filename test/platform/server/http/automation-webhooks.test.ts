import { expect, it } from 'vitest'
import { createWebhookHandler } from '../../../../src/platform/server/http/automation-webhooks.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import { publicMessages, StoreError } from '../../../../src/platform/store/database/store-error.ts'

/** Returns what a webhook answers while every use of the database fails. */
async function answerWithout(error: Error) {
  const connection = new Proxy({} as Deps['connection'], {
    get() {
      throw error
    },
  })
  const log: string[] = []
  const handle = createWebhookHandler({ connection, log: (text: string) => log.push(text) } as unknown as Deps)
  const answer = await handle({ method: 'POST', url: '/automate/api/v1/webhooks/one', headers: {}, body: '{}' })
  return { ...answer, log }
}

it('tells a caller to repeat a webhook that the database could not save', async () => {
  const answer = await answerWithout(new StoreError('unreachable', 'The database db.internal:5432 cannot be reached.'))
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', 'access-control-allow-origin': '*' } })
  expect(JSON.parse(answer.body).message).toBe(publicMessages.unreachable)
  expect(answer.body).not.toContain('db.internal')
  expect(answer.log).toHaveLength(1)
})

it('answers 500 to other errors, without their text', async () => {
  const answer = await answerWithout(new Error('a secret'))
  expect(answer.status).toBe(500)
  expect(answer.body).not.toContain('secret')
})
