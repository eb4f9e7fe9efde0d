import { ClientFailure } from '../../../client/failure.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { consent } from '../../consent.ts'
import type { Context } from '../../context.ts'
import type { Beside } from '../../history/undoing.ts'
import { showOnly } from '../../requests.ts'
import type { Done } from './done.ts'

/** Takes away what an undo made. */
export async function takeAway(context: Context, { copy, kind }: Beside, called: string): Promise<Done | undefined> {
  if (!kind.remove) throw new ClientFailure({ exit: 'conflict', code: 'cannot_be_undone', message: `The ${called} cannot be deleted. Nothing was changed.` })
  const remove: Endpoint = kind.remove
  if (await showOnly(context, remove, { ...copy.ids })) return undefined
  await consent(context, { ask: `Delete the ${called}?`, without: `Deleting the ${called} needs consent.` })
  await context.call(remove, { ...copy.ids } as never)
  return { undone: { done: 'deleted' }, sentence: `Deleted the ${called}.` }
}
