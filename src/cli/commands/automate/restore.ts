import type { Difference } from '../../../automation/definition/diff.ts'
import { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import type { Automation, Restored } from '../../../contract/automation-records.ts'
import { command, type Invocation } from '../../command.ts'
import { consent } from '../../consent.ts'
import type { Context } from '../../context.ts'
import { fitted } from '../../output/fitted.ts'
import type { View } from '../../output/form.ts'
import { showOnly } from '../../requests.ts'
import { severe } from '../../severe.ts'
import { differenceLines } from './difference.ts'
import { argument, automationId } from './view.ts'

const view: View<Restored> = { id: (it) => it.automation_id, columns: [], empty: '' }

export const restore = command({
  endpoint: automate.restore,
  argument,
  examples: ['Greeting', 'Greeting --yes'],
  notes: `What is live is kept in the history before it is replaced; secrets are masked in it. "parley history undo", or restoring again, takes it back.
For one that is live its name is typed, or --yes given.`,
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    if (await showOnly(context, automate.restore, { id })) return
    // Two readings: one to compare with what secrets are, which stays in memory, and one that the history may keep.
    const { data: before } = await context.call(automate.get, { id, include_secrets: true })
    await context.call(automate.get, { id })
    await agree(context, id, before, flags)
    const answer = await context.call(automate.restore, { id }).catch((error: unknown) => {
      throw notLive(error, id)
    })
    const entry = context.kept.at(-1)
    await context.notes.note(`What was live before is kept: parley history diff ${entry}`)
    await print(context, answer, id, await differenceSince(context, id, before))
  },
})

async function agree(context: Context, id: string, automation: Automation, { confirm }: Invocation['flags']): Promise<void> {
  const { name, status } = automation
  const ask = `Restore the version before of "${name}" (${id})?`
  const without = `Restoring "${name}" replaces what is live and needs consent.`
  if (status !== 'enabled' || context.globals.yes) return consent(context, { ask, without })
  const { askersOf } = await import('../../references/askers.ts')
  const touches = ['It is on: what starts it next runs the version before.', ...(await askersOf(context, automation))]
  await severe(context, { ask, without, touches, name, confirmed: confirm, isUndone: true })
}

/** A platform that could not publish has the draft restored, and what was live stays so. */
function notLive(error: unknown, id: string): unknown {
  if (!(error instanceof ClientFailure) || error.code !== 'publish_failed') return error
  const { exit, code, message, status, requestId } = error
  const hint = `See the draft: parley automate get ${id} --draft. What was live before is live still.`
  return new ClientFailure({ exit, code, message, hint, ...(status !== undefined && { status }), ...(requestId !== undefined && { requestId }), cause: error })
}

const isNode = (it: unknown): it is AutomationNode => typeof it === 'object' && it !== null && !Array.isArray(it)

/** From what was live to what is now; undefined where that could not be read: it is restored all the same. */
async function differenceSince(context: Context, id: string, { definition: before }: Automation): Promise<Difference | undefined> {
  try {
    const { definition: after } = (await context.call(automate.get, { id, include_secrets: true })).data
    if (!isNode(before) || !isNode(after)) return undefined
    const { diff } = await import('../../../automation/definition/diff.ts')
    return diff(before, after)
  } catch (error) {
    if (context.world.signal.aborted) throw error
    return undefined
  }
}

async function print(context: Context, restored: Restored, id: string, difference: Difference | undefined): Promise<void> {
  const { out, notes } = context
  if (out.settings.form !== 'table' || out.settings.fields) return out.record({ ...restored, difference: difference ?? null }, { view } as never)
  await out.line(await fitted(`${typeof restored.note === 'string' ? restored.note : 'Restored.'} Id: ${id}`, out.settings))
  const lines = difference ? differenceLines(difference) : []
  for (const it of lines) await out.line(await fitted(it, out.settings))
  if (!difference) await notes.note(`What differs could not be read: parley automate get ${id}`)
  else if (lines.length === 0) await notes.note('Both versions have the same content.')
  await notes.note(`Undo: parley automate restore ${id}`)
}
