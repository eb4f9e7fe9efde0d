import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { View } from '../../program/output/form.ts'

/** Result of one file. */
export interface PushResult {
  readonly file: string
  readonly id: number | string | null
  /**
   * `test_failed`: the test of the definition failed and the previous version is live. `conflict`: it was changed remotely
   * during the command, and was not written.
   */
  readonly done:
    | 'test_failed'
    | 'created'
    | 'updated'
    | 'deleted'
    | 'failed'
    | 'conflict'
    | 'would_create'
    | 'would_update'
    | 'would_delete'
  readonly remark: string | null
  /** Set if the change cannot be undone. */
  readonly undo?: false | undefined
}

export const pushResultView: View<PushResult> = {
  id: (it) => it.id ?? it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'done', title: 'Result', priority: 1, kind: 'status' },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'remark', title: 'Note', priority: 1, flexible: true },
  ],
  empty: 'Nothing to push: the platform matches the files.',
}

/** Returns whether a file was not written. */
export const isNotWritten = ({ done }: PushResult): boolean => done === 'failed' || done === 'conflict'

/** Adds the remarks of the plan to results. They do not change the exit code. */
export const withRemarks = <T extends Pick<PushResult, 'file' | 'remark'>>(
  results: readonly T[],
  remarks: ReadonlyMap<string, readonly string[]>,
): T[] =>
  results.map((it) => {
    const lines = [...(it.remark === null ? [] : [it.remark]), ...(remarks.get(it.file) ?? [])]
    return { ...it, remark: lines.length > 0 ? lines.join(' ') : null }
  })

/** Returns the exit code of a run with results that were not written: 5 if all of them were changed remotely during it. */
export function failureExit(results: readonly PushResult[]): 'conflict' | 'partial' | undefined {
  if (results.some((it) => it.done === 'failed')) return 'partial'
  return results.some((it) => it.done === 'conflict') ? 'conflict' : undefined
}

/** Formats an error without repetition: a message that is also in a field detail appears once, with the field. */
export function failureRemark({
  message: text,
  details,
  exit,
  hint,
}: Pick<ClientFailure, 'message' | 'details'> & Partial<Pick<ClientFailure, 'exit' | 'hint'>>): string {
  const message = exit === 'consent' && hint !== undefined ? `${text} ${hint}` : text
  const bare = (it: string): string => it.trim().replace(/\.$/, '')
  const detailLines = details.map((it) => `${it.path}: ${it.message}`)
  if (detailLines.length === 0 || detailLines.every((it) => message.includes(bare(it)))) return message
  if (details.some((it) => bare(it.message) === bare(message))) return detailLines.join(' ')
  return `${bare(message)}: ${detailLines.join(' ')}`
}

/** Adds the file name to a usage error. */
export async function namingFile<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof ClientFailure) || (error.exit !== 'usage' && error.code !== 'masked_value')) throw error
    const { exit, code, message, hint } = error
    throw new ClientFailure({ exit, code, message: `${path}: ${message}`, ...(hint !== undefined && { hint }) })
  })
}
