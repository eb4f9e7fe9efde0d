import { automate } from '../../../../contract/automate.ts'
import type { PublishedVersion } from '../../../../contract/automation-records.ts'
import { command } from '../../../command.ts'
import type { Context } from '../../../context.ts'
import type { View } from '../../../output/form.ts'
import { count, showOnly } from '../../../requests.ts'
import { shapeOf } from '../../../shape.ts'
import { usage } from '../../../usage.ts'
import { flowTree } from '../flow-tree.ts'
import { argument, automationId } from '../view.ts'

const view: View<PublishedVersion> = { id: (it) => it.id, columns: [], empty: '' }

export const get = command({
  endpoint: automate.version,
  summary: 'Show one published version of an automation',
  argument,
  fills: ['include_secrets'],
  flags: [
    { flags: '--number <n>', describe: 'Number of the version (parley automate versions list)' },
    { flags: '--unmask', describe: 'Show keys and tokens instead of masking them', field: 'include_secrets' },
  ],
  examples: ['Greeting --number 2', 'Greeting --number 2 -o yaml'],
  notes: 'For people it is the steps, indented by the branches and loops they are in; json and yaml have the whole definition.',
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    const number = count(flags.number as string | undefined, '--number')
    if (number === undefined) throw usage('Missing --number.', `Pass the number of a version: parley automate versions list ${id}`)
    const input = { id, number, ...(flags.unmask && { include_secrets: true }) }
    if (await showOnly(context, automate.version, input)) return
    const version = (await context.has('versions')) ? await published(context, input) : await remembered(context, id, number)
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields) return out.record(version, shapeOf(context.command) as never)
    const { definition, ...about } = version as { definition: unknown }
    await out.record(about)
    const lines = flowTree(definition)
    if (lines.length > 0) await context.world.streams.stdout.write(`\n${lines.join('\n')}\n`)
  },
})

async function published(context: Context, input: { readonly id: string; readonly number: number; readonly include_secrets?: boolean }): Promise<object> {
  const { versionNotFound } = await import('../../../automations/targets.ts')
  return (await context.call(automate.version, input as never).catch(versionNotFound(input.id, input.number))).data
}

async function remembered(context: Context, id: string, number: number): Promise<object> {
  const { copyAt } = await import('../../../automations/targets.ts')
  const { entry, at, before } = await copyAt(context, id, number)
  await context.notes.note('This deployment does not list versions. This is what the history of this computer has, with secrets masked.')
  return {
    number: entry,
    id: null,
    published_at: at,
    live: false,
    restored_from: null,
    name: before?.name,
    definition: before?.definition,
    binding: before?.binding ?? null,
  }
}
