import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { describeCommands } from '../../../../../src/cli/reference/command-reference/command-descriptions.ts'
import { endpoints } from '../../../../../src/contract/resources/index.ts'
import { createSecretGenerator } from '../../../../../src/platform/control/data-folder/secret-generator.ts'
import { type Operator, sampleSeed } from '../../../../support/operator.ts'

export const localKey = `1|${createSecretGenerator(sampleSeed)('key local', 40)}`

export async function conformance(by: Operator, flags = '', exitCode = 0): Promise<readonly ConformanceResult[]> {
  const ran = await by.run(`doctor --conformance --json ${flags}`)
  expect(ran, ran.stderr).toMatchObject({ exitCode })
  const rows = JSON.parse(ran.stdout)
  const [described] = await describeCommands(['doctor'])
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(described?.output_schema as object)
  isValid(rows)
  expect(isValid.errors ?? [], 'the published schema of the rows').toEqual([])
  return rows
}

export const namesOf = (rows: readonly ConformanceResult[], status: ConformanceResult['status']): string[] =>
  rows.filter((it) => it.status === status).map((it) => it.endpoint)

export const writes = endpoints.filter((it) => it.method !== 'GET').map((it) => it.name)

/** An operation that waits would ask a person about a plan of no command: it is tested with the platform and the commands. */
const isAboutApproval = ({ endpoint }: Pick<ConformanceResult, 'endpoint'>): boolean =>
  endpoint.startsWith('approvals.') && endpoint !== 'approvals.list'

/** Every endpoint has its response checked, except those named, each with a reason, and operations that wait. */
export function expectAll(rows: readonly ConformanceResult[], unlooked: readonly string[]): void {
  const answers = new Map(rows.filter((it) => it.case === 'answer').map((it) => [it.endpoint, it]))
  expect([...answers.keys()]).toEqual(endpoints.map((it) => it.name))
  const skipped = [...answers.values()].filter((it) => it.status === 'not_checked' && !isAboutApproval(it))
  expect(
    skipped.map((it) => it.endpoint),
    'Endpoints that the check does not call. A write needs a step in src/cli/features/doctor/conformance/write-steps.ts',
  ).toEqual(endpoints.map((it) => it.name).filter((it) => unlooked.includes(it) && !isAboutApproval({ endpoint: it })))
  for (const endpoint of skipped) expect(endpoint.note, endpoint.endpoint).toMatch(/^The endpoint writes(\.|, and) /)
}

/** Starts a server in this process, and ends it when `use` is done with it. */
export async function serving<T>(by: Operator, flags: string, use: (url: string) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const ended = by.run(`server start --port 0 ${flags}`, { interrupt })
  const lock = join(by.dataDir, 'server.json')
  try {
    await expect.poll(() => existsSync(lock), { interval: 5 }).toBe(true)
    return await use(JSON.parse(readFileSync(lock, 'utf8')).url)
  } finally {
    interrupt.abort(130)
    await ended
  }
}
