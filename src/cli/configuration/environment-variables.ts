import { globalFlags } from '../commandline/global-flags.ts'

const fromFlags = globalFlags.flatMap(({ env, flags }) =>
  env ? [[env, `Same as ${flags.replace(/^-\w, /, '')}`] as const] : [],
)

/** Every environment variable Parley reads, and what it does. A flag wins over it. */
export const environmentVariables: Readonly<Record<string, string>> = {
  PARLEY_API_KEY: 'API key, instead of the one of the profile',
  ...Object.fromEntries(fromFlags),
  PARLEY_CONFIG_DIR: 'Folder of the configuration',
  PARLEY_DATA_DIR: 'Folder of the platform inside: database, credentials, journal of spends',
  PARLEY_CACHE_DIR: 'Folder of what may be lost: compiled code, ids and names for completion',
  PARLEY_MAX_PRICE: 'Same as --max-price of "numbers buy"',
  PARLEY_MAX_PAGES: 'Most pages of 4 KiB the database of the platform inside may have; for tests of a full disk',
  PARLEY_PRIVATE_ADDRESSES:
    'Whether webhooks, automations and tools may ask this machine and private networks: 1 or 0; else only of a platform that nobody else can reach',
  PARLEY_CONTROL_TOKEN: 'Opens the control routes of a server elsewhere (its credentials.json has it)',
  PARLEY_READER: 'Same as --reader of "server start", for commands without a server too',
  PARLEY_MODEL_URL: 'Same as --model-url of "server start", for commands without a server too',
  PARLEY_MODEL: 'Same as --model of "server start"',
  PARLEY_MODEL_KEY: 'Key of the language model; or model_key in credentials.json of the data folder',
  PARLEY_MODEL_SCRIPT: 'Same as --model-script of "server start"',
  PARLEY_MODEL_TIMEOUT: 'Seconds the language model may be silent (60)',
  NO_COLOR: 'No colour, whatever it is set to',
  FORCE_COLOR: 'Colour without a terminal; 0 for none',
  CLICOLOR: '0 for no colour',
  TERM: '"dumb": no colour, no spinner',
  CI: 'No spinner',
  ACCESSIBLE: 'No redrawing: numbered choices, plain lines',
  HTTPS_PROXY: 'Proxy for https',
  HTTP_PROXY: 'Proxy for http',
  NO_PROXY: 'Hosts reached without a proxy',
  NODE_EXTRA_CA_CERTS: 'File with further certificates to trust',
  XDG_CONFIG_HOME: 'Where folders of configurations are',
  XDG_DATA_HOME: 'Where folders of data are',
  XDG_CACHE_HOME: 'Where folders of caches are',
}
