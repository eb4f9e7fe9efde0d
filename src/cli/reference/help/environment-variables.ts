import { startFlags } from '../../nouns/server/start-flags.ts'
import { globalFlags } from '../../program/commandline/global-flags.ts'
import { agentVariables } from '../../program/configuration/agent-mode.ts'

const fromFlags = globalFlags.flatMap(({ env, flags }) =>
  env ? [[env, `Same as ${flags.replace(/^-\w, /, '')}`] as const] : [],
)

/** Variables that also configure a local platform without a server. */
const alsoWithoutServer = [
  'PARLEY_DATABASE',
  'PARLEY_READER',
  'PARLEY_MODEL_URL',
  'PARLEY_MODEL',
  'PARLEY_MODEL_SCRIPT',
]

const startVariables = startFlags.flatMap(({ env, flags }) => {
  if (env === undefined) return []
  const scope = alsoWithoutServer.includes(env) ? '; also used without a server' : ''
  return [[env, `Same as ${flags.split(' ')[0]} of "server start"${scope}`] as const]
})

/**
 * Every environment variable that Parley reads, and its effect. A flag takes precedence. Help, man page and documentation are made from
 * this table, which is not what reads the variables: a new one is added here, too.
 */
export const environmentVariables: Readonly<Record<string, string>> = {
  PARLEY_API_KEY: 'API key; overrides the key of the profile',
  ...Object.fromEntries(fromFlags),
  PARLEY_HISTORY: '"off" is the same as --no-history; "on" saves the history although the profile disables it',
  PARLEY_CONFIG_DIR: 'Configuration folder',
  PARLEY_DATA_DIR: 'Data folder of the local platform: database, credentials, operations journal',
  PARLEY_CACHE_DIR: 'Cache folder: compiled code, ids and names for completion',
  PARLEY_MAX_PRICE: 'Same as --max-price of "numbers buy"',
  PARLEY_MAX_PAGES: 'Maximum size of the local database in pages of 4 KiB, to test a full disk',
  DATABASE_URL: 'Database of "server start" for a new data folder, if nothing else names one',
  PARLEY_SECRET_KEY: 'Encryption key of the data folder, instead of its file secret.key: 64 hexadecimal digits',
  PGPASSWORD: 'Password of the PostgreSQL database',
  PGPASSFILE: 'File with passwords of PostgreSQL databases (default: ~/.pgpass)',
  ...Object.fromEntries(startVariables),
  PARLEY_PRIVATE_ADDRESSES:
    'Hosts and networks of private addresses that webhooks, automations and tools may reach, separated by commas; 1 for all, 0 for none (default: 1 if the platform is not reachable from other machines, else 0)',
  PARLEY_CONTROL_TOKEN: 'Control token of a remote Parley server with --control-public, from its credentials.json',
  PARLEY_WEBHOOK_SECRET:
    'Signing secret of the webhooks of a deployment, for "doctor --conformance --writes" (a Parley server shows its own)',
  OTEL_EXPORTER_OTLP_HEADERS:
    'Headers of requests to the receiver of --otlp-endpoint, such as a key: name=value,name=value, with values as in a URL',
  PARLEY_MODEL_KEY: 'API key of the language model; alternatively model_key in credentials.json of the data folder',
  PARLEY_MODEL_TIMEOUT: 'Timeout of the language model in seconds (default: 60)',
  PARLEY_PAGER: 'Pager for long tables on a terminal (default: PAGER); empty for none. Not used in CI',
  PAGER: 'Pager, if PARLEY_PAGER is not set',
  PARLEY_AGENT: '1: output for coding agents; 0: output for people, although an agent was detected',
  ...Object.fromEntries(agentVariables.map((it) => [it, 'Set by a coding agent: output is for it'])),
  NO_COLOR: 'Disable color, with any value',
  FORCE_COLOR: 'Enable color without a terminal; 0 disables color',
  CLICOLOR: '0 disables color',
  TERM: '"dumb" disables color and the spinner',
  CI: 'Disable the spinner',
  ACCESSIBLE: 'Disable redrawing; use numbered choices and plain lines',
  HTTPS_PROXY: 'Proxy for https',
  HTTP_PROXY: 'Proxy for http',
  ALL_PROXY: 'Proxy for both, where the variable of the scheme is not set',
  NO_PROXY: 'Hosts, domains and networks (10.0.0.0/8, 10.*) to reach without a proxy, separated by commas or spaces',
  NODE_EXTRA_CA_CERTS: 'File with additional trusted certificates',
  XDG_CONFIG_HOME: 'Base folder for configuration',
  XDG_DATA_HOME: 'Base folder for data',
  XDG_CACHE_HOME: 'Base folder for caches',
}
