import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { ResourceKind } from '../../contract/resources/resource-references.ts'
import type { Invocation } from '../commandline/command.ts'
import { previewRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { type ListedItem, resolveItem, type Target } from '../input/resolve-target.ts'
import { type ConfirmationRequest, requireConfirmation } from './require-confirmation.ts'

/** What the help of a deletion says of what others rely on. */
export const inUseNote =
  'What uses it is shown before. One that something works with now goes only once its name is typed, or given with --confirm <name>.'

export interface DeleteOptions {
  readonly endpoint: Endpoint
  readonly target: Target
  /** What others point to it as: what relies on it is looked up before, and makes its name the consent where that is live. */
  readonly dependencyKind?: ResourceKind
  /**
   * The question, which says what is lost; with what the refusal elsewhere says, where that is not that it cannot be undone.
   * `called` is its name and id; `it` what the list shows, or the id alone.
   */
  readonly buildQuestion: (
    called: string,
    it: ListedItem,
  ) => string | ConfirmationRequest | Promise<ConfirmationRequest>
  /** What people are told in place of the platform's words. */
  readonly describeResult?: (message: string, it: ListedItem) => string
}

/** Deletes one thing: finds it, asks, deletes, says so. */
export async function deleteResource(
  context: Context,
  { argument, flags }: Invocation,
  { endpoint, target, dependencyKind, buildQuestion, describeResult }: DeleteOptions,
): Promise<void> {
  const it = await resolveItem(context, argument, target)
  const id = it.id as number
  if (await previewRequest(context, endpoint, { id })) return
  const built = await buildQuestion(displayName(it, target), it)
  const confirmation =
    typeof built === 'string'
      ? { question: built, refusalMessage: `Deleting ${target.singular} ${id} needs consent.` }
      : built
  if (dependencyKind)
    await confirmDeletion(context, dependencyKind, it, { confirmation, target, confirmed: flags.confirm })
  else await requireConfirmation(context, confirmation)
  const { message } = (await context.call(endpoint, { id } as never)) as { message: string }
  await printMessage(context, message, id, describeResult?.(message, it))
}

interface DeleteConfirmation {
  readonly confirmation: ConfirmationRequest
  readonly target: Pick<Target, 'by'>
  readonly confirmed: string | boolean | undefined
}

/** Consent for what takes a thing away from those that rely on it. */
export async function confirmDeletion(
  context: Context,
  dependencyKind: ResourceKind,
  it: ListedItem,
  { confirmation, target, confirmed }: DeleteConfirmation,
): Promise<void> {
  const { confirmWithDependents, confirmableNames, findDependents } = await import('../dependencies/dependents.ts')
  const dependents = await findDependents(context, dependencyKind, it)
  const names = confirmableNames(
    it,
    target.by.filter((field) => field !== 'id'),
  )
  await confirmWithDependents(context, dependents, {
    ...confirmation,
    inUse: confirmation.refusalMessage.replace('needs consent', 'needs consent by its name, as it is in use'),
    names,
    confirmed,
  })
}

/** A thing in a question: `"Front desk" (2)`; its id alone where its list does not show it. */
export function displayName(it: ListedItem, { by }: Pick<Target, 'by'>): string {
  const name = by.map((field) => it[field]).find((value) => typeof value === 'string' && value !== '')
  return name === undefined ? String(it.id) : `${/^\+?\d+$/.test(String(name)) ? name : `"${name}"`} (${it.id})`
}

/** One sentence for people, `{id, message}` for programs. `told`: the sentence, where it is not the platform's, which may have said nothing. */
export async function printMessage(
  context: Context,
  message: string,
  id: number | string,
  text = message,
): Promise<void> {
  const sentence = (it: unknown): string => (typeof it === 'string' && it !== '' ? it : 'Done.')
  if (context.out.settings.form === 'table') await context.out.line(sentence(text))
  else
    await context.out.record(
      { id, message: sentence(message) },
      { view: { id: (it: { id: number | string }) => it.id, columns: [], empty: '' } },
    )
}
