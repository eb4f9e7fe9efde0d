import { spawnSync } from 'node:child_process'
import { createClock } from '../../src/platform/jobs/clock.ts'
import { type LeadQuery, leadService } from '../../src/platform/services/campaigns/lead-service.ts'
import { listConversations } from '../../src/platform/store/conversations/conversations.ts'
import { accountQuery } from '../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../src/platform/store/database/connection.ts'
import { cachedData, openSaved } from './cached-data.ts'
import { conversationFilling } from './conversation-data.ts'
import { days, drawn, firstCampaign, lastDay, leadFilling } from './lead-data.ts'
import { type Figure, limit, median, quantile, ratio } from './measurements.ts'
import { peak, program } from './processes.ts'

const section = 'lists'
const perPage = 15
const usual = 1_000_000

/** Query for a page of a list. */
interface Asked {
  readonly what: string
  /** Reads a page, counted from 1, and returns the total. */
  page(n: number): Promise<number>
}

/**
 * Measures pages of long lists with totals, the cost of a new row among many, and all rows through the command line.
 */
export async function lists(
  rounds: number,
  rows = usual,
  say: (text: string) => void = () => {},
): Promise<readonly Figure[]> {
  const folder = await cachedData('long-lists', rows, [leadFilling, conversationFilling], say)
  const few = await cachedData('long-lists', 1000, [leadFilling, conversationFilling], say)
  const [connection, small] = [await openSaved(folder), await openSaved(few)]
  try {
    const figures: Figure[] = []
    for (const page of [...leadPages(connection), ...conversationPages(connection)])
      figures.push(...(await paged(page, rounds)))
    figures.push(...(await partSearches(connection, rounds, rows)))
    figures.push(...(await creation(connection, small, rounds, rows)))
    await Promise.all([connection.close(), small.close()])
    figures.push(await memory(folder, Math.min(rows, usual)))
    return figures
  } finally {
    await Promise.all([connection.close(), small.close()])
  }
}

const serviceOn = (connection: Connection) => leadService({ connection, clock: createClock(connection, Date.now) })

function leadPages(connection: Connection): Asked[] {
  const { list } = serviceOn(connection)
  const asked = (what: string, search: Omit<LeadQuery, 'page' | 'perPage'>): Asked => ({
    what: `leads, ${what}`,
    page: async (page) => (await list(1, { ...search, page, perPage })).total,
  })
  const month = { fromDay: lastDay - 200, toDay: lastDay - 171 }
  const wide = { fromDay: lastDay - days + 20, toDay: lastDay - 3 }
  const campaign = firstCampaign + 3
  return [
    asked('all', {}),
    asked('of a campaign', { campaign }),
    asked('of a status', { status: 'completed' }),
    asked('of a campaign and status', { campaign, status: 'created' }),
    asked('of a month', month),
    asked('of a year less some days', wide),
    asked('of a campaign, status and month', { campaign, status: 'completed', ...month }),
  ]
}

function conversationPages({ read }: Connection): Asked[] {
  const month = { fromDay: lastDay - 200, toDay: lastDay - 171 }
  const asked = (
    what: string,
    filters: { assistant_id?: number; type?: string },
    span: Partial<typeof month> = {},
  ): Asked => ({
    what: `conversations, ${what}`,
    page: async (page) =>
      (
        await listConversations(accountQuery(read, 1), {
          account: 1,
          filters,
          ...span,
          offset: (page - 1) * perPage,
          limit: perPage,
        })
      ).total,
  })
  return [
    asked('all', {}),
    asked('of an assistant', { assistant_id: 2 }),
    asked('of a type', { type: 'widget' }),
    asked('of an assistant and type', { assistant_id: 2, type: 'messaging' }),
    asked('of a month', {}, month),
    asked('of an assistant, type and month', { assistant_id: 2, type: 'widget' }, month),
  ]
}

/** Returns the duration of each run of `work` in microseconds. */
async function times(rounds: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const found: number[] = []
  for (let n = 0; n < rounds; n++) {
    const start = performance.now()
    await work(n)
    found.push((performance.now() - start) * 1000)
  }
  return found
}

/** Measures the first page, pages at any depth, and the last page, in turns. */
async function paged({ what, page }: Asked, rounds: number): Promise<Figure[]> {
  const total = await page(1)
  const last = Math.max(1, Math.ceil(total / perPage))
  const anywhere = (n: number): number => 1 + Math.floor(((n * 0.618_033_988_7) % 1) * last)
  const each = rounds * 25
  await times(each, (n) => page(anywhere(n)))
  const [first, deep, deepest]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    first.push(...(await times(25, () => page(1))))
    deep.push(...(await times(25, (n) => page(anywhere(round * 25 + n)))))
    deepest.push(...(await times(25, () => page(last))))
  }
  const middle = (values: readonly number[]): readonly [number, number] => [
    quantile(values, 0.25),
    quantile(values, 0.75),
  ]
  return [
    {
      section,
      what: `${what}: any of ${last} pages`,
      value: median(deep),
      unit: 'us',
      spread: middle(deep),
      budget: limit(250),
    },
    { section, what: '  the first page', value: median(first), unit: 'us', spread: middle(first), budget: limit(250) },
    {
      section,
      what: '  the last page',
      value: median(deepest),
      unit: 'us',
      spread: middle(deepest),
      budget: limit(250),
    },
    {
      section,
      what: '  the last page / the first',
      value: median(deepest) / median(first),
      unit: 'x',
      budget: limit(2),
    },
  ]
}

/** Measures searches for a part of a phone number: its last four digits, and seven of its digits. */
async function partSearches(connection: Connection, rounds: number, rows: number): Promise<Figure[]> {
  const { list } = serviceOn(connection)
  const search = async (length: number): Promise<Figure> => {
    // Parts that differ from round to round.
    const part = (n: number): string => String(drawn(n + 11, 10 ** length)).padStart(length, '5')
    const taken = await times(rounds, (n) => list(1, { phone: part(n), page: 1, perPage }))
    const inMs = taken.map((it) => it / 1000)
    return {
      section,
      what: `leads with ${length} digits in a row, among ${rows}`,
      value: median(inMs),
      unit: 'ms',
      spread: [quantile(inMs, 0.25), quantile(inMs, 0.75)],
      budget: limit(20),
    }
  }
  return [await search(4), await search(7)]
}

/**
 * Measures the creation of a lead among many against one among few: durable, with counters, one at a time. The new
 * leads are deleted.
 */
async function creation(many: Connection, few: Connection, rounds: number, rows: number): Promise<Figure[]> {
  const sides = [many, few].map((connection) => ({
    service: serviceOn(connection),
    ids: [] as number[],
    taken: [] as number[],
  }))
  for (let n = -20; n < rounds * 20; n++)
    for (const { service, ids, taken } of n % 2 === 0 ? sides : sides.toReversed()) {
      const draft = {
        phone: `+1416${5_000_100 + n}`,
        campaign: firstCampaign + (n & 7),
        variables: { first_name: 'Anna' },
        duplicate: false,
        contacts: [],
      }
      const [took] = await times(1, async () => ids.push((await service.create(1, draft)).row.id))
      if (n >= 0) taken.push(took as number)
    }
  for (const { service, ids } of sides) for (const id of ids) await service.delete(1, id)
  const [among, alone] = sides.map((it) => it.taken) as [number[], number[]]
  return [
    { section, what: `a lead made among ${rows} / among 1000`, ...ratio(among, alone), budget: limit(1.15) },
    {
      section,
      what: '  one among 1000',
      value: median(alone),
      unit: 'us',
      spread: [quantile(alone, 0.25), quantile(alone, 0.75)],
    },
  ]
}

/**
 * Measures the peak memory of reading a whole list through the command line, over that of a program that does nothing.
 */
async function memory(folder: string, rows: number): Promise<Figure> {
  const env = { PATH: process.env.PATH, HOME: folder, PARLEY_DATA_DIR: folder, PARLEY_CONFIG_DIR: folder }
  const some = spawnSync(process.execPath, [program, 'leads', 'list', '--limit', '1', '-o', 'id'], {
    env,
    encoding: 'utf8',
  })
  if (!/^\d+\n$/.test(some.stdout))
    throw new Error(`The program shows no leads of ${folder}: build it first. ${some.stderr}`)
  const all = await peak([program, 'leads', 'list', '--limit', String(rows), '-o', 'ndjson'], env, folder)
  return {
    section,
    what: `leads list -o ndjson of ${rows}, over the floor`,
    value: all - (await peak(['-e', '0'], env, folder)),
    unit: 'MB',
    budget: limit(60),
  }
}
