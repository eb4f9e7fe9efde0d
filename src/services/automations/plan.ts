import { own, settingsOf } from '../../automation/definition/node.ts'
import { sideEffectsOf } from '../../automation/definition/side-effects.ts'
import { triggerOf } from '../../automation/steps/registry.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import { Failure, invalidField } from '../../contract/errors.ts'
import { type AssistantRow, findAssistant } from '../../store/assistants.ts'
import type { TriggerKind } from '../../store/automation-tables.ts'
import type { VersionRow } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import type { Deps } from '../deps.ts'
import { type Binding, refuseConflict } from './bindings.ts'
import { checkConnections } from './connections.ts'
import { connectionsOf, definitionOf } from './definitions.ts'

/** What create and repair are asked for. */
export interface FlowDraft {
  readonly flow: unknown
  readonly sample?: Readonly<Record<string, unknown>> | undefined
  readonly assistant_id?: number | undefined
  readonly bind_webhook?: 'conversation_ended' | undefined
  readonly confirm_side_effects?: boolean | undefined
}

/** A definition that may be built, with everything that was found out about it. */
export interface Plan {
  readonly trigger: AutomationNode
  readonly kind: TriggerKind
  readonly binding: Binding | null
  readonly assistant: AssistantRow | null
  readonly connections: readonly string[]
}

/**
 * Checks everything that can be before anything is built: the definition, its trigger, the assistant and its slot, connections, consent.
 * `before` is what is live of an automation that is repaired: it stays bound to what it is bound to.
 * @throws Failure of section 7.5
 */
export async function planOf(
  { connection, sandbox }: Pick<Deps, 'connection' | 'sandbox'>,
  account: number,
  draft: FlowDraft,
  before?: VersionRow,
  automation?: string,
): Promise<Plan> {
  const query = connection.read
  const trigger = await definitionOf(draft.flow, await sandbox(), before)
  const { kind: named, binding: event } = triggerOf(trigger) ?? { kind: 'external' as const, binding: undefined }
  const kind: TriggerKind = named === 'external' ? 'poll' : named
  if (draft.bind_webhook !== undefined && kind !== 'webhook') throw invalidField('bind_webhook', 'The bind webhook field is for webhook triggers only.')
  const stays = kind === 'webhook' && before?.event === 'conversation_ended' ? before.event : undefined
  const bound = event ?? draft.bind_webhook ?? stays
  const assistant = await assistantOf(query, account, draft, trigger, bound && before?.assistant_id)
  if (bound && !assistant) throw new Failure('automate.assistant_required')
  const binding = bound && assistant ? { event: bound, assistant: assistant.id } : null
  await refuseConflict(query, automation, binding)
  const connections = connectionsOf(trigger)
  await checkConnections(query, account, connections)
  const effects = sideEffectsOf(trigger).map((it) => it.displayName)
  if (effects.length > 0 && draft.confirm_side_effects !== true)
    throw new Failure('automate.side_effects_require_confirmation', {
      text: `This automation has steps that really send or call: ${effects.join(', ')}. Confirm the side effects to go on.`,
      details: { steps: effects },
    })
  return { trigger, kind, binding, assistant: binding ? assistant : null, connections }
}

/** The one that is named, else the one in the trigger, else the one it had. */
async function assistantOf(
  query: Query,
  account: number,
  { assistant_id: named }: FlowDraft,
  trigger: AutomationNode,
  had: number | null | undefined,
): Promise<AssistantRow | null> {
  const inside = own(own(settingsOf(trigger), 'input'), 'assistant')
  const wanted = named ?? (inside === undefined || inside === null || inside === '' ? had : inside)
  if (wanted === undefined || wanted === null) return null
  const id = Number(wanted)
  const assistant = Number.isSafeInteger(id) ? await findAssistant(query, account, id) : undefined
  if (!assistant) throw new Failure('automate.assistant_not_found')
  return assistant
}
