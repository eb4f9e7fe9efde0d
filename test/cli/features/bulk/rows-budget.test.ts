import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const posts = (requests: readonly string[]): string[] => requests.filter((it) => it.startsWith('POST'))

/** Writes a file of patients, and returns the command that sends each an SMS. */
function patients({ cwd }: Operator, names: readonly string[], body = 'Hello'): string {
  const rows = names.map((name, n) => `+141555501${60 + n},${name}`)
  writeFileSync(join(cwd, 'patients.csv'), `phone,name\n${rows.join('\n')}\n`)
  return `sms send --from 4 --file patients.csv --body "${body}" --yes`
}

const spentBy = async ({ json }: Operator): Promise<number> =>
  Math.round((await json('billing usage --by kind')).find((it: { key: string }) => it.key === 'sms').amount * 1000)

test('all rows are compared with --budget before the first one, and --limit sends those that it covers', async () => {
  const by = operator()
  const line = patients(by, ['Anna', 'Ben', 'Cleo'])
  const run = await by.run(`${line} --budget 0.02`)
  expect(run).toMatchObject({
    exitCode: 5,
    stdout: '',
    stderr: expect.stringContaining('This can cost 0.03 USD, more than --budget 0.02. Nothing was sent.'),
  })
  expect(run.stderr).toContain('pass --limit 2 to send the first 2 SMS. Run the same command again for the next ones.')
  expect(posts(run.requests)).toEqual([])
  expect(await by.run(`${line} --budget 0.02 --limit 2`)).toMatchObject({ exitCode: 11 })
  expect(await spentBy(by)).toBe(20)
  // Only the rows that remain count.
  expect(await by.run(`${line} --budget 0.02`)).toMatchObject({ exitCode: 0 })
  expect(await spentBy(by)).toBe(30)
  expect((await by.json('ops list')).map((it: { amount_usd: number }) => it.amount_usd)).toEqual([0.01, 0.01, 0.01])
})

test('each row counts with the segments of its text', async () => {
  const by = operator()
  const line = patients(by, ['Anna', 'x'.repeat(161)], 'Hello {{name}}')
  const run = await by.run(`${line} --budget 0.029`)
  expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('This can cost 0.03 USD') })
  expect(run.stderr).toContain('--limit 1 to send the first 1 SMS')
  expect(await by.run(`${line} --budget 0.03`)).toMatchObject({ exitCode: 0 })
  expect(await spentBy(by)).toBe(30)
})

test('messages have the price of their template', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'patients.csv'), 'phone\n+14155550161\n+14155550162\n')
  const line = 'messaging send --sender 1 --template opening_hours --file patients.csv --yes'
  const run = await by.run(`${line} --budget 0.007`)
  expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('This can cost 0.016 USD') })
  expect(run.stderr).toContain('Raise --budget.')
  expect(await by.run(`${line} --budget 0.016`)).toMatchObject({ exitCode: 0 })
})

test('a platform that charges more than its price stops the run before the budget is exceeded further, and it resumes', async () => {
  const by = operator()
  const names = Array.from({ length: 30 }, (_, n) => `Patient ${n}`)
  const line = patients(by, names)
  const higherPrice: RunOptions['through'] = async (handle, request) => {
    const response = await handle(request)
    if (request.method !== 'POST') return response
    const body = JSON.parse(response.body)
    body.data.total_cost = 0.03
    return { ...response, body: JSON.stringify(body) }
  }
  const first = await by.run(`${line} --budget 0.30`, { through: higherPrice })
  expect(first).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('can exceed --budget 0.3.') })
  const sent = posts(first.requests).length
  // Rows in flight at once had the reported price.
  expect(sent).toBeGreaterThanOrEqual(10)
  expect(sent).toBeLessThan(15)
  const second = await by.run(`${line} --budget 0.30`)
  expect(second).toMatchObject({ exitCode: 0 })
  expect(posts(second.requests).length).toBe(30 - sent)
  expect(await spentBy(by)).toBe(300)
})

test('is refused if the platform does not report prices', async () => {
  const by = operator()
  const run = await by.run(`${patients(by, ['Anna'])} --budget 5`, { through: notParleyServer })
  expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('The price is not known') })
  expect(posts(run.requests)).toEqual([])
})
