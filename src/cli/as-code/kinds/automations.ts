import type { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import type { Automation, BuiltAutomation } from '../../../contract/automation-records.ts'
import type { Known } from '../../before.ts'
import { creationOf, flowDocument } from '../../commands/automate/flow-document.ts'
import { readForeign } from '../../commands/automate/read-flow.ts'
import { sendConfirmed } from '../../commands/automate/sending.ts'
import type { Context } from '../../context.ts'
import { chooseFlow } from '../../flow-files/choose.ts'
import { numbered, stepReferencesIn } from '../../flow-files/named-ids.ts'
import { refillFlow } from '../../secrets/refill-flow.ts'
import { usage } from '../../usage.ts'
import { contentOf, flowOf } from '../automation-content.ts'
import type { AsCode, Sent } from '../kind.ts'

const consented = (confirmed: boolean) => (confirmed ? { confirm_side_effects: true } : {})

export const automations: AsCode = {
  noun: 'automations',
  thing: 'automation',
  named: 'automate',
  references: [{ path: 'assistant_id', to: 'assistants' }],
  further: ({ flow }) => stepReferencesIn(flow, 'flow'),
  // A file holds what create takes, and whether it is on.
  document: flowDocument.extend({ enabled: automate.update.body.shape.enabled }),
  changes: automate.update.body,
  async all(context) {
    const { data } = await context.call(automate.list, {})
    const found: Known[] = []
    for (const { id } of data) {
      try {
        found.push(await one(context, id))
      } catch (error) {
        if ((error as ClientFailure).status !== 404) throw error
        // Deleted since the list was read, or the platform contradicts itself.
        const { data: now } = await context.call(automate.list, {})
        if (now.some((it) => it.id === id)) throw error
      }
    }
    return found
  },
  one,
  content: (raw) => contentOf(raw as unknown as Automation),
  async normal(document, file) {
    const { name, enabled, assistant_id, bind_webhook, flow: given } = creationOf(await chooseFlow(document, file))
    const { flow, back } = numbered(given)
    // Another platform may have pieces that this one does not know.
    const { definition } = await readForeign(flow, file)
    if (typeof name !== 'string') throw usage(`${file}: name is missing.`)
    return {
      name,
      enabled: enabled !== false,
      ...(assistant_id !== undefined && { assistant_id }),
      ...(bind_webhook !== undefined && { bind_webhook }),
      flow: back(flowOf(definition)),
    }
  },
  // A definition that goes live is on, unless it says otherwise.
  along: ({ flow }) => (flow === undefined ? [] : ['name', 'enabled', 'assistant_id']),
  async create(context, { enabled, ...content }, file, { confirmed }): Promise<Sent> {
    const built = (await sendConfirmed(context, automate.create, { ...content, ...consented(confirmed) }, `Building ${file}`)) as BuiltAutomation
    const isFailed = built.status === 'test_failed'
    // A definition that went live is on.
    if (enabled === false && !isFailed) await context.call(automate.update, { id: built.automation_id, enabled: false })
    return { id: built.automation_id, isFailed }
  },
  credentials: async (context, id, change) => (change.flow === undefined ? change : { ...change, flow: await refillFlow(context, String(id), change.flow) }),
  async update(context, id, { bind_webhook: _, ...change }, { confirmed, skipLocalTest, rollback }): Promise<Sent> {
    if (change.flow === undefined) {
      await context.call(automate.update, { ...change, id: String(id) } as never)
      return { id }
    }
    const { updateSafely } = await import('../../automations/safe-update.ts')
    const outcome = await updateSafely(context, {
      id: String(id),
      change: { ...change, ...consented(confirmed), flow: change.flow },
      skipLocalTest,
      rollback,
      during: `Building ${change.name ?? id}`,
    })
    if (outcome.kind === 'shown' || outcome.kind === 'live') return { id }
    const { remarkOf } = await import('../../automations/print-outcome.ts')
    const remark = remarkOf(outcome) ?? ''
    return { id, remark, isFailed: true, isUnchanged: ['not_sent', 'not_published', 'rolled_back'].includes(outcome.kind) }
  },
  async remove({ call }, id) {
    await call(automate.delete, { id: String(id) })
  },
}

/** The same, which says nothing by name. */
export const automationsById: AsCode = { ...automations, references: [], further: () => [] }

async function one({ call }: Context, id: number | string): Promise<Known> {
  return (await call(automate.get, { id: String(id) })).data
}
