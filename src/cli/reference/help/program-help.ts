import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import type { FoundCommand } from '../../program/commandline/find-command.ts'
import { isGlobalFlag, unsupportedFlagHints, visibleGlobalFlags } from '../../program/commandline/global-flags.ts'
import { wantsJsonErrors } from '../../program/commandline/wants-json-errors.ts'
import { platformFlagsOf } from '../../program/output/addressed-commands.ts'
import { createNotes } from '../../program/output/notes.ts'
import type { System } from '../../program/system.ts'
import { pageText, printHelpPage } from './help-page.ts'
import { printProgramPage } from './program-page.ts'
import { findFinalOperation, misspelled, suggestCommands, suggestionSentence } from './suggest-commands.ts'

const wantsHelp = (rest: readonly string[]): boolean => rest.includes('--help') || rest.includes('-h')

/** Handles words that do not name a command: prints the short help, the verbs of a noun, or a suggestion. */
export async function handleIncompleteCommand(system: System, found: FoundCommand): Promise<ExitName> {
  const { stdout, stderr } = system.streams
  if (found.unknown !== undefined) return reportUnknownCommand(system, found, found.unknown)
  const unknownFlag = found.rest.find((it) => it.startsWith('-') && !isGlobalFlag(it))
  if (unknownFlag !== undefined) return reportUnknownFlag(system, found, unknownFlag)
  if (!found.node) {
    const hasFlag = found.rest.some((it) => it.startsWith('-'))
    if (wantsHelp(found.rest)) await printProgramPage(system)
    else if (hasFlag)
      return reportUsageError(
        system,
        found.rest,
        `Missing command in "parley ${found.rest.join(' ')}".`,
        'See: parley --help.',
      )
    else await stdout.write(shortHelp)
    return 'done'
  }
  const words = found.path.join(' ')
  if (wantsHelp(found.rest)) {
    await printHelpPage(system, words)
    return 'done'
  }
  if (wantsJsonErrors(found.rest, system.env))
    return reportUsageError(system, found.rest, `Missing verb in "parley ${words}".`, `See: parley ${words} --help.`)
  await stderr.write((await pageText(words, stdout.columns)) ?? '')
  return 'usage'
}

/** Reports an unknown flag before the command. */
function reportUnknownFlag(system: System, { rest, path }: FoundCommand, flag: string): Promise<ExitName> {
  const name = flag.replace(/=.*/, '')
  const guess = closestMatch(
    name,
    visibleGlobalFlags.flatMap((it) => (it.isStandalone ? [] : (it.flags.match(/--[\w-]+/g) ?? []))),
  )
  const hint =
    unsupportedFlagHints[name] ??
    'Put the flags of a command after it: parley <noun> <verb> [id] [flags]. Flags of every command: parley help flags.'
  const where = ['parley', ...path].join(' ')
  return reportUsageError(
    system,
    rest,
    `Unknown flag "${name}" in "${where}".${guess && !unsupportedFlagHints[name] ? ` Did you mean ${guess}?` : ''}`,
    hint,
  )
}

/** Returns the words that followed an unknown one. */
const wordsAfter = (rest: readonly string[], word: string): readonly string[] => rest.slice(rest.indexOf(word) + 1)

async function reportUnknownCommand(system: System, found: FoundCommand, word: string): Promise<ExitName> {
  if (found.flag) return reportUnknownFlag(system, found, found.flag)
  const commandSoFar = ['parley', ...found.path].join(' ')
  const final = findFinalOperation(found.path, word)
  if (final)
    return reportUsageError(
      system,
      found.rest,
      `Unknown command "${[...found.path, word].join(' ')}". ${final.sentence}`,
      final.hint,
    )
  const guess = misspelled(word, found.siblings)
  // A misspelled word is more likely than another word for it only if no other tool has that word.
  const meant = suggestCommands(found.path, [word, ...wordsAfter(found.rest, word)])
  const sentence =
    meant.length > 0
      ? suggestionSentence(meant)
      : guess === undefined
        ? ''
        : ` Did you mean "${commandSoFar} ${guess}"?`
  return reportUsageError(
    system,
    found.rest,
    `Unknown command "${[...found.path, word].join(' ')}".${sentence}`,
    `See: ${commandSoFar} --help.`,
  )
}

async function reportUsageError(
  system: System,
  rest: readonly string[],
  message: string,
  hint: string,
): Promise<ExitName> {
  await createNotes(system.streams.stderr, {
    json: wantsJsonErrors(rest, system.env),
    quiet: false,
    platformFlags: platformFlagsOf(rest),
  }).error({
    code: 'usage',
    message,
    hint,
  })
  return 'usage'
}

const shortHelp = `Administer a conversational assistant platform. A complete local platform is built in.

Get started:
  parley demo              Take a tour on a temporary local platform
  parley numbers search    Search phone numbers on the local platform
  parley login             Sign in to a remote deployment
  parley doctor            Check configuration, connection and resources
  parley --help            List all commands
`
