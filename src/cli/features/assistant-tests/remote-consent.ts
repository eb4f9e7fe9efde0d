import { usd } from '../../../contract/values/money.ts'
import { confirmTerms, guardWrite, type Terms } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { compareWithBudget, platformPrices } from '../../program/operations/budget.ts'
import type { TestScenario } from './scenario-schema.ts'

/**
 * Confirms scenarios on a remote deployment: what they cost at most, and that tools are really called. @throws
 * ClientFailure `conflict` above the budget, `consent` without confirmation
 */
export async function confirmRemoteRun(
  context: Context,
  scenarios: readonly TestScenario[],
  { repeat, confirm }: { readonly repeat: number; readonly confirm: unknown },
): Promise<void> {
  const messages = scenarios
    .filter((it) => it.type === 'widget' && it.channel === 'chat')
    .reduce((sum, it) => sum + (it.customer?.max_turns ?? it.turns.length), 0)
  await guardWrite(context, confirm as string | undefined)
  const { baseUrl } = await context.settings()
  const read = async (): Promise<Terms> => {
    // Test conversations are free (section 4.9).
    const price = messages === 0 ? 0 : (await platformPrices(context))?.chat_message
    const costUsd = Number.isFinite(price) ? messages * repeat * Number(price) : undefined
    if (context.spending.budgetUsd !== undefined) compareWithBudget(context, costUsd)
    const cost = costUsd === undefined ? 'unknown' : usd(costUsd)
    const text = `Scenarios on ${baseUrl.value}: ${scenarios.length}. Maximum cost: ${cost}. The real tools of the assistants are called`
    return {
      question: `${text}. Run them?`,
      refusalMessage: `${text}. This requires confirmation.`,
      terms: { 'The maximum cost': cost },
    }
  }
  await confirmTerms(context, await read(), read)
}
