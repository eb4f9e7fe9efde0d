import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Invocation } from '../commandline/command.ts'
import { previewRequest } from '../connection/send-request.ts'
import type { Context, RecordedReply } from '../context.ts'
import type { AccountReader } from '../dependencies/account-reader.ts'
import type { Dependents } from '../dependencies/dependents.ts'
import { definitionOf } from '../history/entry-content.ts'
import { idsOf, readResource } from '../history/read-resource.ts'
import { withListHint } from '../input/request-by-id.ts'
import { isListed, listItems, resolveItem } from '../input/resolve-target.ts'
import { idView } from '../output/format.ts'
import { findWrite, loadRecorded, type RecordedResource } from '../resources/registry.ts'
import type { ConfirmedDeletion, ListedItem, Target } from '../resources/resource.ts'
import { describeChanges } from '../updates/field-changes.ts'
import { previousInList } from '../updates/previous-record.ts'
import {
  type ConfirmationRequest,
  confirmPlan,
  requireConfirmation,
  requireConfirmedName,
} from './require-confirmation.ts'

/** Help note of deletions that check dependencies. The help and `consent_when` of `parley commands` recognize these commands by it. */
export const inUseNote =
  'Dependent resources are listed first. To delete a resource that is in use, type its name or pass --confirm <name>.'

/** What a deletion command adds to the common steps of a deletion. */
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
    item: ListedItem,
    context: Context,
  ) => string | ConfirmationRequest | Promise<ConfirmationRequest>
  /** The result line, if not the message of the platform. */
  readonly describeResult?: (message: string, item: ListedItem) => string
}

/** Finds a resource, asks for confirmation, deletes it and prints the result. */
export async function deleteResource(
  context: Context,
  { argument, flags }: Invocation,
  { endpoint, target: given, dependencyKind, buildQuestion, describeResult }: DeleteOptions,
): Promise<void> {
  const target = typeof given === 'function' ? given(argument) : given
  const readAt = context.pauses()
  const resolved = await resolveItem(context, argument, target)
  const id = resolved.id as number
  if (await previewRequest(context, endpoint, { id })) return
  await requireConfirmedName(context, flags.confirm, [...target.by.map((field) => resolved[field]), resolved.id])
  const { item, list } = await confirmDeletion(context, {
    item: resolved,
    readAt,
    target,
    endpoint,
    dependencyKind,
    confirmed: flags.confirm,
    async buildQuestion(current) {
      const called = displayName(current, target)
      const built = await buildQuestion(called, current, context)
      return typeof built === 'string'
        ? { question: built, refusalMessage: `Deleting ${target.singular} ${called} requires confirmation.` }
        : built
    },
  })
  const history = { previous: item === resolved ? previousInList(resolved, target) : item, ...(list && { list }) }
  const { output, historyEntry }: RecordedReply<unknown> = await withListHint(target, () =>
    context.call.raw(endpoint, { id }, { history }),
  )
  const { message } = output as { message: string }
  await printMessage(context, message, id, describeResult?.(message, item))
  if (historyEntry !== undefined && context.out.settings.format === 'table')
    await noteUndo(context, endpoint, historyEntry)
}

/** Prints the command that undoes a deletion, if the resource can be created again. */
async function noteUndo(context: Context, endpoint: Endpoint, historyEntry: number): Promise<void> {
  const [written] = findWrite(endpoint.name, context.commandName) ?? []
  if (written && (await loadRecorded(written.noun)).create)
    await context.notes.note(`Undo: parley history undo ${historyEntry}`)
}

interface DeletionRequest {
  /** The resource as it was read. */
  readonly item: ListedItem
  /** Value of `context.pauses()` before it was read (default: now). */
  readonly readAt?: number
  readonly target: Target
  /** The endpoint that deletes it. */
  readonly endpoint: Endpoint
  /** Its path parameters (default: the id). */
  readonly ids?: Readonly<Record<string, number | string>>
  /** Kind to find dependents by. If a dependent is live, confirmation by name is required. */
  readonly dependencyKind?: ResourceKind | undefined
  /** Finds its dependents (default: those of `dependencyKind`). */
  readonly findDependents?: (item: ListedItem, account: AccountReader) => Promise<Dependents>
  readonly confirmed: string | boolean | undefined
  readonly buildQuestion: (item: ListedItem) => Promise<ConfirmationRequest> | ConfirmationRequest
}

/** A resource that may be deleted, and what is lost with it. */
export interface DeletionPlan extends ConfirmedDeletion {
  readonly dependents: Dependents | undefined
  /** Ids of the runs of an automation that are in progress. */
  readonly runs: readonly string[]
}

/**
 * Confirms the deletion of a resource that others may depend on. After a person was asked, resource and dependents are
 * read again and compared. Returns them as they were agreed to.
 */
export async function confirmDeletion(
  context: Context,
  {
    item: listed,
    readAt = context.pauses(),
    target,
    endpoint,
    ids,
    dependencyKind,
    confirmed,
    ...request
  }: DeletionRequest,
): Promise<DeletionPlan> {
  const { confirmWithDependents, confirmableNames, describeEffectChanges, findDependents, runsInFlight } = await import(
    '../dependencies/dependents.ts'
  )
  const { createAccountReader } = await import('../dependencies/account-reader.ts')
  const find =
    request.findDependents ??
    (dependencyKind && ((item, account) => findDependents(context, dependencyKind, item, account)))
  const planFor = async (item: ListedItem): Promise<DeletionPlan> => {
    if (!find) return { item, dependents: undefined, runs: [] }
    const account = createAccountReader(context.call, context.system.signal)
    const runs =
      dependencyKind === 'automate' && context.interactive ? await runsInFlight(context, String(item.id)) : []
    return { item, dependents: await find(item, account), runs: runs.map((run) => run.id), list: account.listReferring }
  }
  const kind = await writtenKind(context, endpoint)
  // What a person is asked about is read completely, so that it can be compared afterwards.
  const isPartial = target.isListPartial === true || !isListed(listed)
  const isReadById = isPartial || ids !== undefined
  const isAsked = context.interactive && (find !== undefined || !context.globals.yes)
  const readIt = (): Promise<ListedItem | undefined> =>
    kind ? readIfExists(context, kind, ids ?? { id: listed.id }) : Promise.resolve(undefined)
  // Without the right to read it, the question has its id only.
  const item = isPartial && isAsked ? ((await readIt().catch(() => undefined)) ?? listed) : listed
  return confirmPlan<DeletionPlan>(context, {
    plan: await planFor(item),
    readAt,
    async ask({ item: current, dependents }, isAskedAgain) {
      const confirmation = await request.buildQuestion(current)
      if (!dependents) return requireConfirmation(context, confirmation, { isAskedAgain })
      const names = target.by.filter((field) => field !== 'id')
      await confirmWithDependents(context, dependents, {
        ...confirmation,
        inUse: confirmation.refusalMessage.replace(
          'requires confirmation',
          'requires confirmation by name because it is in use',
        ),
        names: confirmableNames(current, names),
        confirmed,
        isAskedAgain,
      })
    },
    async read() {
      const fresh = isReadById ? await readIt() : (await listItems(context, target)).find((one) => one.id === listed.id)
      // A resource that no longer exists is reported by the deletion itself.
      return fresh ? planFor(fresh) : { item, dependents: undefined, runs: [] }
    },
    describeChanges: (agreed, current) =>
      current.item === agreed.item
        ? []
        : describePlanChanges(kind, displayName(agreed.item, target), [agreed, current], describeEffectChanges),
  })
}

/** Returns the kind of the resource that an endpoint writes, as the history knows it. */
export async function writtenKind({ commandName }: Context, { name }: Endpoint): Promise<RecordedResource | undefined> {
  const [written] = findWrite(name, commandName) ?? []
  return written && loadRecorded(written.noun)
}

/** Reads a resource; undefined if the platform says that it does not exist. Other failures are thrown. */
export async function readIfExists(
  context: Context,
  kind: RecordedResource,
  ids: Readonly<Record<string, number | string>>,
): Promise<ListedItem | undefined> {
  try {
    return (await readResource(context, kind, idsOf(kind, ids))) as ListedItem
  } catch (error) {
    if ((error as ClientFailure).exit === 'not_found') return undefined
    throw error
  }
}

/** Returns a sentence for each change of a resource and of its dependents since a person was asked about it. */
function describePlanChanges(
  kind: RecordedResource | undefined,
  called: string,
  [agreed, current]: readonly [DeletionPlan, DeletionPlan],
  describeEffectChanges: (before?: readonly string[], after?: readonly string[]) => string[],
): string[] {
  const before = comparableFields(kind, agreed.item)
  const after = comparableFields(kind, current.item)
  const lines = describeChanges(before, after)
  const changes = [
    ...lines,
    ...describeEffectChanges(agreed.dependents?.effects, current.dependents?.effects),
    ...current.runs.filter((it) => !agreed.runs.includes(it)).map((it) => `Run ${it} is in progress.`),
  ]
  return changes.length > 0 ? [`${called} was changed while the question was open:`, ...changes] : []
}

/**
 * Returns the fields of a resource that people set or decide by, without those that change all the time. `parley api` and deletions
 * compare them after a question: a change of any other field does not ask again.
 */
export function comparableFields(
  kind: RecordedResource | undefined,
  item: ListedItem,
): Readonly<Record<string, unknown>> {
  if (!kind) return item
  const { status, ends_at } = item
  return {
    ...definitionOf(kind, item),
    ...(status !== undefined && { status }),
    ...(ends_at !== undefined && { ends_at }),
  }
}

/** Returns name and id of a resource for questions: `"Front desk" (2)`; the id alone if the name is unknown. */
export function displayName(item: ListedItem, { by }: Pick<Target, 'by'>): string {
  const name = by
    .filter((field) => field !== 'id')
    .map((field) => item[field])
    .find((value) => typeof value === 'string' && value !== '')
  return name === undefined ? String(item.id) : `${/^\+?\d+$/.test(String(name)) ? name : `"${name}"`} (${item.id})`
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
  await context.out.result({ id, message: sentence(message) }, sentence(text), { view: idView(() => id) })
}
