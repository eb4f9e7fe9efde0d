import { changesOf } from '../changes.ts'
import { consent } from '../consent.ts'
import type { Context } from '../context.ts'
import { compareFolder, type Entry, type Layout } from './folder.ts'

/** Whether a push would change the platform because of an entry, or refuse it. What has no file counts only where things are pruned. */
export function isOpen({ standing, fields }: Entry, prunes: boolean): boolean {
  if (standing === 'same') return false
  if (standing === 'new there' || standing === 'gone here') return prunes
  // What was changed may be in fields that the file does not have.
  return standing !== 'changed there' || fields.length > 0
}

/** Each field in which a file and its thing differ, from the platform to the file; secrets are not shown. */
export function linesOf({ fields, here, there }: Entry): string[] {
  if (!here || !there) return []
  return fields.map((name) => {
    const [line] = changesOf({ [name]: there.content[name] ?? null }, { [name]: here.content[name] ?? null })
    return line ?? `${name}: another secret in the environment`
  })
}

/** What was changed or deleted on the platform alone since it was last as the files are: a push takes that back. */
export const driftIn = (written: readonly Entry[]): Entry[] => written.filter(({ standing }) => standing === 'changed there' || standing === 'gone there')

/** Shows drift with the values of both sides. */
export async function tellDrift({ notes }: Context, drift: readonly Entry[]): Promise<void> {
  if (drift.length === 0) return
  const lines = drift.flatMap((it) =>
    it.there ? linesOf(it).map((line) => `${it.file}: ${line}`) : [`${it.file}: deleted on the platform, will be created again with a new id`],
  )
  await notes.note(['Changed on the platform only, so that the platform differs from the files (platform -> file):', ...lines].join('\n'))
}

/** @throws ClientFailure exit 10 without consent to overwrite what somebody else did */
export async function consentToDrift(context: Context, drift: readonly Entry[], pull: string): Promise<void> {
  if (drift.length === 0) return
  const files = drift.map(({ file, there, fields }) => `${file} (${there ? fields.join(', ') : 'deleted'})`).join(', ')
  await consent(context, {
    ask: `Overwrite what was changed on the platform: ${files}? To keep those changes instead, answer no and run ${pull}.`,
    without: `Overwriting what was changed on the platform needs consent: ${files}. To keep those changes instead: ${pull}.`,
  })
}

/** Reads the platform again after a push, and reports what differs from the files still. */
export async function isLeft(context: Context, folder: string, layout: Layout, before: readonly Entry[], diff: string): Promise<boolean> {
  const held = layout.filter(([, kind]) => before.some((it) => it.kind === kind && it.here))
  const { entries } = await compareFolder(context, folder, held, true)
  const left = entries.filter((it) => isOpen(it, false))
  if (left.length === 0) return false
  const told = left.map(({ file, fields }) => (fields.length > 0 ? `${file} (${fields.join(', ')})` : file)).join(', ')
  await context.notes.warn(`After the push, the platform differs from the files still: ${told}. See what differs: ${diff}`)
  return true
}
