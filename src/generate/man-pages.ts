import type { Command } from '../cli/program/commandline/command.ts'
import { type GlobalFlag, visibleGlobalFlags } from '../cli/program/commandline/global-flags.ts'
import { listFlags } from '../cli/program/lists/list-flags.ts'
import { helpPage, summaryOf } from '../cli/reference/help/command-help.ts'
import { environmentVariables } from '../cli/reference/help/environment-variables.ts'
import { topics } from '../cli/reference/help/topics.ts'
import { tree } from '../cli/tree.ts'
import { exitCodes } from '../contract/errors/exit-codes.ts'
import { possibleExits } from './possible-exits.ts'
import { allCommands } from './reference-files.ts'
import { bold, example, flagTerm, paragraphs, roff, terms } from './roff.ts'

type Named = readonly [words: string, it: Command]

/** Returns the description of a global flag with its allowed values. */
const withChoices = ({ describe, choices }: GlobalFlag): string =>
  choices ? `${describe} (one of: ${choices.join(', ')})` : describe

const section = (title: string, text: string): string => `.SH ${title}\n${text}`

const header = (name: string, version: string): string =>
  `.\\" Generated from the command table by "npm run generate".\n.TH ${roff(name.toUpperCase())} 1 "" "Parley ${version}" "Parley Manual"\n.nh\n.ad l`

/** Returns the section NAME: one line, which `man -k` and `apropos` search. */
const nameOf = (name: string, summary: string): string => section('NAME', `${roff(name)} \\- ${roff(summary)}`)

const exitRows = (names: readonly (keyof typeof exitCodes)[]): [string, string][] =>
  names.map((it) => [bold(String(exitCodes[it].code)), exitCodes[it].meaning])

const file = (name: string, sections: readonly string[]): [path: string, text: string] => [
  `man/${name}.1`,
  `${sections.join('\n')}\n`,
]

/** Returns the page of the program: nouns, global flags, environment, exit codes. */
async function programPage(version: string): Promise<[string, string]> {
  const nouns = await Promise.all(
    Object.entries(tree).map(async ([name, node]) => [bold(name), await summaryOf(node)] as const),
  )
  const about =
    'Administers a conversational assistant platform from the terminal, and runs a complete local platform for development and tests.'
  return file('parley', [
    header('parley', version),
    nameOf('parley', 'administer a conversational assistant platform'),
    section('SYNOPSIS', `${bold('parley')} \\fInoun\\fR \\fIverb\\fR [\\fIid\\fR] [\\fIflags\\fR]`),
    section(
      'DESCRIPTION',
      `${paragraphs(about)}\n.PP\nEach command below has a manual page, such as\n${bold('parley-numbers')}(1).`,
    ),
    section('COMMANDS', terms(nouns)),
    section(
      'OPTIONS',
      [
        terms(visibleGlobalFlags.map((it) => [flagTerm(it.flags), withChoices(it)])),
        '.SS List flags\nCommands that print a list also take:',
        terms(listFlags.map((it) => [flagTerm(it.flags), it.describe])),
      ].join('\n'),
    ),
    section('EXIT STATUS', terms(exitRows(Object.keys(exitCodes) as (keyof typeof exitCodes)[]))),
    section('ENVIRONMENT', terms(Object.entries(environmentVariables).map(([name, text]) => [bold(name), text]))),
    section(
      'EXAMPLES',
      example(['parley demo', 'parley numbers search --country GB --contains 20', 'parley login', 'parley doctor']),
    ),
    section(
      'SEE ALSO',
      `${seeAlso(Object.keys(tree))}\n.PP\nTopics of\n${bold('parley help')}:\n${paragraphs(`${Object.keys(topics).join(', ')}.`)}`,
    ),
  ])
}

const seeAlso = (nouns: readonly string[]): string =>
  nouns.map((it, n) => `.BR ${roff(`parley-${it}`)} (1)${n < nouns.length - 1 ? ',' : ''}`).join('\n')

const usageIn = ([words, command]: Named): string => {
  const usage = helpPage(words, command).find((part) => 'lines' in part && part.lines.startsWith('Usage: '))
  return usage && 'lines' in usage ? usage.lines.replace('Usage: ', '') : `parley ${words}`
}

/** Returns the usage with the words of the command in bold. */
const usageTerm = (named: Named): string => {
  const command = `parley ${named[0]}`
  return `${bold(command)}${roff(usageIn(named).slice(command.length))}`
}

/** Returns the description of a command: its summary, then the paragraphs of its help. */
const described = ([words, command]: Named): string => {
  const prose = helpPage(words, command).flatMap((part) => ('prose' in part ? [part.prose] : []))
  return prose.map(paragraphs).join('\n.IP\n')
}

const rowsOf = ([words, command]: Named): [string, string][] =>
  helpPage(words, command).flatMap((part) =>
    'rows' in part ? part.rows.map(([term, text]): [string, string] => [flagTerm(term), text]) : [],
  )

/** Returns the page of a noun, or of a command without one: every verb with its flags, examples and exit codes. */
async function nounPage(noun: string, commands: readonly Named[], version: string): Promise<[string, string]> {
  const node = tree[noun] as (typeof tree)[string]
  const name = `parley-${noun}`
  const summary = await summaryOf(node)
  const withFlags = commands.filter((it) => rowsOf(it).length > 0)
  const options = withFlags.map((named) =>
    node.load ? terms(rowsOf(named)) : `.SS ${bold(`parley ${named[0]}`)}\n${terms(rowsOf(named))}`,
  )
  const codes = new Set(commands.flatMap(([, command]) => possibleExits(command)))
  const isLoneCommand = node.load !== undefined
  return file(name, [
    header(name, version),
    nameOf(name, summary),
    section('SYNOPSIS', commands.map((it) => usageTerm(it)).join('\n.br\n')),
    section(
      'DESCRIPTION',
      isLoneCommand
        ? commands.map((it) => described(it).replaceAll('\n.IP\n', '\n.PP\n')).join('\n')
        : `${paragraphs(summary)}\n${commands.map((it) => `.TP\n${bold(`parley ${it[0]}`)}\n${described(it)}`).join('\n')}`,
    ),
    section(
      'OPTIONS',
      [
        ...options,
        ...(isLoneCommand ? (options.length > 0 ? ['.PP'] : []) : ['.SS Global flags']),
        `Every command takes the flags that\n${bold('parley')}(1)\nlists.`,
      ].join('\n'),
    ),
    section(
      'EXIT STATUS',
      terms(exitRows((Object.keys(exitCodes) as (keyof typeof exitCodes)[]).filter((it) => codes.has(it)))),
    ),
    section(
      'EXAMPLES',
      example(
        commands.flatMap(([words, command]) => command.examples.map((line) => `parley ${words} ${line}`.trimEnd())),
      ),
    ),
    section('SEE ALSO', `.BR parley (1)`),
  ])
}

/**
 * Returns every manual page by its path: `man/parley.1`, and one for each noun. The packages install them, so users call a
 * page by this name.
 */
export async function manPages(version: string): Promise<Record<string, string>> {
  const commands = await allCommands()
  const pages = Object.keys(tree).map((noun) =>
    nounPage(
      noun,
      commands.filter(([words]) => words.split(' ')[0] === noun).map(([words, command]) => [words, command] as const),
      version,
    ),
  )
  return Object.fromEntries([await programPage(version), ...(await Promise.all(pages))])
}
