import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { ResourceKind } from '../../contract/references/resource-references.ts'
import type { Invocation } from '../commandline/command.ts'
import { previewRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import type { AccountReader } from '../dependencies/account-reader.ts'
import type { RecordedReply } from '../history/recorder.ts'
import { withListHint } from '../input/request-by-id.ts'
import { type ListedItem, resolveItem, type Target } from '../input/resolve-target.ts'
import { previousInList } from '../updates/previous-record.ts'
import { checkConfirmedName } from './check-confirmed-name.ts'
import { type ConfirmationRequest, requireConfirmation } from './require-confirmation.ts'

/** Help note of deletions that check dependencies. */
export const inUseNote =
  'Dependent resources are listed first. To delete a resource that is in use, type its name or pass --confirm <name>.'

export interface DeleteOptions {
  readonly endpoint: Endpoint
  /** How the argument is found, which may depend on its form. */
  readonly target: Target | ((argument: string | undefined) => Target)
  /** Kind to find dependents by. If a dependent is live, confirmation by name is required. */
  readonly dependencyKind?: ResourceKind
  /**
   * The question, which says what is lost, optionally with the error message without a terminal.
   * `called` is its name and id; `it` is its list entry, or the id alone.
   */
  readonly buildQuestion: (
    called: string,
    it: ListedItem,
    context: Context,
  ) => string | ConfirmationRequest | Promise<ConfirmationRequest>
  /** The result line, if not the message of the platform. */
  readonly describeResult?: (message: string, it: ListedItem) => string
}

/** Finds a resource, asks for confirmation, deletes it and prints the result. */
export async function deleteResource(
  context: Context,
  { argument, flags }: Invocation,
  { endpoint, target: given, dependencyKind, buildQuestion, describeResult }: DeleteOptions,
): Promise<void> {
  const target = typeof given === 'function' ? given(argument) : given
  const it = await resolveItem(context, argument, target)
  const id = it.id as number
  if (await previewRequest(context, endpoint, { id })) return
  await checkConfirmedName(context, flags.confirm, [...target.by.map((field) => it[field]), it.id])
  const called = displayName(it, target)
  const built = await buildQuestion(called, it, context)
  const confirmation =
    typeof built === 'string'
      ? { question: built, refusalMessage: `Deleting ${target.singular} ${called} requires confirmation.` }
      : built
  const list = dependencyKind
    ? await confirmDeletion(context, dependencyKind, it, { confirmation, target, confirmed: flags.confirm })
    : undefined
  if (!dependencyKind) await requireConfirmation(context, confirmation)
  const history = { previous: previousInList(it, target), ...(list && { list }) }
  const { output, historyEntry }: RecordedReply<unknown> = await withListHint(target, () =>
    context.call.raw(endpoint, { id } as never, { history }),
  )
  const { message } = output as { message: string }
  await printMessage(context, message, id, describeResult?.(message, it))
  if (historyEntry !== undefined && context.out.settings.form === 'table')
    await noteUndo(context, endpoint, historyEntry)
}

/** Prints the command that undoes a deletion, if the resource can be created again. */
async function noteUndo(context: Context, endpoint: Endpoint, historyEntry: number): Promise<void> {
  const { findWrite, loadRecorded } = await import('../resources/descriptors.ts')
  const [written] = findWrite(endpoint.name, context.commandName) ?? []
  if (written && (await loadRecorded(written.noun)).create)
    await context.notes.note(`Undo: parley history undo ${historyEntry}`)
}

interface DeleteConfirmation {
  readonly confirmation: ConfirmationRequest
  readonly target: Pick<Target, 'by'>
  readonly confirmed: string | boolean | undefined
}

/** Confirms the deletion of a resource that others may depend on. Returns the lists that were read to find them. */
export async function confirmDeletion(
  context: Context,
  dependencyKind: ResourceKind,
  it: ListedItem,
  { confirmation, target, confirmed }: DeleteConfirmation,
): Promise<AccountReader['list']> {
  const { confirmWithDependents, confirmableNames, findDependents } = await import('../dependencies/dependents.ts')
  const { createAccountReader } = await import('../dependencies/account-reader.ts')
  const account = createAccountReader(context.call, context.system.signal)
  const dependents = await findDependents(context, dependencyKind, it, account)
  const names = confirmableNames(
    it,
    target.by.filter((field) => field !== 'id'),
  )
  await confirmWithDependents(context, dependents, {
    ...confirmation,
    inUse: confirmation.refusalMessage.replace(
      'requires confirmation',
      'requires confirmation by name because it is in use',
    ),
    names,
    confirmed,
  })
  return account.listReferring
}

/** Returns name and id of a resource for questions: `"Front desk" (2)`; the id alone if the name is unknown. */
export function displayName(it: ListedItem, { by }: Pick<Target, 'by'>): string {
  const name = by
    .filter((field) => field !== 'id')
    .map((field) => it[field])
    .find((value) => typeof value === 'string' && value !== '')
  return name === undefined ? String(it.id) : `${/^\+?\d+$/.test(String(name)) ? name : `"${name}"`} (${it.id})`
}

/**
 * Prints one sentence for people, `{id, message}` for programs. `text` replaces the message of the platform, which may
 * be empty.
 */
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
