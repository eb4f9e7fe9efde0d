import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

/** Numbers of the United Kingdom as people write them there, and one of another country. */
const national = ['020 8534 1234', '(020) 7946-0172', '07911 123456', '0044 20 7946 0958', '+1 415 555 0142']
const international = ['+442085341234', '+442079460172', '+447911123456', '+442079460958', '+14155550142']

function withFile(name: string, text: string): Operator {
  const by = operator()
  writeFileSync(join(by.cwd, name), text)
  return by
}

describe('a file of numbers without a country code', () => {
  test('is imported with --country', async () => {
    const by = withFile('leads.csv', `phone,first_name\n${national.map((it) => `${it},Ann\n`).join('')}`)
    const importing = 'leads import --campaign 1 --file leads.csv --country gb'
    expect(await by.json(importing)).toMatchObject({ rows: 5, done: 5, invalid: 0 })
    const numbers = (await by.json('leads list --campaign 1 --all')).map(
      (it: { phone_number: string }) => it.phone_number,
    )
    expect(numbers).toEqual(expect.arrayContaining(international))
    // The same people in international spelling exist already.
    writeFileSync(join(by.cwd, 'again.csv'), `phone\n${international.join('\n')}\n`)
    expect(await by.json('leads import --campaign 1 --file again.csv')).toMatchObject({ done: 0, already: 5 })
    expect((await by.run(importing)).stdout).toContain('every row of leads.csv is done')
  })

  test('shows the numbers as they are read before it asks', async () => {
    const by = withFile('sms.csv', 'to,body\n020 7946 0172,Hello\n')
    const sending = 'sms send --from "Front desk" --file sms.csv --country GB'
    const asked = await by.run(sending, { answers: [[/Send 1 SMS/, true]] })
    expect(asked.exitCode, asked.stderr).toBe(0)
    expect(asked.stderr).toContain('+442079460172')
    expect((await by.json('ops list')).map((it: { target: string }) => it.target)).toEqual(['+442079460172'])
  })

  test('is sent as messages with --country', async () => {
    const by = withFile('people.csv', 'phone,first_name,appointment_day\n07911 123456,Anna,Monday\n')
    const sending = 'messaging send --sender 1 --template appointment_reminder --file people.csv --yes --country GB'
    expect((await by.run(sending)).exitCode).toBe(0)
    expect((await by.json('ops list')).map((it: { target: string }) => it.target)).toEqual(['+447911123456'])
  })

  test('is refused without it, and the error names the flag', async () => {
    const by = withFile('leads.csv', 'phone\n020 8534 1234\n2085341234\n')
    const refused = await by.run('leads import --campaign 1 --file leads.csv')
    expect([refused.exitCode, refused.requests.filter((it) => it.startsWith('POST'))]).toEqual([2, []])
    const hint = 'If the numbers without a country code are of one country, pass --country <code>.'
    expect(refused.stderr).toContain(`hint: Fix the rows. ${hint}`)
    expect((await by.run('leads import --campaign 1 --file leads.csv --dry-run')).stderr).toContain(hint)
    const other = withFile('leads.csv', 'phone\n+123\n')
    expect((await other.run('leads import --campaign 1 --file leads.csv')).stderr).toContain('hint: Fix the rows.\n')
  })

  test('is refused for a number that the country does not have, with the line', async () => {
    const by = withFile('leads.csv', 'phone\n020 8534 1234\n123\n')
    const refused = await by.run('leads import --campaign 1 --file leads.csv --country GB')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('Invalid phone number "123" of GB. Use E.164 for numbers of other countries.')
    const skipped = await by.run('leads import --campaign 1 --file leads.csv --country GB --skip-invalid --json')
    expect(skipped.exitCode).toBe(11)
    expect(JSON.parse(skipped.stdout)).toMatchObject({ done: 1, invalid: 1 })
    const failed = join(by.cwd, 'leads.failed.csv')
    writeFileSync(failed, readFileSync(failed, 'utf8').replace(',123', ',020 7946 0172'))
    expect(await by.json('leads import --campaign 1 --file leads.failed.csv --country GB')).toMatchObject({ done: 1 })
  })

  test('needs a code of a country', async () => {
    const by = withFile('leads.csv', 'phone\n020 8534 1234\n')
    const run = async (country: string) => by.run(`leads import --campaign 1 --file leads.csv --country ${country}`)
    expect(await run('UK')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean GB') })
    expect(await run('Germany')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean DE') })
    expect(await run('XX')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Unknown country "XX"') })
    const single = await by.run('sms send --from "Front desk" --to +442079460172 --body Hello --country GB')
    expect(single).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--country requires --file') })
  })
})
