import { automate } from '../../../contract/automate.ts'
import type { Automation, BuiltAutomation } from '../../../contract/automation-records.ts'
import { type Reference, stepReferences } from '../../../contract/references.ts'
import type { Known } from '../../before.ts'
import { flowDocument, withFlow } from '../../commands/automate/flow-document.ts'
import { readFlow } from '../../commands/automate/read-flow.ts'
import { sendConfirmed } from '../../commands/automate/sending.ts'
import type { Context } from '../../context.ts'
import { isObject } from '../../hidden.ts'
import { mapAt } from '../../referring.ts'
import { refillFlow } from '../../secrets/refill-flow.ts'
import { usage } from '../../usage.ts'
import { contentOf, flowOf } from '../automation-content.ts'
import type { AsCode, Sent } from '../kind.ts'
import { isName } from '../names.ts'

const consented = (confirmed: boolean) => (confirmed ? { confirm_side_effects: true } : {})

export const automations: AsCode = {
  noun: 'automations',
  thing: 'automation',
  named: 'automate',
  references: [{ path: 'assistant_id', to: 'assistants' }],
  further: ({ flow }) => inSteps(flow, 'flow'),
  // A file holds what create takes, and whether it is on.
  document: flowDocument.extend({ enabled: automate.update.body.shape.enabled }),
  changes: automate.update.body,
  async all(context) {
    const { data } = await context.call(automate.list, {})
    const found: Known[] = []
    for (const { id } of data) found.push(await one(context, id))
    return found
  },
  one,
  content: (raw) => contentOf(raw as unknown as Automation),
  async normal(document, file) {
    const { name, enabled, assistant_id, bind_webhook, flow } = withFlow({ ...document })
    const { numbered, back } = namesAside(flow)
    const definition = await readFlow(numbered, file)
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
  async create(context, { enabled, ...content }, file, confirmed): Promise<Sent> {
    const built = (await sendConfirmed(context, automate.create, { ...content, ...consented(confirmed) }, `Building ${file}`)) as BuiltAutomation
    const isFailed = built.status === 'test_failed'
    // A definition that went live is on.
    if (enabled === false && !isFailed) await context.call(automate.update, { id: built.automation_id, enabled: false })
    return { id: built.automation_id, isFailed }
  },
  credentials: async (context, id, change) => (change.flow === undefined ? change : { ...change, flow: await refillFlow(context, String(id), change.flow) }),
  async update(context, id, { bind_webhook: _, ...change }, confirmed): Promise<Sent> {
    const isNew = change.flow !== undefined
    const answer = await sendConfirmed(
      context,
      automate.update,
      { ...change, ...(isNew && consented(confirmed)), id: String(id) },
      `Building ${change.name ?? id}`,
    )
    return { id, isFailed: isNew && (answer as BuiltAutomation).status === 'test_failed' }
  },
  async remove({ call }, id) {
    await call(automate.delete, { id: String(id) })
  },
}

/** The same, which says nothing by name. */
export const automationsById: AsCode = { ...automations, references: [], further: () => [] }

/** Above every id there is. */
const aside = 2 ** 40

/** A flow with a number in place of every name of what its steps point to, for whoever checks it, and the way back. */
function namesAside(flow: unknown): { readonly numbered: unknown; readonly back: <T>(flow: T) => T } {
  const names: unknown[] = []
  const each = <T>(it: T, change: (value: unknown) => unknown): T =>
    inSteps(it, '').reduce((result, { path }) => mapAt(result, { path: path.slice(1) }, change), it) as T
  const numbered = each(flow, (it) => (isName(it) ? aside + names.push(it) : it))
  return { numbered, back: (it) => each(it, (value) => (typeof value === 'number' && value > aside ? names[value - aside - 1] : value)) }
}

async function one({ call }: Context, id: number | string): Promise<Known> {
  return (await call(automate.get, { id: String(id) })).data
}

/** What the steps of a flow point to, wherever they stand in it. */
function inSteps(it: unknown, path: string): Reference[] {
  if (Array.isArray(it)) return it.flatMap((one, n) => inSteps(one, `${path}.${n}`))
  if (!isObject(it)) return []
  const settings = isObject(it.settings) ? it.settings : {}
  const known = stepReferences as Readonly<Record<string, Readonly<Record<string, Reference['to']>>>>
  const own = Object.entries(known[String(settings.triggerName ?? settings.actionName)] ?? {})
  // A template belongs to its sender: its name alone is not enough.
  const found = own.flatMap(([field, to]) => (to === 'templates' ? [] : [{ path: `${path}.settings.input.${field}`, to }]))
  return [...found, ...Object.entries(it).flatMap(([name, below]) => (name === 'settings' ? [] : inSteps(below, `${path}.${name}`)))]
}
