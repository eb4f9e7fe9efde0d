import type { ResourceKind } from '../../../contract/resources/resource-references.ts'
import { type Command, command } from '../../commandline/command.ts'
import { applyLimit } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { noteFailures } from '../../dependencies/account-reader.ts'
import { type ReferenceRow, referenceRows } from '../../dependencies/reference-rows.ts'
import { resourceNouns } from '../../dependencies/resource-nouns.ts'
import { usageError } from '../../errors/usage-error.ts'
import type { View } from '../../output/form.ts'

/** Which way, for people. */
const directionText = ({ direction }: ReferenceRow): string => (direction === 'uses' ? 'uses' : 'used by')

const view: View<ReferenceRow> = {
  id: (it) => it.id ?? it.name ?? '',
  columns: [
    { key: directionText, title: 'Way', priority: 1 },
    { key: 'kind', title: 'Kind', priority: 1 },
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'field', title: 'Where', priority: 2 },
    { key: 'live', title: 'Live', priority: 3, kind: 'bool' },
    { key: 'state', title: 'State', priority: 2, kind: 'status' },
    { key: 'loss', title: 'Without it', priority: 4, flexible: true },
  ],
  empty: 'Nothing points to it, and it points to nothing.',
}

/** The command that tells the references of one kind of thing. */
export function refsCommand(resourceKind: ResourceKind): Command {
  const { singular, noun } = resourceNouns[resourceKind]
  return command({
    callsPlatform: true,
    summary: `What points to ${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular}, and what it points to`,
    argument: { name: 'id', describe: `Id or name of the ${singular}` },
    flags: [
      { flags: '--used-by', describe: 'Only what points to it' },
      { flags: '--uses', describe: 'Only what it points to' },
    ],
    examples: [examples[resourceKind] ?? '1', `${examples[resourceKind] ?? '1'} --used-by --json`],
    notes: `Read from the lists of the platform, automations' definitions among them. "state" is "missing" for what is pointed to and not there, and "unknown" where nobody can tell: an expression in an automation comes to something only when it runs. "live" tells whether something works through it now.`,
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
      '--uses and --used-by are each the one way alone.',
      `Leave both out to see both: parley refs ${noun} <id>.`,
    )
  if (context.globals.printCurl)
    throw usageError(
      'This is no single request: it reads several lists.',
      'Leave out --print-curl; --verbose shows every request.',
    )
  const { rows, account } = await referenceRows(context, resourceKind, argument, only)
  await context.out.list(applyLimit(context, rows), { view })
  await noteFailures(context, account, 'What is there is not among these.')
}
