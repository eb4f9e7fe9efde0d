import { usd } from '../../../contract/values/money.ts'
import { escapeCell, escapeXml } from '../../program/output/report-files.ts'
import { type AccountAudit, type AuditCategory, type AuditFinding, auditCategories } from './audit-account.ts'

/** Returns a category in words. */
export const categoryText = (category: AuditCategory): string => category.replaceAll('_', '-')

const count = (findings: readonly AuditFinding[], category: AuditCategory): number =>
  findings.filter((it) => it.category === category).length

/** Returns what the findings cost in USD per month, each resource once; null if no price is known. */
export function monthlyCost(findings: readonly AuditFinding[]): number | null {
  const prices = new Map(
    findings.flatMap((it) => (it.monthly_usd === null ? [] : [[`${it.noun} ${it.id}`, it.monthly_usd] as const])),
  )
  return prices.size === 0 ? null : Number([...prices.values()].reduce((sum, it) => sum + it, 0).toFixed(6))
}

/** Returns the sentence that sums up an audit. */
export function summaryLine({ findings, nouns }: AccountAudit): string {
  const total = nouns.reduce((sum, it) => sum + it.count, 0)
  if (findings.length === 0) return `Nothing found in ${total} resources.`
  const counts = auditCategories.flatMap((category) => {
    const found = count(findings, category)
    return found > 0 ? [`${found} ${categoryText(category)}`] : []
  })
  const cost = monthlyCost(findings)
  return `${counts.join(', ')}, in ${total} resources${cost === null ? '' : `. They cost ${usd(cost)} per month`}.`
}

const ageText = ({ age_days: days }: AuditFinding): string => (days === null ? '' : String(days))
const priceText = ({ monthly_usd: price }: AuditFinding): string => (price === null ? '' : usd(price))

/** Returns an audit as Markdown, for people who read the summary of a job. */
export function markdownReport(audit: AccountAudit, platform: string): string {
  const rows = audit.findings.map((finding) => {
    const commands = finding.commands.map((it) => `\`${it.replaceAll('`', '').replaceAll('|', '\\|')}\``).join('<br>')
    return `| ${categoryText(finding.category)} | ${escapeCell(finding.detail)} | ${ageText(finding)} | ${priceText(finding)} | ${commands} |`
  })
  const table =
    rows.length === 0
      ? ''
      : `| Category | Finding | Days | Price per month | Command |\n|---|---|---|---|---|\n${rows.join('\n')}\n\n`
  return `## Audit of ${escapeCell(platform)}\n\n${escapeCell(summaryLine(audit))}\n\n${table}`
}

/** Returns an audit as JUnit XML: a case for each noun and category, which fails with its findings. CI services follow a case over time by its class and name. */
export function junitReport({ findings, nouns, unread }: AccountAudit): string {
  const all = nouns.flatMap(({ noun, categories }) =>
    categories.map((category) => ({
      noun,
      category,
      found: findings.filter((it) => it.noun === noun && it.category === category),
    })),
  )
  const cases = all.map(({ noun, category, found }) => {
    const open = `  <testcase classname="${escapeXml(noun)}" name="${category}"`
    if (found.length === 0) return `${open}/>`
    const lines = found.map((it) => escapeXml([it.detail, ...it.commands].join(' ')))
    return `${open}><failure type="${category}" message="${found.length} ${categoryText(category)}">${lines.join('\n')}</failure></testcase>`
  })
  for (const { what, message } of unread)
    cases.push(
      `  <testcase classname="${escapeXml(what)}" name="read"><error message="${escapeXml(message)}"/></testcase>`,
    )
  const failures = all.filter((it) => it.found.length > 0).length
  const counts = `tests="${cases.length}" failures="${failures}" errors="${unread.length}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="parley audit" ${counts}>\n${cases.join('\n')}\n</testsuite>\n`
}

/** What one account has of a noun. */
interface NounSide {
  readonly resources: number
  readonly unused: number
  readonly stale: number
  readonly duplicate: number
  readonly orphaned: number
  readonly over_privileged: number
  /** What the findings cost in USD per month; null if no price is known. */
  readonly monthly_usd: number | null
}

/** What two accounts have under one name, if they differ: the categories of its findings; null if it does not exist. */
export interface ComparedName {
  readonly name: string
  readonly here: readonly AuditCategory[] | null
  readonly there: readonly AuditCategory[] | null
}

/** A noun of two accounts. Scripts read it as JSON: fields are added, not renamed. */
export interface ComparedNoun {
  readonly noun: string
  readonly here: NounSide
  readonly there: NounSide
  /** Null if one of the lists could not be read. */
  readonly differences: readonly ComparedName[] | null
}

/** Compares the audits of two accounts, noun by noun. */
export function compareAudits(here: AccountAudit, there: AccountAudit): readonly ComparedNoun[] {
  const side = ({ findings, nouns }: AccountAudit, noun: string): NounSide => {
    const own = findings.filter((it) => it.noun === noun)
    const counts = Object.fromEntries(auditCategories.map((it) => [it, count(own, it)])) as Record<
      AuditCategory,
      number
    >
    return { resources: nouns.find((it) => it.noun === noun)?.count ?? 0, ...counts, monthly_usd: monthlyCost(own) }
  }
  return here.nouns.map(({ noun }) => ({
    noun,
    here: side(here, noun),
    there: side(there, noun),
    differences: compareNames(categoriesByName(here, noun), categoriesByName(there, noun)),
  }))
}

type CategoriesByName = ReadonlyMap<string, readonly AuditCategory[]>

/** Returns the categories of findings of each name of a noun; undefined if its list could not be read. */
function categoriesByName({ findings, nouns }: AccountAudit, noun: string): CategoriesByName | undefined {
  const names = nouns.find((it) => it.noun === noun)?.names
  if (!names) return undefined
  const found = new Map<string, AuditCategory[]>(names.map((name) => [name, []]))
  for (const { name, id, category } of findings.filter((it) => it.noun === noun)) {
    const known = found.get(name ?? String(id))
    if (known && !known.includes(category)) known.push(category)
  }
  return found
}

/** Returns the names that only one account has, or that have other findings in it. */
function compareNames(
  here: CategoriesByName | undefined,
  there: CategoriesByName | undefined,
): readonly ComparedName[] | null {
  if (!here || !there) return null
  return [...new Set([...here.keys(), ...there.keys()])]
    .map((name) => ({ name, here: here.get(name) ?? null, there: there.get(name) ?? null }))
    .filter((it) => String(it.here?.toSorted()) !== String(it.there?.toSorted()))
}
