import { command } from '../../commandline/command.ts'
import { openInspector } from './open-inspector.ts'

/** Flag of the commands that open the inspector. */
export const openFlags = [{ flags: '--no-open', describe: 'Print the address instead of opening a browser' }]

export const ui = command({
  callsPlatform: true,
  summary: 'Open the inspector in the browser',
  flags: openFlags,
  examples: ['', '--no-open', '--profile production'],
  notes:
    'The inspector shows what happened on the platform: conversations, calls, automation runs, deliveries, costs and the clock. The link signs in once and expires after 5 minutes.\nIf no server runs for the data folder, the command starts one and stops it on Ctrl-C. For a remote platform it serves the inspector on this machine until Ctrl-C. The inspector of a remote platform only reads.',
  run: (context, { flags }) => openInspector(context, '/_parley/', flags.open !== false),
})
