import { sentenceCase, words } from '../data/values.ts'

/** Problem of the account or of the platform. */
export interface Finding {
  readonly code: string
  readonly severity: string
  readonly text: string
  readonly command: string | null
  readonly subject?: { readonly noun: string; readonly id: string } | null
}

/** Problems of one check: identical warnings are one with a count. */
export interface FindingGroup {
  readonly key: string
  readonly severity: string
  readonly title: string
  readonly findings: readonly Finding[]
}

/** Groups findings by check, failures first. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const groups = new Map<string, Finding[]>()
  for (const it of findings) {
    const key = `${it.severity} ${it.code}`
    groups.set(key, [...(groups.get(key) ?? []), it])
  }
  const all = [...groups].map(([key, found]) => {
    const [first] = found as [Finding]
    return { key, severity: first.severity, title: sentenceCase(words(first.code)), findings: found }
  })
  return [...all.filter((it) => it.severity === 'failed'), ...all.filter((it) => it.severity !== 'failed')]
}
