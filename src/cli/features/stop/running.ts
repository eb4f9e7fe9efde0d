import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { type Activity, user } from '../../../contract/resources/user.ts'
import { isRunningCampaign } from '../../../contract/values/states.ts'
import type { Context } from '../../program/context.ts'
import { countOf, type NamedItem, namesOf } from '../../program/output/named-items.ts'
import type { ListedItem } from '../../program/resources/resource.ts'

/** A campaign or an automation that runs. Scripts read it as JSON in the result of `stop`: fields are added, not renamed. */
export interface Running extends NamedItem {
  readonly noun: 'campaigns' | 'automate'
}

/** What an account does on its own. */
export interface RunningWork {
  readonly items: readonly Running[]
  /** As the platform counts it; undefined without the capability, or if it cannot be read. */
  readonly activity: Activity | undefined
  /** Nouns of which what runs cannot be read. */
  readonly unreadable: readonly Running['noun'][]
}

const isRunning = {
  campaigns: ({ status }: ListedItem): boolean => isRunningCampaign(status),
  automate: ({ status }: ListedItem): boolean => status === 'enabled',
} as const

const lists: Readonly<Record<Running['noun'], Endpoint>> = { campaigns: campaigns.list, automate: automate.list }

/** Reads what runs of a kind. */
export async function listRunning(context: Context, noun: Running['noun']): Promise<Running[]> {
  const found: Running[] = []
  for await (const item of paginate(context.call, lists[noun], {}, { all: true, signal: context.system.signal })) {
    const { id, name } = item as ListedItem
    if (isRunning[noun](item as ListedItem)) found.push({ noun, id, name: typeof name === 'string' ? name : null })
  }
  return found
}

/**
 * Reads what runs. Where the platform stops all of it with one request, what cannot be read is named and does not prevent the stop.
 * @throws ClientFailure without that capability
 */
export async function readRunning(context: Context, stopsAccount: boolean): Promise<RunningWork> {
  const unreadable: Running['noun'][] = []
  const unlessNeeded = <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      if (!stopsAccount || context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
      return undefined
    })
  const listed = (['campaigns', 'automate'] as const).map(async (noun) => {
    const found = await unlessNeeded(listRunning(context, noun))
    if (!found) unreadable.push(noun)
    return found ?? []
  })
  const activity = stopsAccount ? await unlessNeeded(context.call(user.activity, {})) : undefined
  return { items: (await Promise.all(listed)).flat(), activity: activity?.data, unreadable }
}

/** Returns the ids of the outbound calls in progress, as the platform has them. */
export async function listCallsInProgress(context: Context): Promise<unknown[]> {
  const ids: unknown[] = []
  for (const status of ['initiated', 'ringing', 'in-progress'] as const)
    for await (const call of paginate(
      context.call,
      calls.list,
      { type: 'outbound', status },
      { all: true, signal: context.system.signal },
    ))
      ids.push((call as { readonly id?: unknown }).id)
  return ids
}

/** Names what waits for the contact hours; nothing if nothing does. */
const waitingParts = ({ waiting }: Activity): string[] =>
  waiting > 0
    ? [
        `${countOf(waiting, 'send or call', 'sends and calls')} that ${waiting === 1 ? 'waits' : 'wait'} for the contact hours`,
      ]
    : []

/** Counts campaigns and automations: `2 campaigns, 1 enabled automation`. */
export function countItems(items: readonly Running[]): string {
  const of = (noun: Running['noun']): number => items.filter((it) => it.noun === noun).length
  return `${countOf(of('campaigns'), 'campaign')}, ${countOf(of('automate'), 'enabled automation')}`
}

/** Describes what runs, or would without the stop: `2 campaigns, 1 enabled automation, 4 runs (campaign "Recall" (1), ...)`. */
export function describeRunning({ items, activity, unreadable }: RunningWork, more: readonly string[] = []): string {
  const counts = [
    countItems(items),
    ...(activity ? [countOf(activity.runs, 'run'), ...waitingParts(activity)] : []),
    ...more,
    ...unreadable.map((noun) => `what cannot be read of ${noun}`),
  ]
  return `${counts.join(', ')}${items.length > 0 ? ` (${namesOf(items)})` : ''}`
}
