import { type ExitName, exitCodes, type FailureKind } from '../../../contract/errors/exit-codes.ts'
import { failures } from '../../../contract/errors/failures.ts'
import { describePieces } from '../../../engine/pieces/describe-pieces.ts'
import { skill } from '../../../generated/skill.ts'
import { testOutcomes } from '../../../generated/test-outcomes.ts'
import { rowFlags } from '../../features/bulk/rows/row-flags.ts'
import type { ConformanceResult } from '../../features/doctor/conformance/conformance-report.ts'
import { commandTree } from '../../program/commandline/command-tree.ts'
import { visibleGlobalFlags } from '../../program/commandline/global-flags.ts'
import { type LocalFile, localFiles } from '../../program/configuration/local-files.ts'
import type { Profile } from '../../program/configuration/profiles.ts'
import { listFlags } from '../../program/lists/list-flags.ts'
import type { Format } from '../../program/output/format.ts'
import { alignedRows, wrap } from '../../program/terminal/wrap-text.ts'
import { environmentVariables } from './environment-variables.ts'
import { topicSummaries } from './topic-summaries.ts'
import { vocabularyTopic } from './vocabulary-topic.ts'

const variables = ['ACCESSIBLE', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'TERM', 'CI']
const flags = ['--color <when>', '--no-color', '--no-input', '-q, --quiet', '--no-header']

/** Renders the help topic about screen readers, color and animation. */
const accessibilityTopic = (width: number): string =>
  `${[
    'Accessibility',
    wrap(
      'ACCESSIBLE=1 is for screen readers and braille displays. The screen is not redrawn, progress is printed as plain lines, tables and cards have no boxes, and choices are numbered. To use it always, set it in the profile of your shell.',
      width,
      '',
    ),
    alignedRows(
      variables.map((name) => [name, environmentVariables[name] ?? '']),
      width,
    ),
    alignedRows(
      visibleGlobalFlags.filter((it) => flags.includes(it.flags)).map((it) => [it.flags, it.describe]),
      width,
    ),
    wrap(
      'Colors and symbols are never the only source of information. Every prompt has a flag that answers it, listed in the help of the command. A command that prompted prints the equivalent command without prompts. For plain lines in chats and lists, use -o ndjson or -o tsv.',
      width,
      '',
    ),
  ].join('\n\n')}\n`

/** Renders the help topic for coding agents: the text of the skill, with the rows of its table (src/generate/skill.ts) as lines. */
const agentsTopic = (width: number): string =>
  skill
    .replace(/^---[\s\S]*?---\n\n/, '')
    .replaceAll(/^\|(?: Code |-).*\n/gm, '')
    .replaceAll(/^\| (\d+) \| `(\w+)` \| (.*) \|$/gm, '- $1 $2: $3')
    .split('\n')
    .map((line) => wrap(line, width, /^- |^\d\. /.test(line) ? '  ' : '').trimStart())
    .join('\n')

/** Meanings of the exit codes for bulk operations. */
const exitMeanings: Partial<Readonly<Record<ExitName, string>>> = {
  done: 'Every row is done, by this run or an earlier one, or already existed',
  usage: 'Nothing was sent: the file cannot be read, a column is missing, or rows are invalid',
  conflict: 'Another process is working on the same rows, or every row was rejected as a conflict',
  rejected: 'Every row was rejected',
  consent: 'Sending messages costs money and --yes is missing',
  partial: 'Some rows are done. Others failed, were skipped, are unknown or remain',
  unknown: 'No row is known to be done, and the outcome of some is unknown',
  finding: 'With --dry-run: rows are invalid',
  interrupted: 'Ctrl-C. Requests in progress were completed. Run the same command again to resume',
}

/** Fields of the JSON that bulk commands print, whose schema is `RowsResultSchema` of custom-output-schemas.ts. */
const resultFields: Readonly<Record<string, string>> = {
  rows: 'Rows in the file',
  done: 'Done by this run; done_before: by earlier runs',
  already: 'Leads whose number is already in the campaign. They are unchanged and do not count as failed',
  failed: 'Rejected by the platform',
  invalid: 'Skipped with --skip-invalid',
  waiting: 'Taken by the platform, which sends them when the contact hours open',
  skipped: 'Not sent, because the recipients have opted out; skipped_rows: the first 20 of them, with line and number',
  unknown: 'Sent, but the response was lost. Not sent again until the outcome is known',
  left: 'Remaining rows',
  cost_usd: 'Of messages and SMS: what the rows of this run cost, with --dry-run would cost; null if unknown',
  failed_file: 'File with failed and invalid rows, each with parley_error',
}

/** Renders the help topic about bulk operations. */
const bulkTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Bulk operations from a file',
    prose(
      '"parley leads import" creates a lead for each row, and "parley contacts import" blocks a contact. "parley messaging send --file" sends a template message for each row, and "parley sms send --file" an SMS.',
    ),
    prose(
      'Files are CSV (commas, semicolons or tabs; quotes; UTF-8), NDJSON, or a JSON or YAML list of up to 2 MB. Use - for standard input. The first line of a CSV file names the columns.',
    ),
    prose(
      'A column fills the field with the same name, ignoring case, spaces, dashes and underscores. Columns named phone, number, mobile, cell or tel fill the phone number. For leads, every other column becomes a variable with the name of the column, such as first_name. For messages, columns fill placeholders by name or number, and other columns are not sent. Use --map to change the mapping. On a terminal, the columns and the first rows are shown before anything is sent.',
    ),
    prose(
      'Every row is validated first: E.164 numbers, duplicate numbers, fields and variables, and the recipient limit of the sender. If a row is invalid, nothing is sent; use --skip-invalid to skip invalid rows.',
    ),
    alignedRows(
      rowFlags.filter(({ hidden }) => !hidden).map(({ flags, describe }) => [flags, describe]),
      width,
    ),
    prose(
      'Progress is saved in the folder "bulk" of the data folder, by file, target, account and what the recipients get: another text for the same file is another job. After Ctrl-C, kill -9 or a failure, run the same command again: it resumes and skips completed rows. --limit <n> processes only the next n rows. Recipients are recorded by number and content. A recipient that was sent the same content in the last 7 days (--within), by any file or single message, is skipped and listed; use --resend to send it again.',
    ),
    prose(
      'Messages and SMS to recipients that have opted out are skipped, and outside the contact hours they wait on the platform (parley contacts waiting). The question has the number of both.',
    ),
    prose(
      'A message is never sent twice. If the response was lost, the command first asks the platform for the outcome, by idempotency key. If the platform does not know it, the row stays unknown and "parley ops list" shows it. A lead is sent again, because a campaign holds each number once; with --allow-duplicate it is treated like a message.',
    ),
    prose(
      '"messaging send --file" sends at most 5 messages per second. The others send several rows at a time without a limit, and slow down when the platform asks for it (429). A terminal shows a progress bar with rate and time left; otherwise a line is printed every 10 s. -o ndjson prints item, progress, error and result events, -o id prints ids.',
    ),
    'Result fields:',
    alignedRows(Object.entries(resultFields), width),
    'Exit codes:',
    alignedRows(
      Object.entries(exitMeanings).map(([name, meaning]) => [String(exitCodes[name as ExitName].code), meaning]),
      width,
    ),
  ].join('\n\n')}\n`
}

/** Commands about the contact hours. */
const hoursCommands: Readonly<Record<string, string>> = {
  'contacts hours': 'Hours, days and holidays of the account',
  'contacts update-hours': 'Change them; --dry-run shows what would start at once, and what it costs at most',
  'contacts waiting': 'What waits, until when, and why',
  'contacts send-waiting <id>': 'Send or call at once',
  'contacts cancel-waiting <id>': 'Never send it',
  'leads get <number>': 'Time zones of a lead, and when it may be contacted',
}

/** Renders the help topic about contact hours. */
const contactHoursTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Contact hours',
    prose(
      'An account of a Parley server can have hours, days and holidays. Outside them, messages, SMS, calls, leads of campaigns and steps of automations wait on the platform, cost nothing, and start when the hours open. --now of a send or call, replies to received messages and confirmations of opt-outs are not held.',
    ),
    prose(
      'The hours are in the time zone of the recipient, which the number tells; a campaign may name a variable of its leads instead. With several time zones they must be open in all. What is for a number without a common hour is refused, or ends as failed.',
    ),
    alignedRows(
      Object.entries(hoursCommands).map(([name, meaning]) => [`parley ${name}`, meaning]),
      width,
    ),
    prose(
      'A window has a start and an end, HH:MM, and may go past midnight. It closes at its end: 09:00 to 18:00 is open until 17:59:59. Only the end 23:59 includes its minute, so that 00:00 to 23:59 is the whole day. A holiday is a date, such as 2026-12-25, or a day of every year, such as 12-25. Campaigns also have hours: parley campaigns create --help',
    ),
  ].join('\n\n')}\n`
}

const operatorMeanings: Readonly<Record<string, string>> = {
  '=': 'Equal. Of a field with several values, one must be equal',
  '!=': 'Not equal. Of a field with several values, none may be equal',
  '>, >=, <, <=': 'Numbers and times in their order, other values as text',
  '~': 'Contains the text, ignoring case',
}

/** Renders the help topic about flags of lists. */
const listsTopic = (width: number): string => {
  const prose = (text: string): string => wrap(text, width, '')
  return `${[
    'Filter and sort lists',
    prose('Commands that print a list take these flags:'),
    alignedRows(
      listFlags.map(({ flags, describe }) => [flags, describe]),
      width,
    ),
    prose('Operators of --filter:'),
    alignedRows(Object.entries(operatorMeanings), width),
    prose(
      'A condition has a field of the record, an operator and a value. --fields help lists the fields; nested fields have dots, and the heading of a column names its field, in any case. All conditions must match. field=null matches a missing value. Put a value with a comma in double quotes: --filter \'name="Smith, Ada"\'. Quote > and < for the shell.',
    ),
    prose(
      'A time is a date and time such as 2026-01-31T09:00, a day in UTC such as 2026-01-31, today or yesterday, or a duration before now: 90s, 30m, 2h, 7d, 1w. Times work in --since, --until and --filter. --since and --until compare the creation time of a record, or its first time.',
    ),
    prose(
      'These flags read all pages. The platform filters where its endpoint has a parameter for the field; otherwise the command filters, and a note on stderr says so. --limit counts the matching records. --sort puts records without a value last.',
    ),
    prose(
      '--watch ends with exit code 130 on Ctrl-C. Without a terminal it prints all records first. Long tables on a terminal are shown in the pager of PARLEY_PAGER, or of PAGER, except in CI.',
    ),
    "Examples:\n  parley calls list --filter 'status~ended,duration>60' --sort -created_at\n  parley leads list --since yesterday -o csv",
  ].join('\n\n')}\n`
}

const serverVerbs = () => Object.entries(commandTree().server?.verbs ?? {})
/** Returns the server commands without a nested verb. */
const serverCommands = (): string[] => serverVerbs().flatMap(([name, verb]) => (verb.load ? [`server ${name}`] : []))

/** Renders the help topic about the local platform. */
const localPlatformTopic = (width: number): string =>
  `${[
    'The local platform',
    wrap(
      'Without a profile, commands use the local platform that is built into this program. It has accounts, numbers, assistants that answer, campaigns, automations and webhooks, stored in a local database. It costs nothing and places no real calls: carriers, payments, the messaging channel and the language model are simulated and deterministic. Automations, webhooks, tools and a real language model send requests to other machines only where you configure them.',
      width,
      '',
    ),
    `Commands for the local platform\n\n${alignedRows(
      serverVerbs().flatMap(([name, verb]) => (verb.load ? [] : [[`server ${name}`, verb.summary]])),
      width,
    )}`,
    wrap(`Commands for the server: ${serverCommands().join(', ')}. See: parley server --help`, width, ''),
    `Files\n\n${alignedRows(
      localFiles.filter((it) => it.folder === 'data').map((it) => [it.name, it.holds]),
      width,
    )}`,
    `Always the same outcome\n\n${alignedRows(testOutcomes, width)}`,
    'Make an endpoint fail: parley server faults create --help',
    'Serve it to other programs: parley server start\nUse a second local platform: PARLEY_DATA_DIR=./platform parley numbers list\nStart over: parley server reset\nIn tests: import { startPlatform } from "parley-cli/platform"',
  ].join('\n\n')}\n`

/** Renders the help topic about pieces: the triggers and actions of automations, and where their input is described. */
async function piecesTopic(width: number): Promise<string> {
  const all = describePieces()
  const rowsOf = (kind: 'action' | 'trigger'): string =>
    alignedRows(
      all.filter((it) => it.kind === kind).map((it) => [it.key, it.title]),
      width,
    )
  return `${[
    'Pieces of automations',
    wrap(
      'A step of the type PIECE names a piece and one of its actions, and has their input. A trigger names a piece and one of its triggers. The other types of steps are CODE, BRANCH, ROUTER and LOOP_ON_ITEMS.',
      width,
      '',
    ),
    `Triggers:\n${rowsOf('trigger')}`,
    `Actions:\n${rowsOf('action')}`,
    alignedRows(
      [
        ['parley schema automation', 'JSON Schema of a definition'],
        ['parley schema automation <name>', 'Input of one of these, with an example'],
        ['parley automate templates', 'Templates; with a key and --definition, one as a definition'],
      ],
      width,
    ),
    wrap(
      'In a definition, http.send_request is the action "send_request" of the piece "@engine/piece-http", and so on. Only those of the platform itself have another prefix: platform.sendSms is "sendSms" of "@platform/piece-platform".',
      width,
      '',
    ),
  ].join('\n\n')}\n`
}

const folderTitles: Readonly<Record<LocalFile['folder'], string>> = {
  data: 'In the data folder (PARLEY_DATA_DIR)',
  configuration: 'In the configuration folder (PARLEY_CONFIG_DIR)',
  cache: 'In the cache folder (PARLEY_CACHE_DIR)',
}

const describeFile = ({ holds, until, personal }: LocalFile): string =>
  `${holds}${personal ? ' (personal data)' : ''}. Until: ${until}`

/** Renders the help topic about files on this machine and how long they are stored. */
const privacyTopic = (width: number): string =>
  `${[
    'Privacy',
    wrap(
      'Parley sends no telemetry and does not check for updates. It connects only to the platform you configure and to addresses you specify.',
      width,
      '',
    ),
    ...(Object.keys(folderTitles) as LocalFile['folder'][]).map(
      (folder) =>
        `${folderTitles[folder]}\n\n${alignedRows(
          localFiles.filter((it) => it.folder === folder).map((it) => [it.name, describeFile(it)]),
          width,
        )}`,
    ),
    wrap(
      'Folders have mode 0700 and files 0600, so only you can read them. Keys are shown by their last four characters. Verbose and debug output hides secrets and shortens phone numbers. Data for a language model, a webhook or an automation leaves this machine and goes only to the addresses you configured.',
      width,
      '',
    ),
    'Delete data older than a week: parley server purge --older-than 7d --yes\nCheck file permissions: parley doctor',
  ].join('\n\n')}\n`

const formDescriptions: Readonly<Record<Format, string>> = {
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
  budget:
    'Most to spend in a UTC day or month, in USD, such as {"amount": 50, "period": "month"}, as far as the journal of this machine knows (default: no limit)',
  approvals:
    'Whose purchases, messages, deletions and live changes a person must approve: "required", "agents" (the default: those of coding agents) or "off" (the default of the local platform); parley help approvals',
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
  approvals: (width) =>
    joinParagraphs(
      'Approvals',
      wrap(
        'What a coding agent spends, deletes or changes live waits until a person has approved it, also with --yes. The command ends with exit code 10, the code approval_pending and the id of an operation.',
        width,
        '',
      ),
      alignedRows(
        [
          ['parley ops approve <id>', 'A person at a terminal sees every byte and the maximum cost, and decides'],
          ['parley ops decline <id>', 'Declines, with --reason'],
          ['parley ops wait <id>', 'Waits for the decision'],
          ['parley ops run <id>', 'Sends what was approved, once: other content or a higher price is exit code 5'],
          ['parley ops list --pending', 'Lists the operations'],
        ],
        width,
      ),
      wrap(
        'Whose requests need approval: parley profile set <name> --approvals required|agents|off. The default is agents, and off on the local platform. Creating and deleting keys, accounts of a server, its clock and faults, login, and changes of profiles are for people only.',
        width,
        '',
      ),
      wrap(
        'A Parley server stores the operations, and only an API key with the scope approve decides: "parley ops approve" asks for it, as does the page Approvals of the inspector. Its owner creates one: parley server accounts key <account> --scope approve. Elsewhere the operations are in the journal of this machine.',
        width,
        '',
      ),
    ),
  vocabulary: vocabularyTopic,
  lists: listsTopic,
  pieces: piecesTopic,
  bulk: bulkTopic,
  'contact-hours': contactHoursTopic,
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
  agents: agentsTopic,
  'local-platform': localPlatformTopic,
  accessibility: accessibilityTopic,
  privacy: privacyTopic,
  environment: (width) => `Environment variables\n\n${alignedRows(Object.entries(environmentVariables), width)}\n`,
}
