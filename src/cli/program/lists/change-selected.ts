import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { approvalClass } from '../../../contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { redactInput } from '../../../contract/values/redact.ts'
import type { Command, Invocation } from '../commandline/command.ts'
import { repeatedFlag } from '../commandline/command.ts'
import { findCommand } from '../commandline/find-command.ts'
import { confirmPlan, requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import { interruptedExit } from '../errors/interrupted-exit.ts'
import { requireNoPrintCurl } from '../errors/require-no-print-curl.ts'
import { usageError } from '../errors/usage-error.ts'
import { maxEntries } from '../history/entries.ts'
import { startGroup } from '../history/groups.ts'
import type { View } from '../output/format.ts'
import { calledItem, countOf, type NamedItem, namesOf } from '../output/named-items.ts'
import type { Output } from '../output/output.ts'
import type { ListedItem } from '../resources/resource.ts'
import { describeChanges } from '../updates/field-changes.ts'
import { runList, withProperties } from './run-list.ts'

type Fields = Readonly<Record<string, unknown>>

/** A verb that changes every resource which matches conditions, in place of one. */
export interface SelectionVerb {
  /** Words of the command whose rows and fields the conditions are about: `campaigns list`. */
  readonly list: string
  /** Flags of that command, for several reads of it (default: one without flags). */
  readonly listFlags?: readonly Invocation['flags'][]
  /** Noun of its commands, which the history names: `campaigns`. */
  readonly noun: string
  /** What the rows are called: `campaign`, `campaigns`. */
  readonly called: readonly [one: string, many: string]
  /** What the question and the result say: `Stop`, `stopped`. */
  readonly verb: readonly [ask: string, done: string]
  /** Returns whether the verb changes a row. The others are not changed. */
  readonly isMeant?: (row: ListedItem) => boolean
  /** Returns fewer of the rows, after reading more. */
  readonly narrow?: (context: Context, rows: readonly ListedItem[]) => Promise<readonly ListedItem[]>
  /** What an undo does not restore, as a sentence. */
  readonly loss?: string
  /**
   * The request of a row, for what needs the approval of a person. Approvals store what `inputOf` returns, and compare it again
   * before it is sent.
   */
  readonly endpoint: Endpoint
  readonly inputOf: (row: ListedItem) => Fields
  /** The fields that the verb sets in each row. They are validated before the question, and --dry-run shows what changes. */
  readonly sets?: Fields
  /** What is done with a row that has no entry of its own in the history, and is undone by starting it again. */
  readonly withoutEntry?: 'stopped'
  /** Changes a row. */
  readonly apply: (context: Context, row: ListedItem) => Promise<unknown>
}

/** What was done with a resource. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ChangedRow {
  readonly id: number | string
  readonly name: string | null
  /** `unchanged`: it has the values already, and nothing was sent. */
  readonly result: 'done' | 'unchanged' | 'planned' | 'failed'
  readonly error: string | null
  /** With --dry-run of a command that sets fields: those whose value changes, without secrets. */
  readonly changes?: readonly ChangedField[] | undefined
}

interface ChangedField {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

const view: View<ChangedRow> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'result', title: 'Result', priority: 1, kind: 'status' },
    { key: 'error', title: 'Error', priority: 2, flexible: true },
  ],
  empty: 'Nothing matches. Nothing was changed.',
}

/** The view of a dry run of a command that sets fields. */
const changesView: View<ChangedRow> = {
  ...view,
  columns: [
    ...view.columns.slice(0, 2),
    { key: changesText, field: 'changes', title: 'Changes', priority: 1, flexible: true },
  ],
}

function changesText({ changes = [] }: ChangedRow): string {
  const lines = changes.map(
    ({ field, before, after }) =>
      describeChanges({ [field]: before }, { [field]: after })[0] ?? `${field}: changed (hidden)`,
  )
  return lines.join('; ') || 'no change'
}

function changesOf(row: Fields, sets: Fields): ChangedField[] {
  const hide = (field: string, value: unknown): unknown => redactInput({ [field]: value })[field]
  return Object.entries(sets).flatMap(([field, after]) => {
    const before = row[field] ?? null
    // What a list does not show is not known to be the same.
    return Object.hasOwn(row, field) && isDeepStrictEqual(before, after)
      ? []
      : [{ field, before: hide(field, before), after: hide(field, after) }]
  })
}

/** Refuses values that the contract does not allow. Unknown fields are left to the platform. @throws ClientFailure `usage` */
function requireValidValues({ name, body }: Endpoint, sets: Fields): void {
  if (!body) return
  const unknown = new Set(Object.keys(sets).filter((it) => !Object.hasOwn(body.shape, it)))
  const checked = validate(body, sets, unknown)
  const errors = checked.ok ? [] : Object.entries(checked.errors)
  // Missing fields are not changed.
  const [path, texts = []] = errors.find(([at]) => Object.hasOwn(sets, at.split('.', 1)[0] ?? '')) ?? []
  if (path !== undefined)
    throw usageError(
      `${path}: ${texts.join(' ')} Nothing was sent.`,
      `List fields and their values: parley schema ${name}. --set sets a string, and --set-json any other value.`,
    )
}

/** Runs a list command and returns its rows, in place of printing them. */
async function readRows(context: Context, words: string, flags: Invocation['flags']): Promise<ListedItem[]> {
  const { node } = findCommand(words.split(' '))
  if (!node?.load) throw new Error(`There is no command "${words}".`)
  const command: Command = await node.load()
  const rows: ListedItem[] = []
  const add = (items: readonly object[]): void => void rows.push(...(items as ListedItem[]))
  const { fields: _fields, cut: _cut, ...settings } = context.out.settings
  const out: Output = {
    ...context.out,
    isForPeople: false,
    settings: { ...settings, format: 'json' },
    async list(items) {
      add(items)
    },
    async pages(pages) {
      for await (const items of pages) add(items)
      return rows.length
    },
  }
  const { limit: _, page: __, dryRun: ___, printCurl: ____, ...globals } = context.globals
  const reading = withProperties(context, {
    out,
    notes: { ...context.notes, note: async () => {} },
    globals: { ...globals, all: true },
    command,
    commandName: words,
  })
  await runList(reading, command, { argument: undefined, words: [], input: {}, flags })
  return rows
}

/** Reads the rows that match the conditions, and that the verb changes. */
async function selectRows(context: Context, filters: readonly string[], verb: SelectionVerb): Promise<ListedItem[]> {
  const found = new Map<string, ListedItem>()
  for (const flags of verb.listFlags ?? [{}]) {
    const given = filters.length > 0 ? { ...flags, filter: filters as unknown as string } : flags
    for (const row of await readRows(context, verb.list, given)) found.set(String(row.id), row)
  }
  const rows = [...found.values()].filter((it) => verb.isMeant?.(it) ?? true)
  return [...((await verb.narrow?.(context, rows)) ?? rows)]
}

const nameOf = ({ name, automation_name }: ListedItem): string | null => {
  const found = name ?? automation_name
  return typeof found === 'string' && found !== '' ? found : null
}

/** Changes all rows that match the conditions of an invocation. */
export async function changeRows(
  context: Context,
  { argument, flags }: Invocation,
  verb: SelectionVerb,
): Promise<ExitName | undefined> {
  const { out, notes, globals, system } = context
  const [one, many] = verb.called
  const [ask, done] = verb.verb
  if (argument !== undefined)
    throw usageError(
      `Pass one ${one} or conditions, not both.`,
      `Remove "${argument}", or the flag that selects ${many}.`,
    )
  requireNoPrintCurl(context)
  const { sets } = verb
  if (sets) requireValidValues(verb.endpoint, sets)
  const filters = repeatedFlag(flags, 'filter')
  const read = (): Promise<ListedItem[]> => selectRows(context, filters, verb)
  const readAt = context.pauses()
  const named = (row: ListedItem): NamedItem => ({ noun: verb.noun, id: row.id, name: nameOf(row) })
  const found = await read()
  const shown = (row: ListedItem, result: ChangedRow['result'], error: string | null = null): ChangedRow => ({
    id: row.id,
    name: nameOf(row),
    result,
    error,
  })
  if (found.length === 0) {
    await out.list([], { view })
    return undefined
  }
  if (globals.dryRun) {
    await out.list(
      found.map((it) => ({ ...shown(it, 'planned'), ...(sets && { changes: changesOf(it, sets) }) })),
      { view: sets ? changesView : view },
    )
    await notes.note('Dry run. Nothing was sent.')
    return undefined
  }
  const describe = (rows: readonly ListedItem[]): string =>
    [
      `${countOf(rows.length, one, many)}: ${namesOf(rows.map(named))}`,
      ...(rows.length >= maxEntries ? [`Only the last ${maxEntries - 1} can be undone`] : []),
    ].join('. ')
  const loss = verb.loss === undefined ? '' : ` ${verb.loss}`
  const needsPlan = found.filter((it) => approvalClass(verb.endpoint, verb.inputOf(it)) !== 'none')
  if (needsPlan.length > 0)
    await context.approvals.requirePlan(() => ({
      summary: `${ask} ${describe(found)}?${loss}`,
      content: found.map((it) => ({ ...verb.inputOf(it) })),
      allows: { [verb.endpoint.name]: needsPlan.length },
    }))
  const rows = await confirmPlan(context, {
    plan: found,
    readAt,
    ask: (plan, isAskedAgain) =>
      requireConfirmation(
        context,
        {
          question: `${ask} ${describe(plan)}?${loss}`,
          refusalMessage: `This needs confirmation: ${ask.charAt(0).toLowerCase()}${ask.slice(1)} ${describe(plan)}.${loss}`,
        },
        { isAskedAgain },
      ),
    read,
    describeChanges: (agreed, current) => {
      const [before, now] = [agreed, current].map((it) => new Set(it.map((row) => String(row.id))))
      return [
        ...current.filter((it) => !before?.has(String(it.id))).map((it) => `${calledItem(named(it))} matches now.`),
        ...agreed.filter((it) => !now?.has(String(it.id))).map((it) => `${calledItem(named(it))} no longer matches.`),
      ]
    },
  })
  const group = await startGroup(context, countOf(rows.length, one, many))
  const results: ChangedRow[] = []
  const isDone = (): boolean => results.some((it) => it.result === 'done')
  try {
    for (const row of rows) {
      if (system.signal.aborted) break
      if (sets && changesOf(row, sets).length === 0) {
        results.push(shown(row, 'unchanged'))
        continue
      }
      try {
        const send = (): Promise<unknown> => verb.apply(context, row)
        if (verb.withoutEntry) await group.change({ ...named(row), done: verb.withoutEntry }, send)
        else await send()
        results.push(shown(row, 'done'))
      } catch (error) {
        if (!(error instanceof ClientFailure) || error.exit === 'interrupted') throw error
        results.push(shown(row, 'failed', error.message))
      }
    }
  } finally {
    await group.end()
  }
  await out.list(results, { view })
  const count = (result: ChangedRow['result']): number => results.filter((it) => it.result === result).length
  const [failed, unchanged] = [count('failed'), count('unchanged')]
  if (out.isForPeople) {
    const others = unchanged > 0 ? ` Without a change: ${unchanged}.` : ''
    await notes.note(`${countOf(count('done'), one, many)} ${done}.${others}`)
    if (isDone() && (await group.canUndo())) await notes.note(`Undo: parley history undo ${group.entry}`)
  }
  if (system.signal.aborted) return interruptedExit(system.signal)
  if (failed === 0) return undefined
  await notes.warn(`${countOf(failed, one, many)} failed: ${results.find((it) => it.result === 'failed')?.error}`)
  return 'partial'
}
