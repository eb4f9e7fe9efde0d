import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { RecordedResource } from '../resources/descriptors.ts'
import { redactSecrets } from '../secrets/masked-values.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'

/** Returns a resource without its secrets, for saving to a file. */
export async function redactContent(kind: RecordedResource, it: ResourceRecord): Promise<ResourceRecord> {
  if (kind.noun !== 'automate') return redactSecrets(it)
  const { definition } = it
  if (typeof definition !== 'object' || definition === null) return it
  const { maskDefinition } = await import('../../flow/definition/mask.ts')
  return { ...it, definition: maskDefinition(definition as never) }
}

/** The fields that the webhook endpoints change. */
const webhookFields: Readonly<Record<string, (url: unknown) => ResourceRecord>> = {
  ConversationEnded: (url) => ({ conversation_ended_webhook_url: url }),
  PostCall: (url) => ({ webhook_url: url, is_webhook_active: url !== null }),
  Inbound: (url) => ({ inbound_webhook_url: url }),
}

/** Returns the fields that a write changes, with their new values. */
export function sentFields(
  kind: RecordedResource,
  endpoint: Endpoint,
  before: ResourceRecord,
  input: ResourceRecord,
): ResourceRecord {
  const [, webhook] = /\.(?:en|dis)able(\w+)Webhook$/.exec(endpoint.name) ?? []
  if (webhook) return (webhookFields[webhook] as (url: unknown) => ResourceRecord)(input.webhook_url ?? null)
  const fields = Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(endpoint.body?.shape ?? {}, name)),
  )
  // The platform merges the variables of a lead.
  if (kind.noun === 'leads' && fields.variables)
    return { ...fields, variables: { ...(before.variables as object), ...(fields.variables as object) } }
  return fields
}

/** Returns the fields of a resource that its update or creation accepts. */
export async function writableFieldsOf(
  kind: RecordedResource,
  endpoint: Endpoint | undefined,
  it: ResourceRecord,
): Promise<ResourceRecord> {
  const shape = endpoint?.body?.shape ?? {}
  if (kind.noun === 'automate') {
    const { automationContent } = await import('../as-code/kinds/automation-content.ts')
    const { enabled, ...content } = automationContent(it as never)
    return endpoint === kind.update ? { enabled, ...content } : content
  }
  const fields = Object.fromEntries(Object.entries(it).filter(([name]) => Object.hasOwn(shape, name)))
  // The inbound webhook is changed by separate endpoints, but read with the other fields.
  return kind.noun === 'assistants' && endpoint === kind.update
    ? { ...fields, inbound_webhook_url: it.inbound_webhook_url ?? null }
    : fields
}
