import { exitCodes } from '../../contract/errors/exit-codes.ts'
import { type FailureKind, failures } from '../../contract/errors/failures.ts'
import { visibleGlobalFlags } from '../commandline/global-flags.ts'
import { environmentVariables } from '../configuration/environment-variables.ts'
import type { Profile } from '../configuration/profiles.ts'
import type { ConformanceResult } from '../doctor/conformance/conformance-report.ts'
import type { Form } from '../output/form.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'
import { accessibilityTopic } from './accessibility-topic.ts'
import { bulkTopic } from './bulk-topic.ts'
import { localPlatformTopic } from './local-platform-topic.ts'
import { privacyTopic } from './privacy-topic.ts'
import { topicSummaries } from './topic-summaries.ts'
import { vocabularyTopic } from './vocabulary-topic.ts'

const formDescriptions: Readonly<Record<Form, string>> = {
  table:
    'For people: an aligned table or cards on a terminal, lines with tabs elsewhere; times in your zone (--utc keeps them)',
  json: 'One document: an object for one thing, an array for a list; times and numbers as the platform sent them',
  ndjson: 'One item a line, written as pages arrive',
  yaml: 'The same as json, as YAML',
  tsv: 'A header and one line an item, with tabs; --no-header leaves the header out',
  id: 'Only the id of each thing, a line each: for the next command',
}

const profileFields: Readonly<Record<keyof Profile, string>> = {
  base_url: 'Root address of the platform; "embedded:" is the one inside',
  api_key: 'API key, in a file that only you can read',
  api_key_command: "A command that prints the key, such as your vault's, instead of api_key",
  output: 'Output form when nothing else says',
  vocabulary: 'How the deployment spells things: "public", or a file (parley help vocabulary)',
  routes: 'Paths and parameter names that differ, by endpoint: {"tools.get": {"path": ...}}',
  protected: "Every write asks for the profile's name, or --confirm <name>",
  read_only: 'Every write is refused',
}

const conformanceStatuses: Readonly<Record<ConformanceResult['status'], string>> = {
  same: 'As documented',
  tolerated: 'Different, and understood all the same: numbers as text, fields more, other texts of a refusal',
  drift: 'Different, and not understood; exit code 20',
  skipped: 'Not asked, with the reason why',
}

const conformanceCases: Readonly<Record<ConformanceResult['case'], string>> = {
  answer: 'The answer itself',
  'not found': 'The refusal of an id that nobody has',
  rejected: 'The refusal of a request that lacks what it needs',
  headers: 'Content type of every answer; on a Parley server also its own headers.',
  secrets: 'No answer shows a secret that was sent or given before.',
  rows: 'Different ids, no time before its creation, nothing in a new account.',
  pages: 'Page 2, the last page and one beyond it, sizes, totals against rows, and the addresses of pages.',
  filters: 'Every filter filters, has its default, and refuses what it cannot take.',
  order: 'The order of rows, on a Parley server.',
  read_back:
    'What was written is read again as it was sent, what was deleted is gone, and one thing alone says what its list says.',
  limits: 'Every field of a body left out, of another type, and beyond its limits.',
  refusals: 'Refusals for a reason of their own, such as a number in use.',
  'without a key': 'The refusal of somebody who is not signed in',
}

const joinParagraphs = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`

/** Help topics, each made from the table it is about. */
export const topics: Readonly<Record<string, (width: number) => string>> = {
  topics: (width) =>
    `Topics\n\n${alignedRows(Object.entries(topicSummaries), width)}\n\nRead one: parley help <topic>\n`,
  'exit-codes': (width) =>
    `Exit codes\n\n${alignedRows(
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
      width,
    )}\n`,
  errors: (width) =>
    joinParagraphs(
      'Errors of the platform',
      alignedRows(
        Object.entries(failures as Readonly<Record<string, FailureKind>>).map(([name, { status, text, exit }]) => [
          name,
          `${status}, exit ${exitCodes[exit].code}: ${text}`,
        ]),
        width,
      ),
      wrap(
        'On a platform of your own each can be raised on purpose: parley server faults create <endpoint> --error <name> --times 1.',
        width,
        '',
      ),
    ),
  flags: (width) =>
    `Flags of every command\n\n${alignedRows(
      visibleGlobalFlags.map(({ flags, describe, choices, env }) => [
        flags,
        `${describe}${choices ? ` (one of: ${choices.join(', ')})` : ''}${env ? ` [${env}]` : ''}`,
      ]),
      width,
    )}\n`,
  output: (width) =>
    joinParagraphs(
      'Output forms',
      alignedRows(Object.entries(formDescriptions), width),
      wrap(
        'Only results go to stdout; hints, progress and errors go to stderr. A failure leaves stdout empty and, with json, ndjson or yaml, prints {"error": ...} on stderr. Every form but table implies --no-input.',
        width,
        '',
      ),
      '--fields selects and orders fields in every form; --fields help lists them.',
    ),
  profiles: (width) =>
    joinParagraphs(
      'Profiles',
      wrap('A profile is a platform and how to talk to it. "local", the platform inside, is always there.', width, ''),
      wrap(
        'Which one is used: --profile, PARLEY_PROFILE, .parley.yaml in this folder or one above, "parley profile use", local.',
        width,
        '',
      ),
      alignedRows(Object.entries(profileFields), width),
      'Make one: parley login\nIn a script: parley login <name> --url <address> --api-key-stdin < key.txt\nWhere each value comes from: parley profile get --origin',
    ),
  vocabulary: vocabularyTopic,
  bulk: bulkTopic,
  conformance: (width) =>
    joinParagraphs(
      'Conformance',
      wrap(
        '"parley doctor --conformance" asks a platform for every answer that is documented and compares what comes: a row for each endpoint and case.',
        width,
        '',
      ),
      alignedRows(Object.entries(conformanceStatuses), width),
      alignedRows(Object.entries(conformanceCases), width),
      wrap(
        'Any platform is only read. One of your own is written to as well, in an account that is made for it and deleted afterwards; nothing of that stands in "parley ops list". A profile that is read-only or protected is never written to.',
        width,
        '',
      ),
      'Let what is tolerated count too: parley doctor --conformance --strict\nFor CI: parley doctor --conformance --profile production --json',
    ),
  'embedded-platform': localPlatformTopic,
  accessibility: accessibilityTopic,
  privacy: privacyTopic,
  environment: (width) => `Environment\n\n${alignedRows(Object.entries(environmentVariables), width)}\n`,
}
