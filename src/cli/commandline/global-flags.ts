/** A flag that every command takes, except commands with a field of that name. A command's own flags never use one of these names. */
export interface GlobalFlag {
  readonly flags: string
  readonly describe: string
  readonly choices?: readonly string[]
  /** Environment variable that gives the value when the flag does not. */
  readonly env?: string
  /** Works, and is shown in no help: an older name. */
  readonly hidden?: true
  /** Only allowed as the sole argument of the program; no command takes it. */
  readonly isStandalone?: true
}

/** The one table of global flags: the parser, the completions and the reference are made of it. */
export const globalFlags: readonly GlobalFlag[] = [
  { flags: '-p, --profile <name>', describe: 'Profile to use', env: 'PARLEY_PROFILE' },
  { flags: '--base-url <url>', describe: 'Base URL of the platform, instead of a profile', env: 'PARLEY_BASE_URL' },
  { flags: '--insecure', describe: 'Allow unencrypted http to other machines' },
  {
    flags: '-o, --output <form>',
    describe: 'Output format',
    choices: ['table', 'json', 'ndjson', 'yaml', 'tsv', 'id'],
    env: 'PARLEY_OUTPUT',
  },
  { flags: '--json', describe: 'Same as --output json' },
  { flags: '--fields <paths>', describe: 'Comma-separated fields to show; "help" lists them' },
  { flags: '--envelope', describe: 'Print lists with the page envelope of the platform' },
  { flags: '--all', describe: 'Fetch all pages' },
  { flags: '--limit <n>', describe: 'Stop after n items' },
  { flags: '--page <n>', describe: 'Page to show' },
  { flags: '--per-page <n>', describe: 'Items per page' },
  { flags: '-q, --quiet', describe: 'Hide hints and progress' },
  { flags: '-v, --verbose', describe: 'Log requests and timing to stderr' },
  { flags: '--debug', describe: 'Log full requests and responses to stderr, with secrets hidden', env: 'PARLEY_DEBUG' },
  { flags: '--color <when>', describe: 'When to use color', choices: ['auto', 'always', 'never'] },
  { flags: '--no-color', describe: 'Same as --color never' },
  { flags: '--utc', describe: 'Show times as the platform sends them' },
  { flags: '--no-header', describe: 'Omit the header line of tables' },
  { flags: '--no-input', describe: 'Never prompt', env: 'PARLEY_NO_INPUT' },
  { flags: '-y, --yes', describe: 'Answer yes to confirmations' },
  { flags: '--dry-run', describe: 'Show what a write would send without sending it' },
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

/** The global flags that help shows. */
export const visibleGlobalFlags: readonly GlobalFlag[] = globalFlags.filter((it) => !it.hidden)

/**
 * How to say what a global flag says, on commands where a field has its name.
 * `refused`: version 0.1 took the name for the global flag there. Until this version the command refuses it, so that no line changes its meaning silently.
 */
export const shadowedGlobalFlags: Readonly<
  Record<string, { readonly sets: string; readonly use: string; readonly refused?: string }>
> = {
  '--timeout': { sets: 'the timeout of the request', use: '--request-timeout', refused: '0.3.0' },
  '--color': { sets: 'the color of the output', use: '--no-color, NO_COLOR=1 or FORCE_COLOR=1' },
}

/** Global flags as the parser reads them. */
export interface GlobalOptions {
  readonly profile?: string
  readonly baseUrl?: string
  readonly insecure?: boolean
  readonly output?: string
  readonly json?: boolean
  readonly fields?: string
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
  readonly input?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly printCurl?: boolean
  readonly requestTimeout?: string
  readonly timeout?: string
  readonly retries?: string
}

/** Long names of the flags, `-x` names, and whether a value follows: for finding the command's words among them. */
export const globalFlagsWithValue: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags }) => (flags.includes('<') ? flags.replace(/ <.*/, '').split(', ') : [])),
)

/** `--no-x` and `--x` share the name `x`. */
export const globalFlagNames: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags }) => [...flags.matchAll(/--(?:no-)?([\w-]+)/g)].map((it) => it[1] as string)),
)

/** Names of flags, and their short forms, without a value. */
const spellings: ReadonlySet<string> = new Set(
  globalFlags.flatMap(({ flags, isStandalone }) => (isStandalone ? [] : flags.replace(/ <.*/, '').split(', '))),
)

/** Whether a word is a global flag, with or without its value: `--output=json`. */
export const isGlobalFlag = (word: string): boolean =>
  spellings.has(word.replace(/=.*/, '')) || (/^-[^-]./.test(word) && spellings.has(word.slice(0, 2)))

const apiKeyHint =
  'API keys are not accepted on the command line, where other users can see them. Set PARLEY_API_KEY, or run: parley login.'

/** What to do instead of passing a flag that Parley does not have and many programs do. */
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
