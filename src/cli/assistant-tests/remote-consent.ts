import { ClientFailure } from '../../client/failures/client-failure.ts'
import { guardWrite, requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { usd } from '../output/usd.ts'
import type { TestScenario } from './scenario-schema.ts'

/** Price of a message in a widget conversation in USD. Test conversations are free (section 4.9). */
const messagePriceUsd = 0.01

/**
 * Confirms scenarios on a remote deployment: what they cost at most, and that tools are really called. @throws
 * ClientFailure `conflict` above the budget, `consent` without confirmation
 */
export async function confirmRemoteRun(
  context: Context,
  scenarios: readonly TestScenario[],
  { repeat, budget, confirm }: { readonly repeat: number; readonly budget: unknown; readonly confirm: unknown },
): Promise<void> {
  const limit = budget === undefined ? undefined : Number(budget)
  if (limit !== undefined && !(limit >= 0)) throw usageError(`Invalid --budget "${budget}". Use an amount in USD.`)
  const messages = scenarios
    .filter((it) => it.type === 'widget' && it.channel === 'chat')
    .reduce((sum, it) => sum + (it.customer?.max_turns ?? it.turns.length), 0)
  const cost = Math.round(messages * repeat * messagePriceUsd * 100) / 100
  if (limit !== undefined && cost > limit)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'over_budget',
      message: `The scenarios cost up to ${usd(cost)}, which is more than --budget ${limit}.`,
      hint: 'Nothing was sent. Raise --budget, choose fewer scenarios with --scenario, or use type: test, which is free.',
    })
  await guardWrite(context, confirm as string | undefined)
  const { baseUrl } = await context.settings()
  const text = `${scenarios.length} scenarios run on ${baseUrl.value}, cost up to ${usd(cost)}, and call the real tools of the assistants`
  await requireConfirmation(context, {
    question: `${text}. Run them?`,
    refusalMessage: `${text}. This requires confirmation.`,
  })
}
