import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { Failure, invalidField } from '../../../../contract/errors/failures.ts'
import { listSideEffects } from '../../../../engine/analysis/external-actions.ts'
import { findRequiredConnections } from '../../../../engine/analysis/required-connections.ts'
import { unmaskDefinition } from '../../../../engine/definition/mask.ts'
import { getOwn, nodeSettings } from '../../../../engine/definition/node.ts'
import { toFailure } from '../../../../engine/definition/problems.ts'
import { readDefinition as read } from '../../../../engine/definition/validate-definition.ts'
import type { Sandbox } from '../../../../engine/expressions/sandbox.ts'
import { triggerOf } from '../../../../engine/pieces/registry.ts'
import { type AssistantRow, findAssistant } from '../../../store/assistants/assistants.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import type { TriggerKind } from '../../../store/automations/tables.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import { requireConnections } from '../ports/connection-service.ts'
import { requireAllowedEffects } from './allowed-effects.ts'
import { type Binding, requireFreeEvent } from './event-bindings.ts'
import { readDefinition } from './sealed-definitions.ts'

/**
 * Parses a definition of either form into a tree, and checks the syntax of code. A masked secret is replaced by the
 * secret at the same place in `before`.
 * @throws Failure `automate.invalid_definition`, `unsupported_trigger`, `no_steps`
 */
async function parseDefinition(flow: unknown, sandbox: Sandbox, before?: AutomationNode): Promise<AutomationNode> {
  const sent = await read(flow, sandbox)
  const { definition, problems } = unmaskDefinition(sent, before ?? null)
  if (problems.all.length > 0) throw toFailure('automate.invalid_definition', problems.all)
  return definition
}

/**
 * Returns the names of the connections a definition requires: the kinds that pieces need, and the names in expressions.
 */
export function listRequiredConnections(trigger: AutomationNode): string[] {
  const { kinds, names } = findRequiredConnections(trigger)
  return [...new Set<string>([...kinds, ...names])]
}

/** A definition and the options to create or replace an automation with. */
export interface FlowDraft {
  readonly flow: unknown
  readonly sample?: Readonly<Record<string, unknown>> | undefined
  readonly assistant_id?: number | undefined
  readonly bind_webhook?: 'conversation_ended' | undefined
  readonly confirm_side_effects?: boolean | undefined
  /** The key that publishes it, if it is restricted. */
  readonly key?: RestrictedKey | undefined
}

/** A validated definition with everything that was derived from it. */
export interface BuildPlan {
  readonly trigger: AutomationNode
  readonly kind: TriggerKind
  readonly binding: Binding | null
  readonly assistant: AssistantRow | null
  readonly connections: readonly string[]
}

/**
 * Validates everything that can be checked before building: the definition, its trigger, the assistant and its event,
 * connections and consent. `before` is the live version of an automation that is changed; its binding is retained.
 * @throws Failure of section 7.5
 */
export async function createBuildPlan(
  { connection, sandbox, vault }: Pick<Deps, 'connection' | 'sandbox' | 'vault'>,
  account: number,
  draft: FlowDraft,
  before?: VersionRow,
  automation?: string,
): Promise<BuildPlan> {
  const query = accountQuery(connection.read, account)
  const trigger = await parseDefinition(draft.flow, await sandbox(), before && readDefinition(vault, before))
  requireAllowedEffects(draft.key, trigger)
  const { kind: triggerKind, binding: event } = triggerOf(trigger) ?? { kind: 'external' as const, binding: undefined }
  const kind: TriggerKind = triggerKind === 'external' ? 'poll' : triggerKind
  if (draft.bind_webhook !== undefined && kind !== 'webhook')
    throw invalidField('bind_webhook', 'The bind webhook field is for webhook triggers only.')
  const existingEvent = kind === 'webhook' && before?.event === 'conversation_ended' ? before.event : undefined
  const boundEvent = event ?? draft.bind_webhook ?? existingEvent
  const assistant = await findPlanAssistant(query, account, draft, trigger, boundEvent && before?.assistant_id)
  if (boundEvent && !assistant) throw new Failure('automate.assistant_required')
  const binding = boundEvent && assistant ? { event: boundEvent, assistant: assistant.id } : null
  await requireFreeEvent(query, automation, binding)
  const connections = listRequiredConnections(trigger)
  await requireConnections(query, account, connections)
  const effects = listSideEffects(trigger).map((it) => it.displayName)
  if (effects.length > 0 && draft.confirm_side_effects !== true)
    throw new Failure('automate.side_effects_require_confirmation', {
      text: `This automation has steps that really send or call: ${effects.join(', ')}. Confirm the side effects to continue.`,
      details: { steps: effects },
    })
  return { trigger, kind, binding, assistant: binding ? assistant : null, connections }
}

/** Returns the assistant of the draft: the one it names, else the one in the trigger, else the previous one. */
async function findPlanAssistant(
  query: AccountQuery,
  account: number,
  { assistant_id: namedId }: FlowDraft,
  trigger: AutomationNode,
  previousId: number | null | undefined,
): Promise<AssistantRow | null> {
  const triggerAssistant = getOwn(getOwn(nodeSettings(trigger), 'input'), 'assistant')
  const wanted =
    namedId ??
    (triggerAssistant === undefined || triggerAssistant === null || triggerAssistant === ''
      ? previousId
      : triggerAssistant)
  if (wanted === undefined || wanted === null) return null
  const id = Number(wanted)
  const assistant = Number.isSafeInteger(id) ? await findAssistant(accountQuery(query, account), id) : undefined
  if (!assistant) throw new Failure('automate.assistant_not_found')
  return assistant
}
