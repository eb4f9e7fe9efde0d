import type { Node } from '../cli/program/commandline/command-tree.ts'
import { helpPage, nounPage, programPage } from '../cli/reference/help/command-help.ts'
import { renderHelpPage } from '../cli/reference/help/render-page.ts'
import { topics } from '../cli/reference/help/topics.ts'
import { tree } from '../cli/tree.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import { anchorOf } from './markdown.ts'
import { possibleExits } from './possible-exits.ts'

/** Columns of a terminal of unknown width. */
const width = 80

const link = (title: string, text = title): string => `[${text}](#${anchorOf(title)})`

const page = (level: '##' | '###', title: string, text: string, ...after: readonly string[]): string =>
  [`${level} ${title}`, `\`\`\`text\n${text}\`\`\``, ...after].join('\n\n')

/** Returns the pages of a noun or command, and of what is below it. */
async function pagesOf(words: string, node: Node): Promise<readonly string[]> {
  const title = `parley ${words}`
  const level = words.includes(' ') ? '###' : '##'
  if (node.load) {
    const command = await node.load()
    const exits = possibleExits(command).map((name) => exitCodes[name].code)
    const text = renderHelpPage(helpPage(words, command, node.aliases ?? []), width)
    return [page(level, title, text, `Exit codes: ${exits.join(', ')}`)]
  }
  const verbs = Object.entries(node.verbs)
  const links = verbs.map(([verb]) => link(`${title} ${verb}`, verb)).join(', ')
  const below = await Promise.all(verbs.map(([verb, child]) => pagesOf(`${words} ${verb}`, child)))
  return [page(level, title, renderHelpPage(await nounPage(words, node), width), links), ...below.flat()]
}

/**
 * Returns the page of all commands: help of the program, of every noun and command, and of every topic, as a terminal of
 * 80 columns shows it. Readers use it as the reference, and the tests compare each page with what the program prints.
 * Links of other pages to its headings break when a command is renamed.
 */
export async function cliReference(): Promise<string> {
  const nouns = Object.keys(tree)
  const pages = await Promise.all(Object.entries(tree).map(([noun, node]) => pagesOf(noun, node)))
  const topicPages = Object.entries(topics).map(async ([name, text]) =>
    page('##', `parley help ${name}`, await text(width)),
  )
  return `# Command reference

Generated from the command table by \`npm run generate\`: what \`--help\` and \`parley help <topic>\` print on a terminal of 80 columns.
[Exit codes](exit-codes.md) and [environment variables](environment.md) have separate pages.

Commands: ${nouns.map((it) => link(`parley ${it}`, it)).join(', ')}

Topics: ${Object.keys(topics)
    .map((it) => link(`parley help ${it}`, it))
    .join(', ')}

${[page('##', 'parley', renderHelpPage(await programPage(), width)), ...pages.flat(), ...(await Promise.all(topicPages))].join('\n\n')}
`
}
