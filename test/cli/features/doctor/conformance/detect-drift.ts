import { expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { operator } from '../../../../support/operator.ts'
import { groups } from './drift-groups.ts'
import { type Planted, withPlanted } from './drifting-platform.ts'

/** Finds out what a platform that differs in the ways of each group does otherwise. */
export function detectDrifts(names: readonly string[]): void {
  test.each(names.map((name) => [name, groups[name] as readonly Planted[]] as const))(
    'a platform that differs is detected: %s',
    async (_, planted) => {
      const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', withPlanted(planted))
      expect(ran, ran.stderr).toMatchObject({ exitCode: 20 })
      const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
      const statusOf = (endpoints: readonly string[]): string => {
        const statuses = new Set(rows.filter((it) => endpoints.includes(it.endpoint)).map((it) => it.status))
        return (['drift', 'tolerated', 'same', 'not_checked'] as const).find((it) => statuses.has(it)) ?? 'nothing'
      }
      const seen = planted.map(
        ({ endpoint, name, shownBy = [] }) => `${endpoint}: ${name}: ${statusOf([endpoint, ...shownBy])}`,
      )
      expect(seen).toEqual(
        planted.map(({ endpoint, name, tolerated }) => `${endpoint}: ${name}: ${tolerated ? 'tolerated' : 'drift'}`),
      )
    },
  )
}
