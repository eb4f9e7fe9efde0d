import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint, Output } from '../../contract/mechanics/endpoint.ts'
import { automate } from '../../contract/resources/automate.ts'
import { explainRefusedDefinition } from '../automations/explain-refusal.ts'
import type { CommandInput } from '../commandline/command.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'
import { fillFlowMasks } from '../secrets/fill-flow-masks.ts'

const confirmationRequiredCode = 'side_effects_require_confirmation'

/**
 * Sends a definition. Steps that really send or call are named by the platform: on a terminal they are shown and asked about, No to Enter,
 * and a yes sends it again with `confirm_side_effects`; elsewhere it is exit 10. Undefined when it was only shown.
 */
export async function sendWithConfirmation<E extends Endpoint>(
  context: Context,
  endpoint: E,
  given: CommandInput,
  what: string,
): Promise<Output<E> | undefined> {
  return confirmSideEffects(context, await withCredentials(context, endpoint, given), (input) =>
    sendRequest(context, endpoint, input, what),
  )
}

/** The same for any way to send it. @throws ClientFailure `consent` (exit 10) when the steps are not agreed to: nothing was changed then */
export async function confirmSideEffects<T>(
  context: Context,
  input: CommandInput,
  exchange: (input: CommandInput) => Promise<T>,
): Promise<T> {
  try {
    return await exchange(input)
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== confirmationRequiredCode)
      throw await explainRefusedDefinition(error, input.flow)
    const hint = 'Read the steps, then add --confirm-side-effects.'
    if (!context.interactive) throw consentError(error.message, hint)
    await context.notes.warn(error.message)
    const prompts = await context.prompts()
    if (!(await prompts.confirm('Run these steps for real in the test, and switch it on?')))
      throw consentError('Not done: the answer was no.', 'Nothing was changed.')
    context.promptAnswers.push({ flag: '--confirm-side-effects' })
    return exchange({ ...input, confirm_side_effects: true })
  }
}

/** The same input with credentials in place of masks, where it updates an automation. A dry run checks that they are there, and shows none. */
async function withCredentials(context: Context, endpoint: Endpoint, input: CommandInput): Promise<CommandInput> {
  if (endpoint.name !== automate.update.name || input.flow === undefined || context.globals.printCurl) return input
  const flow = await fillFlowMasks(context, String(input.id), input.flow)
  return context.globals.dryRun ? input : { ...input, flow }
}
