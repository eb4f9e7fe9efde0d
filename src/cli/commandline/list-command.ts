import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { printList } from '../output/print-list.ts'
import { type Command, command } from './command.ts'

/** Creates the command that prints a list as the endpoint returns it. */
export const listCommand = (it: Omit<Command, 'run'> & { readonly endpoint: Endpoint }): Command =>
  command({ ...it, run: (context, { input }) => printList(context, it.endpoint, input) })
