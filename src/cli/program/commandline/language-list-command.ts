import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { languageFlag, readLanguageFlag } from '../input/language-flag.ts'
import { printList } from '../output/print-list.ts'
import { type Command, command } from './command.ts'

/** Creates the command that prints a catalog, or the part of it that supports a language. */
export const languageListCommand = (it: Omit<Command, 'run'> & { readonly endpoint: Endpoint }): Command =>
  command({
    ...it,
    isList: true,
    filledFields: ['language_id'],
    flags: [languageFlag],
    run: async (context, { input, flags }) =>
      printList(context, it.endpoint, { ...input, ...(await readLanguageFlag(context, flags)) }),
  })
