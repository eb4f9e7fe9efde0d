import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import { readKeysInUse } from '../../nouns/keys/keys-in-use.ts'
import { command } from '../../program/commandline/command.ts'
import { describePlatform } from '../../program/configuration/active-profile.ts'
import type { Context } from '../../program/context.ts'
import { createAccountReader, noteFailures, offeredToReader } from '../../program/dependencies/account-reader.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { addressCommands, platformFlags } from '../../program/output/addressed-commands.ts'
import type { View } from '../../program/output/format.ts'
import { reportFlags, writeReports } from '../../program/output/report-files.ts'
import { openSide } from '../as-code/promotion/profile-pair.ts'
import {
  type AccountAudit,
  type AuditCategory,
  type AuditFinding,
  auditAccount,
  auditCategories,
} from './audit-account.ts'
import { acceptFindings, type BaselineComparison, compareWithBaseline, readBaseline } from './audit-baseline.ts'
import {
  type ComparedName,
  type ComparedNoun,
  categoryText,
  compareAudits,
  junitReport,
  markdownReport,
  summaryLine,
} from './audit-reports.ts'

const view: View<AuditFinding> = {
  id: (it) => it.id,
  columns: [
    { key: ({ category }) => category && categoryText(category), field: 'category', title: 'Category', priority: 1 },
    { key: 'detail', title: 'Finding', priority: 1, flexible: true },
    { key: 'age_days', title: 'Days', priority: 2, kind: 'number' },
    { key: 'monthly_usd', title: 'USD/month', priority: 2, kind: 'number' },
    { key: ({ commands }) => commands[0], field: 'commands', title: 'Command', priority: 3, flexible: true },
    { key: 'noun', title: 'Noun', priority: 8 },
    { key: 'id', title: 'ID', priority: 8 },
    { key: 'name', title: 'Name', priority: 9 },
    { key: 'since', title: 'Since', priority: 9, kind: 'time' },
  ],
  empty: 'Nothing found.',
}

const pairText = (row: ComparedNoun, field: keyof ComparedNoun['here']): string =>
  `${row.here[field] ?? '-'} | ${row.there[field] ?? '-'}`

const comparedView: View<ComparedNoun> = {
  id: (it) => it.noun,
  columns: [
    { key: 'noun', title: 'Noun', priority: 1 },
    { key: (it) => pairText(it, 'resources'), field: 'here', title: 'Resources', priority: 1 },
    { key: (it) => pairText(it, 'unused'), field: 'there', title: 'Unused', priority: 1 },
    { key: (it) => pairText(it, 'stale'), title: 'Stale', priority: 2 },
    { key: (it) => pairText(it, 'duplicate'), title: 'Duplicate', priority: 2 },
    { key: (it) => pairText(it, 'orphaned'), title: 'Orphaned', priority: 2 },
    { key: (it) => pairText(it, 'over_privileged'), title: 'Over-privileged', priority: 2 },
    { key: (it) => pairText(it, 'monthly_usd'), title: 'USD/month', priority: 2 },
  ],
  empty: 'Nothing to compare.',
}

/** A row of the differences by name. */
interface DifferenceRow extends ComparedName {
  readonly noun: string
}

const sideText = (categories: ComparedName['here']): string =>
  categories === null ? 'missing' : categories.length === 0 ? 'no finding' : categories.map(categoryText).join(', ')

/** The differences by name, with the names of both platforms in the titles. */
const differencesView = (here: string, there: string): View<DifferenceRow> => ({
  id: (it) => it.name,
  columns: [
    { key: 'noun', title: 'Noun', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: (it) => sideText(it.here), field: 'here', title: here, priority: 1 },
    { key: (it) => sideText(it.there), field: 'there', title: there, priority: 1 },
  ],
  empty: 'No differences by name.',
})

/** For people each further command has a separate row, so that its line can be copied. */
const commandRows = (findings: readonly AuditFinding[]): readonly object[] =>
  findings.flatMap((finding) => {
    const empty = Object.fromEntries(Object.keys(finding).map((name) => [name, '']))
    return [finding, ...finding.commands.slice(1).map((command) => ({ ...empty, commands: [command] }))]
  })

/** Days without use or change after which something is stale. */
const usualStaleDays = 90

export const audit = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'usage'],
  summary: 'Find unused, stale, duplicate and over-privileged resources',
  flags: [
    { flags: '--strict', describe: 'Exit with code 20 if anything is found that --baseline does not accept' },
    { flags: '--only <categories>', describe: 'Only these categories, such as unused,duplicate (default: all)' },
    { flags: '--baseline <file>', describe: 'Accepted findings: they are not shown, and do not count for --strict' },
    { flags: '--accept', describe: 'Write the findings to the file of --baseline, and remove those that are gone' },
    {
      flags: '--stale <days>',
      describe: `Days without use or change after which a resource is stale (default: ${usualStaleDays})`,
    },
    { flags: '--compare <profile>', describe: 'Show the account of another profile beside this one' },
    ...reportFlags,
  ],
  examples: [
    '',
    '--strict --json',
    '--baseline accepted.json --accept',
    '--strict --only unused,duplicate --junit audit.xml',
    '--stale 30 --markdown audit.md',
    '--compare local',
  ],
  notes:
    'Only reads. "parley doctor" says what does not work; the audit says what is superfluous or risky, and no finding is in both.\nunused: nothing refers to it. orphaned: only inactive assistants, disabled automations or completed campaigns refer to it. stale: not used or changed for --stale days. duplicate: the same content or name as another one. over-privileged: an API key with more rights than a scope, a budget and an expiry would leave it, on a Parley server.\nNothing is called unused while a list that may refer to it cannot be read; the exit code is 11 then. Each finding has its age in days, the price per month as far as the platform shows it, and the commands that help, in order.\n--baseline accepts known findings, so that --strict ends with 20 only for new ones: write the file with --accept, and commit it. A finding is known by category, noun, id and name. You may add fields to its entries, such as a reason; --accept keeps them.\nWith --compare, each value is that of this account | that of the other. Then follow the names that only one account has, or that have other findings in it.',
  view,
  otherView: comparedView,
  async run(context, { flags }) {
    const staleDays = parseDays(flags.stale)
    const wanted = parseCategories(flags.only)
    const file = flags.baseline as string | undefined
    const isAccepting = flags.accept === true && !context.globals.dryRun
    if (flags.accept === true && file === undefined)
      throw usageError('--accept requires --baseline.', 'Pass the file: --baseline accepted.json.')
    if (file !== undefined && flags.compare !== undefined)
      throw usageError(
        '--baseline cannot be combined with --compare.',
        'It accepts findings of one account. Run both without the other.',
      )
    const baseline = file === undefined ? undefined : readBaseline(context.system, file, flags.accept === true)
    const other = typeof flags.compare === 'string' ? await openSide(context, flags.compare, '--compare') : undefined
    try {
      const all = await readAudit(context, staleDays, wanted)
      const compared = other && (await readAudit(other.context, staleDays, wanted))
      const settings = await context.settings()
      const platform = describePlatform(settings)
      const known = baseline && compareWithBaseline(all, baseline)
      const own = known?.audit ?? all
      if (known && baseline && file !== undefined && isAccepting) acceptFindings(context.system, file, baseline, known)
      await writeReports(context.system, flags, {
        markdown: () =>
          compared && other
            ? `${markdownReport(own, platform)}${markdownReport(compared, other.described)}`
            : markdownReport(own, platform),
        junit: () => junitReport(own),
      })
      const { out, notes } = context
      if (compared && other) {
        if (out.isForPeople) await notes.note(`Values: ${platform} | ${other.described}.`)
        const nouns = compareAudits(own, compared)
        await out.list(nouns, { view: comparedView })
        if (out.isForPeople) {
          await out.line('')
          const rows = nouns.flatMap(({ noun, differences }) => differences?.map((it) => ({ noun, ...it })) ?? [])
          await out.list(rows, { view: differencesView(settings.profileName.value, other.name) })
        }
        await notes.note(`${other.described}: ${summaryLine(compared)}`)
      } else {
        const place = platformFlags(context.globals)
        // What is accepted now, also if it was before: the same command again prints the same.
        const findings = (isAccepting ? all : own).findings.map((finding) => ({
          ...finding,
          commands: finding.commands.map((command) => addressCommands(command, place)),
        }))
        if (isAccepting && out.isForPeople)
          await out.line(acceptedText(own.findings.length, known?.gone.length ?? 0, file))
        else await out.list(out.isForPeople ? commandRows(findings) : findings, { view })
      }
      if (!isAccepting) {
        await notes.note(summaryLine(own))
        if (known && file !== undefined) await notes.note(baselineText(known, file))
      }
      return exitOf([own, ...(compared ? [compared] : [])], flags.strict === true && !isAccepting)
    } finally {
      await other?.context.close()
    }
  },
})

/** Lists that could not be read may have hidden something, also without a finding. */
const exitOf = (audits: readonly AccountAudit[], isStrict: boolean): ExitName =>
  isStrict && audits.some((it) => it.findings.length > 0)
    ? 'finding'
    : audits.some((it) => it.unread.length > 0)
      ? 'partial'
      : 'done'

/** Says how many findings a file accepts, and which of them are gone. */
const baselineText = ({ acceptedCount, gone }: BaselineComparison, file: string): string =>
  [
    `${acceptedCount} more ${acceptedCount === 1 ? 'is' : 'are'} accepted in ${file}.`,
    ...(gone.length > 0
      ? [
          `${gone.length} accepted ${gone.length === 1 ? 'finding is' : 'findings are'} not found any more: remove them with --accept.`,
        ]
      : []),
  ].join(' ')

const acceptedText = (added: number, removed: number, file: string | undefined): string =>
  `Accepted ${added} new ${added === 1 ? 'finding' : 'findings'} in ${file}.${removed > 0 ? ` Removed ${removed} that ${removed === 1 ? 'is' : 'are'} not found any more.` : ''}`

/** @throws ClientFailure `usage` for an unknown category */
function parseCategories(given: unknown): readonly AuditCategory[] {
  if (typeof given !== 'string') return auditCategories
  const words = given.split(',').map((it) => it.trim().replaceAll('-', '_'))
  const unknown = words.find((it) => !isCategory(it))
  if (unknown !== undefined) {
    const known = auditCategories.map(categoryText)
    throw usageError(`--only: Unknown category "${unknown}". Use ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`)
  }
  return auditCategories.filter((it) => words.includes(it))
}

const isCategory = (word: string): word is AuditCategory => (auditCategories as readonly string[]).includes(word)

/** @throws ClientFailure `usage` for anything but a whole number of days */
function parseDays(given: unknown): number {
  if (given === undefined) return usualStaleDays
  const days = Number(given)
  if (!Number.isInteger(days) || days < 1 || days > 3650)
    throw usageError(`Invalid --stale "${given}". Use a whole number of days from 1 to 3650.`)
  return days
}

/**
 * Reads and audits the account of a context, and reports lists that could not be read.
 * @throws ClientFailure if the platform rejects the key
 */
async function readAudit(context: Context, staleDays: number, wanted: readonly AuditCategory[]): Promise<AccountAudit> {
  const { system, call } = context
  const now = await context.platformNow()
  const isOffered = (capability: Capability): Promise<boolean> => context.supports(capability).catch(() => false)
  const offered = await offeredToReader(isOffered)
  const keysInUse = await readKeysInUse(context)
  return context.progress.showWhile('Reading', async (setText) => {
    const account = createAccountReader(call, system.signal, { offered, onProgress: setText })
    const result = await auditAccount(
      { account, call, signal: system.signal, now, staleMs: staleDays * 86_400_000, isOffered, keysInUse },
      wanted,
    )
    const rejected = account.failures.find((it) => it.error.status === 401)
    if (rejected) throw rejected.error
    await noteFailures(context, account, 'What they may refer to is not called unused.')
    return { ...result, unread: account.failures.filter((it) => !it.isAbsent) }
  })
}
