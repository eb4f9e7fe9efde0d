import { checkCounters } from '../../../src/platform/store/database/check-integrity.ts'
import type { Query } from '../../../src/platform/store/database/connection.ts'
import { auditSends } from '../../support/platform/audit-messages.ts'
import { audit } from '../../support/platform/audit-purchases.ts'
import type { EffectReceiver } from './effect-receiver.ts'
import type { LoadRecords } from './load-records.ts'

/** Requests that are allowed in any period of `seconds` (section 4.22 of the API: replies). */
const limit = { max: 5, seconds: 60 }

/** Errors by what they contradict. Every list is empty if nothing is wrong. */
export type Findings = Record<string, string[]>

/** Returns how many findings say that something was lost, or that it was done twice. */
export const countOf = (findings: Findings, loss: 'lost' | 'doubled'): number =>
  Object.values(findings)
    .flat()
    .filter((it) => it.startsWith(`${loss}: `)).length

/** Returns what it means that a row is there, and was acknowledged, under some numbers of ids. */
const lossOf = (rows: number, ids: number): string => (rows === 0 ? 'lost' : rows > 1 || ids > 1 ? 'doubled' : 'wrong')

/** Compares the responses that the load received with the rows, and with what arrived outside. */
export async function checkRecords(query: Query, records: LoadRecords, receiver: EffectReceiver): Promise<Findings> {
  return {
    'acknowledged writes are there, and once': [
      ...(await checkLeads(query, records)),
      ...(await checkTools(query, records)),
      ...(await checkChats(query, records)),
    ],
    'a number has one owner, a key one purchase, balance = ledger': [
      ...(await audit(query)),
      ...(await checkNumbers(query, records)),
    ],
    'messages are sent and charged once': [...(await auditSends(query)), ...(await checkMessages(query, records))],
    'runs are done, and steps repeated only in another attempt': await checkRuns(query, records, receiver),
    'each event is delivered under one id': await checkEvents(query, records, receiver),
    'limits hold over all servers': checkLimits(records),
    'reads are never older than acknowledged writes': records.stale,
    'counters = rows': (await checkCounters(query))
      .filter((it) => it.wrong !== 0)
      .map((it) => `${it.wrong} counters of ${it.list} are wrong`),
    'responses agree': records.wrong,
  }
}

async function checkLeads(query: Query, records: LoadRecords): Promise<string[]> {
  const rows = await query.selectFrom('lead').select(['id', 'variables']).where('variables', 'like', '%soak%').execute()
  const ids = groupBy(rows, (it) => (JSON.parse(it.variables) as { soak: string }).soak)
  const wrong: string[] = []
  for (const [name, own] of ids) {
    if (own.length > 1) wrong.push(`doubled: ${name} exists ${own.length} times`)
    if (!records.triedLeads.has(name)) wrong.push(`${name} was never created`)
  }
  for (const [name, id] of records.leads) {
    const exists = ids.get(name)?.some((it) => it.id === id) ?? false
    if (records.deletedLeads.has(id)) {
      if (exists) wrong.push(`${name} was deleted and is there as ${id}`)
    } else if (!exists && !records.perhapsDeletedLeads.has(id)) wrong.push(`lost: ${name} was acknowledged as ${id}`)
  }
  return wrong
}

async function checkTools(query: Query, records: LoadRecords): Promise<string[]> {
  const rows = new Map(
    (await query.selectFrom('tool').select(['id', 'description']).execute()).map((it) => [it.id, it]),
  )
  return [...records.tools].flatMap(([id, { acknowledged, tried }]) => {
    const value = Number(rows.get(id)?.description)
    if (value >= acknowledged && value <= tried) return []
    return [`${value < acknowledged ? 'lost' : 'wrong'}: tool ${id} is ${value}, acknowledged was ${acknowledged}`]
  })
}

async function checkChats(query: Query, records: LoadRecords): Promise<string[]> {
  const rows = await query
    .selectFrom('message')
    .select(['content', 'conversation_id'])
    .where('content', 'like', 'chat %')
    .where('role', '=', 'user')
    .execute()
  const counts = groupBy(rows, (it) => it.content)
  const wrong: string[] = []
  for (const triedChat of records.triedChats) {
    const count = counts.get(triedChat)?.length ?? 0
    if (count > 1) wrong.push(`doubled: "${triedChat}" is there ${count} times`)
    if (count === 0 && records.chats.has(triedChat)) wrong.push(`lost: "${triedChat}" was acknowledged`)
  }
  const conversations = await query.selectFrom('conversation').select(['id', 'message_count']).execute()
  const messages = groupBy(
    await query.selectFrom('message').select('conversation_id').execute(),
    (it) => it.conversation_id,
  )
  for (const conversation of conversations) {
    const count = messages.get(conversation.id)?.length ?? 0
    if (count !== conversation.message_count)
      wrong.push(`conversation ${conversation.id} counts ${conversation.message_count} of ${count} messages`)
  }
  return wrong
}

async function checkNumbers(query: Query, records: LoadRecords): Promise<string[]> {
  const rows = await query.selectFrom('phone_number').select(['id', 'account_id', 'phone_number']).execute()
  const wrong: string[] = []
  for (const [number, { account, id }] of records.numbers)
    if (!rows.some((it) => it.id === id && it.account_id === account && it.phone_number === number))
      wrong.push(`lost: ${number} was sold to ${account} as ${id}`)
  for (const [key, ids] of records.purchaseKeys)
    if (ids.size !== 1) wrong.push(`doubled: the key "${key}" has bought ${[...ids].join(', ')}`)
  return wrong
}

async function checkMessages(query: Query, records: LoadRecords): Promise<string[]> {
  const rows = await query.selectFrom('channel_message').select(['id', 'account_id', 'idempotency_key']).execute()
  const ids = groupBy(rows, (it) => `${it.account_id} ${it.idempotency_key}`)
  return [...records.messages].flatMap(([key, known]) => {
    const own = ids.get(key) ?? []
    const isOne = known.size === 1 && own.length === 1 && known.has(own[0]?.id ?? 0)
    return isOne
      ? []
      : [
          `${lossOf(own.length, known.size)}: the key "${key}" has sent ${[...known].join(', ')}; kept are ${own.map((it) => it.id).join(', ')}`,
        ]
  })
}

async function checkRuns(query: Query, records: LoadRecords, receiver: EffectReceiver): Promise<string[]> {
  const runs = await query
    .selectFrom('automation_run')
    .select(['id', 'number', 'status', 'error', 'payload'])
    .where('testing', '=', 0)
    .where('payload', 'like', '%"n":%')
    .execute()
  const steps = groupBy(
    await query.selectFrom('automation_step').select(['run', 'path', 'attempt', 'status']).execute(),
    (it) => it.run,
  )
  const byName = groupBy(runs, (it) => /"n":"([^"]+)"/.exec(it.payload)?.[1] ?? '')
  const wrong: string[] = []
  for (const [name, ids] of records.runs) {
    const own = byName.get(name) ?? []
    if (ids.size !== 1 || own.length !== 1 || !ids.has(own[0]?.id ?? ''))
      wrong.push(
        `${lossOf(own.length, ids.size)}: ${name} was acknowledged as ${[...ids].join(', ')}; kept are ${own.map((it) => it.id).join(', ')}`,
      )
  }
  for (const run of runs) {
    if (run.status !== 'SUCCEEDED') wrong.push(`run ${run.id} ended as ${run.status}: ${run.error}`)
    for (const { path, attempt, status } of steps.get(run.number) ?? []) {
      const times = receiver.steps.get(`${run.id}:${path}`)
      if (times !== undefined && times > attempt)
        wrong.push(`${path} of run ${run.id} asked ${times} times in ${attempt} attempts`)
      if (status !== 'SUCCEEDED') wrong.push(`${path} of run ${run.id} is ${status}`)
    }
  }
  return wrong
}

async function checkEvents(query: Query, records: LoadRecords, receiver: EffectReceiver): Promise<string[]> {
  const rows = await query.selectFrom('delivery').select(['message_id', 'payload', 'status', 'last_error']).execute()
  const byName = groupBy(rows, (it) => /"n":"([^"]+)"/.exec(it.payload)?.[1] ?? 'unknown')
  const wrong: string[] = []
  for (const name of records.events) {
    const own = byName.get(name) ?? []
    const ids = new Set(receiver.deliveries.get(name))
    if (own.length !== 1) wrong.push(`${lossOf(own.length, 1)}: ${name} has ${own.length} deliveries`)
    else if (own[0]?.status !== 'delivered' || ids.size !== 1 || !ids.has(own[0].message_id))
      wrong.push(`${name} is ${own[0]?.status}; its receiver knows it as ${[...ids].join(', ') || 'nothing'}`)
  }
  for (const [name, own] of byName)
    if (own.length > 1 && !records.events.has(name)) wrong.push(`doubled: ${name} has ${own.length} deliveries`)
  return wrong
}

/** Returns periods in which more requests were accepted than allowed, also if the answers took as long as possible. */
function checkLimits(records: LoadRecords): string[] {
  const wrong: string[] = []
  for (const [account, accepted] of records.limited) {
    const sorted = [...accepted].sort((a, b) => a.sentAt - b.sentAt)
    for (const first of sorted) {
      const until = first.sentAt + limit.seconds * 1000
      const within = sorted.filter((it) => it.sentAt >= first.sentAt && it.receivedAt < until)
      if (within.length > limit.max)
        wrong.push(`account ${account}: ${within.length} accepted within ${limit.seconds} s of ${first.sentAt}`)
    }
  }
  return wrong
}

export function groupBy<T, K>(list: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const found = new Map<K, T[]>()
  for (const item of list) {
    const own = found.get(key(item))
    if (own) own.push(item)
    else found.set(key(item), [item])
  }
  return found
}
