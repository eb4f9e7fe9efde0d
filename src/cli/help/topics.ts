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
import { listsTopic } from './lists-topic.ts'
import { localPlatformTopic } from './local-platform-topic.ts'
import { piecesTopic } from './pieces-topic.ts'
import { privacyTopic } from './privacy-topic.ts'
import { topicSummaries } from './topic-summaries.ts'
import { vocabularyTopic } from './vocabulary-topic.ts'

const formDescriptions: Readonly<Record<Form, string>> = {
  table:
    'Aligned table or cards on a terminal, tab-separated lines elsewhere. Times are in your time zone (--utc: as sent)',
  json: 'One JSON document: an object for a single resource, an array for a list. Times and numbers as the platform sends them',
  ndjson: 'One JSON item per line, written as pages arrive',
  yaml: 'Same as json, in YAML',
  tsv: 'Tab-separated: a header line and one line per item. --no-header omits the header',
  csv: 'Comma-separated, like tsv. --safe escapes formulas in tsv and csv, for files that a spreadsheet opens',
  id: 'Only ids, one per line, as input for another command',
}

const profileFields: Readonly<Record<keyof Profile, string>> = {
  base_url: 'Base URL of the platform; "embedded:" is the local platform',
  api_key: 'API key, stored in a file that only you can read',
  api_key_command: 'Command that prints the API key, such as a password manager, instead of api_key',
  output: 'Default output format',
  vocabulary: 'Vocabulary of the deployment: "public", or a file (parley help vocabulary)',
  routes: 'Paths and parameter names that differ, by endpoint, such as {"tools.get": {"path": ...}}',
  protected: 'Every write requires typing the profile name, or --confirm <name>',
  read_only: 'Rejects every write',
  confirm_above:
    'Price in USD from which a single paid message requires confirmation, also in scripts (default: 1 on a terminal)',
  history: '"off" writes without saving the previous state for an undo (default: "on")',
}

const conformanceStatuses: Readonly<Record<ConformanceResult['status'], string>> = {
  same: 'As documented',
  tolerated: 'Different, but supported: numbers as text, additional fields, other error messages',
  drift: 'Different and not supported; exit code 20',
  not_checked: 'Not checked, with the reason',
}

const conformanceCases: Readonly<Record<ConformanceResult['case'], string>> = {
  answer: 'The response itself',
  not_found: 'The error for an unknown id',
  rejected: 'The error for a request without required fields',
  headers: 'Content type of every response; on a Parley server also its additional headers',
  secrets: 'No response contains a secret that was sent or returned before',
  rows: 'Unique ids, no update time before the creation time, no rows in a new account',
  pages: 'Page 2, the last page and the one after it, page sizes, totals and page URLs',
  catalogue: 'The automation templates have the constants of the documented catalogue',
  filters: 'Every filter works, has its default and rejects invalid values',
  order: 'Order of rows, on a Parley server',
  read_back:
    'Written values are read back unchanged, deleted resources are gone, and get and list return the same values',
  limits:
    'Each body field accepts its documented values and limits, and rejects a missing value, a wrong type and a value beyond its limits',
  refusals: 'Errors with a specific reason, such as a number that is in use',
  no_key: 'The error for a request without an API key, or with a wrong one',
  scoping: 'A key of another account finds none of the records: reads, updates and deletes',
  rate_limit: 'The documented number of messages in one second is accepted, and the next one is refused',
  deliveries:
    'The webhooks of an ended conversation, an ended call and a status of a message arrive as documented: again after status 500, once when accepted, and not after they were disabled',
  signature: 'The signature of these webhooks',
}

const joinParagraphs = (...parts: readonly string[]): string => `${parts.join('\n\n')}\n`

/** Help topics, each rendered from the table that it describes. */
export const topics: Readonly<Record<string, (width: number) => string | Promise<string>>> = {
  topics: (width) =>
    `Topics\n\n${alignedRows(Object.entries(topicSummaries), width)}\n\nRead one: parley help <topic>\n`,
  'exit-codes': (width) =>
    `Exit codes\n\n${alignedRows(
      Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]),
      width,
    )}\n`,
  errors: (width) =>
    joinParagraphs(
      'Platform errors',
      alignedRows(
        Object.entries(failures as Readonly<Record<string, FailureKind>>).map(([name, { status, text, exit }]) => [
          name,
          `${status}, exit ${exitCodes[exit].code}: ${text}`,
        ]),
        width,
      ),
      wrap(
        'To produce an error on the local platform: parley server faults create <endpoint> --error <name> --times 1',
        width,
        '',
      ),
    ),
  flags: (width) =>
    `Global flags\n\n${alignedRows(
      visibleGlobalFlags.map(({ flags, describe, choices, env }) => [
        flags,
        `${describe}${choices ? ` (one of: ${choices.join(', ')})` : ''}${env ? ` [${env}]` : ''}`,
      ]),
      width,
    )}\n`,
  output: (width) =>
    joinParagraphs(
      'Output formats',
      alignedRows(Object.entries(formDescriptions), width),
      wrap(
        'Results go to stdout. Hints, progress and errors go to stderr. A failed command leaves stdout empty; with json, ndjson or yaml it prints {"error": ...} on stderr. Every format except table implies --no-input.',
        width,
        '',
      ),
      '--fields selects and orders fields in every format. --fields help lists them.',
      wrap(
        "--jq filters JSON with a jq expression; jq is built in: parley keys list --jq '.[].name'. Results are printed one per line, strings without quotes. With -o ndjson the expression sees one record at a time.",
        width,
        '',
      ),
    ),
  profiles: (width) =>
    joinParagraphs(
      'Profiles',
      wrap(
        'A profile is a platform and its connection settings. The profile "local" is the local platform and always exists.',
        width,
        '',
      ),
      wrap(
        'The first of these selects the profile: --profile, PARLEY_PROFILE, .parley.yaml in this folder or a parent folder, "parley profile use", local.',
        width,
        '',
      ),
      alignedRows(Object.entries(profileFields), width),
      'Create a profile: parley login\nIn a script: parley login <name> --url <url> --api-key-stdin < key.txt\nShow the origin of each value: parley profile get --origin',
    ),
  vocabulary: vocabularyTopic,
  lists: listsTopic,
  pieces: piecesTopic,
  bulk: bulkTopic,
  conformance: (width) =>
    joinParagraphs(
      'Conformance',
      wrap(
        '"parley doctor --conformance" calls every documented endpoint of a platform and compares the responses with the documentation. It prints one row per endpoint and case.',
        width,
        '',
      ),
      alignedRows(Object.entries(conformanceStatuses), width),
      alignedRows(Object.entries(conformanceCases), width),
      wrap(
        'On the local platform and on a Parley server it also writes, in an account that it creates and deletes afterwards. Other platforms are only read. With --writes, it also creates, changes and deletes its own records in the account of the key, and with --budget also what costs money, up to this total. These writes do not appear in "parley ops list". It never writes with a read-only or protected profile.',
        width,
        '',
      ),
      'Count tolerated differences as failures: parley doctor --conformance --strict\nIn CI: parley doctor --conformance --profile production --json',
    ),
  'local-platform': localPlatformTopic,
  accessibility: accessibilityTopic,
  privacy: privacyTopic,
  environment: (width) => `Environment variables\n\n${alignedRows(Object.entries(environmentVariables), width)}\n`,
}
