import { type GlobalFlag, visibleGlobalFlags } from '../cli/program/commandline/global-flags.ts'
import { listFlags } from '../cli/program/lists/list-flag-table.ts'
import { possibleExits } from '../cli/reference/command-reference/possible-exits.ts'
import { helpPage, summaryOf } from '../cli/reference/help/command-help.ts'
import type { HelpPart } from '../cli/reference/help/render-page.ts'
import { tree } from '../cli/tree.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import { anchorOf, escapeMarkdown, table } from './markdown.ts'
import { allCommands } from './reference-files.ts'

/** Returns whether a part of a help page refers to the global flags or the flags of lists, which this page lists at the top. */
const isPointer = (part: HelpPart): boolean => 'lines' in part && /^(Global|List) flags/.test(part.lines)

/** Returns the description of a global flag with its allowed values. */
export const withChoices = ({ describe, choices }: GlobalFlag): string =>
  choices ? `${describe} (one of: ${choices.join(', ')})` : describe

const code = (text: string): string => `\`${text}\``

function markdownOf(part: HelpPart): string {
  if ('commands' in part) return `\`\`\`shell\n${part.commands.join('\n')}\n\`\`\``
  if ('rows' in part)
    return table(
      [part.title.replace(/:$/, ''), 'Description'],
      part.rows.map(([name, text]) => [code(name), escapeMarkdown(text)]),
    )
  if ('lines' in part) return `\`\`\`text\n${part.lines.replace(/^Usage: /, '')}\n\`\`\``
  return escapeMarkdown(part.prose).replaceAll('\n', '  \n')
}

/** Returns the page of all commands: usage, arguments, flags, notes, examples, exit codes, from the `--help` data. */
export async function cliReference(): Promise<string> {
  const commands = await allCommands()
  const sections = await Promise.all(
    Object.entries(tree).map(async ([noun, node]) => {
      const own = commands.filter(([words]) => words.split(' ')[0] === noun)
      const isNoun = !node.load
      const index = own.map(
        ([words, it]) =>
          `- [parley ${words}](#${anchorOf(`parley ${words}`)}): ${escapeMarkdown(it.summary ?? it.endpoint?.summary ?? '')}`,
      )
      const entries = own.map(([words, it, aliases]) => {
        const parts = helpPage(words, it).filter((part) => !isPointer(part))
        const named = aliases.length > 0 ? [`Aliases: ${aliases.map(code).join(', ')}`] : []
        const codes = possibleExits(it).map((name) => exitCodes[name].code)
        const ends = `Exit codes: ${codes.join(', ')}`
        const lists = it.isList ? ['Takes the [list flags](#list-flags).'] : []
        return [`### parley ${words}`, ...parts.map(markdownOf), ...named, ...lists, ends].join('\n\n')
      })
      return [
        `## ${noun}`,
        ...(isNoun ? [escapeMarkdown(await summaryOf(node)), index.join('\n')] : []),
        ...entries,
      ].join('\n\n')
    }),
  )
  const nouns = Object.keys(tree).map((it) => `[${it}](#${anchorOf(it)})`)
  return `# Command reference

Generated from the command table by \`npm run generate\`. The same text is shown by \`parley <noun> <verb> --help\` and by the man pages.
[Exit codes](exit-codes.md) and [environment variables](environment.md) have separate pages.

Commands: ${nouns.join(', ')}

## Global flags

Every command takes these flags. \`parley help flags\` shows them in the terminal.

${table(
  ['Flag', 'Description', 'Environment'],
  visibleGlobalFlags.map((it) => [code(it.flags), escapeMarkdown(withChoices(it)), it.env ? code(it.env) : '']),
)}

## List flags

Commands that print a list take these flags, unless they have a flag of the same name. \`parley help lists\` explains them.

${table(
  ['Flag', 'Description'],
  listFlags.map((it) => [code(it.flags), escapeMarkdown(it.describe)]),
)}

${sections.join('\n\n')}
`
}
