import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { extractionName } from '../../../contract/assistants/assistant-settings.ts'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import {
  addVariables,
  type FilterVariable,
  listExtractionFields,
  listFilterVariables,
  listMissingVariables,
} from '../../../engine/analysis/filter-variables.ts'
import { findAssistant } from '../../nouns/assistants/assistant-record.ts'
import type { Context } from '../../program/context.ts'
import { sendUpdate } from '../../program/updates/send-update.ts'

/**
 * Checks that an assistant extracts the variables that an automation filters on. Without them, the steps behind its
 * conditions never run. Warns, or adds them to the assistant with `fix`.
 */
export async function requireAssistantVariables(
  context: Context,
  trigger: AutomationNode,
  assistant: string,
  fix: boolean,
): Promise<void> {
  if (listFilterVariables(trigger).length === 0) return
  // The platform reports a missing assistant itself.
  const record = await findAssistant(context, assistant).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.exit === 'not_found') return undefined
    throw error
  })
  if (!record) return
  const missing = listMissingVariables(trigger, record.post_call_schema)
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  if (!fix) {
    await context.notes.warn(
      `Assistant ${record.name === undefined ? record.id : `"${record.name}" (id ${record.id})`} does not extract ${names}, which this automation filters on. The steps after that condition never run. Pass --fix to add ${missing.length === 1 ? 'it' : 'them'} to the assistant.`,
    )
    return
  }
  const invalid = listInvalidNames(missing)
  if (invalid.length > 0)
    throw new ClientFailure({
      exit: 'usage',
      code: 'usage',
      message: `An assistant cannot extract ${invalid.map((it) => `"${it}"`).join(', ')}. ${extractionName.description}.`,
      hint: 'Choose another variable with --param.',
    })
  await addMissingVariables(context, record, missing)
}

/** Returns the names of variables that an assistant cannot extract. */
export const listInvalidNames = (variables: readonly FilterVariable[]): string[] =>
  variables.filter(({ name }) => !extractionName.safeParse(name).success).map(({ name }) => name)

/** Adds variables to the values that an assistant extracts, and notes the result. */
export async function addMissingVariables(
  context: Context,
  record: Assistant,
  missing: readonly FilterVariable[],
): Promise<void> {
  const answer = await sendUpdate(context, {
    endpoint: assistants.update,
    ids: { id: record.id },
    change: { post_call_schema: addVariables(record.post_call_schema, missing) },
    previous: record,
  })
  if (!answer) return
  const { post_call_schema: live } = (context.writes.confirmations.at(-1)?.record ?? answer.data) as Partial<Assistant>
  const names = missing.map(({ name }) => name)
  const extracted = new Set(listExtractionFields(live).map((it) => it?.name))
  const stillMissing = names.filter((it) => !extracted.has(it))
  const subject = `Assistant "${record.name}" (id ${record.id})`
  if (stillMissing.length === 0) await context.notes.note(`${subject} now also extracts ${names.join(', ')}.`)
  else
    await context.notes.warn(
      `${subject} was updated, but still does not extract ${stillMissing.join(', ')}. The steps after that condition never run.`,
    )
}
