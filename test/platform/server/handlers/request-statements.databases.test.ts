import { beforeAll, describe, expect, it, vi } from 'vitest'
import { realTime } from '../../../../src/node/real-time.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, onOnePostgres } from '../../../support/databases.ts'
import { desk } from '../../../support/platform/assistant-drafts.ts'
import type { Answered, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'
import { watchStatements } from '../../../support/servers/sent-statements.ts'

const onOne = onOnePostgres('each account is on a shard of its own, and the clock is read separately')

/** What the first request of a turn reads, and what begins and ends a transaction of an account. */
const authenticates = ['select clock', 'select api_key']
/** A transaction relies on the clock that was read before: no time passes here. */
const begins = ['begin', 'select account']
const commits = ['insert commit_marker', 'commit']

describe.each(databases)('statements of a request on $name', (database) => {
  if (database.name === 'sqlite') return it.skip('need no answer of another process')

  const sentDuring = watchStatements()
  let api: Awaited<ReturnType<typeof fresh>>
  const owners: (TestAccount & { readonly campaign: number })[] = []

  beforeAll(async () => {
    // On a busy machine, transactions would count as slow, and those run alone.
    const time = vi.spyOn(realTime, 'monotonicMs').mockReturnValue(realTime.monotonicMs())
    afterFile(() => time.mockRestore())
    // Another server would have its heartbeat among the statements.
    api = await fresh(database, { seed: 7, inProcess: true })
    for (let n = 0; n < 8; n++) {
      const by = await api.account()
      const assistant = await api.ask('POST', '/api/user/assistant', { ...by, body: { ...desk, type: 'outbound' } })
      const body = { name: 'Calls', assistant_id: assistant.body.data.id }
      const campaign: number = (await api.ask('POST', '/api/user/campaign', { ...by, body })).body.data.id
      owners.push({ ...by, campaign })
    }
    // Connections are open, and the use of each key is stored.
    await Promise.all(owners.map((it) => addLead(it)))
  })

  const addLead = async (by: (typeof owners)[number]): Promise<void> => {
    const body = { campaign_id: by.campaign, phone_number: '+14155550100', allow_dupplicate: true }
    requireSuccess(await api.ask('POST', '/api/user/lead', { ...by, body }))
  }

  onOne('POST lead reads the key and the campaign, and inserts one row', async () => {
    const { statements, answers } = await sentDuring(() => addLead(owners[0] as (typeof owners)[number]))
    expect(statements).toEqual([...authenticates, ...begins, 'select campaign', 'insert lead', ...commits])
    expect(answers).toBe(3)
  })

  onOne('POST lead of several accounts at the same time share their answers and the COMMIT', async () => {
    const { statements, answers } = await sentDuring(() => Promise.all(owners.map(addLead)))
    const each = (statement: string): string[] => owners.map(() => statement)
    expect([...statements].sort()).toEqual(
      [
        ...each('select api_key'),
        ...each('select campaign'),
        ...each('insert lead'),
        // The first request begins with a clock that was read before the others came. They share the next one.
        ...['select clock', ...begins, ...commits],
        ...['select clock', ...begins, ...commits],
      ].sort(),
    )
    // The keys and a clock, and the other clock. The first lead needs two, and the others three, for the locks, the leads and the COMMIT.
    expect(answers).toBe(7)
  })

  onOne('a batch of leads needs as many statements as one lead, however many it has', async () => {
    const [by] = owners as [(typeof owners)[number]]
    const add = (rows: number, from: number): Promise<unknown> =>
      sentDuring(async () => {
        const leads = Array.from({ length: rows }, (_, n) => ({
          phone_number: `+1415555${from + n}`,
          variables: { first_name: 'Ada' },
          secondary_contacts: [{ phone_number: '+14155550199' }],
        }))
        const headers = { 'idempotency-key': `batch-${from}` }
        const body = { campaign_id: by.campaign, leads }
        const answer = await api.ask('POST', '/api/user/lead-batches', { ...by, body, headers })
        requireSuccess(answer)
        expect(answer.body.results.map((it: { status: number }) => it.status)).toEqual(leads.map(() => 200))
      })
    await add(2, 2000)
    const few = await add(3, 3000)
    expect(await add(200, 4000)).toEqual(few)
    expect(few).toEqual({
      statements: [
        ...authenticates,
        ...begins,
        'delete idempotency',
        'insert idempotency',
        'select campaign',
        'select json_array_elements_text',
        'insert lead',
        'insert lead_contact',
        'update idempotency',
        ...commits,
        ...begins,
        'update idempotency',
        ...commits,
      ],
      answers: 11,
    })
  })
})

function requireSuccess({ status, text }: Answered): void {
  expect({ status, text }).toEqual({ status: 200, text })
}
