import { type Dirent, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { Context } from '../context.ts'
import { redactSecrets } from '../secrets/masked-values.ts'
import type { System } from '../system.ts'
import { historyDir, historyScope, makeHistoryFolder, scopeFolder } from './entries.ts'

/** Trigger input that an automation was tested with, as its file has it: fields are added and not renamed. */
interface StoredSample {
  /** ISO 8601. */
  readonly at: string
  readonly sample: Readonly<Record<string, unknown>>
}

/** Number of samples saved for each automation. */
const maxSamples = 10

/** Returns the file of the samples of an automation. Earlier samples are found by its name: it never changes. */
const fileOf = async (context: Context, id: string): Promise<string> =>
  join(scopeFolder(context.system, await historyScope(context)), 'samples', `${id}.json`)

function read(file: string): readonly StoredSample[] {
  try {
    const samples = parseJson(readFileSync(file, 'utf8')) as readonly StoredSample[]
    return Array.isArray(samples)
      ? samples.filter((it) => typeof it?.at === 'string' && typeof it.sample === 'object' && it.sample !== null)
      : []
  } catch {
    return []
  }
}

/**
 * Saves the trigger input of a test beside the history of the profile. A sample that contains a secret is not saved.
 * Never fails; without the sample, the next test runs without one.
 */
export async function saveSample(context: Context, id: string, sample: unknown): Promise<void> {
  if (typeof sample !== 'object' || sample === null || !/^[\w-]{1,64}$/.test(id)) return
  const { system } = context
  if (stringifyJson(redactSecrets(sample)) !== stringifyJson(sample)) return
  try {
    const file = await fileOf(context, id)
    makeHistoryFolder(system, join(file, '..'))
    const samples = [...read(file), { at: new Date(system.now()).toISOString(), sample }].slice(-maxSamples)
    replaceFile(file, stringifyJson(samples))
  } catch {
    // A folder that cannot be written must not stop the update.
  }
}

/**
 * Returns the newest local sample of an automation; with `until` (ISO 8601) the newest up to that time. Undefined if
 * there is none.
 */
export async function findSample(context: Context, id: string, until?: string): Promise<StoredSample | undefined> {
  if (!/^[\w-]{1,64}$/.test(id)) return undefined
  return read(await fileOf(context, id)).findLast((it) => until === undefined || it.at <= until)
}

/** Returns how to test an automation with another sample, which later checks of this computer then use. */
export const sampleHint = (id: number | string): string =>
  `With other trigger input: parley automate update ${id} --file <file> --sample <json>`

/** Deletes samples of every profile older than a time (milliseconds since 1970). */
export function purgeSamples(system: System, beforeMs: number): void {
  const since = new Date(beforeMs).toISOString()
  for (const folder of foldersIn(historyDir(system)).map((it) => join(it, 'samples')))
    for (const file of filesIn(folder)) {
      const left = read(file).filter((it) => it.at >= since)
      if (left.length === 0) rmSync(file, { force: true })
      else replaceFile(file, stringifyJson(left))
    }
}

const entriesIn = (folder: string): readonly Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
const foldersIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((it) => (it.isDirectory() ? [join(folder, it.name)] : []))
const filesIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((it) => (it.isFile() && it.name.endsWith('.json') ? [join(folder, it.name)] : []))
