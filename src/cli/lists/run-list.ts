import { printedSchema } from '../command-reference/printed-schema.ts'
import type { Command, CommandInput, Invocation } from '../commandline/command.ts'
import { camel } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { parseLimit } from '../input/count-flag.ts'
import { isRelativeTime } from '../input/time-flag.ts'
import { type GivenListFlags, givenListFlags } from './list-flag-table.ts'
import { type ListQuery, parseListQuery } from './list-query.ts'
import { matchesCondition } from './match-conditions.ts'
import { holdsName } from './parse-conditions.ts'
import { platformFilters } from './platform-filters.ts'
import { selectingOutput } from './select-output.ts'
import { sortRecords } from './sort-records.ts'

/**
 * Runs a command that prints a list with the list flags. The platform filters what its endpoint has a parameter for; the
 * rest is done here over all pages, with a note.
 * @throws ClientFailure `usage` for an unknown field, before any request
 */
export async function runList(context: Context, it: Command, invocation: Invocation): ReturnType<Command['run']> {
  const flags = givenListFlags(it, invocation.flags)
  if (!flags) return it.run(context, invocation)
  rejectOtherFlags(context, invocation, flags)
  const { watch, ...selection } = flags
  if (watch && Object.keys(selection).length === 0)
    return (await loadWatch()).watchList(context, (watched) => it.run(watched, invocation))
  const limit = parseLimit(invocation.flags)
  const parsed = parseListQuery(context.commandName, it, printedSchema(context.commandName, it), flags)
  const query = parsed.conditions.some(holdsName)
    ? {
        ...parsed,
        conditions: await (await import('./condition-names.ts')).resolveConditionNames(context, parsed.conditions),
      }
    : parsed
  const { fields, handled } = platformFilters(it, query.conditions, invocation.input, {
    timePath: query.timePath,
    now:
      it.endpoint && !it.hasComputerTimes && query.conditions.some(({ value }) => isRelativeTime(String(value)))
        ? await context.platformNow()
        : context.system.now(),
  })
  const selected = withFields(it, invocation, fields)
  if (watch)
    return (await loadWatch()).watchList(context, (watched) => runSelected(watched, it, selected, query, limit))
  const ran = await runSelected(context, it, selected, query, limit)
  const done = localWork(query, (condition) => !handled.has(condition))
  if (it.endpoint && ran.read !== undefined && done !== undefined)
    await context.notes.note(
      `${done} by this command, because the platform has no parameter for it: ${ran.read} ${ran.read === 1 ? 'record' : 'records'} read.`,
    )
  return ran.exit
}

const loadWatch = () => import('./watch-list.ts')

/** Rejects flags that name a part of the list, or never end. */
function rejectOtherFlags({ globals }: Context, { flags }: Invocation, { watch, ...selection }: GivenListFlags): void {
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

/** Runs a command with an output that selects records. `read` is undefined if it printed no list. */
async function runSelected(
  context: Context,
  it: Command,
  invocation: Invocation,
  { conditions, sortKeys }: ListQuery,
  limit: number | undefined,
): Promise<{ readonly exit: Awaited<ReturnType<Command['run']>>; readonly read: number | undefined }> {
  const { out, globals } = context
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
  const selecting: Context = Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      out: { value: selectingOutput(out, selection), enumerable: true },
      globals: { value: { ...globals, all: true, limit: undefined }, enumerable: true },
      selectsRecords: { value: true, enumerable: true },
    },
  ) as Context
  const exit = await it.run(selecting, invocation)
  return { exit, read }
}

/** Describes what was not done by the platform: `Filtered by duration>60 and sorted`. */
function localWork(
  { conditions, sortKeys }: ListQuery,
  isLocal: (it: ListQuery['conditions'][number]) => boolean,
): string | undefined {
  const texts = conditions.filter(isLocal).map(({ field, operator, value }) => `${field.path}${operator}${value}`)
  const parts = [texts.length > 0 && `filtered (${texts.join(', ')})`, sortKeys.length > 0 && 'sorted'].filter(Boolean)
  if (parts.length === 0) return undefined
  const text = parts.join(' and ')
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}
