import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { itemsOf, paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { stringifyJson } from '../../../node/json.ts'
import { suggestNames } from '../commandline/closest-match.ts'
import { riskOf } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import {
  isRecordedWrite,
  mayWriteUnchecked,
  readBeforeWrite,
  undoUnavailableCode,
} from '../history/undo-unavailable.ts'
import { cacheList } from '../lists/update-completion-cache.ts'
import { promptChoices } from '../prompts/choices.ts'
import type { ListedItem, Target } from '../resources/resource.ts'
import { uuidPattern } from './ids.ts'
import { beginningOf, matchingId, wholeId } from './shortened-ids.ts'

/**
 * Resolves an argument or `flag`, an id or a unique name, to the id. If it is missing, prompts on a terminal; elsewhere fails
 * with exit code 2. An id beyond 2^53 stays a text with all digits, although the type says number: it is only sent.
 */
export const resolveId = async (
  context: Context,
  given: string | undefined,
  target: Target,
  flag?: string,
): Promise<number> => (await resolveItem(context, given, target, flag)).id as number

/** Resolves an argument to the id of a resource with text ids. A complete id is used without reading the list. */
export async function resolveTextId(context: Context, given: string | undefined, target: Target): Promise<string> {
  if (given !== undefined && target.idPattern?.test(given)) return given
  return String((await resolveItem(context, given, target)).id)
}

/** Resolves an argument or `flag` to the list entry; only the id if no list was read. */
export async function resolveItem(
  context: Context,
  given: string | undefined,
  target: Target,
  flag?: string,
): Promise<ListedItem> {
  if (given !== undefined && isId(given, target)) return resolveDigits(context, given, target)
  if (given === undefined && !context.interactive)
    throw usageError(`Missing ${target.singular}. Pass its id or name.`, listHint(target))
  // The argument is what a write changes, so its list must be readable for an undo. A flag only names another resource.
  const items = await (flag === undefined ? listBeforeWrite : listItems)(context, target)
  return selectItem(context, items, given, target, flag)
}

/** Returns the item with a name. Without a name, prompts for one of the items. @throws ClientFailure `not_found`, `usage` */
export async function selectItem(
  context: Context,
  items: readonly ListedItem[],
  given: string | undefined,
  target: Target,
  flag?: string,
): Promise<ListedItem> {
  if (given === undefined) {
    const picked = await pickItem(context, items, target)
    // The equivalent command, which is printed afterwards, has the id.
    context.promptAnswers.push(
      flag === undefined ? { argument: String(picked.id) } : { flag, value: String(picked.id) },
    )
    return picked
  }
  const found =
    findByName(items, given, target) ??
    items.find((it) => String(it.id) === given) ??
    findByBeginning(items, given, target)
  if (found) return found
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `No ${target.singular} "${given}" found.${suggestion(items, given, target)}`,
    hint: listHint(target),
  })
}

/** Returns a sentence with the name that is close to an unknown one; empty if none is close. */
function suggestion(items: readonly ListedItem[], given: string, { by }: Target): string {
  const names = items.flatMap((it) => by.flatMap((field) => it[field] ?? []).map(String))
  return suggestNames(given, names)
}

/** Whether an item was read from its list, and is not only an id. */
export const isListed = (it: ListedItem): boolean => Object.keys(it).length > 1

/** Returns whether the list is searched for digits before they are used as an id: for deletions and kinds with short numbers. */
const readsListFirst = ({ command }: Context, { hasShortNumbers }: Target): boolean =>
  hasShortNumbers === true || riskOf(command) === 'destructive'

/** Resolves digits to an id without reading anything, unless the list is read first. `requestById` handles digits that are not an id. */
async function resolveDigits(context: Context, given: string, target: Target): Promise<ListedItem> {
  // A number cannot hold an id beyond 2^53, so that its text is sent.
  const idOnly: ListedItem = { id: Number.isSafeInteger(Number(given)) ? Number(given) : given }
  return readsListFirst(context, target) ? ((await findByDigits(context, given, target)) ?? idOnly) : idOnly
}

/**
 * Returns the resource that has digits as its name, for a command whose request found none with them as its id. Undefined if
 * there is none, and for commands that spend, delete or reach systems outside: they must not act on another resource than the
 * one that was named. Also undefined where the list was searched before the request (`readsListFirst`).
 */
export async function findByDigitName(
  context: Context,
  given: string | undefined,
  target: Target,
): Promise<ListedItem | undefined> {
  const isSafe = riskOf(context.command) === 'read' || riskOf(context.command) === 'write'
  if (given === undefined || !isId(given, target) || !isSafe || readsListFirst(context, target)) return undefined
  return findByDigits(context, given, target)
}

/**
 * Finds digits in the list, as an id, a name or a number. If they are the id of one resource and the name of another, commands that
 * change something fail.
 */
async function findByDigits(context: Context, given: string, target: Target): Promise<ListedItem | undefined> {
  const risk = riskOf(context.command)
  const items = await listForDigits(context, given, target)
  const byId = items.find((it) => String(it.id) === given)
  if (byId && risk === 'read') return byId
  const byName = findByName(
    items.filter((it) => it !== byId),
    given,
    target,
  )
  if (!byId || !byName) return byId ?? byName
  throw usageError(
    `"${given}" is the id of one ${target.singular} and the ${target.hasShortNumbers ? 'number or name' : 'name'} of another:\n${[byId, byName].map(target.label).join('\n')}`,
    `Pass ${distinguishingName(byId, given, target)} for the first one, or ${byName.id} for the second one.`,
  )
}

/** Reads the candidates, up to the limit of the target. */
export async function listItems(context: Context, { list, within, limit }: Target): Promise<readonly ListedItem[]> {
  const items: ListedItem[] = []
  const reading = { ...(limit === undefined ? { all: true } : { limit }), signal: context.system.signal }
  for await (const item of paginate(context.call, list, { ...within }, reading)) items.push(item as ListedItem)
  await cacheList(context, list, items, limit === undefined, within)
  return items
}

/**
 * Reads the list in which digits are searched. A list that is not available, or not reachable in a preview, is empty. A
 * command that reduces harm continues without it. @throws ClientFailure `undo_unavailable` for a write that the history
 * records
 */
async function listForDigits(context: Context, given: string, target: Target): Promise<readonly ListedItem[]> {
  const { command, globals, notes } = context
  try {
    return await listBeforeWrite(context, target)
  } catch (error) {
    const failed = (error as ClientFailure).code === undoUnavailableCode ? (error as Error).cause : error
    if (!(failed instanceof ClientFailure) || context.system.signal.aborted) throw error
    const { status = 0, message } = failed
    const isTolerated = [404, 405, 501].includes(status) || (status === 403 && !(await needsUndo(context)))
    if (isTolerated || globals.dryRun || globals.printCurl) return []
    if (!command.reducesHarm) throw error
    await notes.warn(
      `${given} is used as an id, because the ${pluralOf(target.singular)} could not be listed. ${message}`,
    )
    return []
  }
}

/** Reads the candidates for the argument of a command. */
const listBeforeWrite = (context: Context, target: Target): Promise<readonly ListedItem[]> =>
  isRecordedWrite(context)
    ? readBeforeWrite(target.singular, () => listItems(context, target), '')
    : listItems(context, target)

const needsUndo = async (context: Context): Promise<boolean> =>
  isRecordedWrite(context) && !(await mayWriteUnchecked(context))

/** Returns the item with this name; undefined if there is none. */
function findByName(
  items: readonly ListedItem[],
  given: string,
  { by, singular, label }: Target,
): ListedItem | undefined {
  const found = by.map((field) => items.filter((it) => isNamed(it[field], given))).find((it) => it.length > 0) ?? []
  if (found.length > 1)
    throw usageError(
      `Several ${pluralOf(singular)} are named "${given}": ${found.map((it) => it.id).join(', ')}.`,
      `Pass the id: ${found.map(label).join('; ')}.`,
    )
  return found[0]
}

/** Returns the item whose long id begins with what was given; undefined if there is none. */
function findByBeginning(
  items: readonly ListedItem[],
  given: string,
  { hasTextIds, singular }: Target,
): ListedItem | undefined {
  const beginning = hasTextIds && beginningOf(given)
  const id =
    beginning &&
    matchingId(
      items.map((it) => String(it.id)),
      beginning,
      singular,
    )
  return id === undefined ? undefined : items.find((it) => it.id === id)
}

/** Returns another name of an item, to distinguish it from one that matches the same digits. */
const distinguishingName = (item: ListedItem, given: string, { by }: Target): string =>
  stringifyJson(
    by.map((field) => item[field]).find((name) => typeof name === 'string' && name !== '' && !isNamed(name, given)) ??
      given,
  )

/** Whether the text is an id. More than 9 digits are a phone number without its plus sign. */
const isId = (given: string, { by, hasTextIds }: Target): boolean =>
  !hasTextIds && /^\d+$/.test(given) && !(by.includes('phone_number') && given.length > 9)

const isNamed = (value: unknown, given: string): boolean =>
  String(value ?? '') === given ||
  value === `+${given}` ||
  (uuidPattern.test(given) && String(value).toLowerCase() === given.toLowerCase())

/** Returns the plural of a noun: `tools` for `tool`, `deliveries` for `delivery`. */
export const pluralOf = (singular: string): string =>
  /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`

/** Returns a sentence with the command that lists candidates. */
export const listHint = ({ singular, list, listCommand = list.name.replace('.', ' ') }: Target): string =>
  `List ${pluralOf(singular)}: parley ${listCommand}.`

async function pickItem(context: Context, items: readonly ListedItem[], target: Target): Promise<ListedItem> {
  if (items.length === 0)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `No ${pluralOf(target.singular)} to choose from.`,
    })
  const prompts = await context.prompts()
  return prompts.select(`Which ${target.singular}?`, promptChoices(items, target.label), { searchable: true })
}

/** A resource kind without names and with many records: prompts offer the latest ones. */
export interface LatestTarget<T> {
  readonly singular: string
  readonly list: Endpoint
  readonly id: (item: T) => string | number
  /** Form of a whole id, if the ids are so long that tables shorten them. */
  readonly whole?: RegExp
  /** The label in a prompt. */
  readonly label: (item: T) => string
}

/**
 * Returns the given id. Without one, prompts with the latest hundred. @throws ClientFailure `usage` without a terminal
 */
export async function resolveLatest<T>(
  context: Context,
  given: string | undefined,
  { singular, list, id, label, whole }: LatestTarget<T>,
): Promise<string> {
  if (given !== undefined && given !== '') return whole ? wholeId(context, given, { singular, list, whole }) : given
  const hint = `List ${pluralOf(singular)}: parley ${list.name.replace('.', ' ')}.`
  if (!context.interactive) throw usageError(`Missing ${singular} id.`, hint)
  const items = itemsOf(list, await context.call(list, { per_page: maxPerPage })) as readonly T[]
  if (items.length === 0) throw usageError(`No ${pluralOf(singular)} to choose from.`, hint)
  const prompts = await context.prompts()
  const picked = String(
    id(await prompts.select(`Which ${singular}?`, promptChoices(items, label), { searchable: true })),
  )
  context.promptAnswers.push({ argument: picked })
  return picked
}
