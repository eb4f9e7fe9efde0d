import { ClientFailure } from '../../client/failures/client-failure.ts'
import { extractionName } from '../../contract/assistants/assistant-settings.ts'
import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { assistants } from '../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import { sendUpdate } from '../updates/send-update.ts'

/**
 * Checks that an assistant extracts the variables that an automation filters on. Without them, the steps behind its
 * conditions never run. Warns, or adds them to the assistant with `fix`.
 */
export async function checkAssistantVariables(
  context: Context,
  trigger: AutomationNode,
  assistant: number,
  fix: boolean,
): Promise<void> {
  const { listFilterVariables, listMissingVariables, addVariables } = await import(
    '../../flow/analysis/filter-variables.ts'
  )
  if (listFilterVariables(trigger).length === 0) return
  const { findAssistant } = await import('../commands/assistants/assistant-record.ts')
  // The platform reports a missing assistant itself.
  const record = await findAssistant(context, String(assistant)).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.exit === 'not_found') return undefined
    throw error
  })
  if (!record) return
  const missing = listMissingVariables(trigger, record.post_call_schema)
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const schema = addVariables(record.post_call_schema, missing)
  if (!fix) {
    await context.notes.warn(
      `Assistant ${record.name === undefined ? record.id : `"${record.name}" (id ${record.id})`} does not extract ${names}, which this automation filters on. The steps after that condition never run. Pass --fix to add ${missing.length === 1 ? 'it' : 'them'} to the assistant.`,
    )
    return
  }
  const invalid = missing.filter(({ name }) => !extractionName.safeParse(name).success).map(({ name }) => name)
  if (invalid.length > 0)
    throw new ClientFailure({
      exit: 'usage',
      code: 'usage',
      message: `An assistant cannot extract ${invalid.map((it) => `"${it}"`).join(', ')}. ${extractionName.description}.`,
      hint: 'Choose another variable with --param.',
    })
  const answer = await sendUpdate(context, {
    endpoint: assistants.update,
    ids: { id: record.id },
    change: { post_call_schema: schema },
    previous: record,
  })
  if (!answer) return
  const { post_call_schema: live } = await findAssistant(context, String(record.id))
  const stillMissing = listMissingVariables(trigger, live).map(({ name }) => name)
  const subject = `Assistant "${record.name}" (id ${record.id})`
  if (stillMissing.length === 0) await context.notes.note(`${subject} now also extracts ${names}.`)
  else
    await context.notes.warn(
      `${subject} was updated, but still does not extract ${stillMissing.join(', ')}. The steps after that condition never run.`,
    )
}
