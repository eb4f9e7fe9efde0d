import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { isSameId } from '../../program/input/ids.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { target } from '../tools/view.ts'

/** Flags that add and remove single tools. tools/resource.ts has their names, too, among the flags that take a tool. */
export const addTool = {
  flags: '--add-tool <names>',
  describe: 'Attach mid-call tools, as comma-separated ids or names',
  field: 'tool_ids',
} as const
export const removeTool = {
  flags: '--remove-tool <names>',
  describe: 'Detach mid-call tools, as comma-separated ids or names',
  field: 'tool_ids',
} as const

/**
 * Returns whether the flags edit the list of tools instead of replacing it. @throws ClientFailure `usage` if both are
 * given
 */
export function editsTools(flags: Invocation['flags'], input: Readonly<Record<string, unknown>>): boolean {
  const edits = flags.addTool !== undefined || flags.removeTool !== undefined
  if (edits && input.tool_ids !== undefined)
    throw usageError(
      '--tool-ids cannot be combined with --add-tool or --remove-tool.',
      'Pass --tool-ids, or --add-tool and --remove-tool.',
    )
  return edits
}

async function idsOf(context: Context, given: string | boolean | undefined): Promise<number[]> {
  const names =
    given === undefined
      ? []
      : String(given)
          .split(',')
          .filter((it) => it !== '')
  const ids: number[] = []
  for (const name of names) ids.push(await resolveId(context, name.trim(), target))
  return ids
}

/** Returns the tool ids after applying --add-tool and --remove-tool. */
export async function editedTools(
  context: Context,
  flags: Invocation['flags'],
  before: readonly number[],
): Promise<number[]> {
  const [added, removed] = [await idsOf(context, flags.addTool), await idsOf(context, flags.removeTool)]
  const ids = [...before, ...added]
  return ids.filter((id, n) => ids.findIndex((it) => isSameId(it, id)) === n && !removed.some((it) => isSameId(it, id)))
}
