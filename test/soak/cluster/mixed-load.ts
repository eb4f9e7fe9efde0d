import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterServer, controlToken } from './cluster-servers.ts'
import type { Answer, Call, LoadClient } from './load-client.ts'
import { addTo, type LoadRecords } from './load-records.ts'
import type { LoadAccount } from './prepare-accounts.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Milliseconds for which a request with an idempotency key is sent again. */
const answerMs = 180_000

export interface LoadOptions {
  readonly servers: readonly ClusterServer[]
  /** Base URL of a load balancer, which chooses the server of a request. Control requests do not pass it. */
  readonly balancer: string | undefined
  readonly accounts: readonly LoadAccount[]
  /** Numbers for sale. */
  readonly numbers: string[]
  readonly client: LoadClient
  readonly records: LoadRecords
  readonly random: SeededRandom
  readonly clients: number
  /** Milliseconds between two operations of a client, at most. */
  readonly pauseMs: number
}

/** An answer below 300. */
type Success = NonNullable<Answer> & { readonly isSuccess?: true }

/** Work of the load, by name. The number is how often it is chosen, relative to the others. */
type Work = (account: LoadAccount, n: number) => Promise<void>

/** Starts clients that work until they are stopped. */
export function startLoad(options: LoadOptions): { stop(): Promise<Map<string, number>> } {
  const { accounts, records, random, servers, balancer } = options
  const counts = new Map<string, number>()
  const busyTools = new Set<number>()
  const tokens = new Map(servers.map((it) => [it.name, controlToken(it.dataDir)]))
  const failed: string[] = []
  let isOver = false

  const once = async (call: Call): Promise<Answer> => options.client.send(balancer ?? random.pick(servers).url, call)
  /** Sends a request until a server has answered it: not with a failure that may pass. */
  async function untilAnswered(call: Call): Promise<Answer> {
    for (const late = performance.now() + answerMs; performance.now() < late; ) {
      const server = random.pick(servers)
      const control = call.path.startsWith('/control') ? tokens.get(server.name) : undefined
      const answer = await options.client.send(
        control === undefined && balancer !== undefined ? balancer : server.url,
        {
          ...call,
          ...(control !== undefined && { control }),
        },
      )
      const isBusy = answer?.status === 409 && /same Idempotency-Key|in progress/i.test(JSON.stringify(answer.body))
      if (answer && answer.status < 500 && answer.status !== 429 && !isBusy) return answer
      await sleep(200 + random.between(0, 600))
    }
    failed.push(`${call.method} ${call.path} had no answer in ${answerMs / 1000} s`)
    return undefined
  }
  const isDone = (answer: Answer): answer is Success => answer !== undefined && answer.status < 300
  const refuse = (what: string, answer: Answer): void => {
    if (answer) records.wrong.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
  }

  const lead = (account: LoadAccount, name: string): Call => ({
    method: 'POST',
    path: '/api/user/lead',
    token: account.token,
    body: {
      campaign_id: account.campaign,
      phone_number: '+15005550006',
      allow_dupplicate: true,
      variables: { soak: name },
    },
  })
  const leadId = (answer: NonNullable<Answer>): number => Number(answer.body.data?.id ?? answer.body.id)

  const works: Readonly<Record<string, { readonly weight: number; readonly work: Work }>> = {
    'lead created': {
      weight: 20,
      async work(account, n) {
        const name = `lead-${n}`
        records.triedLeads.add(name)
        const answer = await once(lead(account, name))
        if (isDone(answer)) records.leads.set(name, leadId(answer))
        else if (answer && answer.status < 500) refuse(name, answer)
      },
    },
    'lead created with a key': {
      weight: 10,
      async work(account, n) {
        const name = `keyed-${n}`
        records.triedLeads.add(name)
        const answer = await untilAnswered({ ...lead(account, name), idempotencyKey: name })
        if (isDone(answer)) records.leads.set(name, leadId(answer))
        else refuse(name, answer)
      },
    },
    'lead deleted': {
      weight: 3,
      async work(account, n) {
        const name = `deleted-${n}`
        records.triedLeads.add(name)
        const made = await once(lead(account, name))
        if (!isDone(made)) return
        const id = leadId(made)
        records.perhapsDeletedLeads.add(id)
        records.leads.set(name, id)
        const gone = await once({ method: 'DELETE', path: `/api/user/leads/${id}`, token: account.token })
        if (isDone(gone)) records.deletedLeads.add(id)
        else if (gone && gone.status < 500) refuse(`delete ${name}`, gone)
      },
    },
    'tool changed': {
      weight: 12,
      async work(account) {
        const id = random.pick(account.tools)
        if (busyTools.has(id)) return
        busyTools.add(id)
        const known = records.tools.get(id) ?? { acknowledged: 0, tried: 0 }
        records.tools.set(id, known)
        known.tried++
        const path = `/api/user/tools/${id}`
        const body = { description: String(known.tried) }
        const answer = await once({ method: 'PUT', path, token: account.token, body })
        if (isDone(answer)) known.acknowledged = known.tried
        else if (answer && answer.status < 500) refuse(`tool ${id}`, answer)
        const read = await once({ method: 'GET', path, token: account.token })
        const value = isDone(read) ? Number(read.body.data?.description ?? read.body.description) : known.acknowledged
        if (value < known.acknowledged) records.stale.push(`tool ${id} is read as ${value} after ${known.acknowledged}`)
        busyTools.delete(id)
      },
    },
    'number bought by several': {
      weight: 3,
      async work(_, n) {
        const phone_number = options.numbers.pop()
        if (phone_number === undefined) return
        const buyers = random.shuffled(accounts).slice(0, 3)
        await Promise.all(
          buyers.map(async (buyer, at) => {
            const idempotencyKey = at < 2 ? `buy-${n}-${at}` : undefined
            const path = '/api/user/phone-numbers/purchase'
            const call = { method: 'POST', path, token: buyer.token, body: { phone_number } }
            const answer = await (idempotencyKey ? untilAnswered({ ...call, idempotencyKey }) : once(call))
            if (!isDone(answer)) return
            const { id } = answer.body.data
            const other = records.numbers.get(phone_number)
            if (other && other.id !== id) records.wrong.push(`${phone_number} was sold as ${other.id} and ${id}`)
            records.numbers.set(phone_number, { account: buyer.id, id })
            if (idempotencyKey) addTo(records.purchaseKeys, `${buyer.id} ${idempotencyKey}`, id)
          }),
        )
      },
    },
    'message sent': {
      weight: 8,
      async work(account, n) {
        const idempotencyKey = `message-${n}`
        const recipient_phone = `+1415556${String(n % 10_000).padStart(4, '0')}`
        const body = { sender_id: account.sender, template_id: account.template, recipient_phone }
        const path = '/api/user/messaging/send'
        const answer = await untilAnswered({ method: 'POST', path, token: account.token, body, idempotencyKey })
        if (isDone(answer)) addTo(records.messages, `${account.id} ${idempotencyKey}`, answer.body.channel_message_id)
        else refuse(idempotencyKey, answer)
      },
    },
    'chat of two messages': {
      weight: 6,
      async work(account, n) {
        const started = await once({
          method: 'POST',
          path: '/api/conversations',
          body: { assistant_id: account.assistantUuid, type: 'widget' },
        })
        if (!isDone(started)) return
        const path = `/api/conversations/${started.body.conversation_id}/messages`
        for (const message of [`chat ${n} first`, `chat ${n} second`]) {
          records.triedChats.add(message)
          const isKeyed = n % 2 === 0
          const call = { method: 'POST', path, body: { message } }
          const answer = await (isKeyed ? untilAnswered({ ...call, idempotencyKey: message }) : once(call))
          if (isDone(answer)) records.chats.add(message)
          else if (answer && answer.status < 500) refuse(message, answer)
        }
      },
    },
    'automation run': {
      weight: 8,
      async work(account, n) {
        const name = `run-${n}`
        const answer = await untilAnswered({
          method: 'POST',
          path: account.webhook,
          body: { n: name },
          idempotencyKey: name,
        })
        if (isDone(answer)) addTo(records.runs, name, String(answer.headers['x-webhook-id']))
        else refuse(name, answer)
      },
    },
    event: {
      weight: 8,
      async work(account, n) {
        const name = `event-${n}`
        const payload = { n: name, conversation_id: `conversation-${n}` }
        const kind = 'conversation_ended'
        const body = { account: account.id, kind, assistant_id: account.assistant, key: name, payload }
        const answer = await untilAnswered({ method: 'POST', path: '/control/events', body })
        if (isDone(answer)) records.events.add(name)
        else refuse(name, answer)
      },
    },
    'limited request': {
      weight: 6,
      async work(account, n) {
        const body = { assistant_id: account.assistant, customer_identifier: `customer-${n}`, message: 'Hello' }
        const sentAt = performance.now()
        const answer = await once({ method: 'POST', path: '/api/user/ai/generate-reply', token: account.token, body })
        if (!isDone(answer)) return
        const known = records.limited.get(account.id) ?? []
        records.limited.set(account.id, [...known, { sentAt, receivedAt: performance.now() }])
      },
    },
  }

  const bag = Object.entries(works).flatMap(([name, work]) => Array.from({ length: work.weight }, () => name))
  let next = 0
  async function work(): Promise<void> {
    while (!isOver) {
      const name = random.pick(bag)
      await works[name]?.work(random.pick(accounts), next++)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      await sleep(random.next() * options.pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: options.clients }, work))
  return {
    async stop() {
      isOver = true
      await running
      records.wrong.push(...failed)
      return counts
    },
  }
}
