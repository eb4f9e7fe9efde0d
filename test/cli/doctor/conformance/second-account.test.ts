import { expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../src/cli/doctor/conformance/conformance-report.ts'
import { operator } from '../../../support/operator.ts'
import { foreign } from './foreign-platform.ts'
import { localKey } from './run-conformance.ts'

const scoping = (rows: readonly ConformanceResult[], status: ConformanceResult['status']): readonly string[] =>
  rows.filter((it) => it.case === 'scoping' && it.status === status).map((it) => it.endpoint)

/** Runs the check with a second account. With `leak`, requests to such paths are answered as if for the first one. */
async function checkWithSecond(leak?: RegExp): Promise<readonly ConformanceResult[]> {
  const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  const { id } = await by.json('server accounts create --name Other --balance 5')
  const token = (await by.run(`server accounts key ${id} -o id`)).stdout.trim()
  await by.run('profile set other --url embedded: --api-key-stdin', { stdin: token })
  const { through } = foreign([], by)
  const ran = await by.run('doctor --conformance --json --writes --second-profile other', {
    through: (handle, request) =>
      leak?.test(request.url) && request.headers.authorization === `Bearer ${token}`
        ? through(handle, { ...request, headers: { ...request.headers, authorization: `Bearer ${localKey}` } })
        : through(handle, request),
  })
  expect(ran.exitCode, ran.stderr).toBe(leak ? 20 : 0)
  return JSON.parse(ran.stdout)
}

test('the key of a second account finds none of the records: reads, updates, references and deletions', async () => {
  const rows = await checkWithSecond()
  expect(scoping(rows, 'drift')).toEqual([])
  const same = scoping(rows, 'same')
  for (const noun of ['tools', 'campaigns', 'assistants', 'folders', 'labels', 'knowledge', 'automate', 'leads'])
    expect(same.filter((it) => it.startsWith(`${noun}.`))).toEqual(expect.arrayContaining([`${noun}.delete`]))
  for (const name of ['tools.get', 'labels.update', 'leads.create', 'keys.delete', 'knowledge.listDocuments'])
    expect(same).toContain(name)
})

test('a platform that finds the labels of another account has a drift for each of its endpoints, and for no other', async () => {
  const rows = await checkWithSecond(/\/api\/user\/labels?($|[/?])/)
  expect(scoping(rows, 'drift')).toEqual(['labels.list', 'labels.update', 'labels.delete'])
})

test('a second profile of another platform is refused before any request', async () => {
  const by = operator({ supports: 'neutral' })
  await by.run('profile set away --url https://away.example.com --api-key-stdin', { stdin: '1|x' })
  const ran = await by.run('doctor --conformance --writes --second-profile away', foreign())
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  expect(ran.stderr).toContain('--second-profile "away" is of https://away.example.com')
})
