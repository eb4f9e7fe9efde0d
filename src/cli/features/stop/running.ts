import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { type Activity, user } from '../../../contract/resources/user.ts'
import type { Context } from '../../program/context.ts'
import type { NamedItem } from '../../program/output/named-items.ts'
import type { ListedItem } from '../../program/resources/resource.ts'

/** A campaign or an automation that runs. */
export interface Running extends NamedItem {
  readonly noun: 'campaigns' | 'automate'
}

/** What an account does on its own. */
export interface RunningWork {
  readonly items: readonly Running[]
  /** As the platform counts it; undefined without the capability. */
  readonly activity: Activity | undefined
}

const isRunning = {
  campaigns: ({ status }: ListedItem): boolean => status === 'in-progress' || status === 'scheduled',
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

/** Reads what runs. */
export async function readRunning(context: Context): Promise<RunningWork> {
  const activity = (await context.supports('stop')) ? (await context.call(user.activity, {})).data : undefined
  const items = await Promise.all([listRunning(context, 'campaigns'), listRunning(context, 'automate')])
  return { items: items.flat(), activity }
}

/** Returns the ids of the outbound calls in progress. */
export async function listCallsInProgress(context: Context): Promise<number[]> {
  const ids: number[] = []
  for (const status of ['initiated', 'ringing', 'in-progress'] as const)
    for await (const call of paginate(
      context.call,
      calls.list,
      { type: 'outbound', status },
      { all: true, signal: context.system.signal },
    ))
      ids.push((call as ListedItem).id as number)
  return ids
}
