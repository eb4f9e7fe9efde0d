import { server } from '../commandline/server-tree.ts'
import { localFiles } from '../configuration/local-files.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

/** Server commands without a nested verb. */
const serverCommands = Object.entries(server.verbs).flatMap(([name, it]) => (it.load ? [`server ${name}`] : []))

/** Renders the help topic about the local platform. */
export const localPlatformTopic = (width: number): string =>
  `${[
    'The local platform',
    wrap(
      'Without a profile, commands use the local platform that is built into this program. It has accounts, numbers, assistants that answer, campaigns, automations and webhooks, stored in a local database. It costs nothing and places no real calls: carriers, payments, the messaging channel and the language model are simulated and deterministic. Automations, webhooks, tools and a real language model send requests to other machines only where you configure them.',
      width,
      '',
    ),
    `Commands for the local platform\n\n${alignedRows(
      Object.entries(server.verbs).flatMap(([name, it]) => (it.load ? [] : [[`server ${name}`, it.summary]])),
      width,
    )}`,
    wrap(`Commands for the server: ${serverCommands.join(', ')}. See: parley server --help`, width, ''),
    `Files\n\n${alignedRows(
      localFiles.filter((it) => it.folder === 'data').map((it) => [it.name, it.holds]),
      width,
    )}`,
    wrap(
      'docs/local-platform.md lists test numbers, recipients and messages for every outcome, such as a declined payment, a closed window or a busy line. To make endpoints fail: parley server faults create --help',
      width,
      '',
    ),
    'Serve it to other programs: parley server start\nUse a second local platform: PARLEY_DATA_DIR=./platform parley numbers list\nStart over: parley server reset\nIn tests: import { startPlatform } from "parley-cli/platform"',
  ].join('\n\n')}\n`
