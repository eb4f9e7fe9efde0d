import { ClientFailure } from '../../../client/failure.ts'
import type { Endpoint, Output } from '../../../contract/endpoint.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { send } from '../../requests.ts'
import { needsConsent } from '../../usage.ts'

const unconfirmed = 'side_effects_require_confirmation'

/**
 * Sends a definition. Steps that really send or call are named by the platform: on a terminal they are shown and asked about, No to Enter,
 * and a yes sends it again with `confirm_side_effects`; elsewhere it is exit 10. Undefined when it was only shown.
 */
export async function sendConfirmed<E extends Endpoint>(context: Context, endpoint: E, input: Input, what: string): Promise<Output<E> | undefined> {
  try {
    return await send(context, endpoint, input, what)
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== unconfirmed) throw error
    const hint = 'Read the steps, then add --confirm-side-effects.'
    if (!context.interactive) throw needsConsent(error.message, hint)
    await context.notes.warn(error.message)
    const prompts = await context.prompts()
    if (!(await prompts.confirm('Run these steps for real in the test, and switch it on?')))
      throw needsConsent('Not done: the answer was no.', 'Nothing was changed.')
    context.answered.push({ flag: '--confirm-side-effects' })
    return send(context, endpoint, { ...input, confirm_side_effects: true }, what)
  }
}
