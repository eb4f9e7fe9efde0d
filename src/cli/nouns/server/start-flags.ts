import type { CommandFlag } from '../../program/commandline/command.ts'
import { databaseFlags } from './database-flags.ts'

/**
 * Flags of `server start`. Each can also be set in the environment and, under the name of the flag, in the file of
 * --config. Operators have these names in all three: a renamed flag stays with `hidden`.
 */
export const startFlags: readonly CommandFlag[] = [
  {
    flags: '--config <path>',
    describe: 'YAML file with values of these flags, such as "port: 4010"; flags and environment take precedence',
    env: 'PARLEY_SERVER_CONFIG',
  },
  { flags: '--port <n>', describe: 'Port; 0 for a free port (default: 4010)', env: 'PARLEY_LISTEN_PORT' },
  { flags: '--host <address>', describe: 'Address to listen on (default: 127.0.0.1)', env: 'PARLEY_LISTEN_HOST' },
  {
    flags: '--public-url <url>',
    describe: 'URL under which clients reach the server, for URLs in responses (default: that of the request)',
    env: 'PARLEY_PUBLIC_URL',
  },
  ...databaseFlags,
  {
    flags: '--seed <n>',
    describe: 'Number that makes sample data reproducible; loopback only',
    env: 'PARLEY_SEED',
  },
  {
    flags: '--clock <time>',
    describe: 'Freeze the clock of the platform at this time, ISO 8601; a reset returns to it (default: real time)',
    env: 'PARLEY_CLOCK',
  },
  {
    flags: '--allow-private <hosts>',
    describe:
      'Hosts and networks of private addresses that tools, webhooks and automations may reach, such as crm.lan,10.1.0.0/16; "all" for all, "none" for none',
    env: 'PARLEY_PRIVATE_ADDRESSES',
  },
  {
    flags: '--control-public',
    describe: 'Allow other machines to use the control API',
    env: 'PARLEY_CONTROL_PUBLIC',
  },
  {
    flags: '--rate-limit <n/seconds>',
    describe:
      'Maximum requests per account and period, such as 100/60, or off (default: 6000/60 on an address that other machines can reach, otherwise off)',
    env: 'PARLEY_RATE_LIMIT',
  },
  {
    flags: '--chat-limits <limits>',
    describe:
      'Limits of chat messages without an API key: per minute for a conversation, an address and an assistant, and per day for the widget of an assistant; 0 is unlimited (default: 20,60,300,2000)',
    env: 'PARLEY_CHAT_LIMITS',
  },
  {
    flags: '--vocabulary <name>',
    describe: 'Vocabulary of the API: "public", or a file (parley help vocabulary)',
    env: 'PARLEY_VOCABULARY',
  },
  {
    flags: '--reader <name>',
    describe:
      'Website reader for knowledge bases: "http" fetches pages, "local" generates them from URLs (default: local)',
    env: 'PARLEY_READER',
  },
  {
    flags: '--model-url <url>',
    describe: 'Base URL of an OpenAI-compatible language model; set its key in PARLEY_MODEL_KEY',
    env: 'PARLEY_MODEL_URL',
  },
  { flags: '--model <name>', describe: 'Name of the language model', env: 'PARLEY_MODEL' },
  {
    flags: '--model-script <path>',
    describe: 'Intents of the local language model, YAML or JSON, such as {intents: [{when: refund, say: Five days.}]}',
    env: 'PARLEY_MODEL_SCRIPT',
  },
  {
    flags: '--log <format>',
    describe:
      'Log on stderr with a line for each request: json, pretty, or none (default: only problems, as plain text)',
    choices: ['json', 'pretty', 'none'],
    env: 'PARLEY_LOG',
  },
  {
    flags: '--metrics-public',
    describe: 'Allow other machines to read /metrics',
    env: 'PARLEY_METRICS_PUBLIC',
  },
  {
    flags: '--otlp-endpoint <url>',
    describe:
      'Export traces of requests, runs, steps and deliveries to this receiver, in OTLP over HTTP as JSON, such as http://127.0.0.1:4318 (default: off)',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  {
    flags: '--otlp-service <name>',
    describe: 'Name of this service in exported traces (default: parley)',
    env: 'OTEL_SERVICE_NAME',
  },
  {
    flags: '--ui-public',
    describe: 'Allow other machines to open the inspector, with a sign-in link of this server',
    env: 'PARLEY_UI_PUBLIC',
  },
  {
    flags: '--drain-delay <seconds>',
    describe:
      'After SIGTERM, seconds to keep accepting requests while /readyz reports "draining", for load balancers (default: 0)',
    env: 'PARLEY_DRAIN_DELAY',
  },
  {
    flags: '--drain-limit <seconds>',
    describe: 'Maximum seconds to finish requests and jobs in progress when the server stops (default: 30)',
    env: 'PARLEY_DRAIN_LIMIT',
  },
]
