import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { insertLead } from '../../src/platform/store/campaigns/leads.ts'
import { accountQuery } from '../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../src/platform/store/database/connection.ts'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { type Figure, least, limit, ratio } from './measurements.ts'
import { makeHome, peak, program, timed } from './processes.ts'

const section = 'bulk'
/** Number of concurrent requests: as many as share a commit. */
const lanes = 128

const numberOf = (n: number): string => `+1415${2_000_000 + n}`

function csv(folder: string, name: string, rows: number): string {
  const file = join(folder, name)
  writeFileSync(
    file,
    `phone,first_name,appointment_day\n${Array.from({ length: rows }, (_, n) => `${numberOf(n)},Anna ${n},Monday\n`).join('')}`,
  )
  return file
}

/**
 * Measures files of many rows through the command line: leads against plain inserts, messages against their rate limit,
 * and memory.
 */
export async function bulk(
  rounds: number,
  rows: number,
  messages: number,
  memoryRows: number,
): Promise<readonly Figure[]> {
  const home = makeHome()
  try {
    await timed([program, 'campaigns', 'list'], home.env)
    const seeded = join(home.folder, 'seeded')
    cpSync(home.env.PARLEY_DATA_DIR ?? '', seeded, { recursive: true })
    const figures = await imports(home.folder, home.env, seeded, rounds, rows)
    figures.push(await sends(home.folder, home.env, messages))
    const many = csv(home.folder, 'many.csv', memoryRows)
    const one = csv(home.folder, 'one.csv', 1)
    const checking = (file: string): Promise<number> =>
      peak(
        [program, 'leads', 'import', '--campaign', '1', '--file', file, '--dry-run', '--quiet'],
        home.env,
        home.folder,
      )
    const more = (await checking(many)) - (await checking(one))
    return [
      ...figures,
      { section, what: `memory of ${memoryRows} rows, over that of one`, value: more, unit: 'MB', budget: limit(120) },
    ]
  } finally {
    home.remove()
  }
}

/** Measures the whole command against group-committed inserts of the same rows into the same database. */
async function imports(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  seeded: string,
  rounds: number,
  rows: number,
): Promise<Figure[]> {
  const file = csv(folder, 'leads.csv', rows)
  const [ours, floor]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const [data, bare] = [join(folder, `data-${round}`), join(folder, `bare-${round}`)]
    for (const folder of [data, bare]) cpSync(seeded, folder, { recursive: true })
    const connection = await openStore({ file: join(bare, 'platform.db') })
    floor.push(await inserted(connection, rows))
    await connection.close()
    ours.push(
      await timed([program, 'leads', 'import', '--campaign', '1', '--file', file, '--quiet'], {
        ...env,
        PARLEY_DATA_DIR: data,
      }),
    )
  }
  // Rates: higher is better.
  const rates = (times: readonly number[]): number[] => times.map((ms) => (rows / ms) * 1000)
  return [
    {
      section,
      what: `leads import of ${rows} / inserts of the store`,
      ...ratio(rates(ours), rates(floor)),
      budget: least(0.5),
    },
    { section, what: '  leads imported', value: ratio(rates(ours), [1]).value, unit: '/s' },
    { section, what: '  inserts of the store', value: ratio(rates(floor), [1]).value, unit: '/s' },
  ]
}

async function inserted(connection: Connection, rows: number): Promise<number> {
  const start = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < rows) {
      const n = next++
      const at = Date.now() * 1000
      await connection.write('rows', (query) =>
        insertLead(accountQuery(query, 1), {
          account_id: 1,
          campaign_id: 1,
          phone_number: numberOf(n),
          variables: JSON.stringify({ first_name: `Anna ${n}`, appointment_day: 'Monday' }),
          status: 'created',
          contacts: 0,
          attempts: 0,
          last_attempt_at: null,
          next_attempt_at: at,
          fallback_sent_at: null,
          created_at: at,
          updated_at: at,
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return performance.now() - start
}

/** Measures messages of a file against 5 per second. */
async function sends(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  messages: number,
): Promise<Figure> {
  const file = csv(folder, 'people.csv', messages)
  const took = await timed(
    [program, 'messaging', 'send', '--sender', '1', '--template', 'opening_hours', '--file', file, '--yes', '--quiet'],
    env,
  )
  return {
    section,
    what: `${messages} messages / at 5 a second`,
    value: took / ((messages / 5) * 1000),
    unit: 'x',
    budget: limit(1.02),
  }
}
