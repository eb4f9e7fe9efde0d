import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { command } from '../../program/commandline/command.ts'
import { describePlatform } from '../../program/configuration/active-profile.ts'
import type { Context } from '../../program/context.ts'
import { createAccountReader, noteFailures } from '../../program/dependencies/account-reader.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { addressCommands, platformFlags } from '../../program/output/addressed-commands.ts'
import type { View } from '../../program/output/format.ts'
import { reportFlags, writeReports } from '../../program/output/report-files.ts'
import { openSide } from '../as-code/promotion/profile-pair.ts'
import { type AccountAudit, type AuditFinding, auditAccount } from './audit-account.ts'
import {
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
    { key: ({ category }) => categoryText(category), field: 'category', title: 'Category', priority: 1 },
    { key: 'detail', title: 'Finding', priority: 1, flexible: true },
    { key: 'age_days', title: 'Days', priority: 2, kind: 'number' },
    { key: 'monthly_usd', title: 'USD/month', priority: 2, kind: 'number' },
    { key: 'hint', title: 'Command', priority: 3, flexible: true },
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

/** Days without use or change after which something is stale. */
const usualStaleDays = 90

export const audit = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'usage'],
  summary: 'Find unused, stale, duplicate and over-privileged resources',
  flags: [
    { flags: '--strict', describe: 'Exit with code 20 if anything is found' },
    {
      flags: '--stale <days>',
      describe: `Days without use or change after which a resource is stale (default: ${usualStaleDays})`,
    },
    { flags: '--compare <profile>', describe: 'Show the account of another profile beside this one' },
    ...reportFlags,
  ],
  examples: ['', '--strict --json', '--stale 30 --markdown audit.md --junit audit.xml', '--compare local'],
  notes:
    'Only reads. "parley doctor" says what does not work; the audit says what is superfluous or risky, and no finding is in both.\nunused: nothing refers to it. orphaned: only inactive assistants, disabled automations or completed campaigns refer to it. stale: not used or changed for --stale days. duplicate: the same content or name as another one. over-privileged: an API key with more rights than a scope, a budget and an expiry would leave it, on a Parley server.\nNothing is called unused while a list that may refer to it cannot be read; the exit code is 11 then. Each finding has its age in days, the price per month as far as the platform shows it, and a command. With --compare, each value is that of this account | that of the other.',
  view,
  otherView: comparedView,
  async run(context, { flags }) {
    const staleDays = parseDays(flags.stale)
    const other = typeof flags.compare === 'string' ? await openSide(context, flags.compare, '--compare') : undefined
    try {
      const own = await readAudit(context, staleDays)
      const compared = other && (await readAudit(other.context, staleDays))
      const platform = describePlatform(await context.settings())
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
        await out.list(compareAudits(own, compared), { view: comparedView })
        await notes.note(`${other.described}: ${summaryLine(compared)}`)
      } else {
        const place = platformFlags(context.globals)
        await out.list(
          own.findings.map((it) => ({ ...it, hint: addressCommands(it.hint, place) })),
          { view },
        )
      }
      await notes.note(summaryLine(own))
      return exitOf([own, ...(compared ? [compared] : [])], flags.strict === true)
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
async function readAudit(context: Context, staleDays: number): Promise<AccountAudit> {
  const { system, call } = context
  const now = await context.platformNow()
  const isOffered = (capability: Parameters<Context['supports']>[0]): Promise<boolean> =>
    context.supports(capability).catch(() => false)
  const hasAssignments = await isOffered('sender-assistants')
  return context.progress.showWhile('Reading', async (setText) => {
    const account = createAccountReader(call, system.signal, { hasAssignments, onProgress: setText })
    const result = await auditAccount({
      account,
      call,
      signal: system.signal,
      now,
      staleMs: staleDays * 86_400_000,
      isOffered,
    })
    const rejected = account.failures.find((it) => it.error.status === 401)
    if (rejected) throw rejected.error
    await noteFailures(context, account, 'What they may refer to is not called unused.')
    return { ...result, unread: account.failures.filter((it) => !it.isAbsent) }
  })
}
