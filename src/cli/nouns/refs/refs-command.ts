import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { type Command, command } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { noteFailures } from '../../program/dependencies/account-reader.ts'
import { type ReferenceRow, referenceRows } from '../../program/dependencies/reference-rows.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { View } from '../../program/output/format.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { resources } from '../../program/resources/registry.ts'

/**
 * How references are shown to people. Scripts read `ReferenceRow` (reference-rows.ts) as JSON; `-o id` has what the other
 * resource is found by.
 */
const view: View<ReferenceRow> = {
  id: (it) => it.id ?? it.name ?? '',
  columns: [
    { key: 'direction', title: 'Direction', priority: 1, kind: 'choice' },
    { key: 'kind', title: 'Kind', priority: 1, kind: 'choice' },
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'field', title: 'Field', priority: 2 },
    { key: 'live', title: 'Live', priority: 3, kind: 'bool' },
    { key: 'state', title: 'State', priority: 2, kind: 'status' },
    { key: 'loss', title: 'If deleted', priority: 4, flexible: true },
  ],
  empty: 'No references.',
}

/** Creates the command that lists the references of one kind of resource. */
export function refsCommand(resourceKind: ResourceKind): Command {
  const { singular, noun } = resources[resourceKind]
  return command({
    callsPlatform: true,
    summary: `Show dependencies of ${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular}`,
    argument: { name: 'id', describe: `Id or name of the ${singular}` },
    flags: [
      { flags: '--used-by', describe: 'Only resources that reference it' },
      { flags: '--uses', describe: 'Only resources that it references' },
    ],
    examples: [examples[resourceKind] ?? '1', `${examples[resourceKind] ?? '1'} --used-by --json`],
    notes: `Reads the lists of the platform and the definitions of automations; a Parley server searches them itself. "state" is "missing" when the referenced resource does not exist. It is "unknown" when it cannot be determined, such as for an expression in an automation that has a value only when it runs. "live" says whether the reference is in use now.`,
    view,
    run: (context, { argument, flags }) =>
      show(context, resourceKind, argument, { uses: flags.uses === true, usedBy: flags.usedBy === true }, noun),
  })
}

const examples: Partial<Record<ResourceKind, string>> = {
  tools: 'lookup_patient',
  assistants: '"Front desk"',
  automate: '"Opening hours"',
  languages: 'English',
  numbers: '4',
}

async function show(
  context: Context,
  resourceKind: ResourceKind,
  argument: string | undefined,
  only: { uses: boolean; usedBy: boolean },
  noun: string,
): Promise<void> {
  if (only.uses && only.usedBy)
    throw usageError(
      '--uses and --used-by cannot be combined.',
      `Omit both to see both directions: parley refs ${noun} <id>.`,
    )
  if (context.globals.printCurl)
    throw usageError('--print-curl cannot show several requests.', 'To see every request, use --verbose.')
  const { rows, account } = await referenceRows(context, resourceKind, argument, only)
  await context.out.list(applyLimit(context, rows), { view })
  await noteFailures(context, account, 'References in them are not listed.')
}
