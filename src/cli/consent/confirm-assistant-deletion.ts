import type { Assistant } from '../../contract/resources/assistants.ts'
import type { Context } from '../context.ts'
import type { AccountReader } from '../dependencies/account-reader.ts'
import { checkConfirmedName } from './check-confirmed-name.ts'
import { confirmByName } from './confirm-by-name.ts'
import { requireConfirmation } from './require-confirmation.ts'

/**
 * Confirms the deletion of an assistant: by name if it is in use. `all` is the list of assistants. Returns the lists
 * that were read to find out.
 *
 * @throws ClientFailure exit 10 without confirmation
 */
export async function confirmAssistantDeletion(
  context: Context,
  it: Assistant,
  all: readonly Assistant[],
  confirmed: string | boolean | undefined,
): Promise<AccountReader['list']> {
  const { assistantDependents } = await import('../dependencies/assistant-dependents.ts')
  const { createAccountReader } = await import('../dependencies/account-reader.ts')
  const account = createAccountReader(context.call, context.system.signal)
  const effects = await assistantDependents(context, it, all, account)
  await checkConfirmedName(context, confirmed, [it.name])
  const question = `Delete the assistant "${it.name}" (${it.id})?`
  const deleting = `Deleting the assistant "${it.name}"`
  if (effects.length === 0)
    await requireConfirmation(context, { question, refusalMessage: `${deleting} requires confirmation.` })
  else
    await confirmByName(context, {
      question: `${question} It is in use.`,
      refusalMessage: `${deleting} requires confirmation by name because it is in use.`,
      effects,
      name: it.name,
      confirmed,
    })
  return account.listReferring
}
