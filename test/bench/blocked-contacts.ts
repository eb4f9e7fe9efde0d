import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openPlatform } from '../../src/platform/compose.ts'
import type { Platform } from '../../src/platform/platform-settings.ts'
import type { LeadStatus } from '../../src/platform/store/campaigns/tables.ts'
import { leadList } from '../../src/platform/store/counters/counted-lists.ts'
import { cachedData, type Filling, openSaved } from './cached-data.ts'
import { firstCampaign } from './lead-data.ts'
import { type Figure, limit, median, ratio } from './measurements.ts'
import { makeHome } from './processes.ts'

const section = 'campaigns'
/** One lead in so many has a blocked number. */
const blockedEvery = 10
/** Leads of the small campaign. */
const few = 10_000
/** The most that a campaign sends in a minute, which is one dispatch. */
const perMinute = 10
/** Dispatches of a round, and of the round in which every due lead is blocked. */
const dispatches = 40
const campaign = firstCampaign
/** The campaign whose due leads are all blocked. */
const blockedCampaign = firstCampaign + 1

const numberOf = (n: number): string => `+1415${String(2_000_000 + n)}`

/** Leads of a campaign of SMS of account 1, all due. With `isBlocked`, one number in ten is on the list of blocked contacts. */
const filling = (isBlocked: boolean): Filling => ({
  tables: ['lead', 'blocked_contact'],
  lists: [leadList],
  fill(database, rows) {
    const number = database
      .prepare('select id from phone_number where account_id = 1 and sms_capable = 1 order by id limit 1')
      .all([])[0]
    const settings = JSON.stringify({ messages_per_minute: perMinute, sms_body: 'Hello', timezone: 'UTC' })
    for (const id of [campaign, blockedCampaign])
      database
        .prepare(
          "insert into campaign (id, account_id, name, channel, status, sms_number_id, settings, created_at, updated_at) values (?, 1, 'Recall', 'sms', 'paused', ?, ?, 1, 1)",
        )
        .run([BigInt(id), number?.id as bigint, settings])
    const lead = database.prepare(
      `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, next_attempt_at, created_at, updated_at)
        values (1, ?, ?, '{}', 'created', 0, 0, ?, ?, ?)`,
    )
    const block = database.prepare(
      "insert into blocked_contact (account_id, phone_number, channel, reason, source, created_at) values (1, ?, 'sms', null, 'import', 1)",
    )
    for (let n = 0; n < rows; n++) {
      const at = BigInt(n + 1)
      lead.run([BigInt(campaign), numberOf(n), at, at, at])
      if (n % blockedEvery !== 0) continue
      if (isBlocked) block.run([numberOf(n)])
      lead.run([BigInt(blockedCampaign), numberOf(n), at, at, at])
    }
  },
})

/** A platform on a copy of generated data, with a clock that only this bench moves. */
async function open(data: string): Promise<Opened> {
  const home = makeHome()
  const dataDir = join(home.folder, 'data')
  cpSync(data, dataDir, { recursive: true })
  let time = Date.now()
  const platform = await openPlatform({ dataDir, pid: process.pid, isAlive: () => true, wall: () => time })
  const connection = await openSaved(dataDir)
  return {
    platform,
    connection,
    minute: () => {
      time += 60_000
    },
    async close() {
      await connection.close()
      await platform.close()
      home.remove()
    },
  }
}

interface Opened {
  readonly platform: Platform
  readonly connection: Awaited<ReturnType<typeof openSaved>>
  readonly minute: () => void
  close(): Promise<void>
}

async function ask({ platform }: Opened, method: string, url: string, body: object, control = false): Promise<void> {
  const { key, control: secret } = platform.credentials()
  const answer = await platform.handle({
    method,
    url,
    headers: {
      host: '127.0.0.1:1',
      'content-type': 'application/json',
      ...(control ? { 'parley-control': secret } : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${method} ${url} was answered ${answer.status}: ${String(answer.body)}`)
}

const start = (opened: Opened, id: number): Promise<void> =>
  ask(opened, 'POST', '/api/user/campaigns/update-status', { campaign_id: id, action: 'start' })

async function countLeads({ connection }: Opened, id: number, status: LeadStatus): Promise<number> {
  const { n } = await connection.read
    .selectFrom('lead')
    .select((it) => it.fn.countAll<number>().as('n'))
    .where('account_id', '=', 1)
    .where('campaign_id', '=', id)
    .where('status', '=', status)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Returns the milliseconds of each dispatched lead, of which there are `dispatches` times ten. */
async function round(opened: Opened): Promise<number> {
  const before = await countLeads(opened, campaign, 'completed')
  let took = 0
  for (let n = 0; n < dispatches; n++) {
    opened.minute()
    const from = performance.now()
    await opened.platform.due.drain()
    took += performance.now() - from
  }
  const sent = (await countLeads(opened, campaign, 'completed')) - before
  if (sent !== dispatches * perMinute) throw new Error(`${sent} leads were sent to, not ${dispatches * perMinute}.`)
  return took / sent
}

/**
 * Measures the time of a dispatched lead of a campaign with `rows` leads, in turns: without blocked contacts, with one blocked number
 * in ten, and of a small campaign. Measures as well how fast a campaign passes leads that are all blocked.
 */
export async function blockedContacts(
  rounds: number,
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const opened: Opened[] = []
  try {
    for (const [name, count, isBlocked] of [
      ['unblocked-leads', rows, false],
      ['blocked-leads', rows, true],
      ['unblocked-leads', few, false],
    ] as const)
      opened.push(await open(await cachedData(name, count, [filling(isBlocked)], say)))
    for (const each of opened) {
      await ask(each, 'PUT', '/control/accounts/1', { balance: 1_000_000 }, true)
      await start(each, campaign)
      await round(each)
    }
    const times: readonly number[][] = opened.map(() => [])
    for (let n = 0; n < rounds; n++) for (const [at, each] of opened.entries()) times[at]?.push(await round(each))
    const [none = [], many = [], small = []] = times
    const [, blocked] = opened as [Opened, Opened, Opened]
    const count = rows / blockedEvery
    const skipped = await countLeads(blocked, campaign, 'blacklisted')
    await ask(blocked, 'POST', '/api/user/campaigns/update-status', { campaign_id: campaign, action: 'stop' })
    await start(blocked, blockedCampaign)
    const from = performance.now()
    while ((await countLeads(blocked, blockedCampaign, 'blacklisted')) < count) await blocked.platform.due.drain()
    const seconds = (performance.now() - from) / 1000
    return [
      { section, what: `a lead of ${rows}, ${count} blocked numbers / none`, ...ratio(many, none), budget: limit(1.5) },
      { section, what: `a lead of ${rows} / of ${few}`, ...ratio(none, small), budget: limit(1.5) },
      { section, what: '  without blocked numbers', value: median(none), unit: 'ms' },
      { section, what: '  with blocked numbers', value: median(many), unit: 'ms' },
      { section, what: '  blocked leads passed meanwhile', value: skipped, unit: 'x' },
      { section, what: `${count} blocked leads in a row, passed`, value: count / seconds, unit: '/s' },
    ]
  } finally {
    for (const each of opened) await each.close()
  }
}
