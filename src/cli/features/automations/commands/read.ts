import type { Automation } from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { command } from '../../../program/commandline/command.ts'
import { listCommand } from '../../../program/commandline/list-command.ts'
import { requireCapability } from '../../../program/connection/require-capability.ts'
import { sendRequest } from '../../../program/connection/send-request.ts'
import type { Context } from '../../../program/context.ts'
import type { View } from '../../../program/output/format.ts'
import { renderFlowTree } from '../flow-files/flow-tree.ts'
import { findLiveVersion, listVersions } from '../restore/restore-targets.ts'
import { ShownAutomation } from '../shown-automation.ts'
import { argument, automationId, view, webhookUrl } from './view.ts'

const shownView: View<ShownAutomation> = {
  ...view,
  columns: [
    ...view.columns,
    { key: 'webhook_url', title: 'Webhook URL', priority: 1 },
    { key: 'live_version', title: 'Live version', priority: 1 },
  ],
}

/** Returns the webhook URL and the number of the live version; null for what an automation or platform does not have. */
async function addressAndVersion(
  context: Context,
  automation: Automation,
): Promise<Pick<ShownAutomation, 'webhook_url' | 'live_version'>> {
  return {
    webhook_url: (await webhookUrl(context, automation)) ?? null,
    live_version: await liveNumber(context, automation.id),
  }
}

/** Returns the number of the live version; null if the platform has none, or, with a warning, if it cannot be read. */
async function liveNumber(context: Context, id: string): Promise<number | null> {
  if (!(await context.supports('versions'))) return null
  try {
    return findLiveVersion(await listVersions(context, id))?.number ?? null
  } catch (error) {
    if (context.system.signal.aborted) throw error
    await context.notes.warn(`The number of the live version could not be read: ${(error as Error).message}`)
    return null
  }
}

export const get = command({
  endpoint: automate.get,
  argument,
  filledFields: ['include_secrets'],
  flags: [{ flags: '--unmask', describe: 'Show keys and tokens instead of masking them', field: 'include_secrets' }],
  examples: ['Greeting', 'Greeting -o yaml', 'Greeting --draft'],
  notes:
    'Also shows the webhook URL and the number of the live version. The table output shows the steps, indented by branch and loop. Use -o json or -o yaml for the whole definition.',
  view: shownView,
  async run(context, { argument, input, flags }) {
    // Before the list that finds the automation by its name is read.
    await requireCapability(context, automate.get, input)
    const id = await automationId(context, argument)
    const answer = await sendRequest(context, automate.get, {
      ...input,
      ...(flags.unmask && { include_secrets: true }),
      id,
    })
    if (!answer) return
    const { out } = context
    if (out.settings.format === 'id') return out.record(answer.data, { view })
    const more = await addressAndVersion(context, answer.data)
    if (!out.isForPeople) return out.record({ ...answer.data, ...more }, { view: shownView, schema: ShownAutomation })
    const { definition, ...about } = answer.data
    const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null))
    await out.record({ ...about, ...known }, { view: shownView })
    const lines = renderFlowTree(definition)
    if (lines.length > 0) await context.system.streams.stdout.write(`\n${lines.join('\n')}\n`)
  },
})

export const list = listCommand({
  endpoint: automate.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
})
