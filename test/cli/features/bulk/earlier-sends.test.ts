import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowByRow } from '../../../support/altered-responses.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const importing = (file: string, campaign = 1): string => `leads import --campaign ${campaign} --file ${file}`
const sending = (file: string): string =>
  `messaging send --sender 1 --template appointment_reminder --file ${file} --yes`

const write = (by: Operator, name: string, ...rows: readonly string[]): void =>
  writeFileSync(join(by.cwd, name), `${rows.join('\n')}\n`)
const posted = ({ requests }: Run, path: string): number => requests.filter((it) => it === `POST ${path}`).length
const creates = (run: Run): number => posted(run, '/api/user/lead')
const sends = (run: Run): number => posted(run, '/api/user/messaging/send')

/** Refuses what is sent to one number, as something that passes. */
const refusing =
  (digits: string): Through =>
  async (handle, request) =>
    request.method === 'POST' && request.body?.includes(digits)
      ? {
          status: 422,
          headers: {},
          body: JSON.stringify({ success: false, error: 'Not now', error_code: 'UNKNOWN_ERROR', message: 'Not now' }),
        }
      : handle(request)

describe('a recipient that was sent the same content', () => {
  const people = ['phone,1,2', '+14155550111,Anna,Monday', '+14155550112,Bob,Tuesday']

  test('is not sent it again by a corrected file of failed rows and then the original', async () => {
    const by = operator()
    write(by, 'people.csv', ...people)
    expect((await by.run(sending('people.csv'), { through: refusing('0112') })).exitCode).toBe(11)
    const failed = join(by.cwd, 'people.failed.csv')
    writeFileSync(
      failed,
      readFileSync(failed, 'utf8').replace('Tuesday', 'Wednesday').replace('+14155550112,', '+14155550119,'),
    )
    expect(sends(await by.run(sending('people.failed.csv')))).toBe(1)
    const original = await by.run(sending('people.csv'))
    expect([original.exitCode, sends(original)]).toEqual([0, 0])
    expect(original.stderr).toContain(
      'Skipped 1 message: the recipient was sent the same content in the last 7 days: +14155550112.',
    )
  })

  test('does not get it again from an edited file, and is named in the output; --resend sends it', async () => {
    const by = operator()
    write(by, 'people.csv', ...people)
    await by.run(sending('people.csv'))
    write(
      by,
      'more.csv',
      '2,Phone,first_name',
      'Monday,+1 (415) 555-0111,Anna',
      'Friday,+14155550112,Bob',
      'Sunday,+14155550113,Cleo',
    )
    const dry = await by.run(`${sending('more.csv')} --dry-run`)
    expect([dry.stdout, dry.stderr]).toEqual([
      expect.stringContaining('2 messages would be sent'),
      expect.stringContaining('+14155550111'),
    ])
    const more = await by.run(`${sending('more.csv')} --json`)
    expect([more.exitCode, sends(more), JSON.parse(more.stdout)]).toEqual([
      0,
      2,
      expect.objectContaining({ done: 2, reached_before: 1, left: 0 }),
    ])
    const same = await by.run(sending('more.csv'))
    expect([same.exitCode, sends(same), same.stdout]).toEqual([0, 0, expect.stringContaining('Nothing was sent')])
    // The limit of five a second is counted by a clock that is frozen here.
    by.wait(2000)
    expect(sends(await by.run(`${sending('more.csv')} --resend`))).toBe(3)
    expect(sends(await by.run(`${sending('people.csv')} --again`))).toBe(2)
  })

  test('gets it again after --within, with another template or from another account', async () => {
    const by = operator()
    write(by, 'people.csv', ...people)
    write(by, 'same.csv', ...people, '')
    await by.run(sending('people.csv'))
    expect(sends(await by.run(sending('same.csv')))).toBe(0)
    expect(
      sends(
        await by.run(
          'messaging send --sender 1 --template opening_hours --file people.csv --map nothing=1 --map nothing=2 --yes',
        ),
      ),
    ).toBe(2)
    by.wait(8 * 86_400_000)
    expect(sends(await by.run(`${sending('same.csv')} --within 9d`))).toBe(0)
    expect(await by.run(`${sending('same.csv')} --within soon`)).toMatchObject({ exitCode: 2 })
    expect(sends(await by.run(sending('same.csv')))).toBe(2)
  })

  test('by a single message is skipped as well, also if that numbered its placeholders', async () => {
    const by = operator()
    write(by, 'people.csv', ...people)
    await by.run(
      'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var 2=Monday',
    )
    const run = await by.run(sending('people.csv'))
    expect([sends(run), run.stderr]).toEqual([1, expect.stringContaining('+14155550111')])
  })

  test('with an unknown outcome is skipped until the outcome is known, in any file or command', async () => {
    const by = operator()
    write(by, 'people.csv', ...people)
    const through: Through = async (handle, request) => {
      const answer = await handle(request)
      return request.method === 'POST' ? { status: 502, headers: {}, body: '' } : answer
    }
    await by.run(
      'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var 2=Monday',
      { through },
    )
    const held = await by.run(`${sending('people.csv')} --json`)
    expect([held.exitCode, sends(held), JSON.parse(held.stdout)]).toEqual([
      11,
      1,
      expect.objectContaining({ done: 1, unknown: 1, left: 0 }),
    ])
    expect(await by.run(sending('people.csv'))).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('parley ops reconcile'),
    })
    await by.run('ops reconcile')
    const after = await by.run(sending('people.csv'))
    expect([after.exitCode, sends(after)]).toEqual([0, 0])
  })

  test('is compared with all variables of a lead, and skipped in any file for the same campaign', async () => {
    const by = rowByRow(operator())
    write(by, 'a.csv', 'phone,name', '+14155550111,Anna', '+14155550112,Bob')
    write(by, 'b.csv', 'name,phone,note', 'Anna,+14155550111,', 'Bob,+14155550112,new', 'Cleo,+14155550113,')
    await by.run(importing('a.csv'))
    const run = await by.run(`${importing('b.csv')} --json`)
    expect([creates(run), JSON.parse(run.stdout)]).toEqual([
      2,
      expect.objectContaining({ reached_before: 1, already: 1, done: 1 }),
    ])
    expect(creates(await by.run(importing('a.csv', 2)))).toBe(2)
  })

  test('gets it twice with --allow-duplicate, also after an interruption', async () => {
    const by = operator()
    write(by, 'a.csv', 'phone,name', '+14155550111,Anna', '+14155550111,Anna')
    const line = `${importing('a.csv')} --allow-duplicate`
    expect(creates(await by.run(`${line} --limit 1`))).toBe(1)
    expect(creates(await by.run(line))).toBe(1)
    expect(creates(await by.run(line))).toBe(0)
  })

  test('is forgotten when the local platform is reset', async () => {
    const by = rowByRow(operator())
    write(by, 'a.csv', 'phone,name', '+14155550111,Anna')
    write(by, 'b.csv', 'phone,name', '+14155550111,Anna', '')
    await by.run(importing('a.csv'))
    expect(creates(await by.run(importing('b.csv')))).toBe(0)
    await by.run('server reset --seed 7 --yes')
    expect(creates(await by.run(importing('b.csv')))).toBe(1)
  })

  test.each(['server reset --seed 7 --yes', 'server snapshot restore empty --yes'])(
    'of a file itself is forgotten after %s, and its rows are created again',
    async (line) => {
      const by = rowByRow(operator())
      await by.run('server snapshot save empty')
      write(by, 'a.csv', 'phone,name', '+14155550111,Anna')
      await by.run(importing('a.csv'))
      expect(creates(await by.run(importing('a.csv')))).toBe(0)
      await by.run(line)
      expect(creates(await by.run(importing('a.csv')))).toBe(1)
    },
  )
})

test('rows of a file with --idempotency-key are sent once, even if the retry runs on another machine', async () => {
  const by = operator()
  write(by, 'people.csv', 'phone,1,2', '+14155550111,Anna,Monday', '+14155550112,Bob,Tuesday')
  const line = `${sending('people.csv')} --idempotency-key nightly --json`
  await by.run(line)
  const paid = async (): Promise<number> => (await by.json('server accounts ledger 1')).length
  const before = await paid()
  for (const name of ['bulk', 'spends.ndjson', 'folder.json']) rmSync(join(by.dataDir, name), { recursive: true })
  const again = await by.run(line)
  expect([again.exitCode, sends(again), await paid()]).toEqual([0, 2, before])
})

test('a file of failed rows keeps cells beyond the header, and lines that cannot be read', async () => {
  const by = operator()
  write(by, 'leads.csv', 'phone,name', '+14155550111,Anna,x,"y, z"', '+14155550112,Bob')
  await by.run(`${importing('leads.csv')} --skip-invalid`)
  expect(readFileSync(join(by.cwd, 'leads.failed.csv'), 'utf8')).toMatch(
    /^parley_error,parley_row,phone,name\n.*,,?[\w-]*,\+14155550111,Anna,x,"y, z"\n$/,
  )
  write(by, 'leads.ndjson', '{"phone":"+14155550121"}', '{"phone": oops')
  await by.run(`${importing('leads.ndjson')} --skip-invalid`)
  expect(JSON.parse(readFileSync(join(by.cwd, 'leads.failed.ndjson'), 'utf8'))).toMatchObject({
    parley_text: '{"phone": oops',
  })
})

describe('ledgers and the journal of version 0.1', () => {
  const fixture = join(import.meta.dirname, '../../../fixtures/0.1-rows')

  async function upgraded(): Promise<Operator> {
    const by = operator()
    await by.run('keys list')
    for (const name of ['bulk', 'spends.ndjson'])
      cpSync(join(fixture, name), join(by.dataDir, name), { recursive: true })
    mkdirSync(by.cwd, { recursive: true })
    cpSync(join(fixture, 'work'), by.cwd, { recursive: true })
    return by
  }

  test('are honored for the same file: done rows are not sent again, failed ones are', async () => {
    const by = rowByRow(await upgraded())
    const run = await by.run(`${importing('leads.csv')} --json`)
    expect([run.exitCode, creates(run), JSON.parse(run.stdout)]).toEqual([
      0,
      1,
      expect.objectContaining({ rows: 3, done: 1, done_before: 2 }),
    ])
    const sent = await by.run(`${sending('patients.csv')} --json`)
    expect(JSON.parse(sent.stdout)).toMatchObject({ rows: 4, done_before: 2 })
    // The one that failed; of the one without an outcome this platform, which is another one, knows nothing: it goes again under its key.
    expect(sent.requests.filter((it) => it.startsWith('POST')).length).toBeLessThanOrEqual(3)
  })

  test('are honored for another file with the same recipients and content', async () => {
    const by = rowByRow(await upgraded())
    write(
      by,
      'edited.csv',
      'phone,1,2',
      '+14155550111,Anna,Monday',
      '+14155550114,Dora,Sunday',
      '+14155550115,Eve,Monday',
    )
    const run = await by.run(`${sending('edited.csv')} --json`)
    expect([sends(run), JSON.parse(run.stdout)]).toEqual([1, expect.objectContaining({ reached_before: 2, done: 1 })])
    await by.run(importing('leads.csv'))
    write(by, 'leads-edited.csv', 'first_name,phone', 'Anna,+14155550111', 'Dora,+14155550114')
    expect(creates(await by.run(importing('leads-edited.csv')))).toBe(1)
  })

  test('are honored for messages without a known outcome in another file', async () => {
    const by = await upgraded()
    write(by, 'edited.csv', 'phone,1,2', '+14155550113,Cleo,Friday')
    expect(await by.run(sending('edited.csv'))).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('parley ops reconcile'),
    })
  })
})
