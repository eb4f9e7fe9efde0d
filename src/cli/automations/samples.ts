import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../folder.ts'
import type { Context } from '../context.ts'
import { withoutSecrets } from '../hidden.ts'
import { folderOf } from '../history/copies.ts'
import { placeOf } from '../history/recorder.ts'

/** A sample that an automation was tested with. */
interface KeptSample {
  /** ISO 8601. */
  readonly at: string
  readonly sample: Readonly<Record<string, unknown>>
}

/** Samples that are kept of each automation. */
const limit = 10

const fileOf = async (context: Context, id: string): Promise<string> => join(folderOf(context.world, await placeOf(context)), 'samples', `${id}.json`)

function read(file: string): readonly KeptSample[] {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as readonly KeptSample[]
    return Array.isArray(kept) ? kept.filter((it) => typeof it?.at === 'string' && typeof it.sample === 'object' && it.sample !== null) : []
  } catch {
    return []
  }
}

/** Keeps what an automation was tested with, without secrets, beside the history of its profile. Never fails: the next test goes without. */
export async function keepSample(context: Context, id: string, sample: unknown): Promise<void> {
  if (typeof sample !== 'object' || sample === null || !/^[\w-]{1,64}$/.test(id)) return
  const { world } = context
  try {
    const file = await fileOf(context, id)
    makeFolder(join(file, '..'))
    const kept = [...read(file), { at: new Date(world.now()).toISOString(), sample: withoutSecrets(sample) }].slice(-limit)
    writeFileSync(`${file}.${world.pid}`, JSON.stringify(kept), { mode: 0o600 })
    renameSync(`${file}.${world.pid}`, file)
  } catch {
    // A folder that cannot be written: the automation is updated all the same.
  }
}

/** The newest sample an automation was tested with from here; with `before` (ISO 8601) the newest of that time. Undefined where none is kept. */
export async function keptSample(context: Context, id: string, before?: string): Promise<KeptSample | undefined> {
  if (!/^[\w-]{1,64}$/.test(id)) return undefined
  return read(await fileOf(context, id)).findLast((it) => before === undefined || it.at <= before)
}
