import { beforeAll, describe, expect, test } from 'vitest'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import { createParser } from '../../src/cli/program/commandline/parser.ts'
import { topics } from '../../src/cli/reference/help/topics.ts'
import { tree } from '../../src/cli/tree.ts'
import { contract } from '../../src/contract/resources/index.ts'
import { generate } from '../../src/generate/generated-files.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { operator } from '../support/operator.ts'
import { filesIn, read, root } from '../support/sources.ts'
import { splitWords } from '../support/split-words.ts'

test('all generated files are up to date: help, completions, routes, OpenAPI, man pages, docs', async () => {
  expect(await generate(root, true), 'Out of date. Run: npm run generate').toEqual([])
})

test('the command reference has the help of the program, of every noun, command and topic, byte by byte as a terminal shows it', async () => {
  const blocks = [...read('docs/cli-reference.md').matchAll(/^##+ parley ?(.*)\n\n```text\n([\s\S]*?)^```$/gm)]
  const pages = new Map(blocks.map(([, words = '', text]) => [words, text]))
  const named = (words: string): string => (words.startsWith('help ') ? words : `${words} --help`.trim())
  const commands = (await allCommands()).map(([words]) => words)
  const above = commands.flatMap((words) => words.split(' ').map((_, n, all) => all.slice(0, n).join(' ')))
  const topicNames = Object.keys(topics).map((it) => `help ${it}`)
  expect([...pages.keys()].sort()).toEqual([...new Set([...commands, ...above, ...topicNames])].sort())
  expect(blocks.length).toBe(pages.size)
  const { run } = operator()
  for (const [words, text] of pages) {
    const { stdout } = await run(named(words), { terminal: true, columns: 80 })
    expect(stdout, `parley ${named(words)}. Run: npm run generate`).toBe(text)
  }
})

/** Files that say nothing to anybody, and one about automations, which name commands that come with them. */
const apart = /^src\/(generated\/|cli\/reference\/completion\/shell-scripts\.ts|generate\/)/
/** Resources of the contract that have no command yet, by the noun they will have. */
const toCome = new Set(Object.keys(contract).map((it) => it.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)))
for (const noun of Object.keys(tree)) toCome.delete(noun)

/** A line as the program reads it: the command it names, and whether its flags are ones that command has. */
async function problemOf(line: string): Promise<string | undefined> {
  const words = splitWords(line)
  const found = findCommand(words)
  if (!found.node?.load)
    return words.length > found.path.length && words[found.path.length] !== '--help'
      ? `no command: parley ${line}`
      : undefined
  const parser = createParser(found.path.join(' '), await found.node.load())
  const unknown = found.rest
    .filter((it) => /^--?[a-z]/.test(it))
    .find((it) => !parser.options.some((option) => option.long === it.replace(/=.*/, '') || option.short === it))
  return unknown && `${unknown} is no flag of parley ${line}`
}

describe('the texts of Parley', () => {
  let commands: Awaited<ReturnType<typeof allCommands>>
  beforeAll(async () => {
    commands = await allCommands()
  })

  test('have only examples that Parley understands', async () => {
    const problems: (string | undefined)[] = []
    for (const [words, command] of commands)
      for (const example of command.examples)
        problems.push(await problemOf(`${words} ${example.replace(/ (>>?|<) .*$/, '')}`.trim()))
    expect(problems.filter(Boolean), 'Examples that do not parse. Correct them in the file of the command').toEqual([])
  })

  test('name only commands that exist, in messages, hints and help', async () => {
    const shown = filesIn('src')
      .filter((path) => path.endsWith('.ts') && !apart.test(path))
      .flatMap((path) =>
        [...read(path).matchAll(/[^\w/@.-]parley ((?:[a-z-]+ ?)+(?:--[a-z-]+)?)/g)].map(
          (it) => [path, (it[1] as string).trim()] as const,
        ),
      )
    const problems: string[] = []
    for (const [path, line] of shown) {
      const words = line.split(' ')
      if (toCome.has(words[0] as string)) continue
      // Prose continues after the command: only the command at its start counts.
      const found = findCommand(words)
      if (found.unknown !== undefined && !(found.path.length > 0 && found.node?.load))
        problems.push(`${path}: parley ${line}`)
      const flag = words.at(-1) as string
      if (flag.startsWith('--') && found.node?.load && flag !== '--help') {
        const options = createParser(found.path.join(' '), await found.node.load()).options
        if (!options.some((it) => it.long === flag)) problems.push(`${path}: ${flag} of parley ${line}`)
      }
    }
    expect(shown.length).toBeGreaterThan(40)
    expect(problems, 'Texts that name a command or flag that does not exist').toEqual([])
  })
})
