import { TransportError } from '../../../client/transport/transport.ts'
import type { Context } from '../../context.ts'
import { mapConcurrently } from '../../dependencies/account-reader.ts'
import { type Finding, ok } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'
import { addressOrigin, type CalledAddress, fixCommand, hostReach, listAddresses } from './webhook-addresses.ts'

/** Timeout of one address in milliseconds. */
const timeoutMs = 5000

/**
 * Sends OPTIONS to every address of tools and webhooks from this machine, without API key or payload, so that nothing
 * is triggered. Any response counts as reachable. Link-local addresses and metadata services are not contacted.
 */
export async function reachabilityFindings(context: Context, scope: AccountScope): Promise<Finding[]> {
  const calledAddresses = await listAddresses(scope)
  const addresses = [...new Set(calledAddresses.map(({ address }) => address))]
  const answers = new Map(
    await mapConcurrently(addresses, async (address) => [address, await probeAddress(context, address)] as const),
  )
  const bad = calledAddresses.flatMap((it) => {
    const problem = answers.get(it.address)
    return problem ? [toFinding(it, problem)] : []
  })
  const sentence = `Sent OPTIONS to ${addresses.length} ${addresses.length === 1 ? 'address' : 'addresses'} from this machine. The network of a remote deployment may differ.`
  return [...bad, ok('webhooks', sentence)]
}

interface Problem {
  readonly status: 'warning' | 'failed'
  readonly text: string
}

function toFinding(it: CalledAddress, { status, text }: Problem): Finding {
  const { resource, purpose, address } = it
  const origin = addressOrigin(address)
  return resourceFinding(
    status,
    'webhooks',
    resource,
    `has its ${purpose} at ${origin?.host ?? address}, ${text}`,
    origin ? `curl -i -X OPTIONS '${optionsUrl(address, origin)}'` : fixCommand(it),
  )
}

/**
 * Returns the URL to probe, without its query, which may hold secrets. An address with placeholders is reduced to its
 * origin.
 */
function optionsUrl(address: string, origin: URL): string {
  const plain = address.includes('{') || !URL.canParse(address) ? origin : new URL(address)
  return `${plain.origin}${plain.pathname.replaceAll("'", '%27')}`
}

async function probeAddress({ system }: Context, address: string): Promise<Problem | undefined> {
  const origin = addressOrigin(address)
  if (!origin) return { status: 'failed', text: 'which is not a valid URL.' }
  if ((await hostReach(origin.hostname)) === 'never')
    return { status: 'failed', text: 'an address to which requests are never sent.' }
  const { pathname } = new URL(optionsUrl(address, origin))
  try {
    const transport = await system.connect(origin.origin, { env: system.env, insecure: true })
    try {
      const headers = { 'user-agent': `parley/${system.version}`, accept: '*/*' }
      const { status } = await transport.send(
        { method: 'OPTIONS', url: pathname, headers },
        { timeoutMs, signal: system.signal },
      )
      return status >= 500 && status !== 501 ? { status: 'warning', text: `which returns ${status}.` } : undefined
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (system.signal.aborted) throw error
    return {
      status: 'failed',
      text:
        error instanceof TransportError
          ? `which is not reachable: ${reasons[error.reason]}.`
          : `which is not reachable: ${(error as Error).message}`,
    }
  }
}

const reasons: Readonly<Record<TransportError['reason'], string>> = {
  refused: 'connection refused',
  dns: 'DNS lookup failed',
  tls: 'its certificate is not trusted',
  timeout: `no answer within ${timeoutMs / 1000} s`,
  reset: 'the connection was closed',
  truncated: 'the response is incomplete',
  proxy: 'the proxy rejected the request',
  aborted: 'interrupted',
  other: 'the connection failed',
}
