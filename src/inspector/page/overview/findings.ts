import { sentenceCase, words } from '../data/values.ts'
import type { Entry } from '../timeline/entry.ts'

/**
 * Problem of the account or of the platform. local-inspector.ts makes those of the account; `inspector.overview` of the
 * contract has those of the platform.
 */
export interface Finding {
  readonly code: string
  readonly severity: string
  readonly text: string
  readonly command: string | null
  readonly subject?: { readonly noun: string; readonly id: string } | null
}

/** Problems of one check: identical warnings are one with a count. */
interface FindingGroup {
  readonly key: string
  readonly severity: string
  readonly title: string
  readonly findings: readonly Finding[]
}

/** Groups findings by check, failures first. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const key = `${finding.severity} ${finding.code}`
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  const all = [...groups].map(([key, found]) => {
    const [first] = found as [Finding]
    return { key, severity: first.severity, title: sentenceCase(words(first.code)), findings: found }
  })
  return [...all.filter((it) => it.severity === 'failed'), ...all.filter((it) => it.severity !== 'failed')]
}

/** Groups failures that differ only in their time, newest first. */
export function groupFailures(
  entries: readonly Entry[],
): readonly { readonly newest: Entry; readonly count: number }[] {
  const groups = new Map<string, { readonly newest: Entry; readonly count: number }>()
  for (const entry of entries) {
    const key = [entry.kind, entry.title, entry.kind === 'request' ? entry.status : entry.text].join('\n')
    const group = groups.get(key)
    groups.set(key, { newest: group?.newest ?? entry, count: (group?.count ?? 0) + 1 })
  }
  return [...groups.values()]
}
