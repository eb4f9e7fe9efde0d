import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { addAssistant } from '../../../support/platform/chat-platform.ts'
import type { Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

interface Prepared {
  readonly place: Place
  readonly key: string
  readonly uuid: string
}

const headers = { 'content-type': 'application/json', 'idempotency-key': 'say-once' }
const body = JSON.stringify({ message: 'Hello' })

/** A message in a process that dies at `kill`; undefined when it died over it. */
async function messageThatDies({ place, uuid }: Prepared, kill: string | number): Promise<unknown> {
  const worker = start()
  afterFile(() => worker.kill())
  await worker.tell({ do: 'open', settings: place, kill })
  const answer = await worker.tell({
    do: 'handle',
    request: { method: 'POST', url: `/api/conversations/${uuid}/messages`, headers, body },
  })
  await worker.kill()
  return answer
}

describe.each(databases)('a chat message on $name whose process is killed', (database) => {
  async function prepared(): Promise<Prepared> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const tables = await tablesOf(place)
    const { id, key } = await api.account({ balance: 1 })
    const assistant = await addAssistant(tables, id)
    const { body: made } = await api.ask('POST', '/api/conversations', {
      key: null,
      body: { assistant_id: assistant.uuid },
    })
    await tables.close()
    await api.platform.close()
    return { place, key, uuid: made.conversation_id }
  }

  /** Asks again in the next process, and looks whether it was said and paid once. */
  async function recovered({ place, key, uuid }: Prepared): Promise<void> {
    const api = await openAt(place)
    const again = () => api.ask('POST', `/api/conversations/${uuid}/messages`, { key: null, raw: body, headers })
    const first = await again()
    expect(first).toMatchObject({ status: 200, body: { status: true, message: 'Hello! How can I help you?' } })
    expect((await again()).text).toBe(first.text)
    expect((await api.ask('GET', `/api/conversations/${uuid}`, { key: null })).body.history).toHaveLength(3)
    expect((await api.ask('GET', '/api/user/me', { key })).body.total_balance).toBe(0.99)
    await api.platform.close()
  }

  test.each(['language.reply:before', 'language.reply:after'])(
    'at %s is sent and paid once by the next process',
    async (step) => {
      const message = await prepared()
      expect(await messageThatDies(message, step)).toBeUndefined()
      await recovered(message)
    },
  )

  test('between any two commits is sent and paid once', async () => {
    let survived = false
    let commits = 0
    while (!survived) {
      const message = await prepared()
      survived = (await messageThatDies(message, ++commits)) !== undefined
      await recovered(message)
    }
    // The claim of the key, the message with its reply and charge, the answer: killed after each of them.
    expect(commits - 1).toBe(3)
  })
})
