import { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import type { Endpoint, Output } from '../../../contract/endpoint.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { send } from '../../requests.ts'
import { refillFlow } from '../../secrets/refill-flow.ts'
import { needsConsent } from '../../usage.ts'
import { withProblems } from './refused-pieces.ts'

const unconfirmed = 'side_effects_require_confirmation'

/**
 * Sends a definition. Steps that really send or call are named by the platform: on a terminal they are shown and asked about, No to Enter,
 * and a yes sends it again with `confirm_side_effects`; elsewhere it is exit 10. Undefined when it was only shown.
 */
export async function sendConfirmed<E extends Endpoint>(context: Context, endpoint: E, given: Input, what: string): Promise<Output<E> | undefined> {
  return confirmed(context, await withCredentials(context, endpoint, given), (input) => send(context, endpoint, input, what))
}

/** The same for any way to send it. @throws ClientFailure `consent` (exit 10) when the steps are not agreed to: nothing was changed then */
export async function confirmed<T>(context: Context, input: Input, exchange: (input: Input) => Promise<T>): Promise<T> {
  try {
    return await exchange(input)
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== unconfirmed) throw await withProblems(error, input.flow)
    const hint = 'Read the steps, then add --confirm-side-effects.'
    if (!context.interactive) throw needsConsent(error.message, hint)
    await context.notes.warn(error.message)
    const prompts = await context.prompts()
    if (!(await prompts.confirm('Run these steps for real in the test, and switch it on?')))
      throw needsConsent('Not done: the answer was no.', 'Nothing was changed.')
    context.answered.push({ flag: '--confirm-side-effects' })
    return exchange({ ...input, confirm_side_effects: true })
  }
}

/** The same input with credentials in place of masks, where it updates an automation. A dry run checks that they are there, and shows none. */
async function withCredentials(context: Context, endpoint: Endpoint, input: Input): Promise<Input> {
  if (endpoint.name !== automate.update.name || input.flow === undefined || context.globals.printCurl) return input
  const flow = await refillFlow(context, String(input.id), input.flow)
  return context.globals.dryRun ? input : { ...input, flow }
}
