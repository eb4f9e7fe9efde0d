import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../../contract/references/resource-references.ts'
import { hostReach } from '../../../../engine/http/address-policy.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/** An address to which the platform sends requests, and its purpose. */
export interface CalledAddress {
  readonly resource: readonly [ResourceKind, LinkedItem]
  /** `endpoint`, `post-call webhook`. Of a webhook, `fixCommand` makes the value of `--event` from it. */
  readonly purpose: string
  readonly address: string
}

/** Returns the addresses of tools in use and of enabled webhooks. */
export async function listAddresses({ account }: AccountScope): Promise<CalledAddress[]> {
  const [assistants, tools] = await Promise.all([account.list('assistants'), account.list('tools')])
  const active = assistants.filter(({ status }) => status !== 'inactive')
  const used = new Set(active.flatMap((it) => (Array.isArray(it.tool_ids) ? it.tool_ids : [])))
  const hooks = active.flatMap((assistant) => [
    {
      resource: ['assistants', assistant] as const,
      purpose: 'post-call webhook',
      address: assistant.is_webhook_active === true ? assistant.webhook_url : null,
    },
    {
      resource: ['assistants', assistant] as const,
      purpose: 'conversation-ended webhook',
      address: assistant.conversation_ended_webhook_url,
    },
    {
      resource: ['assistants', assistant] as const,
      purpose: 'inbound webhook',
      address: assistant.inbound_webhook_url,
    },
  ])
  const endpoints = tools
    .filter(({ id }) => used.has(id))
    .map((it) => ({ resource: ['tools', it] as const, purpose: 'endpoint', address: it.endpoint }))
  return [...endpoints, ...hooks].flatMap((target) =>
    typeof target.address === 'string' && target.address !== '' ? [{ ...target, address: target.address }] : [],
  )
}

/** Returns the origin of an address, `https://host:port`; the rest may contain placeholders. */
export function addressOrigin(address: string): URL | undefined {
  const [start = ''] = /^https?:\/\/[^/?#{}]+/i.exec(address) ?? []
  return URL.canParse(start) ? new URL(start) : undefined
}

/** Returns the command that shows the resource or disables the webhook. */
export const fixCommand = ({ resource: [kind, item], purpose }: CalledAddress): string =>
  kind === 'tools'
    ? `parley tools get ${item.id}`
    : `parley assistants disable-webhook ${item.id} --event ${purpose.replace(' webhook', '')}`

/** Reports addresses that a remote deployment cannot reach: on this machine and in private networks. */
export async function privateAddressFindings(scope: AccountScope): Promise<Finding[]> {
  const found: Finding[] = []
  for (const address of await listAddresses(scope)) {
    const origin = addressOrigin(address.address)
    const reach = origin ? hostReach(origin.hostname) : 'public'
    if (reach === 'never')
      found.push(
        resourceFinding(
          'failed',
          'address',
          address.resource,
          `has its ${address.purpose} at ${origin?.host}, to which no platform sends requests.`,
          fixCommand(address),
        ),
      )
    else if (reach === 'private' && scope.isRemote)
      found.push(
        resourceFinding(
          'warning',
          'address',
          address.resource,
          `has its ${address.purpose} at ${origin?.host}, a private address that a remote deployment cannot reach.`,
          fixCommand(address),
        ),
      )
  }
  return found
}
