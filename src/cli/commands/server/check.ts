import type * as z from 'zod'
import { platform } from '../../../contract/control/platform.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { markDamage } from '../../../node/folder-marker.ts'
import { command } from '../../commandline/command.ts'
import { localProfile } from '../../configuration/profiles.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import type { View } from '../../output/form.ts'

interface CheckRow {
  readonly what: string
  readonly status: 'ok' | 'damaged' | 'wrong' | 'rebuilt' | 'unreadable'
  readonly found: string
}

const view: View<CheckRow> = {
  id: (it) => it.what,
  columns: [
    { key: 'what', title: 'Check', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'found', title: 'Result', priority: 1, flexible: true },
  ],
  empty: '',
}

type Report = z.output<typeof platform.check.output>

const differingText = (count: number): string =>
  `${count} ${count === 1 ? 'counter differs' : 'counters differ'} from the rows`

function balanceRow(balances: Report['balances']): CheckRow {
  const what = 'balances'
  if (balances === null) return { what, status: 'unreadable', found: 'cannot be read' }
  const differences = balances.wrong.map(
    (it) => `account ${it.account} has ${it.balance}, its ledger says ${it.ledger}`,
  )
  return { what, status: differences.length > 0 ? 'wrong' : 'ok', found: differences.join('; ') || 'match the ledger' }
}

/** Describes a report. `before` is the report from before the counters were rebuilt. */
function toRows({ problems, lists, balances }: Report, before?: Report): CheckRow[] {
  const wasWrong = new Set(before?.lists.filter((it) => it.wrong !== 0).map((it) => it.list))
  return [
    { what: 'database', status: problems.length > 0 ? 'damaged' : 'ok', found: problems.join('; ') || 'no errors' },
    ...lists.map(({ list, wrong }): CheckRow => {
      const what = `${list} counters`
      if (wrong === null) return { what, status: 'unreadable', found: 'cannot be read' }
      if (wrong > 0) return { what, status: 'wrong', found: differingText(wrong) }
      return { what, status: wasWrong.has(list) ? 'rebuilt' : 'ok', found: 'match the rows' }
    }),
    ...(lists.length > 0 ? [balanceRow(balances)] : []),
  ]
}

/** Returns a report that only says that the database cannot be opened, because it is damaged. */
function reportUnopenable(error: Error & { readonly reason?: string }): Report {
  if (error.name !== 'StoreError' || error.reason !== 'corrupt') throw error
  return { database: 'sqlite', schema: 0, problems: [error.message], lists: [], balances: null }
}

export const check = command({
  callsPlatform: true,
  acceptsDamage: true,
  exits: ['finding'],
  summary: 'Check the database, counters and balances',
  flags: [
    {
      flags: '--rebuild',
      describe: 'Rebuild the counters from the rows; other writes wait until it is done',
    },
  ],
  examples: ['', '--rebuild', '--json'],
  notes:
    'Takes a few seconds per million rows. The exit code is 20 if an error was found and not fixed. Counters of a damaged database are not rebuilt.',
  view,
  async run(context, { flags }): Promise<ExitName | undefined> {
    const folder = await requireControlAccess(context)
    const report = await context.call(platform.check, {}).catch(reportUnopenable)
    const isDamaged = report.problems.length > 0
    if ((await context.settings()).baseUrl.value === localProfile.base_url)
      markDamage(folder, isDamaged ? new Date(context.system.now()).toISOString() : undefined)
    const rebuilds = flags.rebuild === true && !context.globals.dryRun && !isDamaged
    if (rebuilds) await context.progress.showWhile('Rebuilding counters', context.call(platform.recount, {}))
    const rows = rebuilds ? toRows(await context.call(platform.check, {}), report) : toRows(report)
    await context.out.list(rows, { view })
    if (isDamaged && flags.rebuild === true)
      await context.notes.warn('The counters were not rebuilt, because the database is damaged. Restore a backup.')
    else if (!rebuilds && report.lists.some((it) => it.wrong !== 0))
      await context.notes.note('Rebuild the counters: parley server check --rebuild')
    return rows.every((it) => it.status === 'ok' || it.status === 'rebuilt') ? undefined : 'finding'
  },
})
