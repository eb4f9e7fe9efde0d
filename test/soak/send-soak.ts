import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { addSender } from '../support/platform/add-sender.ts'
import { auditSends } from '../support/platform/audit-messages.ts'
import { openApi } from '../support/platform/platform-api.ts'
import { type Worker, workersIn } from '../support/processes/start.ts'

export interface SendSoakOptions {
  /** Empty folder for all files. */
  readonly folder: string
  /** `postgres://...` (default: a file in the folder). */
  readonly database?: string
  readonly sends: number
  /** Number of accounts that send the messages, each with a separate sender. */
  readonly accounts: number
  /** Number of times that the server is killed. */
  readonly kills: number
}

export interface SendSoakResult {
  /** Errors; empty if there are none. */
  readonly wrong: readonly string[]
  readonly acknowledged: number
  /** Requests that failed when the server was killed and were sent again with the same idempotency key. */
  readonly resent: number
}

interface Author {
  readonly key: string
  readonly sender: number
  readonly template: number
}

/**
 * Sends messages of many accounts through a server that is repeatedly killed with `kill -9` and restarted. Each must be
 * sent once, as the ledger confirms.
 */
export async function sendSoak({ folder, database, sends, accounts, kills }: SendSoakOptions): Promise<SendSoakResult> {
  const [dataDir, program] = [join(folder, 'data'), join(folder, 'program')]
  for (const folder of [dataDir, program]) mkdirSync(folder, { recursive: true })
  const place = { dataDir, ...(database !== undefined && { database }) }
  const store = () => openStore(database === undefined ? { file: join(dataDir, 'platform.db') } : { url: database })
  const startWorker = await workersIn(program)
  const authors = await prepare()

  async function prepare(): Promise<Author[]> {
    const api = await openApi(place)
    const tables = await store()
    const made: Author[] = []
    for (let n = 0; n < accounts; n++) {
      const { id, key } = await api.account({ balance: 10, kind: n % 2 ? 'direct' : 'tenant', minute_rate: 0.07 })
      const sender = await addSender(tables, id)
      made.push({ key, sender: sender.id, template: sender.template })
    }
    await tables.close()
    await api.platform.close()
    return made
  }

  const agent = new Agent({ keepAlive: true })
  const start = async (): Promise<{ worker: Worker; url: string }> => {
    const worker = startWorker()
    return { worker, ...(await worker.tell({ do: 'serve', settings: place })) }
  }
  let server = await start()
  let restarting: Promise<void> | undefined
  const restart = async (): Promise<void> => {
    await server.worker.kill()
    server = await start()
  }
  const killAt = new Set(Array.from({ length: kills }, (_, n) => Math.floor((sends * (n + 1)) / (kills + 1))))
  const acknowledged = new Map<number, string>()
  const wrong: string[] = []
  let resent = 0

  async function send(n: number): Promise<void> {
    const author = authors[n % accounts] as Author
    const key = randomUUID()
    // The channel rejects every tenth message, which is refunded.
    const recipient_phone = n % 10 === 9 ? '+15005550101' : `+1415555${String(4000 + n).slice(-4)}`
    const body = { sender_id: author.sender, template_id: author.template, recipient_phone }
    for (;;) {
      await restarting
      const answer = await post(agent, server.url, author.key, body, key).catch(() => undefined)
      if (answer?.status === 429 || answer === undefined) {
        if (answer === undefined) resent++
        await new Promise((resolve) => setTimeout(resolve, answer ? 300 : 5))
        continue
      }
      const due = n % 10 === 9 ? 422 : 200
      if (answer.status !== due) wrong.push(`${n}: ${answer.status} ${answer.body}`)
      acknowledged.set(n, answer.body)
      if (killAt.delete(acknowledged.size)) restarting = (restarting ?? Promise.resolve()).then(restart)
      return
    }
  }

  let next = 0
  const client = async (): Promise<void> => {
    while (next < sends) await send(next++)
  }
  await Promise.all(Array.from({ length: 8 }, client))
  await restarting
  await server.worker.tell({ do: 'stop' })
  await server.worker.kill()
  agent.destroy()

  const { read, close } = await store()
  wrong.push(...(await auditSends(read)))
  const saved = await read.selectFrom('channel_message').select(['id', 'state', 'message_sid']).execute()
  if (saved.length !== sends) wrong.push(`${sends} messages were sent, ${saved.length} are kept`)
  for (const [n, body] of acknowledged) {
    if (n % 10 === 9) continue
    const { channel_message_id, message_sid } = JSON.parse(body) as { channel_message_id: number; message_sid: string }
    if (!saved.some((it) => it.id === channel_message_id && it.message_sid === message_sid))
      wrong.push(`${n} was acknowledged and is lost`)
  }
  await close()
  return { wrong, acknowledged: acknowledged.size, resent }
}

function post(
  agent: Agent,
  url: string,
  key: string,
  body: object,
  idempotencyKey: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    const sent = request(`${url}/api/user/messaging/send`, { agent, method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}
