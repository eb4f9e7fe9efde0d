import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { countries } from '../../src/contract/values/countries.ts'
import { inventorySeed } from '../../src/platform/control/sample-data/fill-platform.ts'
import { createStock } from '../../src/platform/providers/telephony/number-inventory.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { audit } from '../support/platform/audit-purchases.ts'
import { type Worker, workersIn } from '../support/processes/start.ts'

export interface SoakOptions {
  /** Empty folder for all files. */
  readonly folder: string
  /** `postgres://...` (default: a file in the folder). */
  readonly database?: string
  readonly purchases: number
  readonly clients?: number
  /** Number of times that the server is killed. */
  readonly kills?: number
}

export interface SoakResult {
  /** Errors; empty if there are none. */
  readonly wrong: readonly string[]
  readonly acknowledged: number
  /** Requests that failed when the server was killed and were sent again with the same idempotency key. */
  readonly resent: number
  readonly seconds: number
}

interface Server {
  readonly worker: Worker
  readonly url: string
  readonly key: string
}

/**
 * Buys numbers through a server that is repeatedly killed with `kill -9` and restarted. Every acknowledged purchase
 * must exist once and completely.
 */
export async function soak({ folder, database, purchases, clients = 4, kills = 1 }: SoakOptions): Promise<SoakResult> {
  const [dataDir, program] = [join(folder, 'data'), join(folder, 'program')]
  for (const folder of [dataDir, program]) mkdirSync(folder, { recursive: true })
  const startWorker = await workersIn(program)
  const place = { dataDir, ...(database !== undefined && { database }) }
  const agent = new Agent({ keepAlive: true })
  async function start(): Promise<Server> {
    const worker = startWorker()
    return { worker, ...(await worker.tell({ do: 'serve', settings: place })) }
  }

  const numbers = countries
    .flatMap((country) =>
      [...createStock(inventorySeed(null), country)]
        .map((number) => number.phoneNumber)
        .slice(-Math.ceil(purchases / countries.length)),
    )
    .slice(0, purchases)
  const acknowledged = new Map<string, string>()
  const wrong: string[] = []
  let resent = 0
  let asked = 0
  const started = performance.now()
  let server = await start()
  let restarting: Promise<void> | undefined
  const killAt = new Set(Array.from({ length: kills }, (_, n) => Math.floor((purchases * (n + 1)) / (kills + 1))))

  /** Kills the server and checks, before new requests, that the data contains what it acknowledged. */
  async function killAndRestart(): Promise<void> {
    const before = [...acknowledged.keys()]
    await server.worker.kill()
    const { read, close } = await openStore(
      database === undefined ? { file: join(dataDir, 'platform.db') } : { url: database },
    )
    const saved = new Set(
      (await read.selectFrom('phone_number').select('phone_number').execute()).map((it) => it.phone_number),
    )
    await close()
    for (const key of before) if (!saved.has(key)) wrong.push(`${key} was acknowledged and is lost`)
    server = await start()
  }

  async function buy(number: string): Promise<void> {
    const key = randomUUID()
    asked++
    for (;;) {
      await restarting
      const sending = post(agent, server, { phone_number: number }, key).catch(() => undefined)
      // This request has just been sent, so at least one is lost, however fast the machine is.
      if (killAt.delete(asked)) restarting = (restarting ?? Promise.resolve()).then(killAndRestart)
      const answer = await sending
      if (answer === undefined) {
        resent++
        await new Promise((resolve) => setTimeout(resolve, 5))
        continue
      }
      if (answer.status !== 201) wrong.push(`${number}: ${answer.status} ${answer.body}`)
      else if (acknowledged.has(number)) wrong.push(`${number} was sold twice`)
      else acknowledged.set(number, answer.body)
      return
    }
  }

  let next = 0
  const client = async (): Promise<void> => {
    while (next < numbers.length) await buy(numbers[next++] as string)
  }
  await Promise.all(Array.from({ length: clients }, client))
  await restarting
  const seconds = (performance.now() - started) / 1000

  await server.worker.tell({ do: 'stop' })
  await server.worker.kill()
  agent.destroy()
  const { read, close } = await openStore(
    database === undefined ? { file: join(dataDir, 'platform.db') } : { url: database },
  )
  wrong.push(...(await audit(read)))
  const owned = await read.selectFrom('phone_number').select(['id', 'phone_number']).execute()
  for (const [number, body] of acknowledged) {
    const { id } = (JSON.parse(body) as { data: { id: number } }).data
    if (!owned.some((it) => it.id === id && it.phone_number === number))
      wrong.push(`${number} was acknowledged as ${id} and is not there`)
  }
  const bought = await read.selectFrom('purchase').select('id').execute()
  if (bought.length !== numbers.length)
    wrong.push(`${numbers.length} purchases were asked for, ${bought.length} are kept`)
  await close()
  return { wrong, acknowledged: acknowledged.size, resent, seconds }
}

function post(
  agent: Agent,
  { url, key }: Server,
  body: object,
  idempotencyKey: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    }
    const sent = request(`${url}/api/user/phone-numbers/purchase`, { agent, method: 'POST', headers }, (response) => {
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
