import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operator, operator, type Run } from '../../../support/operator.ts'

const write = (by: Operator, ...rows: readonly string[]): void =>
  writeFileSync(join(by.cwd, 'people.csv'), `phone,first_name\n${rows.map((it) => `${it}\n`).join('')}`)
const [anna, bob, cleo] = ['+14155550111,Anna', '+14155550112,Bob', '+14155550113,Cleo'] as const
const sms = (body: string): string => `sms send --from 4 --file people.csv --body "${body} {{first_name}}" --yes`
const message = (day: string): string =>
  `messaging send --sender 1 --template appointment_reminder --file people.csv --var appointment_day=${day} --yes`
const sendsOf = (run: Run): number => run.requests.filter((it) => /^POST .*(\/sms|\/messaging\/send)$/.test(it)).length

test.each([
  ['an SMS with another text', sms('First'), sms('Second')],
  ['a message with other values', message('Monday'), message('Tuesday')],
])('%s is sent to the same file, and each of the two once', async (_, first, second) => {
  const by = operator()
  write(by, anna, bob)
  for (const line of [first, second]) {
    by.wait(2000)
    expect(await by.json(line)).toMatchObject({ done: 2, done_before: 0, reached_before: 0 })
  }
  for (const line of [first, second]) {
    const again = await by.run(line)
    expect([again.exitCode, sendsOf(again)]).toEqual([0, 0])
    expect(again.stdout).toContain('every row of people.csv is done')
  }
  // The other rows of a file that was changed are compared with what was sent.
  write(by, anna, cleo)
  by.wait(2000)
  expect(await by.json(second)).toMatchObject({ done: 1, reached_before: 1 })
})

test('a job with another text than one that is not finished says so, and both are finished', async () => {
  const by = operator()
  write(by, anna, bob)
  expect((await by.run(`${sms('First')} --limit 1`)).exitCode).toBe(11)
  const second = await by.run(`${sms('Second')} --json`)
  expect(JSON.parse(second.stdout)).toMatchObject({ done: 2, done_before: 0 })
  expect(await by.json(sms('First'))).toMatchObject({ done: 1, done_before: 1 })
  write(by, anna, cleo)
  await by.run(`${sms('Third')} --limit 1`)
  const fourth = await by.run(sms('Fourth'))
  expect([fourth.exitCode, sendsOf(fourth)]).toEqual([0, 2])
  expect(fourth.stderr).toMatch(
    /An earlier run, of .* UTC, has sent 1 of 2 rows of people\.csv with another content\. This is another job, for all its rows\./,
  )
})
