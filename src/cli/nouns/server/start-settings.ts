import { resolve } from 'node:path'
import { isLoopback } from '../../../client/transport/base-url.ts'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import { readCheckedVocabulary, resolveVocabularyName } from '../../program/connection/vocabulary-file.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import type { LanguageFlags, RunningServer, ServeOptions } from '../../program/system.ts'
import { parseDatabaseOptions } from './database-settings.ts'

type Flags = Invocation['flags']

/**
 * Returns the options of a server from the flags of `server start`. `given` are those of the command line, without the
 * environment and the configuration. @throws ClientFailure `usage`
 */
export async function parseServeOptions(
  context: Context,
  flags: Flags,
  given: Flags,
): Promise<Omit<ServeOptions, 'dataDir'>> {
  const { system } = context
  const { stderr } = system.streams
  return {
    host: (flags.host as string | undefined) ?? '127.0.0.1',
    port: parsePort(flags.port),
    ...parsePublicUrl(flags.publicUrl),
    database: parseDatabaseOptions(context, flags, given),
    ...(flags.seed !== undefined && { seed: parseSeed(flags.seed) }),
    ...(flags.clock !== undefined && { frozenAt: parseClock(flags.clock) }),
    ...parsePrivateHosts(flags.allowPrivate),
    ...(flags.controlPublic === true && { controlPublic: true }),
    ...parseRateLimit(flags.rateLimit, (flags.host as string | undefined) ?? '127.0.0.1'),
    ...parseChatLimits(flags.chatLimits),
    ...(await readServerVocabulary(system, flags.vocabulary)),
    ...(flags.reader !== undefined && { reader: flags.reader as 'http' }),
    language: parseModel(system.cwd, flags),
    log: (text) => void stderr.write(`${text}\n`).catch(() => {}),
    ...(flags.log !== undefined && { logFormat: flags.log as 'json' }),
    writeLog: (text) => stderr.write(text),
    ...parseOtlp(flags, system.env),
    publicMetrics: flags.metricsPublic === true,
    publicInspector: flags.uiPublic === true,
  }
}

/** Parses where traces are exported to. @throws ClientFailure `usage` */
export function parseOtlp(
  { otlpEndpoint, otlpService }: Flags,
  { OTEL_EXPORTER_OTLP_HEADERS: headers }: Context['system']['env'],
): Pick<ServeOptions, 'otlp'> {
  if (otlpEndpoint === undefined) return {}
  const endpoint = String(otlpEndpoint)
  if (!isWebUrl(endpoint))
    throw usageError(`Invalid --otlp-endpoint "${endpoint}". Use an http or https URL, such as http://127.0.0.1:4318.`)
  return { otlp: { endpoint, headers: parseOtlpHeaders(headers), service: String(otlpService ?? 'parley') } }
}

/** Parses `name=value,name=value`, with values as in a URL. The values are secret, so no error shows them. */
function parseOtlpHeaders(given: string | undefined): Record<string, string> {
  const pairs = (given ?? '').split(',').filter((it) => it.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(pair) ?? []
      if (name === undefined || !canDecode(value))
        throw usageError(
          'Invalid OTEL_EXPORTER_OTLP_HEADERS. Use names and values such as api-key=abc,tenant=7, with %2C for a comma.',
        )
      return [name.toLowerCase(), decodeURIComponent(value)]
    }),
  )
}

/** Whether a value is encoded as in a URL, and fits into a header. */
function canDecode(value: string): boolean {
  try {
    return /^[\t\x20-\x7e]*$/.test(decodeURIComponent(value))
  } catch {
    return false
  }
}

/** Returns how long a server may take to stop. @throws ClientFailure `usage` */
export function parseDrainLimits(flags: Flags): Required<NonNullable<Parameters<RunningServer['stop']>[0]>> {
  const delayMs = parseSeconds(flags.drainDelay, '--drain-delay', 0)
  const limitMs = parseSeconds(flags.drainLimit, '--drain-limit', 30)
  if (delayMs >= limitMs && delayMs > 0)
    throw usageError(`--drain-delay ${delayMs / 1000} must be shorter than --drain-limit ${limitMs / 1000}.`)
  return { delayMs, limitMs }
}

function parseSeconds(given: unknown, flag: string, defaultSeconds: number): number {
  if (given === undefined) return defaultSeconds * 1000
  if (!/^\d{1,5}(\.\d{1,3})?$/.test(String(given)))
    throw usageError(`Invalid ${flag} "${given}". Use seconds, such as 5.`)
  return Math.round(Number(given) * 1000)
}

function parsePort(given: unknown): number {
  const port = Number(given ?? 4010)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageError(`Invalid --port "${given}". Use a number from 0 to 65535.`)
  return port
}

const isWebUrl = (text: string): boolean => /^https?:\/\/[^\s?#]+$/i.test(text) && URL.canParse(text)

function parsePublicUrl(given: unknown): Pick<ServeOptions, 'publicUrl'> {
  if (given === undefined) return {}
  const text = String(given)
  if (!isWebUrl(text))
    throw usageError(`Invalid --public-url "${text}". Use an http or https URL, such as https://parley.example.`)
  return { publicUrl: text }
}

/** Parses `--seed`. @throws ClientFailure `usage` */
export function parseSeed(given: unknown): number {
  const seed = Number(given)
  if (!Number.isInteger(seed) || seed < 0 || seed > 2 ** 31)
    throw usageError(`Invalid --seed "${given}". Use a whole number from 0 to 2147483648.`)
  return seed
}

/** Parses `--clock` to a time in ISO 8601. @throws ClientFailure `usage` */
export function parseClock(given: unknown): string {
  const text = String(given)
  const isTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const ms = isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw usageError(`Invalid --clock "${text}". Use ISO 8601, such as 2027-03-01T09:00:00Z.`)
  return new Date(ms).toISOString()
}

/** Returns the vocabulary of the server. Commands on the same folder read it from the server. */
async function readServerVocabulary(
  system: Context['system'],
  given: unknown,
): Promise<{ vocabulary?: 'public' | Vocabulary }> {
  const name = given === undefined ? undefined : resolveVocabularyName(system, String(given))
  if (name === undefined) return {}
  const vocabulary = await readCheckedVocabulary(name)
  return { vocabulary: name === 'public' ? name : vocabulary }
}

/** Returns the language model settings from the flags. */
const parseModel = (cwd: string, { modelUrl, model, modelScript }: Flags): LanguageFlags => ({
  ...(modelUrl !== undefined && { url: String(modelUrl) }),
  ...(model !== undefined && { model: String(model) }),
  ...(modelScript !== undefined && { script: resolve(cwd, String(modelScript)) }),
})

/** A name, an address, or a network of IPv4 or IPv6. */
const privateHostPattern =
  /^(?:[\w.-]+|\[?[\da-f:.]*:[\da-f:.]*\]?|(?:\d{1,3}\.){3}\d{1,3}\/(?:\d|[12]\d|3[0-2])|[\da-f:.]*:[\da-f:.]*\/(?:\d\d?|1[01]\d|12[0-8]))$/i

function parsePrivateHosts(given: unknown): Pick<ServeOptions, 'privateAddresses'> {
  if (given === undefined) return {}
  const text = String(given)
  // Users have 1 and 0 in PARLEY_PRIVATE_ADDRESSES.
  if (text === 'all' || text === '1') return { privateAddresses: true }
  if (text === 'none' || text === '0') return { privateAddresses: false }
  const hosts = text.split(',')
  const wrong = hosts.find((it) => !privateHostPattern.test(it))
  if (wrong !== undefined)
    throw usageError(
      `Invalid --allow-private "${wrong}". Use host names, IP addresses or networks, separated by commas, such as crm.lan,10.1.0.0/16.`,
    )
  return { privateAddresses: hosts }
}

/** Returns what flags that open the server mean, a sentence each. */
export function describeExposure(options: Omit<ServeOptions, 'dataDir'>): string[] {
  const { privateAddresses, controlPublic, publicInspector } = options
  const hosts = privateAddresses === true ? 'this machine and all private networks' : privateAddresses || undefined
  return [
    ...(hosts !== undefined
      ? [
          `--allow-private: every account of this server can send requests from this machine to ${typeof hosts === 'string' ? hosts : hosts.join(', ')}, with tools, webhooks and automations.`,
        ]
      : []),
    ...(controlPublic
      ? [
          '--control-public: anyone with the control token can read and change everything on this server from any machine.',
        ]
      : []),
    ...(publicInspector
      ? [
          '--ui-public: anyone with a link to the inspector can read and change everything on this server from any machine. Put HTTPS in front of it.',
        ]
      : []),
  ]
}

function parseChatLimits(given: unknown): Pick<ServeOptions, 'chatLimits'> {
  if (given === undefined) return {}
  const match = /^(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})$/.exec(String(given))
  if (!match) throw usageError(`Invalid --chat-limits "${given}". Use four numbers, such as 20,60,300,2000.`)
  const [conversation = 0, address = 0, assistant = 0, day = 0] = match.slice(1).map(Number)
  return { chatLimits: { conversation, address, assistant, day } }
}

/** Limit of a server that other machines can reach, in requests of an account and seconds. */
const defaultRateLimit = '6000/60'

/** Returns the limit of requests of an account. @throws ClientFailure `usage` */
export function parseRateLimit(
  flag: Flags[string],
  host: string,
): { limit?: { name: string; max: number; seconds: number } } {
  const given = flag ?? (isLoopback(host.includes(':') ? `[${host}]` : host) ? 'off' : defaultRateLimit)
  if (given === 'off') return {}
  const match = /^(\d+)\/(\d+)$/.exec(String(given))
  if (!match) throw usageError(`Invalid --rate-limit "${given}". Use requests/seconds, such as 100/60, or off.`)
  return {
    limit: {
      // Requests are counted under the name, and metrics of refusals have it.
      name: 'all',
      max: parseCount(match[1], '--rate-limit') as number,
      seconds: parseCount(match[2], '--rate-limit') as number,
    },
  }
}
