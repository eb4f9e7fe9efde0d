import { automate } from '../../../contract/automate.ts'
import type { Restored } from '../../../contract/automation-records.ts'
import { noRollback, skipLocalTest } from '../../automations/flags.ts'
import { type Live, readLive } from '../../automations/live.ts'
import { circumstances, differenceOf, type Preview, previewOf, refuseImpossible } from '../../automations/preview.ts'
import type { Target } from '../../automations/targets.ts'
import { command, type Invocation } from '../../command.ts'
import { consent } from '../../consent.ts'
import type { Context } from '../../context.ts'
import { unchangedFlag } from '../../options.ts'
import type { View } from '../../output/form.ts'
import { count, showOnly } from '../../requests.ts'
import { severe } from '../../severe.ts'
import { usage } from '../../usage.ts'
import { argument, automationId } from './view.ts'

const view: View<Restored> = { id: (it) => it.automation_id, columns: [], empty: '' }

export const restore = command({
  endpoint: automate.restore,
  exits: ['finding', 'unknown', 'rejected', 'platform'],
  summary: 'Restore an earlier version of an automation',
  argument,
  flags: [
    { flags: '--to <n>', describe: 'Number of the version to restore (default: the version before the live one)' },
    { flags: '-f, --file <path>', describe: 'With --to, on a deployment that does not number versions: JSON or YAML file with that version' },
    { flags: '--sample <json>', describe: 'Where the version is sent as an update: what the trigger receives in the test (JSON, YAML or @file)' },
    { flags: '--confirm-side-effects', describe: 'Where the version is sent as an update: steps that really send or call may run in the test' },
    skipLocalTest,
    noRollback,
    unchangedFlag,
  ],
  examples: ['Greeting', 'Greeting --dry-run', 'Greeting --yes', 'Greeting --to 2 --yes'],
  notes: `Shows what will change, what the automation is bound to, runs in flight, and the connections and resources the earlier version needs, then asks. The live version is saved to the history first, with secrets masked. What is live is read back. Restoring again undoes a restore. When another version was published in the meantime, the command fails with exit 5.
A deployment without version numbers restores only the previous version. There, --to names an entry of "parley automate versions list" (kept on this computer), which is sent as an update: this needs --confirm-side-effects, and the secrets of that version.`,
  view,
  async run(context, { argument: given, flags }) {
    const id = await automationId(context, given)
    const to = count(flags.to as string | undefined, '--to')
    const isPlanned = context.globals.dryRun === true
    if (context.globals.printCurl) {
      await (to === undefined ? showOnly(context, automate.restore, { id }) : showOnly(context, automate.restoreVersion, { id, number: to }))
      return
    }
    if (flags.file !== undefined && to === undefined)
      throw usage('--file goes with --to.', 'To publish a definition from a file: parley automate update --file.')
    const hasVersions = await context.has('versions')
    if (to !== undefined && !hasVersions) return (await import('../../automations/republish.ts')).republish(context, id, to, flags)
    if (!isPlanned) {
      const earlier = await (await import('../../automations/resume-restore.ts')).resumeRestore(context, id)
      if (earlier) return printDone(context, id, earlier)
    }
    const live = await readLive(context, id)
    const target = await targetFor(context, live, to, hasVersions)
    // The history keeps a reading without secrets.
    const { data: shown } = await context.call(automate.get, { id })
    if (context.unchanged !== undefined) await checkUnchanged(context, shown)
    if (to !== undefined && target.content === live.content) return printAlready(context, id, to, live)
    const preview = await previewOf(context, live, target)
    if (isPlanned) return printPlan(context, id, target, preview)
    if (hasVersions || preview.conflict) refuseImpossible(preview, target.called)
    await agree(context, live, target, preview, flags)
    const { restoreSafely } = await import('../../automations/restore-safely.ts')
    const done = await restoreSafely(context, live, target)
    const { printRestored } = await import('../../automations/print-restored.ts')
    await printRestored(context, { before: live, done, target })
  },
})

async function targetFor(context: Context, live: Live, to: number | undefined, hasVersions: boolean): Promise<Target> {
  const { previousInHistory, previousNumber, versionAt } = await import('../../automations/targets.ts')
  const { id } = live.automation
  if (!hasVersions) return previousInHistory(context, live)
  if (to !== undefined) return versionAt(context, id, to)
  return { ...(await versionAt(context, id, await previousNumber(context, id))), isPrevious: true }
}

async function checkUnchanged(context: Context, shown: object): Promise<void> {
  const { checkUnchanged: check } = await import('../../history/unchanged.ts')
  const { kindOf } = await import('../../history/kinds.ts')
  await check(context, await kindOf('automate'), shown as never, context.unchanged as string)
}

/** Shows what will change and asks. @throws ClientFailure `consent` (exit 10) */
async function agree(context: Context, { automation }: Live, target: Target, preview: Preview, { confirm }: Invocation['flags']): Promise<void> {
  const { id, name, status } = automation
  const missing = preview.needs.filter((it) => it.state === 'missing' || it.state === 'expired')
  const lines = [...differenceOf(preview), ...circumstances(preview)]
  if (missing.length > 0)
    await context.notes.warn(`${target.called} needs what is not there: ${missing.map((it) => `${it.kind} ${it.id} (${it.state})`).join(', ')}. It may fail.`)
  const ask = `Restore ${target.called} of "${name}" (${id})?`
  const without = `Restoring "${name}" replaces what is live and requires confirmation.`
  if (context.globals.yes) return context.notes.note(circumstances(preview).join('\n'))
  if (status !== 'enabled') {
    if (context.interactive) await context.notes.note(lines.join('\n'))
    return consent(context, { ask, without: [without, ...lines].join('\n') })
  }
  const { askersOf } = await import('../../references/askers.ts')
  const touches = [...lines, ...(await askersOf(context, automation))]
  await severe(context, { ask, without, touches, name: String(name), confirmed: confirm, isUndone: true })
}

const isForPeople = ({ out }: Context): boolean => out.settings.form === 'table' && !out.settings.fields

/** What a restore would do. */
async function printPlan(context: Context, id: string, target: Target, preview: Preview): Promise<void> {
  const path = `/api/user/automate/flows/${id}${target.number === undefined || target.isPrevious ? '' : `/versions/${target.number}`}/restore`
  if (isForPeople(context))
    for (const it of [`Would restore ${target.called}.`, ...differenceOf(preview), ...circumstances(preview)]) await context.out.line(it)
  else await context.out.record({ method: 'POST', path, body: null, ...preview }, { view: { id: () => id, columns: [], empty: '' } })
  if (preview.conflict || preview.needs.some((it) => it.state === 'missing' || it.state === 'expired'))
    try {
      refuseImpossible(preview, target.called)
    } catch (error) {
      await context.notes.warn((error as Error).message)
    }
  await context.notes.note('Nothing was sent: this was a dry run.')
}

/** The version is live already: sending nothing is what was asked for. */
async function printAlready(context: Context, id: string, to: number, { automation, version }: Live): Promise<void> {
  if (isForPeople(context)) return context.out.line(`Version ${to} is live already. Nothing was sent. It is ${automation.status}. Id: ${id}`)
  return context.out.record(
    {
      automation_id: id,
      name: automation.name,
      status: automation.status,
      restored_version_id: version ?? null,
      note: `Version ${to} is live already.`,
      difference: null,
    },
    { view } as never,
  )
}

async function printDone(context: Context, id: string, { sentence, live }: { readonly sentence: string; readonly live: Live }): Promise<void> {
  if (isForPeople(context)) return context.out.line(`${sentence} Nothing was sent. Id: ${id}`)
  const { automation, version } = live
  return context.out.record(
    { automation_id: id, name: automation.name, status: automation.status, restored_version_id: version ?? null, note: sentence, difference: null },
    { view } as never,
  )
}
