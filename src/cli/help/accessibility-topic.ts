import { visibleGlobalFlags } from '../commandline/global-flags.ts'
import { environmentVariables } from '../configuration/environment-variables.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const variables = ['ACCESSIBLE', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'TERM', 'CI']
const flags = ['--color <when>', '--no-color', '--no-input', '-q, --quiet', '--no-header']

/** Renders the help topic about screen readers, color and animation. */
export const accessibilityTopic = (width: number): string =>
  `${[
    'Accessibility',
    wrap(
      'ACCESSIBLE=1 is for screen readers and braille displays. The screen is not redrawn, progress is printed as plain lines, tables and cards have no boxes, and choices are numbered. To use it always, set it in the profile of your shell.',
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
      'Colors and symbols are never the only source of information. Every prompt has a flag that answers it, listed in the help of the command. A command that prompted prints the equivalent command without prompts. For plain lines in chats and lists, use -o ndjson or -o tsv.',
      width,
      '',
    ),
  ].join('\n\n')}\n`
