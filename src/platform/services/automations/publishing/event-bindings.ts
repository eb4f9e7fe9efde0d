import type { Automation, SlotEvent } from '../../../../contract/automations/automation-records.ts'
import { Failure, failures } from '../../../../contract/errors/failures.ts'
import { maskValue } from '../../../../engine/definition/mask.ts'
import {
  claimSlot,
  findSlot,
  listAutomationSlots,
  releaseAutomationSlots,
  releaseOtherSlots,
  type SlotRow,
} from '../../../store/assistants/event-slots.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import { findAutomation } from '../../../store/automations/automations.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'

/** The assistant's event that an automation is bound to. */
export interface Binding {
  readonly event: SlotEvent
  readonly assistant: number
}

/** Returns the binding of a version, or null if it has none. */
export const versionBinding = ({ event, assistant_id }: Pick<VersionRow, 'event' | 'assistant_id'>): Binding | null =>
  event === null || assistant_id === null ? null : { event, assistant: assistant_id }

/**
 * Binds an event to an automation, and releases other events the automation held (section 6.3). @throws Failure
 * `automate.binding_conflict`
 */
export async function bindEvent(
  query: AccountQuery,
  { automation, now }: { automation: string; now: number },
  binding: Binding | null,
): Promise<void> {
  if (binding) {
    const { event, assistant } = binding
    const holder = await findSlot(query, assistant, event)
    if (holder?.holder === 'automation' && holder.target === automation)
      return releaseOtherBindings(query, automation, binding)
    if (holder || !(await claimSlot(query, { assistant, event, holder: 'automation', target: automation, now })))
      throw await conflictFailure(query, holder ?? (await findSlot(query, assistant, event)))
  }
  await releaseOtherBindings(query, automation, binding)
}

async function releaseOtherBindings(query: AccountQuery, automation: string, binding: Binding | null): Promise<void> {
  if (!binding) return releaseAutomationSlots(query, automation)
  await releaseOtherSlots(query, { automation, ...binding })
}

/** Checks that no other automation or webhook holds the event. @throws Failure `automate.binding_conflict` */
export async function requireFreeEvent(
  query: AccountQuery,
  automation: string | undefined,
  binding: Binding | null,
): Promise<void> {
  const holder = binding && (await findSlot(query, binding.assistant, binding.event))
  if (holder && !(holder.holder === 'automation' && holder.target === automation))
    throw await conflictFailure(query, holder)
}

/** Returns the refusal that names the holder of the event. */
async function conflictFailure(query: AccountQuery, holder: SlotRow | undefined): Promise<Failure> {
  if (!holder) return new Failure('automate.binding_conflict')
  const { holder: kind, target, account_id: account } = holder
  const automation = kind === 'automation' ? await findAutomation(accountQuery(query, account), target) : undefined
  const holderText =
    kind === 'webhook'
      ? `webhook ${String(maskValue(target))}`
      : `automation ${automation ? `"${automation.name}" ` : ''}(${target})`
  return new Failure('automate.binding_conflict', {
    text: `${failures['automate.binding_conflict'].text.replace(/\.$/, '')}: ${holderText}.`,
  })
}

/** Returns the bindings of an account's automations, or of some of them, by automation id. */
export async function listBindings(
  query: AccountQuery,
  account: number,
  automations?: readonly string[],
): Promise<Map<string, Automation['binding']>> {
  if (automations?.length === 0) return new Map()
  const rows = await listAutomationSlots(accountQuery(query, account), automations)
  return new Map(rows.map((it) => [it.target, { type: it.event, assistant_id: it.id, assistant_name: it.name }]))
}
