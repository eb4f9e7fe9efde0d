import type { PublishedVersion } from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { command } from '../../../commandline/command.ts'
import { previewRequest } from '../../../connection/send-request.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { renderFlowTree } from '../../../flow-files/flow-tree.ts'
import { parseCount } from '../../../input/count-flag.ts'
import type { View } from '../../../output/form.ts'
import { itemShape } from '../../../output/tables/item-shape.ts'
import { argument, automationId } from '../view.ts'

const view: View<PublishedVersion> = { id: (it) => it.id, columns: [], empty: '' }

export const get = command({
  endpoint: automate.version,
  summary: 'Show one published version of an automation',
  argument,
  filledFields: ['include_secrets'],
  flags: [
    { flags: '--number <n>', describe: 'Number of the version (parley automate versions list)' },
    { flags: '--unmask', describe: 'Show keys and tokens instead of masking them', field: 'include_secrets' },
  ],
  examples: ['Greeting --number 2', 'Greeting --number 2 -o yaml'],
  notes:
    'The table output shows the steps, indented by branch and loop. Use -o json or -o yaml for the whole definition.',
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    const number = parseCount(flags.number as string | undefined, '--number')
    if (number === undefined)
      throw usageError('Missing --number.', `Pass the number of a version: parley automate versions list ${id}`)
    const input = { id, number, ...(flags.unmask && { include_secrets: true }) }
    if (await previewRequest(context, automate.version, input)) return
    const version = (await context.supports('versions'))
      ? await published(context, input)
      : await remembered(context, id, number)
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(version, itemShape(context.command) as never)
    const { definition, ...about } = version as { definition: unknown }
    await out.record(about)
    const lines = renderFlowTree(definition)
    if (lines.length > 0) await context.system.streams.stdout.write(`\n${lines.join('\n')}\n`)
  },
})

async function published(
  context: Context,
  input: { readonly id: string; readonly number: number; readonly include_secrets?: boolean },
): Promise<object> {
  const { versionNotFound } = await import('../../../automations/restore/restore-targets.ts')
  return (await context.call(automate.version, input as never).catch(versionNotFound(input.id, input.number))).data
}

async function remembered(context: Context, id: string, number: number): Promise<object> {
  const { historyEntryAt } = await import('../../../automations/restore/restore-targets.ts')
  const { entry, at, before } = await historyEntryAt(context, id, number)
  await context.notes.note(
    'This deployment does not list versions. This is the version from the local history, with secrets masked.',
  )
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
