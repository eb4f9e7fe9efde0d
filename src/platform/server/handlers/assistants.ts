import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { fieldsFromRow } from '../../services/assistants/assistant-fields.ts'
import { assistantService, type WebhookEvent } from '../../services/assistants/assistant-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { AssistantRow, LinkedAssistant } from '../../store/assistants/assistants.ts'
import { toPage } from '../http/page-envelope.ts'
import { type Caller, type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const assistantResource = (deps: Deps): LoadedResource => ({
  ...loadedResource(assistants, assistantHandlers(deps)),
  storedCondition: storedMode(deps),
})

/** Creates the handlers of assistants. */
function assistantHandlers(deps: Deps): HandlersOf<typeof assistants> {
  const service = assistantService(deps)
  const toWire = (linked: LinkedAssistant): Assistant => ({
    id: linked.row.id,
    uuid: linked.row.uuid,
    status: linked.row.status,
    ...fieldsFromRow(linked, deps.vault),
    inbound_webhook_url:
      linked.slots.find((slot) => slot.event === 'inbound' && slot.holder === 'webhook')?.target ?? null,
    created_at: toIsoMicros(linked.row.created_at),
    updated_at: toIsoMicros(linked.row.updated_at),
  })

  /** Returns a handler that sets the webhook of an event, or removes it without a URL. */
  const webhookToggle =
    (event: WebhookEvent, message: string) =>
    async (
      { assistant_id, webhook_url = null }: { assistant_id: number; webhook_url?: string | null },
      { account }: Caller,
    ) => {
      await service.setWebhook(account.id, assistant_id, event, webhook_url)
      return { message, data: [] }
    }

  return {
    async list(input, { account, origin }) {
      const { items, total } = await service.list(account.id, { page: input.page, perPage: input.per_page })
      return toPage(items.map(toWire), { total, path: assistants.list.path, origin, input })
    },
    create: async (draft, { account }) => ({
      message: 'Assistant created successfully',
      data: toBrief(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...change }, { account }) => ({
      message: 'Assistant updated successfully',
      data: toBrief(await service.update(account.id, id, change)),
    }),
    async setStatus({ id, status }, { account }) {
      const row = await service.setStatus(account.id, id, status)
      return {
        message: `Assistant ${status === 'active' ? 'activated' : 'deactivated'} successfully`,
        data: toBrief(row),
      }
    },
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Assistant deleted successfully' }
    },
    enableConversationEndedWebhook: webhookToggle(
      'conversation_ended',
      'Conversation ended webhook enabled successfully',
    ),
    disableConversationEndedWebhook: webhookToggle(
      'conversation_ended',
      'Conversation ended webhook disabled successfully',
    ),
    enablePostCallWebhook: webhookToggle('post_call', 'Webhook enabled successfully'),
    disablePostCallWebhook: webhookToggle('post_call', 'Webhook disabled successfully'),
    enableInboundWebhook: webhookToggle('inbound', 'Webhook enabled successfully'),
    disableInboundWebhook: webhookToggle('inbound', 'Inbound webhook disabled successfully'),
  }
}

/** Returns the mode of the assistant that an update names. */
const storedMode =
  (deps: Deps): NonNullable<LoadedResource['storedCondition']> =>
  (account, { id }) =>
    assistantService(deps).modeOf(account, Number(id))

const toBrief = (row: AssistantRow) => ({
  id: row.id,
  name: row.name,
  status: row.status,
  type: row.type,
  mode: row.mode,
})
