import { ClientFailure } from '../../client/failure.ts'
import { assistants } from '../../contract/assistants.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Context } from '../context.ts'
import { sendUpdate } from '../updating.ts'

const nameRule = /^[a-z0-9_]{3,16}$/

/**
 * Checks that an assistant extracts the variables an automation filters on: without them the steps behind its conditions never run. Warns, or with
 * `fix` adds them to the assistant.
 */
export async function checkVariables(context: Context, trigger: AutomationNode, assistant: number, fix: boolean): Promise<void> {
  const { filterVariables, missingVariables, withVariables } = await import('../../automation/definition/call-variables.ts')
  if (filterVariables(trigger).length === 0) return
  const { findAssistant } = await import('../commands/assistants/record.ts')
  // The platform says what is wrong with an assistant that is not there.
  const record = await findAssistant(context, String(assistant)).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.exit === 'not_found') return undefined
    throw error
  })
  if (!record) return
  const missing = missingVariables(trigger, record.post_call_schema)
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const schema = withVariables(record.post_call_schema, missing)
  if (!fix) {
    await context.notes.warn(
      `Assistant ${record.name === undefined ? record.id : `"${record.name}" (id ${record.id})`} does not extract ${names}, which this automation filters on: the steps behind that never run. Add --fix to add ${missing.length === 1 ? 'it' : 'them'} to the assistant.`,
    )
    return
  }
  const invalid = missing.filter(({ name }) => !nameRule.test(name)).map(({ name }) => name)
  if (invalid.length > 0)
    throw new ClientFailure({
      exit: 'usage',
      code: 'usage',
      message: `An assistant cannot extract ${invalid.map((it) => `"${it}"`).join(', ')}: a name has 3 to 16 lower-case letters, digits and underscores.`,
      hint: 'Choose another variable with --param.',
    })
  const answer = await sendUpdate(context, { endpoint: assistants.update, ids: { id: record.id }, change: { post_call_schema: schema }, before: record })
  if (answer) await context.notes.note(`Assistant "${record.name}" (id ${record.id}) now extracts ${names} as well.`)
}
