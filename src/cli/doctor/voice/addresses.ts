import type { Thing } from '../../../contract/references.ts'
import type { Item } from '../../references/links.ts'
import type { Finding } from '../finding.ts'
import { about, type Look } from './look.ts'

/** An address the platform is to ask, and for what. */
export interface Asked {
  readonly thing: readonly [Thing, Item]
  /** `endpoint`, `post-call webhook`. */
  readonly what: string
  readonly address: string
}

/** Addresses of tools that are used and of webhooks that are on. */
export async function askedAddresses({ account }: Look): Promise<Asked[]> {
  const [assistants, tools] = await Promise.all([account.list('assistants'), account.list('tools')])
  const active = assistants.filter(({ status }) => status !== 'inactive')
  const used = new Set(active.flatMap((it) => (Array.isArray(it.tool_ids) ? it.tool_ids : [])))
  const hooks = active.flatMap((it) => [
    { thing: ['assistants', it] as const, what: 'post-call webhook', address: it.is_webhook_active === true ? it.webhook_url : null },
    { thing: ['assistants', it] as const, what: 'conversation-ended webhook', address: it.conversation_ended_webhook_url },
    { thing: ['assistants', it] as const, what: 'inbound webhook', address: it.inbound_webhook_url },
  ])
  const endpoints = tools.filter(({ id }) => used.has(id)).map((it) => ({ thing: ['tools', it] as const, what: 'endpoint', address: it.endpoint }))
  return [...endpoints, ...hooks].flatMap((it) => (typeof it.address === 'string' && it.address !== '' ? [{ ...it, address: it.address }] : []))
}

/** `https://host:port` of an address, whatever it has to be filled in with behind that. */
export function originOf(address: string): URL | undefined {
  const [start = ''] = /^https?:\/\/[^/?#{}]+/i.exec(address) ?? []
  return URL.canParse(start) ? new URL(start) : undefined
}

/** Names of services that give away what a machine is. */
const metadata = new Set(['metadata.google.internal', 'metadata', 'instance-data', 'instance-data.ec2.internal'])

/** Where a host leads as far as its name tells: `never` to what is refused everywhere, `private` to this machine or its network. */
export async function reachOfHost(hostname: string): Promise<'public' | 'private' | 'never'> {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (metadata.has(host)) return 'never'
  if (/^\[.*\]$|^\d+(\.\d+){3}$/.test(host)) return (await import('../../../automation/http/addresses.ts')).reachOf(host)
  return host === 'localhost' || !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host) ? 'private' : 'public'
}

/** The command that shows it, or switches it off. */
export const wayOut = ({ thing: [kind, it], what }: Asked): string =>
  kind === 'tools' ? `parley tools get ${it.id}` : `parley assistants disable-webhook ${it.id} --event ${what.replace(' webhook', '')}`

/** Addresses a platform elsewhere cannot reach: those of this machine and of private networks. */
export async function privateAddresses(look: Look): Promise<Finding[]> {
  const found: Finding[] = []
  for (const it of await askedAddresses(look)) {
    const origin = originOf(it.address)
    const reach = origin ? await reachOfHost(origin.hostname) : 'public'
    if (reach === 'never') found.push(about('failed', 'address', it.thing, `has its ${it.what} at ${origin?.host}, an address no platform asks.`, wayOut(it)))
    else if (reach === 'private' && look.isRemote)
      found.push(
        about('warning', 'address', it.thing, `has its ${it.what} at ${origin?.host}, a private address a platform elsewhere does not reach.`, wayOut(it)),
      )
  }
  return found
}
