import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import type { Assistant } from '../../../../contract/resources/assistants.ts'
import type { FilterVariable } from '../../../../engine/analysis/filter-variables.ts'
import { guardWrite, requireConfirmation } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { createAccountReader } from '../../../program/dependencies/account-reader.ts'
import { describeItem } from '../../../program/dependencies/deletion-effects.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { addMissingVariables, listInvalidNames } from '../../automations/assistant-variables.ts'
import { listMissingVariables } from './automation-checks.ts'

/**
 * Adds the variables that enabled automations filter on to the assistants that do not extract them (`doctor --fix`).
 * Asks once for all, and reads each assistant back. With --dry-run it only says what it would add. Returns whether
 * anything was sent.
 * @throws ClientFailure exit 10 without confirmation
 */
export async function fixVariables(context: Context, confirm: string | undefined): Promise<boolean> {
  const { globals, notes, system } = context
  if (globals.printCurl)
    throw usageError('--print-curl cannot be combined with --fix.', 'Use --dry-run to see what would be added.')
  const plan = await listAdditions(context)
  if (plan.length === 0) return false
  const lines = plan.map(
    ({ assistant, added }) => `assistant ${describeItem(assistant)}: ${added.map(({ name }) => name).join(', ')}`,
  )
  if (globals.dryRun) {
    await notes.note(`Would add to ${lines.join('; ')}.`)
    return false
  }
  await guardWrite(context, confirm)
  await requireConfirmation(context, {
    question: `Add the missing variables to ${lines.join('; ')}?`,
    refusalMessage: `--fix adds variables to ${lines.join('; ')}, and requires confirmation.`,
  })
  // Updates of a command that only reads by default: with --fix it writes.
  const writing: Context = Object.create(context, {
    command: { value: { ...context.command, risk: 'write' } },
  })
  for (const { assistant, added } of plan) {
    system.signal.throwIfAborted()
    await addMissingVariables(writing, assistant as Assistant, added)
  }
  return true
}

interface Addition {
  readonly assistant: LinkedItem
  readonly added: readonly FilterVariable[]
}

/** Returns the variables to add, by assistant. Names that an assistant cannot extract are left out with a warning. */
async function listAdditions({ call, system, notes }: Context): Promise<Addition[]> {
  const found = await listMissingVariables(createAccountReader(call, system.signal, { onlyEnabled: true }))
  const additions = new Map<unknown, { assistant: LinkedItem; added: Map<string, FilterVariable> }>()
  for (const { automation, assistant, missing } of found) {
    const invalid = listInvalidNames(missing)
    if (invalid.length > 0)
      await notes.warn(
        `Automation ${describeItem(automation)} filters on ${invalid.join(', ')}, which no assistant can extract: names have 3-16 lower-case letters, digits or underscores. Change the automation.`,
      )
    const { added } = additions.get(assistant.id) ?? { added: new Map<string, FilterVariable>() }
    for (const variable of missing) if (!invalid.includes(variable.name)) added.set(variable.name, variable)
    if (added.size > 0) additions.set(assistant.id, { assistant, added })
  }
  return [...additions.values()].map(({ assistant, added }) => ({ assistant, added: [...added.values()] }))
}
