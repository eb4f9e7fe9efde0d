import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import type { ListedItem, Target } from '../resources/resource.ts'
import { findByDigitName, listHint, resolveItem } from './resolve-target.ts'

/**
 * Sends a request for the resource of an argument or `flag`. Digits are taken as an id first, which needs no further request; if the
 * platform has no such id, the request is sent once more for the resource with these digits as its name. `send` must not have other effects.
 * @throws ClientFailure `not_found` with the command that lists candidates
 */
export async function requestById<T>(
  context: Context,
  given: string | undefined,
  target: Target,
  send: (id: number, item: ListedItem) => Promise<T>,
  flag?: string,
): Promise<T> {
  const item = await resolveItem(context, given, target, flag)
  try {
    return await send(item.id as number, item)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const named = await findByDigitName(context, given, target)
    if (named && named.id !== item.id) return withListHint(target, () => send(named.id as number, named))
    throw addListHint(error, target)
  }
}

/** Runs a request for a resource of the target; if it does not exist, the error names the command that lists candidates. */
export async function withListHint<T>(target: Target, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isNotFound(error) ? addListHint(error, target) : error
  }
}

/** Returns whether the platform does not have the resource. A path that it does not have says nothing about it. */
const isNotFound = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure && error.exit === 'not_found' && error.code !== 'no_route'

function addListHint(error: ClientFailure, target: Target): ClientFailure {
  if (error.status !== 404 || error.hint !== undefined) return error
  return new ClientFailure({ ...error, message: error.message, cause: error, hint: listHint(target) })
}
