import { expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { operator } from '../../../../support/operator.ts'
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

test('a record that a leaking endpoint creates in the second account is deleted again', async () => {
  const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  const { id } = await by.json('server accounts create --name Other --balance 5')
  const token = (await by.run(`server accounts key ${id} -o id`)).stdout.trim()
  await by.run('profile set other --url embedded: --api-key-stdin', { stdin: token })
  const fields = '--voice-id 1 --language-id 1 --type outbound --mode pipeline --timezone UTC --llm-model-id 2'
  const assistant = await by.json(
    `assistants create --profile other --name Theirs ${fields} --initial-message Hi --system-prompt Hi`,
  )
  const campaign = await by.json(`campaigns create --profile other --name Theirs --assistant ${assistant.id}`)
  const { through } = foreign([], by)
  let created = 0
  const ran = await by.run('doctor --conformance --json --writes --second-profile other', {
    async through(handle, request) {
      if (request.headers.authorization !== `Bearer ${token}` || request.method !== 'POST')
        return through(handle, request)
      if (!/\/api\/user\/lead$/.test(request.url)) return through(handle, request)
      const body = { ...JSON.parse(String(request.body)), campaign_id: campaign.id }
      const response = await through(handle, { ...request, body: JSON.stringify(body) })
      if (response.status < 300) created++
      return response
    },
  })
  const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
  expect([created, scoping(rows, 'drift')]).toEqual([1, ['leads.create']])
  expect(await by.json('leads list --all --profile other')).toEqual([])
  expect(await by.json('campaigns list --profile other')).toMatchObject([{ name: 'Theirs' }])
})

test('a second profile of another platform is refused before any request', async () => {
  const by = operator({ supports: 'neutral' })
  await by.run('profile set away --url https://away.example.com --api-key-stdin', { stdin: '1|x' })
  const ran = await by.run('doctor --conformance --writes --second-profile away', foreign())
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  expect(ran.stderr).toContain('--second-profile "away" is of https://away.example.com')
})
