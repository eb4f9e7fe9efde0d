import type { CallSettings } from '../../../client/client.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { confirmSpend } from '../../program/consent/confirm-paid-request.ts'
import type { Context } from '../../program/context.ts'
import { compareWithBudget, platformPrices } from '../../program/operations/budget.ts'

/** Price of a message in USD, or the highest that it can have. */
export type MessagePrice = Pick<CallSettings, 'priceUsd' | 'maxPriceUsd'>

/** Budget of all messages of a chat. */
export interface ChatBudget {
  /**
   * Reserves the price of the next message and returns it; nothing without a budget. A reserved price is not given
   * back, because a message whose reply was lost may have been charged.
   * @throws ClientFailure `conflict` if the budget does not suffice, or the price is not known
   */
  reserve(): MessagePrice
}

/**
 * Reads what a message costs, if `--budget` is passed. Test conversations are free (section 4.9 of the specification); the
 * type of a conversation that is resumed is not known, so that each message can cost the price of a widget. `reserve` is
 * called before each message.
 * @throws ClientFailure `conflict` if the first message would exceed the budget
 */
export async function openChatBudget(context: Context, type: string | undefined): Promise<ChatBudget> {
  const { budgetUsd } = context.writeSettings
  await confirmSpend(context, conversations.send, {}, type === 'test' ? 0 : undefined)
  if (budgetUsd === undefined) return { reserve: () => (type === 'test' ? { priceUsd: 0 } : {}) }
  const price = type === 'test' ? 0 : (await platformPrices(context))?.chat_message
  compareWithBudget(context, price)
  let total = 0
  return {
    reserve() {
      if (price === undefined) return {}
      compareWithBudget(context, total + price)
      total += price
      return type === undefined ? { maxPriceUsd: price } : { priceUsd: price }
    },
  }
}
