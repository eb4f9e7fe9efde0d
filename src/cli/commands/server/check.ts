import { platform } from '../../../contract/control/platform.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { command } from '../../commandline/command.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import type { View } from '../../output/form.ts'

interface CheckRow {
  readonly what: string
  readonly status: 'ok' | 'damaged' | 'wrong' | 'rebuilt'
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

const differingText = (count: number): string =>
  `${count} ${count === 1 ? 'counter differs' : 'counters differ'} from the rows`

export const check = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Check the database and list counters for errors',
  flags: [
    {
      flags: '--rebuild',
      describe: 'Rebuild the counters from the rows; other writes wait until it is done',
    },
  ],
  examples: ['', '--rebuild', '--json'],
  notes: 'Takes a few seconds per million rows. Exit code 20 if an error was found and not rebuilt.',
  view,
  async run(context, { flags }): Promise<ExitName | undefined> {
    await requireControlAccess(context)
    const { problems, lists } = await context.call(platform.check, {})
    const rebuilds = flags.rebuild === true && !context.globals.dryRun
    if (rebuilds) await context.progress.showWhile('Rebuilding counters', context.call(platform.recount, {}))
    const found: CheckRow[] = [
      { what: 'database', status: problems.length > 0 ? 'damaged' : 'ok', found: problems.join('; ') || 'no errors' },
      ...lists.map(({ list, wrong }): CheckRow => {
        const status = rebuilds ? 'rebuilt' : wrong > 0 ? 'wrong' : 'ok'
        return { what: `${list} counters`, status, found: wrong > 0 ? differingText(wrong) : 'match the rows' }
      }),
    ]
    await context.out.list(found, { view })
    if (!rebuilds && lists.some((it) => it.wrong > 0))
      await context.notes.note('Rebuild the counters: parley server check --rebuild')
    return found.some((it) => it.status === 'damaged' || it.status === 'wrong') ? 'finding' : undefined
  },
})
