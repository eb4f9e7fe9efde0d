import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { requestById } from '../input/request-by-id.ts'
import { printList } from '../output/print-list.ts'
import type { Target } from '../resources/resource.ts'
import { type Command, type CommandFlag, command } from './command.ts'
import { camel } from './field-flags.ts'

interface ListCommand extends Omit<Command, 'run'> {
  readonly endpoint: Endpoint
  /** Flag that lists what belongs to another resource, and how that resource is found by its id or name. */
  readonly filter?: { readonly flag: CommandFlag & { readonly field: string }; readonly target: Target }
}

/** Creates the command that prints a list as the endpoint returns it. */
export function listCommand({ filter, ...definition }: ListCommand): Command {
  const { endpoint } = definition
  if (!filter)
    return command({ ...definition, isList: true, run: (context, { input }) => printList(context, endpoint, input) })
  const { flag, target } = filter
  const name = camel(flag.flags.slice('--'.length, flag.flags.indexOf(' ')))
  return command({
    ...definition,
    isList: true,
    filledFields: [...(definition.filledFields ?? []), flag.field],
    flags: [flag, ...(definition.flags ?? [])],
    async run(context, { input, flags }) {
      const given = flags[name] ?? input[flag.field]
      if (given === undefined) return printList(context, endpoint, input)
      await requestById(context, String(given), target, (id) =>
        printList(context, endpoint, { ...input, [flag.field]: id }),
      )
    },
  })
}
