import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// Rows of an import that a Parley server receives together. leads-import.public.test.ts has what is the same without it.

const importing = 'leads import --campaign 1 --file leads.csv'
const path = '/api/user/lead-batches'
const numberOf = (n: number): string => `+1415${6_000_000 + n}`

function withRows(rows: number, note = ''): Operator {
  const by = operator()
  const lines = Array.from({ length: rows }, (_, n) => `${numberOf(n)},Anna ${n},${note}\n`)
  writeFileSync(join(by.cwd, 'leads.csv'), `phone,first_name,note\n${lines.join('')}`)
  return by
}

const posts = (requests: readonly string[]): string[] => requests.filter((it) => it.startsWith('POST /api/user/lead'))
const total = async (by: Operator): Promise<number> =>
  (await by.json('leads list --campaign 1 --envelope --per-page 1')).total

/** Interrupts the connection after the server has created leads, for the first requests. */
const losing = (times: number): RunOptions => {
  let left = times
  return {
    through: async (handle, request) => {
      const answer = await handle(request)
      return request.url === path && left-- > 0 ? { ...answer, cut: 'answer' } : answer
    },
  }
}

test('rows are sent 500 at a time, with one key for each request, and each has its result', async () => {
  const by = withRows(1200)
  await by.run(`leads create --campaign 1 --phone-number ${numberOf(7)}`)
  const keys: (string | undefined)[] = []
  const { exitCode, stdout, requests } = await by.run(`${importing} --json`, {
    through: (handle, request) => {
      if (request.url === path) keys.push(request.headers['idempotency-key'])
      return handle(request)
    },
  })
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: 1199, already: 1, failed: 0 })])
  expect(posts(requests)).toEqual([`POST ${path}`, `POST ${path}`, `POST ${path}`])
  expect(new Set(keys).size).toBe(3)
  expect(await total(by)).toBe(1206)
})

test('long rows are divided into requests below the limit of a body', async () => {
  const by = withRows(60, 'x'.repeat(40_000))
  const { exitCode, requests } = await by.run(importing)
  expect([exitCode, posts(requests).length]).toEqual([0, 5])
  expect(await total(by)).toBe(66)
})

test('an answer that was lost is asked for again, and no lead is created twice or counted as an earlier one', async () => {
  const by = withRows(700)
  const { exitCode, stdout } = await by.run(`${importing} --json`, losing(2))
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ done: 700, already: 0, failed: 0 })])
  expect(await total(by)).toBe(706)
})

test('a run that ends without answers is continued by the same command', async () => {
  const by = withRows(700)
  const first = await by.run(`${importing} --json`, losing(1000))
  expect(first.exitCode).not.toBe(0)
  expect(await by.json(importing)).toMatchObject({ done: 700, already: 0, failed: 0, left: 0 })
  expect(await total(by)).toBe(706)
})

test('a row that the server refuses fails alone, and is in the file of failed rows', async () => {
  const by = withRows(30)
  const { exitCode, stdout } = await by.run(`${importing} --json`, {
    through: async (handle, request) => {
      const answer = await handle(request)
      if (request.url !== path) return answer
      const body = JSON.parse(answer.body)
      const error = { message: 'Invalid phone number' }
      body.results[3] = { status: 422, id: null, error }
      return { ...answer, body: JSON.stringify(body) }
    },
  })
  expect([exitCode, JSON.parse(stdout)]).toEqual([11, expect.objectContaining({ done: 29, failed: 1 })])
  expect(JSON.parse(stdout).failed_file).toContain('leads.failed.csv')
})

test('results of some rows only are not taken for those of all', async () => {
  const by = withRows(30)
  const { exitCode, stderr } = await by.run(importing, {
    through: async (handle, request) => {
      const answer = await handle(request)
      if (request.url !== path) return answer
      const body = JSON.parse(answer.body)
      return { ...answer, body: JSON.stringify({ ...body, results: body.results.slice(1) }) }
    },
  })
  expect([exitCode, stderr]).toEqual([expect.any(Number), expect.stringContaining('returned 29 results for 30 rows')])
  expect(await by.json(importing)).toMatchObject({ done: 30, left: 0 })
})

test('a server of an earlier version behind the same address gets each row alone', async () => {
  const by = withRows(40)
  const { exitCode, requests } = await by.run(importing, {
    through: async (handle, request) =>
      handle(request.url === path ? { ...request, url: '/api/user/nothing' } : request),
  })
  expect([exitCode, new Set(posts(requests))]).toEqual([0, new Set([`POST ${path}`, 'POST /api/user/lead'])])
  expect(await total(by)).toBe(46)
})

test('each row with --allow-duplicate is a request', async () => {
  const by = withRows(3)
  const { exitCode, requests } = await by.run(`${importing} --allow-duplicate`)
  expect([exitCode, posts(requests)]).toEqual([0, Array(3).fill('POST /api/user/lead')])
})

test('rules for one lead apply to an import', async () => {
  const by = withRows(3)
  await by.run(`server faults create leads.create --where phone_number=${numberOf(1)} --status 422`)
  const { stdout } = await by.run(`${importing} --json`)
  expect(JSON.parse(stdout)).toMatchObject({ done: 2, failed: 1 })
})
