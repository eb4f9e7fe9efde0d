import type { Command } from '../cli/command.ts'
import { environment } from '../cli/environment.ts'
import { nounHelp, programHelp } from '../cli/guide.ts'
import { commandHelp, helpPage } from '../cli/help.ts'
import type { HelpPart } from '../cli/help-page.ts'
import { createParser } from '../cli/program.ts'
import { topics } from '../cli/topics.ts'
import { type Node, type Noun, tree } from '../cli/tree.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { exits } from '../contract/exits.ts'
import { endpoints } from '../contract/index.ts'
import { isPlanned } from '../contract/planned.ts'
import { seedSenders } from '../control/seed-senders.ts'
import { magicRecipients } from '../providers/channel/recipients.ts'
import { magicCallees, magicMessages, magicNumbers, refusedSmsRecipient, refusingSipAddress, unreadableHost } from '../providers/magic.ts'

const width = 100

/** Every command with its words, in the order of the tree. */
export async function allCommands(): Promise<readonly (readonly [words: string, it: Command, aliases: readonly string[]])[]> {
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

/** The command surface: what a reviewer sees change. */
export async function commandsFile(): Promise<object[]> {
  return (await allCommands()).map(([words, it, aliases]) => ({
    command: words,
    ...(aliases.length > 0 && { aliases }),
    ...(it.argument && { argument: it.argument.name }),
    flags: createParser(words, it)
      .options.filter((option) => !option.hidden)
      .map((option) => option.flags),
  }))
}

/** Endpoints that are declared and not yet built. */
export const plannedFile = (): string[] => endpoints.map((it) => it.name).filter(isPlanned)

/** Help as the terminal shows it, a file each. */
export async function helpFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = { 'test/golden/help/parley.txt': programHelp(width) }
  for (const [words, it] of await allCommands()) files[`test/golden/help/parley-${words.replaceAll(' ', '-')}.txt`] = commandHelp(words, it, width)
  for (const [name, node] of Object.entries(tree)) if (!node.load) files[`test/golden/help/parley-${name}.txt`] = await nounHelp(name, node as Noun, width)
  for (const [name, text] of Object.entries(topics)) files[`test/golden/help/topic-${name}.txt`] = text(width)
  return files
}

/**
 * The table `--help` is answered from: each page as JSON text, so that only the requested one is parsed.
 * Parts and rows that several pages have are listed once, and pages hold their index.
 */
export async function helpPagesFile(): Promise<string> {
  const pages = (await allCommands()).map(([words, it]) => [words, helpPage(words, it)] as const)
  const counts = new Map<string, number>()
  const count = (it: unknown): void => void counts.set(JSON.stringify(it), (counts.get(JSON.stringify(it)) ?? 0) + 1)
  for (const part of pages.flatMap(([, page]) => page)) {
    count(part)
    if ('rows' in part) part.rows.forEach(count)
  }
  const shared = [...counts].filter(([, timesUsed]) => timesUsed > 1).map(([text]) => text)
  const indexes = new Map(shared.map((text, index) => [text, index]))
  const shortRow = (it: readonly [string, string]) => indexes.get(JSON.stringify(it)) ?? it
  const shortPart = (it: HelpPart) => indexes.get(JSON.stringify(it)) ?? ('rows' in it ? { ...it, rows: it.rows.map(shortRow) } : it)
  const texts = pages.map(([words, page]) => [words, JSON.stringify(page.map(shortPart))])
  return `// Made of the commands by "npm run generate".
export const sharedHelp: readonly string[] = ${JSON.stringify(shared)}
export const helpPages: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(texts))}
`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')

/** What of the seeded world refuses to send, with what it raises. */
const refusingSeeds = (): string[][] =>
  seedSenders.flatMap((sender, n) => {
    const templates = n > 0 ? [] : sender.templates.flatMap((it) => (it.raises ? [[`template \`${it.name}\` of \`${sender.phone_number}\``, it.raises]] : []))
    return [...(sender.raises ? [[`sender \`${sender.phone_number}\``, sender.raises]] : []), ...templates]
  })

/** The generated parts of the README, by the name of their marks. */
async function parts(): Promise<Record<string, string>> {
  const commands = await allCommands()
  const assumed = (endpoints as readonly Endpoint[]).filter((it) => it.assumed !== undefined && !isPlanned(it.name))
  return {
    commands: table(
      ['Command', 'What it does'],
      commands.map(([words, it]) => [`\`parley ${words}\``, it.summary ?? it.endpoint?.summary ?? '']),
    ),
    exits: table(
      ['Code', 'Meaning'],
      Object.values(exits).map(({ code, meaning }) => [String(code), meaning]),
    ),
    environment: table(
      ['Variable', 'What it does'],
      Object.entries(environment).map(([name, text]) => [`\`${name}\``, text]),
    ),
    magic: table(
      ['Number, host or message', 'What happens'],
      [
        ...Object.entries(magicNumbers).map(([number, { sentence }]) => [`\`${number}\``, sentence]),
        [`\`${unreadableHost}\``, 'A website on it cannot be read: the document of a knowledge base made from it fails.'],
        [`\`${refusingSipAddress}\``, 'A SIP trunk to it cannot be set up.'],
        ...Object.entries(magicMessages).map(([text, sentence]) => [`\`${text}\` as a message in a chat`, sentence]),
        ...Object.entries(magicCallees).map(([number, { sentence }]) => [`\`${number}\` when called`, sentence]),
        [`\`${refusedSmsRecipient}\` as recipient of an SMS`, 'Cannot receive it: the price is given back.'],
      ],
    ),
    recipients: table(
      ['Recipient', 'What happens'],
      Object.entries(magicRecipients).map(([number, { sentence }]) => [`\`${number}\``, sentence]),
    ),
    senders: table(['Sender or template', 'What sending raises'], refusingSeeds()),
    assumed: table(
      ['Endpoint', 'Assumed from'],
      assumed.map((it) => [`\`${it.name}\` ${it.method} ${it.path}`, it.assumed ?? '']),
    ),
  }
}

/** The README with its generated parts renewed between `<!-- name -->` and `<!-- /name -->`. */
export async function readmeWith(readme: string): Promise<string> {
  let text = readme
  for (const [name, part] of Object.entries(await parts())) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [from, to] = [text.indexOf(open), text.indexOf(close)]
    if (from < 0 || to < 0) throw new Error(`README.md has no place for "${name}": ${open} ... ${close}`)
    text = `${text.slice(0, from + open.length)}\n${part}\n${text.slice(to)}`
  }
  return text
}
