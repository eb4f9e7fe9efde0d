import { readFileSync } from 'node:fs'
import type { Reply } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isLoopback, plainHttpMessage } from '../../../client/transport/base-url.ts'
import { proxyFor } from '../../../client/transport/proxy-settings.ts'
import { user } from '../../../contract/resources/user.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { localProfile, maskKey } from '../../program/configuration/profiles.ts'
import type { Settings } from '../../program/configuration/settings.ts'
import type { Connection } from '../../program/connection/connect.ts'
import { detectVocabulary } from '../../program/connection/detect-vocabulary.ts'
import type { Context } from '../../program/context.ts'
import { checkAccount } from './account/check-account.ts'
import { type Finding, failed, failedWith, ok, warning } from './finding.ts'

/**
 * Seconds by which two clocks may differ: a response takes time, and its Date header has a resolution of one second.
 */
const clockToleranceS = 60

/** Checks the platform in use: connection, key, clock, vocabulary and account. */
export async function checkPlatform(
  context: Context,
  settings: Settings,
  { reach, onProgress }: { readonly reach: boolean; readonly onProgress: (text: string) => void },
): Promise<Finding[]> {
  const isRemote = settings.baseUrl.value !== localProfile.base_url
  const quick: Settings = { ...settings, retries: { value: 0, from: 'doctor' } }
  let connected: Connection
  try {
    connected = await context.connectTo(quick)
  } catch (error) {
    return [failedWith('reach', error)]
  }
  const found: Finding[] = isRemote ? [...checkProxy(context, settings), ...checkTrust(context, settings)] : []
  try {
    const { findings, reply } = await checkAccess(context, settings, connected)
    found.push(...findings)
    if (reply && isRemote) found.push(...checkClock(context, connected, reply.headers.date))
    if (reply) found.push(await checkVocabulary(context, quick))
    if (findings.some(({ check, status }) => check === 'key' && status === 'ok')) {
      const { call, base } = connected
      const { now } = context.out.settings
      const account = await checkAccount(context, { call, base, now, reach: reach && context, onProgress })
      for (const finding of account) found.push(finding)
    }
  } finally {
    await connected.close()
  }
  return found
}

/**
 * Checks connection and API key with one request. Without a key it sends a request that will be refused, which still
 * checks the connection.
 */
async function checkAccess(
  context: Context,
  { key: { from }, baseUrl }: Settings,
  connected: Connection,
): Promise<{ findings: Finding[]; reply?: Reply<object> }> {
  let key: string | undefined
  const keyless: Finding[] = []
  try {
    key = await connected.key()
    if (key === undefined)
      keyless.push(
        failed(
          'key',
          `Missing API key for ${baseUrl.value}.`,
          'Sign in: parley login. In scripts, set PARLEY_API_KEY.',
        ),
      )
  } catch (error) {
    keyless.push(failedWith('key', error))
  }
  const endpoint = key === undefined ? ({ ...user.me, auth: 'none' } as const) : user.me
  const start = context.system.now()
  try {
    const reply = await connected.call.raw(endpoint, {})
    const reach = ok(
      'reach',
      `${describePlace(connected)} responded in ${Math.round(context.system.now() - start)} ms.`,
    )
    const { name } = reply.output
    return {
      findings: [
        reach,
        ...(key === undefined
          ? keyless
          : [ok('key', `${maskKey(key)}, from ${from}${typeof name === 'string' ? `: ${name}` : ''}.`)]),
      ],
      reply,
    }
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status === undefined)
      return { findings: [failedWith(checkName(error), error), ...keyless] }
    if (error.exit !== 'auth') return { findings: [failedWith('reach', error), ...keyless] }
    const reach = ok('reach', `${describePlace(connected)} responded.`)
    return {
      findings: [
        reach,
        ...(key === undefined
          ? keyless
          : [
              failed(
                'key',
                `${maskKey(key)}, from ${from}, was rejected: ${error.message}`,
                error.hint ?? 'Sign in again: parley login.',
              ),
            ]),
      ],
    }
  }
}

const describePlace = ({ base }: Connection): string => (base === localProfile.base_url ? 'The local platform' : base)

const checkName = (error: unknown): string => {
  const { code = '' } = error as { code?: string }
  return code === 'connection_tls' ? 'tls' : code === 'connection_proxy' ? 'proxy' : /key/.test(code) ? 'key' : 'reach'
}

function checkProxy({ system: { env } }: Context, { baseUrl }: Settings): Finding[] {
  if (!URL.canParse(baseUrl.value)) return []
  const proxy = proxyFor(new URL(baseUrl.value), env)
  return [
    ok(
      'proxy',
      proxy
        ? `Requests go through the proxy ${proxy.protocol}//${proxy.host}.`
        : 'Requests go directly to the platform.',
    ),
  ]
}

function checkTrust({ system: { env } }: Context, { baseUrl }: Settings): Finding[] {
  if (!URL.canParse(baseUrl.value)) return []
  const url = new URL(baseUrl.value)
  const check = 'tls'
  if (url.protocol === 'http:')
    return isLoopback(url.hostname)
      ? [ok(check, 'Plain http, only to this machine.')]
      : [warning(check, plainHttpMessage(url), 'Use https.')]
  const authorities = env.NODE_EXTRA_CA_CERTS
  const problem = authorities ? findAuthoritiesProblem(authorities) : undefined
  if (problem !== undefined)
    return [
      warning(
        check,
        `NODE_EXTRA_CA_CERTS is ${authorities}, which ${problem}. Its certificates are not trusted.`,
        'Correct the path or unset the variable.',
      ),
    ]
  return [ok(check, `https with certificate validation${authorities ? `, including ${authorities}` : ''}.`)]
}

/** Returns why a file of certificates is of no use, as a phrase; undefined if it has some. */
function findAuthoritiesProblem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----') ? undefined : 'has no PEM certificate'
  } catch (error) {
    return `cannot be read: ${describeFileError(error)}`
  }
}

function checkClock({ system }: Context, { call }: Connection, date: string | undefined): Finding[] {
  const platformTime = Date.parse(date ?? '')
  if (Number.isNaN(platformTime)) return []
  const skew = Math.round((system.now() - platformTime) / 1000)
  if (Math.abs(skew) <= clockToleranceS)
    return [ok('clock', `The clock of this machine differs from the platform's by less than ${clockToleranceS} s.`)]
  return [
    warning(
      'clock',
      `The clock of this machine is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the platform's.`,
      call.capabilities()?.size
        ? 'If the clock of this Parley server was moved, its records have that time: parley server clock show. Otherwise synchronize both machines with NTP.'
        : 'Synchronize it with NTP. Certificate checks and timestamps depend on it.',
    ),
  ]
}

async function checkVocabulary(context: Context, settings: Settings): Promise<Finding> {
  const check = 'vocabulary'
  const { profile, profileName, baseUrl } = settings
  const configured = profile.vocabulary ?? 'neutral'
  if (configured !== 'neutral' && configured !== 'public')
    return ok(check, `Requests use the vocabulary ${configured}.`)
  const detected = (await detectVocabulary(context, settings))?.vocabulary
  if (detected === undefined)
    return ok(check, `The vocabulary of the platform could not be detected. Requests use the ${configured} vocabulary.`)
  if (detected === configured) return ok(check, `The platform and its requests use the ${detected} vocabulary.`)
  const isNamed = baseUrl.from !== profileName.from
  return warning(
    check,
    `The platform uses the ${detected} vocabulary, but requests use the ${configured} one. Some commands will fail.`,
    isNamed
      ? `parley profile set ${profileName.value} --vocabulary ${detected}`
      : `Create a profile that detects the vocabulary: parley login <name> --url ${baseUrl.value}`,
  )
}
