import { resolve } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import type { LanguageFlags } from '../../../system.ts'
import { command, type Invocation } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { findReachableServer } from '../../connection/connect.ts'
import { readCheckedVocabulary, resolveVocabularyName } from '../../connection/vocabulary-file.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseCount } from '../../input/count-flag.ts'

export const start = command({
  callsPlatform: true,
  summary: 'Start a Parley server for the data folder',
  risk: 'write',
  flags: [
    { flags: '--port <n>', describe: 'Port; 0 for a free port (default: 4010)' },
    { flags: '--host <address>', describe: 'Address to listen on (default: 127.0.0.1)' },
    { flags: '--database <url>', describe: 'Store data in PostgreSQL: postgres://user@host/name' },
    { flags: '--seed <n>', describe: 'Number that makes sample data reproducible; loopback only' },
    {
      flags: '--allow-private <hosts>',
      describe:
        'Hosts and networks of private addresses that tools, webhooks and automations may reach, such as crm.lan,10.1.0.0/16; "all" for all',
    },
    { flags: '--control-public', describe: 'Answer the control API also to other machines' },
    { flags: '--rate-limit <n/seconds>', describe: 'Maximum requests per account and period, such as 100/60' },
    {
      flags: '--vocabulary <name>',
      describe: 'Vocabulary of the API: "public", or a file (parley help vocabulary)',
    },
    {
      flags: '--reader <name>',
      describe:
        'Website reader for knowledge bases: "http" fetches pages, "local" generates them from URLs (default: local)',
    },
    {
      flags: '--model-url <url>',
      describe: 'Base URL of an OpenAI-compatible language model; set its key in PARLEY_MODEL_KEY',
    },
    { flags: '--model <name>', describe: 'Name of the language model' },
    {
      flags: '--model-script <path>',
      describe: 'Intents of the local language model, YAML or JSON (docs/local-platform.md: Language model)',
    },
  ],
  examples: [
    '',
    '--port 0',
    '--database postgres://parley@127.0.0.1/parley',
    '--vocabulary public',
    '--model-url http://127.0.0.1:11434/v1 --model llama3.2',
    '--model-script intents.yaml',
  ],
  notes:
    'Runs until Ctrl-C or "parley server stop". While it runs, commands that use the profile "local" connect to it.',
  async run(context, { flags }) {
    const { system, notes } = context
    const dir = dataDir(system)
    const running = await findReachableServer(system, dir)
    if (running)
      throw new ClientFailure({
        exit: 'conflict',
        code: 'running',
        message: `A server is already running for this data folder: ${running.url} (process ${running.pid}).`,
        hint: 'Stop it: parley server stop.',
      })
    const server = await system.serve({
      dataDir: dir,
      host: (flags.host as string | undefined) ?? '127.0.0.1',
      port: parsePort(flags.port),
      ...(flags.database !== undefined && { database: String(flags.database) }),
      ...(flags.seed !== undefined && { seed: parseSeed(flags.seed) }),
      ...parsePrivateHosts(flags.allowPrivate),
      ...(flags.controlPublic === true && { controlPublic: true }),
      ...parseRateLimit(flags.rateLimit),
      ...(await readServerVocabulary(context, flags.vocabulary)),
      ...(flags.reader !== undefined && { reader: flags.reader as 'http' }),
      language: modelFlags(system.cwd, flags),
      log: (text) => void system.streams.stderr.write(`${text}\n`).catch(() => {}),
    })
    try {
      await printStarted(context, server)
      await printExposure(context, flags)
      await until(system.signal)
      await notes.note('Stopping.')
    } finally {
      await server.stop()
    }
    // Stopping the server with a signal or with "server stop" is its normal end.
    return 'done'
  },
})

async function printStarted(
  { out, notes }: Context,
  { url, key }: { readonly url: string; readonly key: string | null },
): Promise<void> {
  if (out.settings.form !== 'table')
    return out.record({ url, key }, { view: { id: (it) => it.url, columns: [], empty: '' } })
  await out.line(`Listening on ${url}`)
  await notes.note(`Try: curl -H "Authorization: Bearer ${key ?? '<key>'}" ${url}/api/user/api-keys`)
  await notes.note('To stop: Ctrl-C or parley server stop.')
}

/** Prints what flags that open the server mean. */
async function printExposure({ notes }: Context, { allowPrivate, controlPublic }: Invocation['flags']): Promise<void> {
  if (allowPrivate !== undefined)
    await notes.warn(
      `--allow-private: every account of this server can send requests from this machine to ${allowPrivate === 'all' ? 'this machine and all private networks' : allowPrivate}, with tools, webhooks and automations.`,
    )
  if (controlPublic === true)
    await notes.warn(
      '--control-public: whoever has the control token can read and change everything on this server from any machine.',
    )
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function parsePort(given: unknown): number {
  const port = Number(given ?? 4010)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageError(`Invalid --port "${given}". Use a number from 0 to 65535.`)
  return port
}

/** Parses `--seed`. @throws ClientFailure `usage` */
export function parseSeed(given: unknown): number {
  const seed = Number(given)
  if (!Number.isInteger(seed) || seed < 0 || seed > 2 ** 31)
    throw usageError(`Invalid --seed "${given}". Use a whole number from 0 to 2147483648.`)
  return seed
}

/** Returns the vocabulary of the server. Commands on the same folder read it from the server. */
async function readServerVocabulary(
  { system }: Context,
  given: unknown,
): Promise<{ vocabulary?: 'public' | Vocabulary }> {
  const name = given === undefined ? undefined : resolveVocabularyName(system, String(given))
  if (name === undefined) return {}
  const vocabulary = await readCheckedVocabulary(name)
  return { vocabulary: name === 'public' ? name : vocabulary }
}

/** Returns the language model settings from the flags. */
const modelFlags = (cwd: string, { modelUrl, model, modelScript }: Invocation['flags']): LanguageFlags => ({
  ...(modelUrl !== undefined && { url: String(modelUrl) }),
  ...(model !== undefined && { model: String(model) }),
  ...(modelScript !== undefined && { script: resolve(cwd, String(modelScript)) }),
})

/** A name, an address, or a network of IPv4 or IPv6. */
const privateHostPattern =
  /^(?:[\w.-]+|\[?[\da-f:.]*:[\da-f:.]*\]?|(?:\d{1,3}\.){3}\d{1,3}\/(?:\d|[12]\d|3[0-2])|[\da-f:.]*:[\da-f:.]*\/(?:\d\d?|1[01]\d|12[0-8]))$/i

/** Parses `--allow-private`. @throws ClientFailure `usage` */
function parsePrivateHosts(given: unknown): { privateAddresses?: true | readonly string[] } {
  if (given === undefined) return {}
  if (given === 'all') return { privateAddresses: true }
  const hosts = String(given).split(',')
  const wrong = hosts.find((it) => !privateHostPattern.test(it))
  if (wrong !== undefined)
    throw usageError(
      `Invalid --allow-private "${wrong}". Use host names, IP addresses or networks, separated by commas, such as crm.lan,10.1.0.0/16.`,
    )
  return { privateAddresses: hosts }
}

function parseRateLimit(given: Invocation['flags'][string]): {
  limit?: { name: string; max: number; seconds: number }
} {
  if (given === undefined) return {}
  const match = /^(\d+)\/(\d+)$/.exec(String(given))
  if (!match) throw usageError(`Invalid --rate-limit "${given}". Use requests/seconds, such as 100/60.`)
  return {
    limit: {
      name: 'all',
      max: parseCount(match[1], '--rate-limit') as number,
      seconds: parseCount(match[2], '--rate-limit') as number,
    },
  }
}
