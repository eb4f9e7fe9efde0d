import type { Thing } from '../../../contract/references.ts'
import { type Command, command } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { tellUnseen } from '../../references/account.ts'
import { type Row, rowsOf } from '../../references/rows.ts'
import { things } from '../../references/things.ts'
import { limited } from '../../requests.ts'
import { usage } from '../../usage.ts'

/** Which way, for people. */
const way = ({ direction }: Row): string => (direction === 'uses' ? 'uses' : 'used by')

const view: View<Row> = {
  id: (it) => it.id ?? it.name ?? '',
  columns: [
    { key: way, title: 'Way', priority: 1 },
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
export function refsOf(thing: Thing): Command {
  const { one, noun } = things[thing]
  return command({
    asks: true,
    summary: `What points to ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}, and what it points to`,
    argument: { name: 'id', describe: `Id or name of the ${one}` },
    flags: [
      { flags: '--used-by', describe: 'Only what points to it' },
      { flags: '--uses', describe: 'Only what it points to' },
    ],
    examples: [exampleOf[thing] ?? '1', `${exampleOf[thing] ?? '1'} --used-by --json`],
    notes: `Read from the lists of the platform, automations' definitions among them. "state" is "missing" for what is pointed to and not there, and "unknown" where nobody can tell: an expression in an automation comes to something only when it runs. "live" tells whether something works through it now.`,
    view,
    run: (context, { argument, flags }) => show(context, thing, argument, { uses: flags.uses === true, usedBy: flags.usedBy === true }, noun),
  })
}

const exampleOf: Partial<Record<Thing, string>> = {
  tools: 'lookup_patient',
  assistants: '"Front desk"',
  automate: '"Opening hours"',
  languages: 'English',
  numbers: '4',
}

async function show(context: Context, thing: Thing, argument: string | undefined, only: { uses: boolean; usedBy: boolean }, noun: string): Promise<void> {
  if (only.uses && only.usedBy) throw usage('--uses and --used-by are each the one way alone.', `Leave both out to see both: parley refs ${noun} <id>.`)
  if (context.globals.printCurl) throw usage('This is no single request: it reads several lists.', 'Leave out --print-curl; --verbose shows every request.')
  const { rows, account } = await rowsOf(context, thing, argument, only)
  await context.out.list(limited(context, rows), { view })
  await tellUnseen(context, account, 'What is there is not among these.')
}
