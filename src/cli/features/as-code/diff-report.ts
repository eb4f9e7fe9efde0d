import { fieldDifferences } from './drift.ts'
import type { SyncEntry } from './merge-entry.ts'
import { isDifferent } from './sync-view.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// Characters that XML does not allow are removed.
const escapeXml = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (it) => (it === '\n' || it === '\t' ? it : ''))
    .replaceAll(/[&<>"]/g, (it) => escapes[it] as string)
const escapeCell = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`|<>*_[\]]/g, (it) => `\\${it}`)

const statusText = ({ status }: SyncEntry): string => status.replaceAll('_', ' ')

/** Returns the result of a comparison as Markdown, for the summary of a job. `platform` describes the platform. */
export function markdownReport(entries: readonly SyncEntry[], platform: string): string {
  const different = entries.filter(isDifferent)
  const title = `## ${escapeCell(platform)}\n\n`
  if (different.length === 0) return `${title}No differences in ${entries.length} resources.\n\n`
  const rows = different.map((it) => {
    const lines = fieldDifferences(it).map(escapeCell)
    return `| ${escapeCell(it.file)} | ${statusText(it)} | ${lines.join('<br>')} |`
  })
  return `${title}${different.length} of ${entries.length} resources differ. Values: platform -> file.\n\n| File | Status | Differences |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/** Returns the result of a comparison as JUnit XML: a test case for each resource, which fails if it differs. */
export function junitReport(entries: readonly SyncEntry[]): string {
  const cases = entries.map((it) => {
    const open = `  <testcase classname="${escapeXml(it.kind.noun)}" name="${escapeXml(it.name)}" file="${escapeXml(it.file)}"`
    if (!isDifferent(it)) return `${open}/>`
    const lines = [statusText(it), ...fieldDifferences(it)].map(escapeXml)
    return `${open}><failure type="${it.status}" message="${statusText(it)}">${lines.join('\n')}</failure></testcase>`
  })
  const counts = `tests="${entries.length}" failures="${entries.filter(isDifferent).length}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="parley diff" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}
