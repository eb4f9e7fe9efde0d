import type { Context } from '../context.ts'
import { accountOf, tellUnseen } from './account.ts'
import { type Item, isObject } from './links.ts'
import { calledIn } from './losses.ts'
import { eventIn } from './relying.ts'
import { things } from './things.ts'
import { usesOf } from './uses.ts'

/** Who starts an automation or waits for its answer, a sentence each. What could not be seen is told. */
export async function askersOf(context: Context, automation: { readonly id: string; readonly binding: unknown }): Promise<string[]> {
  const account = accountOf(context.call, context.world.signal)
  const { certain } = await usesOf(account, 'automate', automation as unknown as Item)
  const { binding } = automation
  const named = isObject(binding) ? eventIn(binding) : undefined
  const event = named === undefined ? [] : [`It is started by ${named}.`]
  const askers = [...new Set(certain.map(({ link }) => `The ${things[link.from].one} ${calledIn(link.item)} asks it.`))]
  await tellUnseen(context, account, 'What is there may rely on it.')
  return [...event, ...askers]
}
