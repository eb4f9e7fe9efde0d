import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxStalls } from '../../src/platform/runs/run-limits.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { hook } from '../support/flow-definitions.ts'
import { hangMs } from '../support/hang-timeout.ts'
import { type Worker, workersIn } from '../support/processes/start.ts'

export interface RunSoakOptions {
  /** Empty folder for all files. */
  readonly folder: string
  /** `postgres://...` (default: a file in the folder). */
  readonly database?: string
  readonly runs: number
  /** Number of times that the server is killed with `kill -9`. */
  readonly kills: number
  readonly clients?: number
}

export interface RunSoakResult {
  /** Errors; empty if there are none. */
  readonly wrong: readonly string[]
  readonly acknowledged: number
  /** Calls that failed when the server was killed and were made again with the same idempotency key. */
  readonly resent: number
  /** Number of times that the server was killed. */
  readonly kills: number
  /** Number of steps that were started more than once. */
  readonly repeated: number
  readonly seconds: number
}

interface Server {
  readonly worker: Worker
  readonly url: string
  readonly key: string
}

const piece = (name: string, action: string, input: object) => ({
  type: 'PIECE',
  settings: { pieceName: `@engine/piece-${name}`, actionName: action, input },
})

/** Definition with a request, a condition, a loop, a stored value, a delay, and another request. */
const flowAt = (receiver: string) => ({
  trigger: hook,
  steps: [
    piece('http', 'send_request', {
      method: 'POST',
      url: `${receiver}/first`,
      body_type: 'json',
      body: { data: { n: "{{trigger['body']['n']}}" } },
    }),
    {
      type: 'BRANCH',
      settings: {
        conditions: [[{ firstValue: "{{step_1['status']}}", operator: 'NUMBER_IS_EQUAL_TO', secondValue: '200' }]],
      },
      onSuccessAction: {
        type: 'LOOP_ON_ITEMS',
        name: 'each',
        settings: { items: "{{trigger['body']['items']}}" },
        firstLoopAction: {
          ...piece('http', 'send_request', {
            method: 'POST',
            url: `${receiver}/item`,
            body_type: 'json',
            body: { data: { item: "{{each['item']}}" } },
          }),
          name: 'send',
        },
      },
    },
    {
      ...piece('store', 'append', {
        key: 'seen',
        store_scope: 'FLOW',
        value: "{{trigger['body']['n']}}",
        separator: ',',
      }),
      name: 'keep',
    },
    { ...piece('delay', 'delayFor', { unit: 'seconds', delayFor: 1 }), name: 'rest' },
    {
      ...piece('http', 'send_request', {
        method: 'POST',
        url: `${receiver}/last`,
        body_type: 'json',
        body: { data: { of: "{{each['iterations']}}" } },
      }),
      name: 'last',
    },
  ],
})
const paths = ['step_1', 'step_2', 'each', 'each[1]/send', 'each[2]/send', 'keep', 'rest', 'last']
const asking = new Set(['step_1', 'each[1]/send', 'each[2]/send', 'last'])

/**
 * Runs automations on a server that is repeatedly killed with `kill -9` and restarted. Every acknowledged run must end
 * successfully with all of its steps.
 * External requests may only be repeated in a second attempt that is recorded, and values must be stored once.
 */
export async function runSoak({ folder, database, runs, kills, clients = 8 }: RunSoakOptions): Promise<RunSoakResult> {
  const [dataDir, program] = [join(folder, 'data'), join(folder, 'program')]
  for (const folder of [dataDir, program]) mkdirSync(folder, { recursive: true })
  const startWorker = await workersIn(program)
  const settings = { dataDir, privateAddresses: true, ...(database !== undefined && { database }) }
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  /** Number of requests of each step of each run. */
  const asked = new Map<string, number>()
  const receiver = createServer((req, res) => {
    const key = String(req.headers['idempotency-key'])
    asked.set(key, (asked.get(key) ?? 0) + 1)
    req
      .resume()
      .on('end', () => setTimeout(() => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'), 5))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

  async function start(): Promise<Server> {
    const worker = startWorker()
    return { worker, ...(await worker.tell({ do: 'serve', settings })) }
  }

  const started = performance.now()
  let server = await start()
  const body = JSON.stringify({
    name: 'Soak',
    flow: flowAt(receiverUrl),
    confirm_side_effects: true,
    sample: { n: 'test', items: [1, 2] },
  })
  const made = await post(agent, `${server.url}/api/user/automate/flows`, body, {
    authorization: `Bearer ${server.key}`,
  })
  const { automation_id: id, status } = JSON.parse(made.body) as { automation_id: string; status: string }
  if (status !== 'active') throw new Error(`The automation is not live: ${made.body}`)

  const acknowledged = new Set<string>()
  let resent = 0
  let killed = 0
  let restarting: Promise<void> | undefined
  async function killAndRestart(): Promise<void> {
    await server.worker.kill()
    killed++
    server = await start()
  }
  const pause = (kills * 400 * clients) / runs
  let next = 0
  async function client(): Promise<void> {
    while (next < runs) {
      const n = next++
      const key = randomUUID()
      for (;;) {
        await restarting
        const answer = await post(
          agent,
          `${server.url}/automate/api/v1/webhooks/${id}`,
          JSON.stringify({ n, items: ['a', 'b'] }),
          {
            'idempotency-key': key,
          },
        ).catch(() => undefined)
        if (answer?.status === 200) {
          acknowledged.add(String(answer.run))
          break
        }
        if (answer !== undefined) wrong.push(`${n}: ${answer.status} ${answer.body}`)
        resent++
        await sleep(5)
      }
      // While kills remain, so that there is always a run to interrupt.
      await sleep(2 * Math.random() * pause)
    }
  }
  const calling = Promise.all(Array.from({ length: clients }, client))

  const target = database === undefined ? { file: join(dataDir, 'platform.db') } : { url: database }
  const tables = await openStore(target)
  const open = async (): Promise<number> => {
    const { n } = await tables.read
      .selectFrom('automation_run')
      .select((it) => it.fn.countAll<number>().as('n'))
      .where('status', 'in', ['RUNNING', 'PAUSED'])
      .where('testing', '=', 0)
      .executeTakeFirstOrThrow()
    return Number(n)
  }
  /**
   * Returns whether the next kill could fail a run, because it made no progress since the last ones. That happens on a
   * busy machine.
   */
  const isOneKillFromFailing = async (): Promise<boolean> => {
    const running = tables.read
      .selectFrom('automation_run')
      .select('id')
      .where('status', '=', 'RUNNING')
      .where('held', '=', 1)
    return (await running.where('stalls', '>=', maxStalls - 1).executeTakeFirst()) !== undefined
  }
  let isCalling = true
  void calling.finally(() => {
    isCalling = false
  })
  while (killed < kills && (isCalling || (await open()) > 0)) {
    await sleep(150 + Math.random() * 250)
    for (const late = Date.now() + hangMs; (await isOneKillFromFailing()) && Date.now() < late; ) await sleep(20)
    restarting = killAndRestart()
    await restarting
  }
  await calling
  const timeoutMs = Date.now() + hangMs + runs * 50
  while ((await open()) > 0 && Date.now() < timeoutMs) await sleep(100)
  const seconds = (performance.now() - started) / 1000
  await server.worker.tell({ do: 'stop' })
  await server.worker.kill()
  agent.destroy()
  receiver.close()
  receiver.closeAllConnections()

  const rows = await tables.read
    .selectFrom('automation_run')
    .selectAll()
    .where('automation_id', '=', id)
    .where('testing', '=', 0)
    .execute()
  const steps = await tables.read.selectFrom('automation_step').selectAll().execute()
  const byRun = new Map<number, typeof steps>()
  for (const step of steps) byRun.set(step.run, [...(byRun.get(step.run) ?? []), step])
  if (rows.length !== runs) wrong.push(`${runs} runs were wanted, ${rows.length} are kept`)
  for (const run of acknowledged)
    if (!rows.some((it) => it.id === run)) wrong.push(`run ${run} was acknowledged and is lost`)
  for (const run of rows) {
    if (run.status !== 'SUCCEEDED') wrong.push(`run ${run.id} ended as ${run.status}: ${run.error}`)
    const own = byRun.get(run.number) ?? []
    const found = own.map((it) => `${it.path} ${it.status}`).sort()
    const wanted = paths.map((it) => `${it} SUCCEEDED`).sort()
    if (found.join() !== wanted.join()) wrong.push(`run ${run.id} has the steps ${found.join()}`)
    for (const step of own.filter((it) => asking.has(it.path))) {
      const times = asked.get(`${run.id}:${step.path}`) ?? 0
      if (times < 1 || times > step.attempt)
        wrong.push(`${step.path} of run ${run.id} asked ${times} times in ${step.attempt} attempts`)
    }
  }
  const saved = await tables.read
    .selectFrom('automation_value')
    .select('value')
    .where('owner', '=', `automation:${id}`)
    .execute()
  const seen = (JSON.parse(saved[0]?.value ?? '""') as string).split(',').filter((it) => it !== 'test')
  if (seen.length !== runs || new Set(seen).size !== runs)
    wrong.push(`${runs} values should be kept once each: ${seen.length} are, ${new Set(seen).size} different`)
  const due = await tables.read.selectFrom('due').selectAll().where('kind', 'like', 'automation.%').execute()
  if (due.length > 0) wrong.push(`${due.length} pieces of work are left`)
  await tables.close()
  return {
    wrong,
    acknowledged: acknowledged.size,
    resent,
    kills: killed,
    repeated: steps.filter((it) => it.attempt > 1).length,
    seconds,
  }
}

function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; run: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: text, run: response.headers['x-webhook-id'] }),
        )
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
