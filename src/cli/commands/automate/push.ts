import { existsSync } from 'node:fs'
import { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import type { BuiltAutomation } from '../../../contract/automation-records.ts'
import { contentOf } from '../../as-code/automation-content.ts'
import type { Item, Remote } from '../../as-code/compare.ts'
import { command, type Input } from '../../command.ts'
import { consent } from '../../consent.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { usage } from '../../usage.ts'
import { type Compared, checkFlag, compared, differs, folderFlag, folderOf, itemView, refuseConflicts, shown, sideOf } from './as-code.ts'
import { sendConfirmed } from './sending.ts'

interface Pushed {
  readonly file: string
  readonly id: string | null
  readonly done: 'created' | 'updated' | 'deleted' | 'failed'
  readonly remark: string | null
}

const view: View<Pushed> = {
  id: (it) => it.id ?? it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'done', title: 'Done', priority: 1, kind: 'status' },
    { key: 'id', title: 'ID', priority: 2 },
    { key: 'remark', title: 'Remark', priority: 1, flexible: true },
  ],
  empty: 'The platform has everything already.',
}

export const push = command({
  summary: 'Make the automations of the platform as the files are',
  risk: 'outside',
  flags: [
    folderFlag,
    checkFlag,
    { flags: '--delete', describe: 'Delete automations whose file is gone; they are left alone otherwise' },
    { flags: '--confirm-side-effects', describe: 'Steps that really send or call may run in the tests' },
  ],
  examples: ['', '--check --json', '--folder flows --confirm-side-effects'],
  notes: `Each definition is tested before it goes live, as with create and update; a hidden secret stays the one there is. When anything was changed on
both sides nothing is done (exit 5). Each file is done by itself: what was done is remembered, and a second run goes on with the rest (exit 11
when some failed, 20 when a test did).`,
  view,
  shows: true,
  async run(context, { flags }) {
    const folder = folderOf(context, flags.folder)
    if (!existsSync(folder)) throw usage(`There is no folder ${folder}.`, 'To make it of what the platform has: parley automate pull')
    const all = await compared(context, flags.folder)
    const planned = all.items.filter(({ standing }) => standing === 'new here' || standing === 'changed here' || (flags.delete && standing === 'gone here'))
    if (flags.check || context.globals.dryRun) {
      await context.out.list(shown(all.items.filter(differs)), { view: itemView })
      return flags.check && all.items.some(differs) ? 'finding' : 'done'
    }
    refuseConflicts(all.items)
    const gone = planned.filter((it) => it.standing === 'gone here')
    if (gone.length > 0) {
      const names = gone.map((it) => `"${it.name}"`).join(', ')
      await consent(context, { ask: `Delete ${names}? Their runs are lost.`, without: `Deleting ${names} needs consent.` })
    }
    const done: Pushed[] = []
    for (const item of planned) done.push(await pushOne(context, all, item, flags['confirmSideEffects'] === true))
    await context.out.list(done, { view })
    const waiting = all.items.filter(({ standing }) => standing === 'new there' || standing === 'changed there')
    if (waiting.length > 0) await context.notes.note(`Newer on the platform: ${waiting.map((it) => it.file).join(', ')}. Next: parley automate pull`)
    const kept = flags.delete ? [] : all.items.filter(({ standing }) => standing === 'gone here')
    if (kept.length > 0)
      await context.notes.note(`Their files are gone, and they are left alone: ${kept.map((it) => `"${it.name}"`).join(', ')}. To delete them: --delete`)
    const failed = done.filter((it) => it.done === 'failed').length
    if (failed > 0) return 'partial'
    return done.some((it) => it.remark !== null) ? 'finding' : 'done'
  },
})

async function pushOne(context: Context, { lock }: Compared, item: Item, confirmed: boolean): Promise<Pushed> {
  const { file, id, here, there } = item
  try {
    if (!here) {
      await context.call(automate.delete, { id: id as string })
      lock.set(file, undefined)
      return { file, id, done: 'deleted', remark: null }
    }
    const { made, isFailed } = there ? await update(context, there, here.content, confirmed) : await create(context, file, here.content, confirmed)
    const after = await sideOf(contentOf((await context.call(automate.get, { id: made })).data))
    lock.set(file, { id: made, here: here.hash, there: after.hash })
    const remark = isFailed ? `its test failed, and it is off: parley automate runs ${made}` : null
    return { file, id: made, done: there ? 'updated' : 'created', remark }
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.world.signal.aborted || error.exit === 'consent' || error.exit === 'unknown') throw error
    return { file, id, done: 'failed', remark: error.message }
  }
}

interface Sent {
  readonly made: string
  readonly isFailed: boolean
}

const consented = (confirmed: boolean) => (confirmed ? { confirm_side_effects: true } : {})

async function create(context: Context, file: string, { enabled, ...content }: Input, confirmed: boolean): Promise<Sent> {
  const built = (await sendConfirmed(context, automate.create, { ...content, ...consented(confirmed) }, `Building ${file}`)) as BuiltAutomation
  const isFailed = built.status === 'test_failed'
  // A definition that went live is on.
  if (enabled === false && !isFailed) await context.call(automate.update, { id: built.automation_id, enabled: false })
  return { made: built.automation_id, isFailed }
}

async function update(
  context: Context,
  { id, name, content: before }: Remote,
  { bind_webhook: _, flow, ...content }: Input,
  confirmed: boolean,
): Promise<Sent> {
  const isNew = JSON.stringify(flow) !== JSON.stringify(before.flow)
  const change = isNew ? { ...content, flow, ...consented(confirmed) } : content
  const answer = await sendConfirmed(context, automate.update, { ...change, id }, `Building ${name}`)
  return { made: id, isFailed: isNew && (answer as BuiltAutomation).status === 'test_failed' }
}
