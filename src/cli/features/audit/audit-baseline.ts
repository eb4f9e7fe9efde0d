import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from '../../../contract/schema/schema.ts'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { System } from '../../program/system.ts'
import { type AccountAudit, type AuditFinding, auditCategories } from './audit-account.ts'

/**
 * An accepted finding. People may add fields, such as a reason. The name tells another resource with the same id, or
 * another account. Users commit the file: fields are added, not renamed, and accepted findings are found by the four of
 * `keyOf`.
 */
const Entry = z.looseObject({
  category: z.enum(auditCategories),
  noun: z.string(),
  id: z.union([z.number(), z.string()]),
  name: z.string().nullable(),
})
const BaselineSchema = z.looseObject({ findings: z.array(Entry) })

type BaselineEntry = ReturnType<typeof Entry.parse>
type Baseline = ReturnType<typeof BaselineSchema.parse>

const keyOf = ({ category, noun, id, name }: Pick<AuditFinding, 'category' | 'noun' | 'id' | 'name'>): string =>
  stringifyJson([category, noun, String(id), name])

/** Reads the file of accepted findings. With `mayBeMissing` it is empty before it is written. @throws ClientFailure `usage` */
export function readBaseline({ cwd }: Pick<System, 'cwd'>, file: string, mayBeMissing: boolean): Baseline {
  const path = resolve(cwd, file)
  if (!existsSync(path)) {
    if (mayBeMissing) return { findings: [] }
    throw usageError(`--baseline: ${file} does not exist.`, 'Accept the findings of now: add --accept.')
  }
  try {
    return BaselineSchema.parse(parseJson(readFileSync(path, 'utf8')))
  } catch (error) {
    throw usageError(
      (error as NodeJS.ErrnoException).syscall
        ? `--baseline: Could not read ${file}: ${describeFileError(error)}.`
        : `--baseline: ${file} is not a baseline of "parley audit".`,
      'Fix the file, or delete it and pass --accept.',
    )
  }
}

/** An audit without the findings that are accepted. */
export interface BaselineComparison {
  readonly audit: AccountAudit
  readonly acceptedCount: number
  /** Accepted findings that are not found any more. What was not judged may still be there. */
  readonly gone: readonly BaselineEntry[]
}

/** Takes accepted findings out of an audit. */
export function compareWithBaseline(audit: AccountAudit, { findings: accepted }: Baseline): BaselineComparison {
  const known = new Set(accepted.map(keyOf))
  const found = new Set(audit.findings.map(keyOf))
  const findings = audit.findings.filter((it) => !known.has(keyOf(it)))
  const judged = new Set(
    audit.unread.length > 0
      ? []
      : audit.nouns.flatMap(({ noun, categories }) => categories.map((category) => `${noun} ${category}`)),
  )
  return {
    audit: { ...audit, findings },
    acceptedCount: audit.findings.length - findings.length,
    gone: accepted.filter((it) => judged.has(`${it.noun} ${it.category}`) && !found.has(keyOf(it))),
  }
}

/** Writes all findings of an audit to the file, and removes those that are not found any more. @throws ClientFailure `usage` */
export function acceptFindings(
  { cwd }: Pick<System, 'cwd'>,
  file: string,
  before: Baseline,
  { audit, gone }: BaselineComparison,
): void {
  const entries = [
    ...before.findings.filter((it) => !gone.includes(it)),
    ...audit.findings.map(({ category, noun, id, name }) => ({ category, noun, id, name })),
  ]
  try {
    replaceFile(resolve(cwd, file), `${stringifyJson({ ...before, findings: entries }, null, 2)}\n`, { mode: 'keep' })
  } catch (error) {
    throw usageError(`--baseline: Could not write ${file}: ${describeWriteError(error)}.`)
  }
}
