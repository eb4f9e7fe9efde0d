import { command } from '../../commandline/command.ts'
import { usageError } from '../../errors/usage-error.ts'
import { openInspector } from './open-inspector.ts'
import { resourcePage } from './resource-page.ts'
import { openFlags } from './ui.ts'

export const open = command({
  callsPlatform: true,
  summary: 'Open a page or a resource in the inspector',
  argument: {
    name: 'noun',
    describe: 'A page such as timeline, or a resource and its id, such as calls 7',
    optional: false,
    isVariadic: true,
  },
  flags: openFlags,
  examples: ['timeline', 'calls 7', 'conversations 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90 --no-open'],
  notes: 'Works like "parley ui". For the server and remote platforms, see its help.',
  run(context, { argument, flags }) {
    if (argument === undefined) throw usageError('Missing page or resource.', 'For example: parley open calls 7.')
    return openInspector(context, resourcePage(argument), flags.open !== false)
  },
})
