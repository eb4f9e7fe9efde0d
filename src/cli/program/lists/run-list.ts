import type * as z from 'zod'
import { coerce } from '../../../contract/endpoint/coerce.ts'
import { timeParameters } from '../../../contract/endpoint/field-schemas.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { Command, CommandInput, Invocation } from '../commandline/command.ts'
import { commandReference } from '../commandline/command-tree.ts'
import { camel } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { targetOfKind } from '../dependencies/resource-targets.ts'
import { usageError } from '../errors/usage-error.ts'
import { parseLimit } from '../input/count-flag.ts'
import { listItems, selectItem } from '../input/resolve-target.ts'
import { isRelativeTime, parseTime, requireListPeriod } from '../input/time-flag.ts'
import { ofMatches } from '../output/format.ts'
import type { Output } from '../output/output.ts'
import { resourceOfField } from '../resources/registry.ts'
import { type Condition, holdsName, matchesCondition } from './conditions.ts'
import { type GivenListFlags, givenListFlags } from './list-flags.ts'
import { type ListQuery, parseListQuery } from './list-query.ts'
import { sortRecords } from './sort-records.ts'

/**
 * Replaces names in conditions on ids by the ids: `folder_id=Reception`. @throws ClientFailure `not_found` for an
 * unknown name, `usage` for an ambiguous one and for ids of resources without names
 */
async function resolveConditionNames(
  context: Context,
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  return Promise.all(
    conditions.map(async (condition) => {
      if (!holdsName(condition)) return condition
      const { field, operator, value } = condition
      const [leaf = ''] = field.path.split('.').slice(-1)
      const kind = resourceOfField(leaf)
      // Names of templates are unique only within a sender.
      const target = kind === undefined || kind === 'templates' ? undefined : await targetOfKind(kind as ResourceKind)
      if (!target) throw usageError(`Invalid --filter "${field.path}${operator}${value}": ${field.path} is a number.`)
      const { id } = await selectItem(context, await listItems(context, target), value, target)
      return { ...condition, value: String(id) }
    }),
  )
}

/** What a platform filters itself. */
interface PlatformFilters {
  /** Parameters of the endpoint, or flags of the command, by name. */
  readonly fields: CommandInput
  /** The conditions that they express. */
  readonly handled: ReadonlySet<Condition>
}

/** Returns the parameter for a condition on the time of the records, and its value; undefined if there is none. */
function timeParameter(
  { operator, value }: Condition,
  parameters: Readonly<Record<string, z.ZodType>>,
  now: number,
): readonly [string, string] | undefined {
  const isLower = operator === '>' || operator === '>='
  const span = parseTime(value, now)
  if (!span || (!isLower && operator !== '<' && operator !== '<=')) return undefined
  // With --watch, a relative end moves on.
  if (span.isRelative && !isLower) return undefined
  const name = (isLower ? timeParameters.from : timeParameters.to).find((it) => parameters[it])
  if (name === undefined) return undefined
  const time = new Date(isLower ? span.from : span.to).toISOString()
  return [name, [time, time.slice(0, 10)].find((it) => parameters[name]?.safeParse(it).success) ?? time]
}

/**
 * Returns the parameters of an endpoint that express conditions: those with the name of the field, and those of the
 * time range. The result contains every record that matches, and may contain others. `given` are the parameters that the
 * user passed, which are never replaced.
 */
function platformFilters(
  { endpoint, filledFields = [], flags = [] }: Command,
  conditions: readonly Condition[],
  given: CommandInput,
  { timePath, now }: { readonly timePath: string | undefined; readonly now: number },
): PlatformFilters {
  const fields: Record<string, unknown> = {}
  const handled = new Set<Condition>()
  const parameters = (endpoint?.query?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  // A field that the command fills can only be set by its flag.
  const isFree = (name: string): boolean =>
    given[name] === undefined &&
    fields[name] === undefined &&
    (!filledFields.includes(name) || flags.some((it) => it.field === name || it.flags.startsWith(`--${name} `)))
  for (const condition of conditions) {
    const { field, operator, value, isNull } = condition
    if (isNull || field.read) continue
    const schema = parameters[field.path]
    if (operator === '=' && schema && isFree(field.path)) {
      const parsed = coerce(schema, value)
      if (!schema.safeParse(parsed).success) continue
      fields[field.path] = parsed
      handled.add(condition)
    } else if (field.path === timePath) {
      const [name, time] = timeParameter(condition, parameters, now) ?? []
      if (name === undefined || given[name] !== undefined || fields[name] !== undefined) continue
      fields[name] = time
      handled.add(condition)
    }
  }
  return { fields: withoutEmptyRange(fields), handled }
}

/** A platform rejects a range that ends before it begins, which matches nothing. */
function withoutEmptyRange(fields: CommandInput): CommandInput {
  const { date_from: from, date_to: to, ...others } = fields
  return from !== undefined && to !== undefined && String(to) < String(from) ? { ...others, date_from: from } : fields
}

/** Which records are printed, and in which order. */
interface Selection {
  /** Returns whether a record is printed. */
  readonly matches: (record: object) => boolean
  /** Sorts the records; without it they are printed as they arrive. */
  readonly sort: (<T extends object>(records: readonly T[]) => readonly T[]) | undefined
  /** Maximum number of records. */
  readonly limit: number | undefined
  /** Called with the number of records that were read. */
  readonly onRead: (count: number) => void
  /** Called instead of printing a single record. */
  readonly rejectRecord: () => never
}

/** Number of records in one write of a sorted list. */
const batchSize = 100

/** Returns an output that prints the selected records of lists. */
function selectingOutput(out: Output, { matches, sort, limit, onRead, rejectRecord }: Selection): Output {
  const inOrder = <T extends object>(records: readonly T[]): readonly T[] =>
    (sort ? sort(records) : records).slice(0, limit)

  async function* filtered<T extends object>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
    let remaining = limit ?? Number.POSITIVE_INFINITY
    for await (const page of pages) {
      onRead(page.length)
      const chosen = page.filter(matches).slice(0, remaining)
      remaining -= chosen.length
      if (chosen.length > 0) yield chosen
      if (remaining <= 0) return
    }
  }

  async function* sorted<T extends object>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
    const all: T[] = []
    for await (const page of pages) {
      onRead(page.length)
      all.push(...page.filter(matches))
    }
    const records = inOrder(all)
    for (let at = 0; at < records.length; at += batchSize) yield records.slice(at, at + batchSize)
  }

  return {
    ...out,
    selectsRecords: true,
    record: rejectRecord,
    result: (item, forPeople, shape) => (out.isForPeople ? out.result(item, forPeople, shape) : rejectRecord()),
    list: (items, shape = {}) => {
      onRead(items.length)
      const chosen = inOrder(items.filter(matches))
      return out.list(chosen, items.length > 0 ? ofMatches(shape) : shape)
    },
    pages: (pages, shape = {}) => out.pages(sort ? sorted(pages) : filtered(pages), ofMatches(shape)),
  }
}

/**
 * Runs a command that prints a list with the list flags. The platform filters what its endpoint has a parameter for; the
 * rest is done here over all pages, with a note.
 * @throws ClientFailure `usage` for an unknown field, before any request
 */
export async function runList(context: Context, command: Command, invocation: Invocation): ReturnType<Command['run']> {
  const flags = givenListFlags(command, invocation.flags)
  if (!flags) return command.run(context, invocation)
  requireNoOtherFlags(context, invocation, flags)
  const { watch, ...selection } = flags
  if (watch && Object.keys(selection).length === 0)
    return (await loadWatch()).watchList(context, (watched) => command.run(watched, invocation))
  const limit = parseLimit(invocation.flags)
  const { printedSchema } = await commandReference().loadSchemas()
  const parsed = parseListQuery(context.commandName, command, printedSchema(context.commandName, command), flags)
  const query = parsed.conditions.some(holdsName)
    ? {
        ...parsed,
        conditions: await resolveConditionNames(context, parsed.conditions),
      }
    : parsed
  const now =
    command.endpoint && !command.hasComputerTimes && query.conditions.some(({ value }) => isRelativeTime(String(value)))
      ? await context.platformNow()
      : context.system.now()
  requireListPeriod(invocation.flags, now)
  const { timePath } = query
  const { fields, handled } = platformFilters(command, query.conditions, invocation.input, { timePath, now })
  const selected = withFields(command, invocation, fields)
  if (watch)
    return (await loadWatch()).watchList(context, (watched) => runSelected(watched, command, selected, query, limit))
  const ran = await runSelected(context, command, selected, query, limit)
  const done = localWork(query, (condition) => !handled.has(condition))
  if (command.endpoint && ran.read !== undefined && done !== undefined)
    await context.notes.note(
      `${done} by this command, because the platform has no parameter for it: ${ran.read} ${ran.read === 1 ? 'record' : 'records'} read.`,
    )
  return ran.exit
}

const loadWatch = () => import('./watch-list.ts')

/** Rejects flags that name a part of the list, or never end. */
function requireNoOtherFlags(
  { globals }: Context,
  { flags }: Invocation,
  { watch, ...selection }: GivenListFlags,
): void {
  const selects = Object.keys(selection).length > 0
  const given = [
    selects && globals.page !== undefined && '--page',
    watch && globals.printCurl && '--print-curl',
    globals.envelope && '--envelope',
    flags.curl && '--curl',
    flags.follow && '--follow',
  ].filter(Boolean)
  if (given.length > 0)
    throw usageError(
      selects
        ? `${given[0]} cannot be combined with --filter, --sort, --since or --until, which read all pages.`
        : `${given[0]} cannot be combined with --watch.`,
      `Remove ${given[0]}${given[0] === '--page' ? ', or use --limit' : ''}.`,
    )
}

/** Passes fields that the platform filters by as if the user had passed their flags. */
function withFields({ flags: own = [] }: Command, invocation: Invocation, fields: CommandInput): Invocation {
  const isOwnFlag = (name: string): boolean => own.some((it) => it.flags.startsWith(`--${name} `))
  const asFlags = Object.entries(fields).filter(([name]) => isOwnFlag(name))
  const asInput = Object.entries(fields).filter(([name]) => !isOwnFlag(name))
  return {
    ...invocation,
    input: { ...invocation.input, ...Object.fromEntries(asInput) },
    // The limit applies to the selected records.
    flags: {
      ...invocation.flags,
      limit: undefined,
      most: undefined,
      ...Object.fromEntries(asFlags.map(([name, value]) => [camel(name), String(value)])),
    },
  }
}

/** Returns a context with other properties. The rest of it stays lazy. */
export const withProperties = (context: Context, changes: Partial<Context>): Context =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true }])),
    },
  ) as Context

/** Runs a command with an output that selects records. `read` is undefined if it printed no list. */
async function runSelected(
  context: Context,
  command: Command,
  invocation: Invocation,
  { conditions, sortKeys }: ListQuery,
  limit: number | undefined,
): Promise<{ readonly exit: Awaited<ReturnType<Command['run']>>; readonly read: number | undefined }> {
  const { out, globals } = context
  const { limit: _, ...others } = globals
  let read: number | undefined
  const selection = {
    matches: (record: object) =>
      conditions.every((condition) =>
        matchesCondition(
          record,
          condition,
          condition.field.isComputerTime ? out.settings.computerNow : out.settings.now,
        ),
      ),
    sort: sortKeys.length > 0 ? <T extends object>(records: readonly T[]) => sortRecords(records, sortKeys) : undefined,
    limit,
    onRead: (count: number) => {
      read = (read ?? 0) + count
    },
    rejectRecord: () => {
      throw usageError('--filter, --sort, --since and --until require a list.', 'Remove the argument of the command.')
    },
  }
  const selecting = withProperties(context, {
    out: selectingOutput(out, selection),
    globals: { ...others, all: true },
  })
  const exit = await command.run(selecting, invocation)
  return { exit, read }
}

/** Describes what was not done by the platform: `Filtered by duration>60 and sorted`. */
function localWork(
  { conditions, sortKeys }: ListQuery,
  isLocal: (condition: ListQuery['conditions'][number]) => boolean,
): string | undefined {
  const texts = conditions.filter(isLocal).map(({ field, operator, value }) => `${field.path}${operator}${value}`)
  const parts = [texts.length > 0 && `filtered (${texts.join(', ')})`, sortKeys.length > 0 && 'sorted'].filter(Boolean)
  if (parts.length === 0) return undefined
  const text = parts.join(' and ')
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}
