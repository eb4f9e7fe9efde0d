import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Automation } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { diff } from '../../../engine/analysis/diff.ts'
import { maskDefinition } from '../../../engine/definition/mask.ts'
import { sendWithConfirmation } from '../../program/consent/confirm-side-effects.ts'
import type { Context } from '../../program/context.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { findSample } from '../../program/history/test-samples.ts'
import type { DocumentHistory } from '../../program/resources/resource.ts'
import { confirmPublish } from './confirm-publish.ts'
import { differenceLines, flowDifference } from './flow-files/difference-lines.ts'
import { automationContent } from './flow-files/flow-document.ts'
import { describeBinding } from './restore/restore-preview.ts'
import { undoAutomation } from './undo-automation.ts'

/**
 * How the history saves and restores automations, whose content is their definition: `definition` in the records of the
 * platform, `flow` in what create and update accept.
 */
export const automationHistory: DocumentHistory = {
  async redact(automation) {
    const { definition } = automation
    if (typeof definition !== 'object' || definition === null) return automation
    return { ...automation, definition: maskDefinition(definition as AutomationNode) }
  },
  async toFields(automation, isUpdate) {
    const { enabled, ...content } = automationContent(automation as Partial<Automation> as Automation)
    return isUpdate ? { enabled, ...content } : content
  },
  isReadBack: (action, input) => action === 'restore' || input.flow !== undefined,
  compare({ definition: before }, { definition: now }) {
    if (!isObject(before) || !isObject(now)) return undefined
    const steps = diff(before, now)
    return { fields: ['definition', 'flow'], steps, lines: differenceLines(steps) }
  },
  describeChange: (field, before, after, isFull) =>
    field === 'flow' ? flowDifference(before, after, isFull) : undefined,
  async undoUpdate(...given) {
    return undoAutomation(...given)
  },
  async recreate(context, copy, draft, { confirmsSideEffects, confirmed }) {
    const sample = await findSample(context, String(copy.ids.id), copy.at)
    await confirmRecreation(context, copy, confirmed)
    const input = {
      ...draft,
      ...(sample && { sample: sample.sample }),
      ...(confirmsSideEffects && { confirm_side_effects: true }),
    }
    const created = (await sendWithConfirmation(context, automate.create, input, 'Building')) as
      | { readonly automation_id: string; readonly status?: string; readonly data?: Partial<Automation> }
      | undefined
    if (!created) return undefined
    const id = created.automation_id
    return {
      id,
      record: { ...created.data },
      ...(copy.before?.status === 'disabled' && {
        remaining: [{ field: 'enabled', write: () => context.call(automate.update, { id, enabled: false }) }],
      }),
      ...(created.status === 'test_failed' && {
        problem: `Its test failed and it is disabled. See: parley automate runs list ${id}`,
      }),
    }
  },
}

/** Confirms that the definition of a deleted automation goes live again. A preview needs no confirmation. */
async function confirmRecreation(
  context: Context,
  { name, before, ids }: HistoryEntry,
  confirmed: string | boolean | undefined,
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (dryRun || printCurl) return

  const called = name ?? String(ids.id)
  const isEnabled = before?.status === 'enabled'
  await confirmPublish(context, {
    question: `Create the automation "${called}" again?`,
    refusalMessage: `Creating "${called}" again publishes its definition and requires confirmation.`,
    lines: [
      `It is tested, and becomes ${isEnabled ? 'enabled if the test passes' : 'disabled'}.`,
      `Bound to: ${describeBinding(before?.binding)}.`,
    ],
    name: called,
    isEnabled,
    confirmed,
  })
}
