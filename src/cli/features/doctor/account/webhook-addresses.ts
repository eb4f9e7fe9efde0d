import type { ResourceKind } from '../../../../contract/references/resource-references.ts'
import { hostReach } from '../../../../engine/http/address-policy.ts'
import type { LinkedItem } from '../../../program/dependencies/resource-links.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/** An address to which the platform sends requests, and its purpose. */
export interface CalledAddress {
  readonly resource: readonly [ResourceKind, LinkedItem]
  /** `endpoint`, `post-call webhook`. */
  readonly purpose: string
  readonly address: string
}

/** Returns the addresses of tools in use and of enabled webhooks. */
export async function listAddresses({ account }: AccountScope): Promise<CalledAddress[]> {
  const [assistants, tools] = await Promise.all([account.list('assistants'), account.list('tools')])
  const active = assistants.filter(({ status }) => status !== 'inactive')
  const used = new Set(active.flatMap((it) => (Array.isArray(it.tool_ids) ? it.tool_ids : [])))
  const hooks = active.flatMap((it) => [
    {
      resource: ['assistants', it] as const,
      purpose: 'post-call webhook',
      address: it.is_webhook_active === true ? it.webhook_url : null,
    },
    {
      resource: ['assistants', it] as const,
      purpose: 'conversation-ended webhook',
      address: it.conversation_ended_webhook_url,
    },
    { resource: ['assistants', it] as const, purpose: 'inbound webhook', address: it.inbound_webhook_url },
  ])
  const endpoints = tools
    .filter(({ id }) => used.has(id))
    .map((it) => ({ resource: ['tools', it] as const, purpose: 'endpoint', address: it.endpoint }))
  return [...endpoints, ...hooks].flatMap((it) =>
    typeof it.address === 'string' && it.address !== '' ? [{ ...it, address: it.address }] : [],
  )
}

/** Returns the origin of an address, `https://host:port`; the rest may contain placeholders. */
export function addressOrigin(address: string): URL | undefined {
  const [start = ''] = /^https?:\/\/[^/?#{}]+/i.exec(address) ?? []
  return URL.canParse(start) ? new URL(start) : undefined
}

/** Returns the command that shows the resource or disables the webhook. */
export const fixCommand = ({ resource: [kind, it], purpose }: CalledAddress): string =>
  kind === 'tools'
    ? `parley tools get ${it.id}`
    : `parley assistants disable-webhook ${it.id} --event ${purpose.replace(' webhook', '')}`

/** Reports addresses that a remote deployment cannot reach: on this machine and in private networks. */
export async function privateAddressFindings(scope: AccountScope): Promise<Finding[]> {
  const found: Finding[] = []
  for (const it of await listAddresses(scope)) {
    const origin = addressOrigin(it.address)
    const reach = origin ? hostReach(origin.hostname) : 'public'
    if (reach === 'never')
      found.push(
        resourceFinding(
          'failed',
          'address',
          it.resource,
          `has its ${it.purpose} at ${origin?.host}, to which no platform sends requests.`,
          fixCommand(it),
        ),
      )
    else if (reach === 'private' && scope.isRemote)
      found.push(
        resourceFinding(
          'warning',
          'address',
          it.resource,
          `has its ${it.purpose} at ${origin?.host}, a private address that a remote deployment cannot reach.`,
          fixCommand(it),
        ),
      )
  }
  return found
}
