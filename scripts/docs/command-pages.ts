import type { Node } from '../../src/cli/program/commandline/command-tree.ts'
import { helpPage, nounPage, programPage, summaryOf } from '../../src/cli/reference/help/command-help.ts'
import type { HelpPage, HelpPart } from '../../src/cli/reference/help/render-page.ts'
import { topicSummaries } from '../../src/cli/reference/help/topic-summaries.ts'
import { topics } from '../../src/cli/reference/help/topics.ts'
import { tree } from '../../src/cli/tree.ts'
import { exitCodes } from '../../src/contract/errors/exit-codes.ts'
import { escapeMarkdown, table } from '../../src/generate/markdown.ts'
import { possibleExits } from '../../src/generate/possible-exits.ts'

/** Path of the page of a command or noun: `commands/numbers/buy.md`, `commands/numbers/index.md`. */
export const commandPath = (words: string, node: Node | undefined): string =>
  `commands/${words.replaceAll(' ', '/')}${node?.verbs ? '/index' : ''}.md`

/** Path of the page of a help topic. */
export const topicPath = (name: string): string => `commands/topics/${name}.md`

/** Link from one page of the site to another. */
export function linkTo(from: string, to: string): string {
  const parts = from.split('/').slice(0, -1)
  const target = to.split('/')
  while (parts.length > 0 && parts[0] === target[0]) {
    parts.shift()
    target.shift()
  }
  return [...parts.map(() => '..'), ...target].join('/')
}

const code = (text: string): string => `\`${text}\``

/** Returns a part of a help page as Markdown. `linked` is the target of the first cell of a row, if it has a page. */
function partText(part: HelpPart, linked: (name: string) => string | undefined): string {
  if ('prose' in part) return escapeMarkdown(part.prose)
  if ('lines' in part)
    return part.lines.startsWith('Usage: ') ? `\`\`\`text\n${part.lines.slice(7)}\n\`\`\`` : escapeMarkdown(part.lines)
  const title = part.title.replace(/:$/, '')
  if ('commands' in part) return `## ${title}\n\n\`\`\`shell\n${part.commands.join('\n')}\n\`\`\``
  const rows = part.rows.map(([name, text]) => {
    const target = linked(name.split(',')[0] as string)
    return [target === undefined ? code(name) : `[${code(name)}](${target})`, escapeMarkdown(text)]
  })
  return `## ${title}\n\n${table([title === 'Flags' ? 'Flag' : title === 'Argument' ? 'Argument' : 'Command', 'Meaning'], rows)}`
}

const pageText = (
  title: string,
  parts: HelpPage,
  linked: (name: string) => string | undefined,
  ...after: readonly string[]
): string => `${[`# ${title}`, ...parts.map((it) => partText(it, linked)), ...after].join('\n\n')}\n`

const none = (): undefined => undefined

/** A page of a command, noun or topic. */
export interface CommandPage {
  readonly path: string
  readonly title: string
  readonly summary: string
  readonly text: string
}

async function pagesOf(words: string, node: Node): Promise<CommandPage[]> {
  const path = commandPath(words, node)
  const title = `parley ${words}`
  const summary = await summaryOf(node)
  if (node.load) {
    const command = await node.load()
    const exits = possibleExits(command).map((name) => [
      String(exitCodes[name].code),
      code(name),
      exitCodes[name].meaning,
    ])
    const noun = words.split(' ').slice(0, -1).join(' ')
    const more = [
      noun === '' ? '' : `[All commands of ${code(`parley ${noun}`)}](index.md)`,
      `[Global flags](${linkTo(path, topicPath('flags'))})`,
      command.isList ? `[Filter and sort lists](${linkTo(path, topicPath('lists'))})` : '',
    ].filter(Boolean)
    // The last lines of the help name flags that have pages here.
    const parts = helpPage(words, command, node.aliases ?? []).filter(
      (it) => !('lines' in it) || !/^(?:Global|List) flags: /.test(it.lines),
    )
    const text = pageText(
      title,
      parts,
      none,
      `## Exit codes\n\n${table(['Code', 'Name', 'Meaning'], exits)}\n\n[How scripts use them](${linkTo(path, 'exit-codes.md')})`,
      `## See also\n\n${more.map((it) => `- ${it}`).join('\n')}`,
    )
    return [{ path, title, summary, text }]
  }
  const linked = (verb: string): string | undefined =>
    node.verbs[verb] && linkTo(path, commandPath(`${words} ${verb}`, node.verbs[verb]))
  const below = await Promise.all(Object.entries(node.verbs).map(([verb, child]) => pagesOf(`${words} ${verb}`, child)))
  return [{ path, title, summary, text: pageText(title, await nounPage(words, node), linked) }, ...below.flat()]
}

/** Path of the page that lists all commands. */
export const commandsPath = 'commands/index.md'

/**
 * Returns a page for every command, noun and help topic, and one that lists them. They come from the same table as
 * `--help` and docs/cli-reference.md.
 */
export async function commandPages(): Promise<CommandPage[]> {
  const below = await Promise.all(Object.entries(tree).map(([noun, node]) => pagesOf(noun, node)))
  const topicPages = Object.entries(topics).map(async ([name, text]): Promise<CommandPage> => {
    const summary = name === 'topics' ? 'All help topics' : topicSummaries[name as keyof typeof topicSummaries]
    return {
      path: topicPath(name),
      title: `parley help ${name}`,
      summary,
      text: `# parley help ${name}\n\n${escapeMarkdown(summary)}.\n\n\`\`\`text\n${await text(80)}\`\`\`\n`,
    }
  })
  const linked = (name: string): string | undefined => tree[name] && linkTo(commandsPath, commandPath(name, tree[name]))
  const listed = Object.keys(topics).map((name) => [
    `[${code(`parley help ${name}`)}](${linkTo(commandsPath, topicPath(name))})`,
    escapeMarkdown(topicSummaries[name as keyof typeof topicSummaries] ?? 'All help topics'),
  ])
  const summary = 'Every command with its flags, examples and exit codes'
  return [
    {
      path: commandsPath,
      title: 'Commands',
      summary,
      text: pageText(
        'Commands',
        await programPage(),
        linked,
        `## Help topics\n\n${table(['Topic', 'Meaning'], listed)}`,
      ),
    },
    ...below.flat(),
    ...(await Promise.all(topicPages)),
  ]
}
