import { ClientFailure } from '../../client/failures/client-failure.ts'
import { paginate } from '../../client/paginate.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { riskOf } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from '../prompts/choices.ts'

export type ListedItem = Record<string, unknown> & { readonly id: number | string }

export interface Target {
  /** `tool`, `key`: for messages. */
  readonly singular: string
  /** The list it is found in by name. */
  readonly list: Endpoint
  /** What the list itself has to be asked with: the knowledge base of a document. */
  readonly within?: Readonly<Record<string, unknown>>
  /** How many of the list are looked at; all of them unless given. */
  readonly limit?: number
  /** The command that lists them; the endpoint's name unless given. */
  readonly listCommand?: string
  /** Fields that may name it, tried in turn: `name`, `phone_number`, `nickname`. */
  readonly by: readonly string[]
  /** Its numbers may be as short as an id: the list is looked at before digits are taken for either. */
  readonly hasShortNumbers?: true
  /** The line a picker shows. */
  readonly label: (item: ListedItem) => string
}

/** Things whose ids digits on the command line were taken for: there may be none with that id. */
export interface IdGuesses {
  readonly targets: Target[]
  /** Whether lists are looked at before digits are taken for an id: at the second try, when the first found nothing. */
  searchesLists: boolean
}

/** The id of what an argument, or `flag`, means: an id, or a unique name. Nothing given: picked on a terminal, exit 2 elsewhere. */
export const resolveId = async (
  context: Context,
  given: string | undefined,
  target: Target,
  flag?: string,
): Promise<number> => (await resolveItem(context, given, target, flag)).id as number

/** The same, with all that its list shows; the id alone where no list was read. */
export async function resolveItem(
  context: Context,
  given: string | undefined,
  target: Target,
  flag?: string,
): Promise<ListedItem> {
  if (given !== undefined && isId(given, target)) {
    if (!Number.isSafeInteger(Number(given)))
      throw usageError(
        `${given} is no id of a ${target.singular}: it is too large to be kept exactly (beyond 2^53).`,
        listHint(target),
      )
    return resolveDigits(context, given, target)
  }
  if (given === undefined && !context.interactive)
    throw usageError(`Which ${target.singular}? Give its id or name.`, listHint(target))
  const items = await listItems(context, target)
  if (given === undefined) {
    const picked = await pickItem(context, items, target)
    context.promptAnswers.push(
      flag === undefined ? { argument: String(picked.id) } : { flag, value: String(picked.id) },
    )
    return picked
  }
  const found = findByName(items, given, target)
  if (found) return found
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `There is no ${target.singular} "${given}".`,
    hint: listHint(target),
  })
}

/**
 * Digits are an id, and a name or number where there is no such id. What is deleted, or has short numbers, is looked for first:
 * where the id is one thing's and the number another's, a command that changes something refuses.
 */
async function resolveDigits(context: Context, given: string, target: Target): Promise<ListedItem> {
  const { idGuesses, command } = context
  const risk = riskOf(command)
  idGuesses.targets.push(target)
  const idOnly: ListedItem = { id: Number(given) }
  if (!idGuesses.searchesLists && !target.hasShortNumbers && risk !== 'destructive') return idOnly
  const items = await listItems(context, target).catch((error) => toleratesMissingList(context, error))
  const byId = items.find((it) => String(it.id) === given)
  if (byId && risk === 'read') return byId
  const byName = findByName(
    items.filter((it) => it !== byId),
    given,
    target,
  )
  if (!byId || !byName) return byId ?? byName ?? idOnly
  throw usageError(
    `"${given}" is the id of one ${target.singular} and the ${target.hasShortNumbers ? 'number or name' : 'name'} of another:\n${[byId, byName].map(target.label).join('\n')}`,
    `Give ${distinguishingName(byId, given, target)}, or ${byName.id} for the other one.`,
  )
}

/** All there is to choose from, or as many as the thing allows. */
async function listItems(context: Context, { list, within, limit }: Target): Promise<readonly ListedItem[]> {
  const items: ListedItem[] = []
  const reading = { ...(limit === undefined ? { all: true } : { limit }), signal: context.world.signal }
  for await (const it of paginate(context.call, list, { ...within } as never, reading)) items.push(it as ListedItem)
  const { cacheList } = await import('../completion/update-completion-cache.ts')
  await cacheList(context, list, items, limit === undefined, within)
  return items
}

/** A platform that lists nothing to us, or that is not there for a call that is only shown, leaves digits an id. */
function toleratesMissingList({ globals }: Context, error: unknown): readonly ListedItem[] {
  const { status = 0 } = error as ClientFailure
  if ([403, 404, 405, 501].includes(status) || globals.dryRun || globals.printCurl) return []
  throw error
}

/** The one of this name; undefined when there is none. */
function findByName(items: readonly ListedItem[], given: string, { by, singular }: Target): ListedItem | undefined {
  const found = by.map((field) => items.filter((it) => isNamed(it[field], given))).find((it) => it.length > 0) ?? []
  if (found.length > 1)
    throw usageError(
      `More than one ${singular} is called "${given}": ${found.map((it) => it.id).join(', ')}.`,
      'Give the id.',
    )
  return found[0]
}

/** What one of two that the same digits mean is called beside them. */
const distinguishingName = (it: ListedItem, given: string, { by }: Target): string =>
  JSON.stringify(
    by.map((field) => it[field]).find((name) => typeof name === 'string' && name !== '' && !isNamed(name, given)) ??
      given,
  )

/** Digits are an id, but more than any id has are a phone number whose plus sign was left out. */
const isId = (given: string, { by }: Target): boolean =>
  /^\d+$/.test(given) && !(by.includes('phone_number') && given.length > 9)

const isNamed = (value: unknown, given: string): boolean =>
  String(value ?? '') === given ||
  value === `+${given}` ||
  (uuid.test(given) && String(value).toLowerCase() === given.toLowerCase())

/** Letters of a UUID mean the same in both cases. */
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Where to look for the right one; a sentence. */
export const listHint = ({ list, listCommand = list.name.replace('.', ' ') }: Target): string =>
  `List them: parley ${listCommand}.`

async function pickItem(context: Context, items: readonly ListedItem[], target: Target): Promise<ListedItem> {
  if (items.length === 0)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `There is no ${target.singular} to choose from.`,
    })
  const prompts = await context.prompts()
  return prompts.select(`Which ${target.singular}?`, promptChoices(items, target.label), { searchable: true })
}
