import { visibleGlobalFlags } from '../commandline/global-flags.ts'
import { environmentVariables } from '../configuration/environment-variables.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const variables = ['ACCESSIBLE', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'TERM', 'CI']
const flags = ['--color <when>', '--no-color', '--no-input', '-q, --quiet', '--no-header']

/** The help topic on screen readers, colour and motion. */
export const accessibilityTopic = (width: number): string =>
  `${[
    'Accessibility',
    wrap(
      'ACCESSIBLE=1 suits screen readers and braille lines: nothing is drawn over, progress is told in plain lines, tables and cards have no boxes, and choices have numbers to type. Put it into the profile of your shell to have it always.',
      width,
      '',
    ),
    alignedRows(
      variables.map((name) => [name, environmentVariables[name] ?? '']),
      width,
    ),
    alignedRows(
      visibleGlobalFlags.filter((it) => flags.includes(it.flags)).map((it) => [it.flags, it.describe]),
      width,
    ),
    wrap(
      'Colour and signs never mean anything that words do not say. Every question has a flag that answers it (the help of the command names it), and a command that asked tells the line that does the same without questions. Chats and lists can be read as plain lines: -o ndjson, -o tsv.',
      width,
      '',
    ),
  ].join('\n\n')}\n`
