import type { Command } from '../cli/program/commandline/command.ts'
import type { Node } from '../cli/program/commandline/command-tree.ts'
import { createParser } from '../cli/program/commandline/parser.ts'
import { listFlagsOf } from '../cli/program/lists/list-flags.ts'
import { helpPage, nounPage, programPage } from '../cli/reference/help/command-help.ts'
import type { HelpPage, HelpPart } from '../cli/reference/help/render-page.ts'
import { tree } from '../cli/tree.ts'

/** Returns every command with its words, in the order of the tree. */
export async function allCommands(): Promise<
  readonly (readonly [words: string, it: Command, aliases: readonly string[]])[]
> {
  const found: [string, Command, readonly string[]][] = []
  async function visit(path: string, nodes: Readonly<Record<string, Node>>): Promise<void> {
    for (const [name, node] of Object.entries(nodes)) {
      const words = path === '' ? name : `${path} ${name}`
      if (node.load) found.push([words, await node.load(), node.aliases ?? []])
      else await visit(words, node.verbs)
    }
  }
  await visit('', tree)
  return found
}

/** Returns the commands with their flags, as a golden file in which a reviewer sees changes. */
export async function commandsFile(): Promise<object[]> {
  return (await allCommands()).map(([words, command, aliases]) => ({
    command: words,
    ...(aliases.length > 0 && { aliases }),
    ...(command.argument && { argument: command.argument.name }),
    flags: createParser(words, command)
      .options.filter((option) => !option.hidden || listFlagsOf(command).some(({ flags }) => flags === option.flags))
      .map((option) => option.flags),
  }))
}

/** Returns the help pages of the program, of every noun and of every command. */
async function allPages(): Promise<readonly (readonly [words: string, page: HelpPage])[]> {
  const nouns: [string, HelpPage][] = []
  async function visit(path: string, nodes: Readonly<Record<string, Node>>): Promise<void> {
    for (const [name, node] of Object.entries(nodes)) {
      if (node.load) continue
      const words = path === '' ? name : `${path} ${name}`
      nouns.push([words, await nounPage(words, node)])
      await visit(words, node.verbs)
    }
  }
  await visit('', tree)
  return [
    ['', await programPage()],
    ...nouns,
    ...(await allCommands()).map(([words, command, aliases]) => [words, helpPage(words, command, aliases)] as const),
  ]
}

/** Returns the page of the program in a separate file, because it is requested most and must load quickly. */
export async function programPageFile(): Promise<string> {
  return `// Made of the commands by "npm run generate".
export const programPage: string = ${JSON.stringify(JSON.stringify(await programPage()))}
`
}

/**
 * Returns the tables for `--help` of nouns and commands, by path: a file for each noun, so that only the requested one is
 * read, with each page as JSON text, so that only that one is parsed. Parts and rows of several pages are listed once,
 * and pages hold their index. help-page.ts of the command line replaces each number by its part, so a page has no other numbers.
 */
export async function helpPagesFiles(): Promise<Readonly<Record<string, string>>> {
  const pages = (await allPages()).filter(([words]) => words !== '')
  const counts = new Map<string, number>()
  const count = (it: unknown): void => void counts.set(JSON.stringify(it), (counts.get(JSON.stringify(it)) ?? 0) + 1)
  for (const part of pages.flatMap(([, page]) => page)) {
    count(part)
    if ('rows' in part) part.rows.forEach(count)
  }
  const shared = [...counts].filter(([, timesUsed]) => timesUsed > 1).map(([text]) => text)
  const indexes = new Map(shared.map((text, index) => [text, index]))
  const shortRow = (it: readonly [string, string]) => indexes.get(JSON.stringify(it)) ?? it
  const shortPart = (part: HelpPart) =>
    indexes.get(JSON.stringify(part)) ?? ('rows' in part ? { ...part, rows: part.rows.map(shortRow) } : part)
  const nouns = new Map<string, [words: string, text: string][]>()
  for (const [words, page] of pages) {
    const noun = words.split(' ')[0] as string
    nouns.set(noun, [...(nouns.get(noun) ?? []), [words, JSON.stringify(page.map(shortPart))]])
  }
  const heading = '// Generated from the command table by "npm run generate".'
  const loaders = [...nouns.keys()].map((noun) => {
    const module = `./help/${noun}.ts`
    return `  ${/^\w+$/.test(noun) ? noun : `'${noun}'`}: () => import('${module}'),`
  })
  const files = [...nouns].map(([noun, texts]) => [
    `src/generated/help/${noun}.ts`,
    `${heading}\nexport const pages: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(texts))}\n`,
  ])
  return {
    'src/generated/help-pages.ts': `${heading}
export const sharedHelp: readonly string[] = ${JSON.stringify(shared)}
export const helpPages: Readonly<Record<string, () => Promise<{ readonly pages: Readonly<Record<string, string>> }>>> = {
${loaders.join('\n')}
}
`,
    ...Object.fromEntries(files),
  }
}
