import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint, Output } from '../../../contract/endpoint/endpoint.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { describeUnknownPieces } from '../../../engine/definition/problems.ts'
import { validateDefinition } from '../../../engine/definition/validate-definition.ts'
import type { CommandInput } from '../commandline/command.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'
import { fillFlowMasks } from '../secrets/fill-flow-masks.ts'
import { askConfirmation } from './require-confirmation.ts'

// These codes are those of platforms, made from the names in automation-failures.ts by `wireCode`.
const codes: ReadonlySet<string> = new Set(['invalid_definition', 'unsupported_trigger'])

/**
 * Adds all problems found in a definition to the platform's refusal of it: unsupported pieces and what to use instead.
 * Any other error is returned unchanged, as is a refusal without detectable problems.
 */
async function explainRefusedDefinition(error: unknown, flow: unknown): Promise<unknown> {
  if (!(error instanceof ClientFailure) || !codes.has(error.code)) return error
  const examined = await validateDefinition(flow, undefined, { allowUnknownPieces: true })
  const { unknown } = examined
  const problems = [...(examined.ok ? [] : examined.problems), ...unknown]
  if (problems.length === 0) return error
  return new ClientFailure({
    ...error,
    message:
      unknown.length === 0 ? error.message : `The platform refused the definition. ${describeUnknownPieces(unknown)}`,
    details: problems.map(({ step, title, path, message }) => ({
      path: `${step ?? 'definition'}${title === undefined ? '' : ` (${title})`}`,
      message: path === '' || path.endsWith('Name') || path === 'settings' ? message : `${path}: ${message}`,
    })),
    ...(unknown.length > 0 && {
      hint: 'Replace or remove these steps, or set skip: true on them. To test the rest first: parley automate test --file <path> --mock-unknown',
    }),
  })
}

const confirmationRequiredCode = 'side_effects_require_confirmation'

/**
 * Sends a definition. If the platform reports steps with side effects, a terminal shows them and asks for confirmation
 * (default: No), then sends the definition again with `confirm_side_effects`. Returns undefined for a preview. @throws
 * ClientFailure exit 10 without a terminal
 */
export async function sendWithConfirmation<E extends Endpoint>(
  context: Context,
  endpoint: E,
  given: CommandInput,
  what: string,
): Promise<Output<E> | undefined> {
  return confirmSideEffects(context, await withCredentials(context, endpoint, given), (input) =>
    sendRequest(context, endpoint, input, { progressText: what }),
  )
}

/**
 * Runs an exchange with confirmation of side effects. @throws ClientFailure `consent` (exit 10) without confirmation;
 * nothing was changed then
 */
export async function confirmSideEffects<T>(
  context: Context,
  input: CommandInput,
  exchange: (input: CommandInput) => Promise<T>,
  question = 'Run these steps with real effects in the test, and enable the automation?',
): Promise<T> {
  // A person approves the definition with its steps, so that the platform need not refuse it first.
  const isApproved = input.flow !== undefined && (await context.approvals.replacesConfirmation(question))
  try {
    return await exchange(isApproved ? { ...input, confirm_side_effects: true } : input)
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== confirmationRequiredCode)
      throw await explainRefusedDefinition(error, input.flow)
    const hint = 'Review the steps, then pass --confirm-side-effects.'
    if (!context.interactive) throw consentError(error.message, hint)
    await context.notes.warn(error.message)
    if (!(await askConfirmation(context, question, { reachesOutside: true })))
      throw consentError('Cancelled.', 'Nothing was changed.')
    context.promptAnswers.push({ flag: '--confirm-side-effects' })
    return exchange({ ...input, confirm_side_effects: true })
  }
}

/** Replaces masks with the stored credentials when updating an automation. A dry run only checks that they exist. */
async function withCredentials(context: Context, endpoint: Endpoint, input: CommandInput): Promise<CommandInput> {
  if (endpoint.name !== automate.update.name || input.flow === undefined || context.globals.printCurl) return input
  const flow = await fillFlowMasks(context, String(input.id), input.flow)
  return context.globals.dryRun ? input : { ...input, flow }
}
