import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { readClock } from '../../../src/platform/store/runtime/clock.ts'
import { type ClusterServer, controlToken } from './cluster-servers.ts'
import type { LoadClient } from './load-client.ts'
import type { LoadRecords } from './load-records.ts'
import type { LoadAccount } from './prepare-accounts.ts'

/** Waits until no work is left that is due, at most some time. Returns what is left. */
export async function waitUntilDone(
  { read, wall }: Pick<Connection, 'read' | 'wall'>,
  accounts: readonly number[],
  limitMs: number,
): Promise<string[]> {
  for (const late = performance.now() + limitMs; ; await sleep(250)) {
    const left = await openWork(read, accounts, (wall?.() ?? Date.now()) * 1000)
    if (left.length === 0 || performance.now() > late) return left
  }
}

async function openWork(read: Connection['read'], accounts: readonly number[], now: number): Promise<string[]> {
  const offset = (await readClock(read))?.offset ?? 0
  const due = await read
    .selectFrom('due')
    .selectAll()
    .where('due_at', '<=', now + offset)
    .execute()
  const runs = await read
    .selectFrom('automation_run')
    .select(['id', 'status'])
    .where('account_id', 'in', accounts)
    .where('testing', '=', 0)
    .where('status', 'in', ['RUNNING', 'PAUSED'])
    .execute()
  const deliveries = await read
    .selectFrom('delivery')
    .select(['id', 'attempts', 'last_error'])
    .where('status', '=', 'pending')
    .execute()
  const purchases = await read
    .selectFrom('purchase')
    .select(['id', 'state'])
    .where('state', 'in', ['reserved', 'paid', 'provisioned', 'refunding'])
    .execute()
  return [
    ...due.map((it) => `${it.kind} ${it.subject} is due, attempt ${it.attempts}, leased by ${it.lease_owner}`),
    ...runs.map((it) => `run ${it.id} is ${it.status}`),
    ...deliveries.map((it) => `delivery ${it.id} is pending after ${it.attempts} attempts: ${it.last_error}`),
    ...purchases.map((it) => `purchase ${it.id} is ${it.state}`),
  ]
}

/** Returns leases of servers that do not run any more. */
export async function checkLeases(read: Connection['read'], servers: readonly ClusterServer[]): Promise<string[]> {
  const pids = new Set(servers.map((it) => it.pid))
  const nodes = await read.selectFrom('server_node').select(['id', 'pid']).execute()
  const live = new Set(nodes.filter((it) => pids.has(it.pid)).map((it) => it.id))
  const leased = await read.selectFrom('due').selectAll().where('lease_owner', 'is not', null).execute()
  return leased
    .filter((it) => !live.has(it.lease_owner as string))
    .map((it) => `${it.kind} ${it.subject} is leased by ${it.lease_owner}, which has ended`)
}

/** Reads a part of what was acknowledged through every server. Returns what differs. */
export async function checkOverApi(
  servers: readonly ClusterServer[],
  client: LoadClient,
  accounts: readonly LoadAccount[],
  records: LoadRecords,
): Promise<string[]> {
  const wrong: string[] = []
  const leads = [...records.leads].filter(([, id]) => !records.perhapsDeletedLeads.has(id)).slice(-100)
  for (const server of servers) {
    const get = (path: string, token: string) => client.send(server.url, { method: 'GET', path, token })
    for (const account of accounts)
      for (const tool of account.tools) {
        const answer = await get(`/api/user/tools/${tool}`, account.token)
        const value = Number(answer?.body?.data?.description ?? answer?.body?.description)
        const { acknowledged = 0, tried = 0 } = records.tools.get(tool) ?? {}
        if (!(value >= acknowledged && value <= tried))
          wrong.push(
            `${server.name} reads tool ${tool} as ${answer?.status} ${value}, acknowledged was ${acknowledged}`,
          )
      }
    const pages: number[][] = []
    for (const account of accounts) {
      const answer = await get('/api/user/leads?per_page=100', account.token)
      pages.push((answer?.body?.data ?? []).map((it: { id: number }) => it.id))
    }
    const listed = new Set(pages.flat())
    // Each page has the newest leads of its account, so that all leads since this one must be on a page.
    const oldest = Math.max(...pages.map((it) => Math.min(...it)))
    for (const [name, id] of leads.filter((it) => it[1] >= oldest))
      if (!listed.has(id)) wrong.push(`${server.name} does not list ${name}, which is ${id}`)
    const control = controlToken(server.dataDir)
    const check = await client.send(server.url, { method: 'GET', path: '/control/check', control })
    if (check?.status !== 200) wrong.push(`${server.name}: check ${check?.status} ${JSON.stringify(check?.body)}`)
  }
  return wrong
}
