import { isObject } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { resources } from '../resources/registry.ts'
import { createAccountReader, requireReferences } from './account-reader.ts'
import { describeItem } from './deletion-effects.ts'
import { describeEvent } from './dependents.ts'
import type { LinkedItem } from './resource-links.ts'
import { findUsages } from './usages.ts'

/**
 * Returns a sentence for each event or resource that starts an automation or waits for its response. @throws
 * ClientFailure `undo_unavailable` if a list cannot be read
 */
export async function automationCallers(
  context: Context,
  automation: { readonly id: string; readonly binding: unknown },
): Promise<string[]> {
  const account = createAccountReader(context.call, context.system.signal)
  const { certain } = await findUsages(account, 'automate', automation as unknown as LinkedItem)
  const { binding } = automation
  const named = isObject(binding) ? describeEvent(binding) : undefined
  const event = named === undefined ? [] : [`It is started by ${named}.`]
  const callers = [
    ...new Set(certain.map(({ link }) => `The ${resources[link.from].singular} ${describeItem(link.item)} uses it.`)),
  ]
  await requireReferences(context, account, 'automation')
  return [...event, ...callers]
}
