import { expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'
import { operator, type RunOptions } from '../../../../support/operator.ts'

test('the check of the local platform is shown as a table with a summary for people', async () => {
  const { exitCode, stdout, stderr } = await operator({ supports: 'neutral' }).run('doctor --conformance', {
    terminal: true,
  })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/same\S*\s+│?\s*tools\.create/)
  expect(stderr).toMatch(/\d+ cases: \d+ same, 0 tolerated, 0 drift, \d+ not checked\./)
})

test('endpoints of a Parley server are not requested on a platform that does not advertise them', async () => {
  const by = operator({ supports: 'neutral' })
  const plain: RunOptions['through'] = async (handle, request) => {
    const answer = await handle(request)
    const own = Object.keys(answer.headers).filter((it) => it.startsWith('parley-'))
    return {
      ...answer,
      headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !own.includes(name))),
    }
  }
  const ran = await by.run('doctor --conformance --json', { through: plain })
  const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
  const own = endpoints
    .filter((it) => it.auth !== 'control' && (it.capability !== undefined || it.assumed?.startsWith('only on')))
    .map((it) => it.name)
  expect(own).toContain('automate.versions')
  for (const name of own)
    expect(
      rows.filter((it) => it.endpoint === name && it.status !== 'not_checked'),
      name,
    ).toEqual([])
  expect(ran.requests.filter((it) => it.includes('/versions'))).toEqual([])
  expect(rows.filter((it) => it.status === 'drift')).toEqual([])
  expect(ran.exitCode).toBe(0)
})
