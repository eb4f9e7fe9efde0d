import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const numberOf = (n: number): string => `+1415${5_550_200 + n}`
const sending = 'sms send --from 4 --file people.csv --body Hello'

/** An operator with a file of recipients, some of whom have opted out. */
async function withPeople(people: number, optedOut: readonly number[]) {
  const by = operator()
  const lines = Array.from({ length: people }, (_, n) => `${numberOf(n)}\n`)
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${lines.join('')}`)
  if (optedOut.length > 0) await by.run(`contacts block ${optedOut.map(numberOf).join(' ')} --channel sms`)
  return by
}

test('recipients that have opted out are skipped, which the question says, and the exit code is 0', async () => {
  const by = await withPeople(5, [1, 3])
  const { exitCode, stdout, asked } = await by.run(sending, { answers: [['Send 3 SMS', true]] })
  expect(exitCode).toBe(0)
  expect(asked[0]).toContain('2 of 5 skipped: 2 opted out.')
  expect(stdout).toMatch(/^3 SMS sent in .*; 2 skipped: the recipients have opted out\.$/m)
  const again = await withPeople(5, [1, 3])
  expect(await again.json(`${sending} --yes`)).toMatchObject({
    rows: 5,
    done: 3,
    skipped: 2,
    failed: 0,
    invalid: 0,
    left: 0,
    skipped_rows: [
      { line: 3, phone_number: numberOf(1) },
      { line: 5, phone_number: numberOf(3) },
    ],
  })
})

test('the skipped rows are events of -o ndjson, and are sent once they may be', async () => {
  const by = await withPeople(3, [1])
  const { stdout } = await by.run(`${sending} --yes -o ndjson`)
  const events = stdout
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))
  expect(events.filter((it) => it.type === 'item' && it.status === 'skipped')).toEqual([
    expect.objectContaining({ line: 3, phone_number: numberOf(1), error: 'The recipient has opted out.' }),
  ])
  await by.run(`contacts unblock ${numberOf(1)} --channel sms`)
  expect(await by.json(`${sending} --yes`)).toMatchObject({ done: 1, skipped: 0, done_before: 2 })
})

test('skipped rows are named, at most three of them', async () => {
  const by = await withPeople(6, [0, 1, 2, 4])
  const named = `Opted out: line 2 (${numberOf(0)}), line 3 (${numberOf(1)}), line 4 (${numberOf(2)}), 1 more.`
  expect((await by.run(`${sending} --dry-run`)).stderr).toContain(named)
  expect((await by.run(`${sending} --yes`)).stderr).toContain(named)
})

test('nothing is sent when every recipient has opted out', async () => {
  const by = await withPeople(2, [0, 1])
  expect(await by.run(`${sending} --yes`)).toMatchObject({
    exitCode: 0,
    stdout: 'Nothing was sent: 2 of 2 skipped: 2 opted out.\n',
  })
  expect(await by.run(`${sending} --dry-run`)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('2 of 2 skipped: 2 opted out.'),
  })
})

test('a recipient that opts out after the question is skipped, too, and is not charged', async () => {
  const by = await withPeople(3, [])
  let isBlocked = false
  const { exitCode, stdout } = await by.run(`${sending} --yes --json`, {
    through: async (handle, request) => {
      if (request.url === '/api/user/sms' && !isBlocked) {
        isBlocked = true
        const body = JSON.stringify({ contacts: [0, 1, 2].map((n) => ({ phone_number: numberOf(n), channel: 'sms' })) })
        const { 'idempotency-key': _, ...headers } = request.headers
        const answer = await handle({ ...request, headers, url: '/api/user/blocked-contacts', body })
        expect(answer.status).toBe(200)
      }
      return handle(request)
    },
  })
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: 0, skipped: 3, cost_usd: 0 })])
})

test('exit code 11 is for rows that failed, not for skipped ones', async () => {
  const by = await withPeople(4, [1])
  // No SMS reaches this number.
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${numberOf(0)}\n${numberOf(1)}\n0171\n`)
  expect(await by.run(`${sending} --yes --skip-invalid --json`)).toMatchObject({ exitCode: 11 })
})

test('a recipient that got the same content before and has opted out since is counted once', async () => {
  const by = await withPeople(2, [])
  await by.run(`${sending} --yes`)
  await by.run(`contacts block ${numberOf(0)} --channel sms`)
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${[0, 1, 2].map(numberOf).join('\n')}\n`)
  const counts = { rows: 3, skipped: 1, reached_before: 1 }
  expect(await by.json(`${sending} --dry-run`)).toMatchObject({ ...counts, left: 1 })
  const { stderr } = await by.run(`${sending} --dry-run --resend`)
  expect(stderr).toContain('1 of 2 SMS repeats what the recipient was sent')
  expect(await by.json(`${sending} --yes`)).toMatchObject({ ...counts, done: 1, left: 0 })
})

test('a dry run says why it ends with 20, and what then would be sent', async () => {
  const by = await withPeople(1, [])
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${[0, 0, 1].map(numberOf).join('\n')}\n`)
  const refused = await by.run(`${sending} --dry-run`)
  expect(refused).toMatchObject({ exitCode: 20, stdout: 'Nothing would be sent: 1 of 3 rows is invalid.\n' })
  expect(refused.stderr).toContain('line 3, to: Duplicate of line 2.')
  expect(refused.stderr).toContain('Fix the rows, or pass --skip-invalid: 2 SMS would be sent.')
  expect(await by.run(`${sending} --dry-run --skip-invalid`)).toMatchObject({
    exitCode: 0,
    stdout: '2 SMS would be sent, 1 of 3 rows cannot.\n',
  })
})
