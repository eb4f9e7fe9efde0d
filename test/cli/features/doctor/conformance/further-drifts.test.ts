import { expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { operator } from '../../../../support/operator.ts'
import type { Planted } from './drifting-platform.ts'
import { foreign } from './foreign-platform.ts'
import { furtherReads, furtherWrites } from './further-drifts.ts'

const missed = (text: string, planted: readonly Planted[]): readonly string[] => {
  const rows: readonly ConformanceResult[] = JSON.parse(text)
  const differing = new Set(rows.filter((it) => it.status === 'drift').map((it) => it.endpoint))
  return planted
    .filter((it) => ![it.endpoint, ...(it.shownBy ?? [])].some((name) => differing.has(name)))
    .map((it) => `${it.endpoint}: ${it.name}`)
}

test('further drifts are found by reads alone', async () => {
  const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', foreign(furtherReads))
  expect(missed(ran.stdout, furtherReads)).toEqual([])
})

test('further drifts are found by writes', async () => {
  const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  const ran = await by.run('doctor --conformance --json --writes --budget 20', foreign(furtherWrites, by))
  expect(missed(ran.stdout, furtherWrites)).toEqual([])
})
