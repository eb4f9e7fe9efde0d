import { formats } from '../output/format.ts'
/**
 * A flag of every command, except commands with a field of that name. A command's own flags never reuse these names.
 */
export interface GlobalFlag {
  readonly flags: string
  readonly describe: string
  readonly choices?: readonly string[]
  /** Environment variable used if the flag is missing. */
  readonly env?: string
  /** Accepted but not shown in help: an older name. */
  readonly hidden?: true
  /** Only allowed as the sole argument of the program; no command accepts it. */
  readonly isStandalone?: true
}

/**
 * The global flags. The parser, the completions and the reference are derived from this table. Scripts use them: a
 * renamed flag stays with `hidden`. Defaults in the texts repeat those of settings.ts.
 */
export const globalFlags: readonly GlobalFlag[] = [
  { flags: '-p, --profile <name>', describe: 'Profile to use', env: 'PARLEY_PROFILE' },
  { flags: '--base-url <url>', describe: 'Base URL of the platform, instead of a profile', env: 'PARLEY_BASE_URL' },
  { flags: '--insecure', describe: 'Allow unencrypted http to other machines' },
  {
    flags: '-o, --output <format>',
    describe: 'Output format',
    choices: formats,
    env: 'PARLEY_OUTPUT',
  },
  { flags: '--json', describe: 'Same as --output json' },
  { flags: '--fields <paths>', describe: 'Comma-separated fields to show; "help" lists them' },
  {
    flags: '--jq <expression>',
    describe: 'Filter JSON output with a jq expression',
  },
  { flags: '--envelope', describe: 'Print lists with the page envelope of the platform' },
  { flags: '--all', describe: 'Fetch all pages' },
  { flags: '--limit <n>', describe: 'Stop after n items' },
  { flags: '--page <n>', describe: 'Page to show' },
  { flags: '--per-page <n>', describe: 'Items per page' },
  { flags: '-q, --quiet', describe: 'Hide hints and progress, never warnings' },
  { flags: '-v, --verbose', describe: 'Log requests and timing to stderr' },
  { flags: '--debug', describe: 'Log full requests and responses to stderr, with secrets hidden', env: 'PARLEY_DEBUG' },
  { flags: '--color <when>', describe: 'When to use color', choices: ['auto', 'always', 'never'] },
  { flags: '--no-color', describe: 'Same as --color never' },
  { flags: '--utc', describe: 'Show times as the platform sends them' },
  { flags: '--full-ids', describe: 'Never shorten ids in tables' },
  { flags: '--no-header', describe: 'Omit the header line of tables' },
  { flags: '--safe', describe: 'Escape formulas in tsv and csv for spreadsheets' },
  { flags: '--no-input', describe: 'Never prompt', env: 'PARLEY_NO_INPUT' },
  { flags: '-y, --yes', describe: 'Answer yes to confirmations' },
  { flags: '--dry-run', describe: 'Show what a write would send without sending it' },
  { flags: '--no-history', describe: 'Write without saving the previous state for an undo' },
  { flags: '--print-curl', describe: 'Print the request as a curl command instead of sending it' },
  {
    flags: '--request-timeout <seconds>',
    describe: 'Timeout of each attempt in seconds (default: 30)',
    env: 'PARLEY_TIMEOUT',
  },
  { flags: '--timeout <seconds>', describe: 'Same as --request-timeout', hidden: true },
  { flags: '--retries <n>', describe: 'Maximum retries of safe requests (default: 3)', env: 'PARLEY_RETRIES' },
  { flags: '-V, --version', describe: 'Print the version; must be the only argument', isStandalone: true },
  { flags: '-h, --help', describe: 'Show help' },
]

/** Global flags that help shows. */
export const visibleGlobalFlags: readonly GlobalFlag[] = globalFlags.filter((it) => !it.hidden)

/**
 * Replacements of global flags on commands where a field has the same name.
 *
 * `refused`: version 0.1 interpreted the name as the global flag there. Until this version the command rejects it, so
 * that no command line changes its meaning silently.
 */
export const shadowedGlobalFlags: Readonly<
  Record<string, { readonly sets: string; readonly use: string; readonly refused?: string }>
> = {
  '--timeout': { sets: 'the timeout of the request', use: '--request-timeout', refused: '0.3.0' },
  '--color': { sets: 'the color of the output', use: '--no-color, NO_COLOR=1 or FORCE_COLOR=1' },
}

/** Values of the global flags as the parser returns them. */
export interface GlobalOptions {
  readonly profile?: string
  readonly baseUrl?: string
  readonly insecure?: boolean
  readonly output?: string
  readonly json?: boolean
  readonly fields?: string
  readonly fullIds?: boolean
  readonly jq?: string
  readonly envelope?: boolean
  readonly all?: boolean
  readonly limit?: string
  readonly page?: string
  readonly perPage?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly color?: 'auto' | 'always' | 'never' | false
  readonly utc?: boolean
  readonly header?: boolean
  readonly safe?: boolean
  readonly input?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly history?: boolean
  readonly printCurl?: boolean
  readonly requestTimeout?: string
  readonly timeout?: string
  readonly retries?: string
}

/** Long and short names of the flags that take a value, used to skip values when resolving command words. */
export const globalFlagsWithValue: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags }) => (flags.includes('<') ? flags.replace(/ <.*/, '').split(', ') : [])),
)

/** Names without dashes. `--no-x` and `--x` share the name `x`. */
export const globalFlagNames: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags }) => [...flags.matchAll(/--(?:no-)?([\w-]+)/g)].map((it) => it[1] as string)),
)

/** Long and short names of the flags, without values. */
const spellings: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags, isStandalone }) => (isStandalone ? [] : flags.replace(/ <.*/, '').split(', '))),
)

/** Returns whether a word is a global flag, with or without its value: `--output=json`. */
export const isGlobalFlag = (word: string): boolean =>
  spellings.has(word.replace(/=.*/, '')) || (/^-[^-]./.test(word) && spellings.has(word.slice(0, 2)))

const apiKeyHint =
  'API keys are not accepted on the command line, where other users can see them. Set PARLEY_API_KEY, or run: parley login.'

/** Hints for flags that many programs have and Parley does not. */
export const unsupportedFlagHints: Readonly<Record<string, string>> = {
  '--api-key': apiKeyHint,
  '--apikey': apiKeyHint,
  '--key': apiKeyHint,
  '--token': apiKeyHint,
  '--url': 'To use another platform, pass --base-url <url>.',
  '--version': 'To print the version, run: parley --version',
  '-V': 'To print the version, run: parley --version',
  '--host': 'To use another platform, pass --base-url <url>.',
}
