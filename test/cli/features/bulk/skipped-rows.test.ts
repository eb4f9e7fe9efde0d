import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const commands = [
  ['messages', 'messaging send --sender 1 --template opening_hours --file people.csv', /Send 2 messages/],
  ['SMS', 'sms send --from 4 --body Hello --file people.csv', /Send 2 SMS/],
  ['leads', 'leads import --campaign 1 --file people.csv', /Import 2 leads/],
] as const

const withRows = (...rows: readonly string[]): ReturnType<typeof operator> => {
  const by = operator()
  writeFileSync(join(by.cwd, 'people.csv'), `${['phone', '+14155550111', ...rows, '+14155550112'].join('\n')}\n`)
  return by
}
const [bad, ...others] = ['+1415', '0', 'Bob', '+999', '12']

describe.each(commands)('the question before rows are sent: %s', (_, line, question) => {
  test('says which rows --skip-invalid skips, and why', async () => {
    const by = withRows(bad as string)
    const skipped = /1 of 3 rows of people\.csv is skipped: line 3 \(\w+: .*\+1415.*[^.]\)\. .*/
    const asked = new RegExp(`${skipped.source}${question.source}.*\\?$`)
    expect((await by.run(`${line} --skip-invalid`, { answers: [[asked, false]] })).exitCode).toBe(10)
  })

  test('names the first three of many, and counts the others', async () => {
    const by = withRows(bad as string, ...others)
    const named = /5 of 7 rows of people\.csv are skipped: line 3 .*, line 4 .*, line 5 .*, 2 more\. /
    expect((await by.run(`${line} --skip-invalid`, { answers: [[named, false]] })).exitCode).toBe(10)
  })

  test('says it also after a person agreed to skip them', async () => {
    const by = withRows(bad as string)
    const answers = [
      [/1 of 3 rows of people\.csv is invalid\. Skip it/, true],
      [/is skipped: line 3/, false],
    ] as const
    expect((await by.run(line, { answers })).exitCode).toBe(10)
  })

  test('does not mention rows when all are valid', async () => {
    const by = withRows()
    expect((await by.run(line, { answers: [[/^(?!.*skipped).*\?$/, false]] })).exitCode).toBe(10)
  })

  test.skipIf(line.startsWith('leads'))('is refused with the same words without a terminal', async () => {
    const { exitCode, stderr } = await withRows(bad as string).run(`${line} --skip-invalid`)
    expect(exitCode).toBe(10)
    expect(stderr).toMatch(/1 of 3 rows of people\.csv is skipped: line 3 .*requires confirmation/)
  })
})

test.each(commands)('a second run with --allow-duplicate ends with the exit code of the first: %s', async (_, line) => {
  for (const rows of [['+14155550111'], ['+14155550111', '+1415']]) {
    const by = withRows(...rows)
    const again = `${line} --allow-duplicate --skip-invalid --yes`
    const { exitCode } = await by.run(again)
    expect(exitCode).toBe(rows.length === 1 ? 0 : 11)
    expect((await by.run(again)).exitCode).toBe(exitCode)
  }
})
