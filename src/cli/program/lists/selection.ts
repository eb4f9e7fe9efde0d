import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { CommandFlag, Invocation } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { ofMatches } from '../output/format.ts'
import type { Output } from '../output/output.ts'
import type { ListedItem } from '../resources/resource.ts'
import type { SelectionVerb } from './change-selected.ts'

/** Returns the flag that selects resources by conditions. */
export const selectionFlag = (many: string): CommandFlag => ({
  flags: '--filter <conditions>',
  describe: `All ${many} that match all conditions, such as name~spring,status=enabled (= != > >= < <= ~), instead of one; repeatable`,
  repeatable: true,
})

/** Help of commands with that flag. */
export const selectionNote =
  'With --filter, the conditions are those of the list command. The question names what matches; without a match nothing is done. One history entry undoes all of it. What fails does not stop the rest: the exit code is 11 then.'

/** Changes all rows that match the conditions of an invocation. @throws ClientFailure exit 10 without confirmation */
export const changeSelected = async (
  context: Context,
  invocation: Invocation,
  verb: SelectionVerb,
): Promise<ExitName | undefined> => (await import('./change-selected.ts')).changeRows(context, invocation, verb)

/**
 * Returns a context that prints only some rows of a list: those that `select` leaves of all of them. They are selected after
 * they were read, so that completion knows the others.
 */
export function printingSelected(
  context: Context,
  select: (context: Context, rows: readonly ListedItem[]) => Promise<readonly ListedItem[]>,
): Context {
  const { out, globals } = context
  const chosen = async (rows: readonly object[]): Promise<readonly object[]> =>
    (await select(context, rows as readonly ListedItem[])).slice(0, Number(globals.limit ?? Number.POSITIVE_INFINITY))
  const selecting: Output = {
    ...out,
    selectsRecords: true,
    list: async (rows, shape = {}) => out.list(await chosen(rows), rows.length > 0 ? ofMatches(shape) : shape),
    async pages(pages, shape = {}) {
      const all: object[] = []
      for await (const rows of pages) all.push(...rows)
      const rows = await chosen(all)
      await out.list(rows, all.length > 0 ? ofMatches(shape) : shape)
      return rows.length
    },
  }
  return Object.create(context, {
    out: { value: selecting },
    globals: { value: { ...globals, all: true, limit: undefined } },
  })
}

/** Returns what selects the resources of a kind that nothing references. */
export const unusedItems =
  (kind: ResourceKind) =>
  async (context: Context, rows: readonly ListedItem[]): Promise<readonly ListedItem[]> =>
    (await import('../dependencies/unused.ts')).findUnused(context, kind, rows)
