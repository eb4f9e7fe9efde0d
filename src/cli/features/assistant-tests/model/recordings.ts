import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestScenario } from '../scenario-schema.ts'
import { cassettePath } from './cassette.ts'

/** Returns the file names of the cassettes of a project. */
export function listRecordings(testsFolder: string): readonly string[] {
  const folder = join(testsFolder, 'cassettes')
  return existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json')) : []
}

/** Returns the file names of the cassettes that no scenario uses. */
export function unusedRecordings(testsFolder: string, scenarios: readonly TestScenario[]): readonly string[] {
  const used = new Set(
    scenarios.filter((it) => it.model !== 'local').map((it) => basename(cassettePath(testsFolder, it))),
  )
  return listRecordings(testsFolder).filter((it) => !used.has(it))
}
