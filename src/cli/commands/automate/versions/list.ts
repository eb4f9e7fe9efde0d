import { automate } from '../../../../contract/automate.ts'
import type { AutomationVersion } from '../../../../contract/automation-records.ts'
import { command } from '../../../command.ts'
import type { View } from '../../../output/form.ts'
import { count, printList } from '../../../requests.ts'
import { usage } from '../../../usage.ts'
import { argument, automationId } from '../view.ts'

/** What a version changed, in a line: `+ step_3, - step_1, ~ step_2 (settings.input.url)`. */
function changes({ changes: it }: AutomationVersion): string {
  if (!it) return 'the first'
  const all = [
    ...it.added.map((step) => `+ ${step}`),
    ...it.removed.map((step) => `- ${step}`),
    ...it.moved.map((step) => `~ ${step} (moved)`),
    ...it.changed.map(({ step, fields }) => `~ ${step} (${fields.join(', ')})`),
  ]
  return all.length > 0 ? all.join(', ') : 'nothing'
}

const origin = ({ live, restored_from: from }: AutomationVersion): string =>
  [live ? 'live' : '', typeof from === 'number' ? `restored from ${from}` : ''].filter(Boolean).join(', ')

const view: View<AutomationVersion> = {
  id: (it) => it.id,
  columns: [
    { key: 'number', title: 'Number', priority: 1, kind: 'number' },
    { key: 'published_at', title: 'Published', priority: 1, kind: 'time' },
    { key: origin, title: 'State', priority: 2 },
    { key: changes, title: 'Changed', priority: 1, flexible: true },
  ],
  empty: 'It was never published.',
}

/** The most a platform shows at once. */
const most = 50

export const list = command({
  endpoint: automate.versions,
  argument,
  fills: ['limit'],
  examples: ['Greeting', 'Greeting --limit 50 --json'],
  notes: `Newest first, the last twenty, or with --limit at most ${most}. Only a platform of your own tells them; "parley automate restore" works everywhere.`,
  view,
  async run(context, { argument }) {
    const id = await automationId(context, argument)
    const limit = count(context.globals.limit, '--limit')
    if (limit !== undefined && limit > most) throw usage(`--limit is at most ${most} here.`)
    await printList(context, automate.versions, { id, ...(limit !== undefined && { limit }) })
  },
})
