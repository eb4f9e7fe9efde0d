import { server } from '../commandline/server-tree.ts'
import { localFiles } from '../configuration/local-files.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

/** What is said of the server without a further word. */
const serverCommands = Object.entries(server.verbs).flatMap(([name, it]) => (it.load ? [`server ${name}`] : []))

/** The help topic on the platform inside. */
export const localPlatformTopic = (width: number): string =>
  `${[
    'The platform inside',
    wrap(
      'Without a profile, commands talk to a whole platform inside this program: accounts, numbers, assistants that answer, campaigns, automations and webhooks, kept in a database of its own. Nothing costs anything, and nobody is called: carriers, payments, the messaging channel and the language model are local stand-ins that behave the same every time. Automations, webhooks, tools and a real language model do ask other machines where you tell them to.',
      width,
      '',
    ),
    `What there is for it\n\n${alignedRows(
      Object.entries(server.verbs).flatMap(([name, it]) => (it.load ? [] : [[`server ${name}`, it.summary]])),
      width,
    )}`,
    wrap(`And for the server itself: ${serverCommands.join(', ')}. See: parley server --help.`, width, ''),
    `What it keeps\n\n${alignedRows(
      localFiles.filter((it) => it.folder === 'data').map((it) => [it.name, it.holds]),
      width,
    )}`,
    wrap(
      'Numbers, recipients and messages that make every outcome happen on purpose (a declined payment, a closed window, a busy line) are listed in docs/local-platform.md. Failures of endpoints: parley server faults create --help.',
      width,
      '',
    ),
    'Serve it to other programs: parley server start\nAnother one beside it: PARLEY_DATA_DIR=./world parley numbers list\nBegin again: parley server reset\nIn tests: import { startPlatform } from "parley-cli/platform"',
  ].join('\n\n')}\n`
