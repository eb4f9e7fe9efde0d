import { randomUUID } from 'node:crypto'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import {
  type AssistantRow,
  deleteAssistant,
  findAssistant,
  findLinkedAssistant,
  insertAssistant,
  type LinkedAssistant,
  listAssistants,
  listAssistantsWithTool,
  replaceAssistantLinks,
  setAssistantUuid,
  updateAssistantRow,
} from '../../store/assistants/assistants.ts'
import { claimSlot, releaseWebhookSlot } from '../../store/assistants/event-slots.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from '../runtime/deps.ts'
import { deterministicUuid } from '../runtime/deterministic-uuid.ts'
import {
  type AssistantChange,
  type AssistantDraft,
  type AssistantFields,
  applyChange,
  fieldsFromDraft,
  fieldsFromRow,
  resolveCalendarTools,
  sealCalendarKeys,
  toColumns,
} from './assistant-fields.ts'
import { type FieldErrors, validateAssistant } from './assistant-validation.ts'

/**
 * Sets the webhook URL of an event, or switches the webhook off with null, in the caller's transaction. An automation
 * that holds the event is never detached.
 * @throws Failure `assistants.binding_conflict` when an automation holds the event (section 6.3)
 */
async function setEventWebhook(
  query: AccountQuery,
  { assistant, event, url, now }: { assistant: number; event: SlotEvent; url: string | null; now: number },
): Promise<void> {
  if (url === null) return releaseWebhookSlot(query, assistant, event)
  if (!(await claimSlot(query, { assistant, event, holder: 'webhook', target: url, now })))
    throw new Failure('assistants.binding_conflict')
}

/** Events of an assistant whose webhook is set individually. */
export type WebhookEvent = Exclude<SlotEvent, 'conversation'>

const fieldOrder = Object.keys(assistants.create.body.shape)
const fieldRank = (path: string): number => fieldOrder.indexOf(path.split('.', 1)[0] ?? '')

function throwIfInvalid(errors: FieldErrors): void {
  const sorted = Object.entries(errors).sort(([a], [b]) => fieldRank(a) - fieldRank(b))
  if (sorted.length > 0) throw new Failure('invalid', { text: 'Validation failed', errors: Object.fromEntries(sorted) })
}

const requireAssistant = <T>(assistant: T | undefined): T => {
  if (assistant === undefined) throw new Failure('assistants.not_found')
  return assistant
}

const definedKeys = (body: object): Set<string> =>
  new Set(Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name])))

const webhookUrls = (fields: AssistantFields) => ({
  post_call: fields.is_webhook_active ? fields.webhook_url : null,
  conversation_ended: fields.conversation_ended_webhook_url,
})

/** Sets or removes the webhooks whose URL differs from the one before. */
async function updateWebhooks(
  query: AccountQuery,
  row: AssistantRow,
  before: AssistantFields | undefined,
  after: AssistantFields,
  now: number,
): Promise<void> {
  const [previousUrls, nextUrls] = [before && webhookUrls(before), webhookUrls(after)]
  for (const event of ['post_call', 'conversation_ended'] as const)
    if (nextUrls[event] !== (previousUrls?.[event] ?? null))
      await setEventWebhook(query, { assistant: row.id, event, url: nextUrls[event], now })
}

/** Lists, creates, changes and deletes assistants (sections 4.15 and 4.16). */
export function assistantService({
  connection,
  clock,
  providers,
  secret,
  isSeeded,
  vault,
}: Pick<Deps, 'connection' | 'clock' | 'providers' | 'secret' | 'isSeeded' | 'vault'>) {
  const toStored = (account: number, fields: AssistantFields) =>
    toColumns({ ...fields, tools: sealCalendarKeys(vault, account, fields.tools) })
  const resolveTools = async <T extends AssistantDraft | AssistantChange>(body: T): Promise<T> =>
    body.tools ? { ...body, tools: await resolveCalendarTools(providers.calendars, body.tools) } : body

  return {
    /** Returns one page. `page` counts from 1; a page beyond the last is empty. */
    list: (
      account: number,
      { page, perPage }: { page: number; perPage: number },
    ): Promise<{ items: LinkedAssistant[]; total: number }> =>
      listAssistants(accountQuery(connection.read, account), { offset: (page - 1) * perPage, limit: perPage }),

    /** Creates an assistant. @throws Failure 422 with every invalid field */
    async create(account: number, draft: AssistantDraft): Promise<AssistantRow> {
      const body = await resolveTools(draft)
      const fields = fieldsFromDraft(body)
      return connection.write({ account }, async (query) => {
        throwIfInvalid(await validateAssistant(query, account, fields, definedKeys(body)))
        const now = await clock.now(query)
        const row = await insertAssistant(query, {
          ...toStored(account, fields),
          account_id: account,
          uuid: randomUUID(),
          status: 'inactive',
          created_at: now,
          updated_at: now,
          deleted_at: null,
        })
        // A seeded platform must produce the same UUIDs again, so the UUID is derived from the id, which is known only
        // now.
        if (isSeeded()) await setAssistantUuid(query, row.id, deterministicUuid(secret(`assistant ${row.id}`, 40)))
        await replaceAssistantLinks(query, row, { labels: fields.label_ids ?? [], tools: fields.tool_ids ?? [] })
        await updateWebhooks(query, row, undefined, fields, now)
        return row
      })
    },

    /** Returns the mode of an assistant; undefined if it does not exist. */
    modeOf: async (account: number, id: number): Promise<AssistantRow['mode'] | undefined> =>
      Number.isSafeInteger(id) ? (await findAssistant(accountQuery(connection.read, account), id))?.mode : undefined,

    /** Changes only the given fields. @throws Failure 404, 422 */
    async update(account: number, id: number, change: AssistantChange): Promise<AssistantRow> {
      // Without this check, calendars would be queried for an assistant that does not exist.
      requireAssistant(await findAssistant(accountQuery(connection.read, account), id))
      const body = await resolveTools(change)
      return connection.write({ account }, async (query) => {
        const linked = requireAssistant(await findLinkedAssistant(query, id))
        const before = fieldsFromRow(linked, vault)
        const after = applyChange(before, body)
        throwIfInvalid(await validateAssistant(query, account, after, definedKeys(body), id))
        const now = await clock.now(query)
        await updateAssistantRow(query, id, { ...toStored(account, after), updated_at: now })
        await replaceAssistantLinks(query, linked.row, { labels: body.label_ids, tools: body.tool_ids })
        await updateWebhooks(query, linked.row, before, after, now)
        return requireAssistant(await findAssistant(query, id))
      })
    },

    /** Activates or deactivates an assistant. @throws Failure 404 */
    setStatus: (account: number, id: number, status: AssistantRow['status']): Promise<AssistantRow> =>
      connection.write({ account }, async (query) => {
        requireAssistant(await findAssistant(query, id))
        await updateAssistantRow(query, id, { status, updated_at: await clock.now(query) })
        return requireAssistant(await findAssistant(query, id))
      }),

    /** Deletes an assistant even if it is in use, and removes every reference to it. @throws Failure 404 */
    async delete(account: number, id: number): Promise<void> {
      await connection.write({ account }, async (query) => {
        if (!(await findAssistant(query, id))) throw new Failure('assistants.not_yours')
        const now = await clock.now(query)
        await deleteAssistant(query, id, now)
        for (const other of await listAssistantsWithTool(query, 'assistant_transfer'))
          await removeTransfersTo(query, other, id)
      })
    },

    /**
     * Sets the webhook URL of an event; null switches the webhook off. @throws Failure 404, or 422 when an automation
     * holds the event
     */
    async setWebhook(account: number, id: number, event: WebhookEvent, url: string | null): Promise<void> {
      await connection.write({ account }, async (query) => {
        const linked = requireAssistant(await findLinkedAssistant(query, id))
        const now = await clock.now(query)
        await setEventWebhook(query, { assistant: id, event, url, now })
        const settings =
          event === 'post_call' ? toStored(account, { ...fieldsFromRow(linked, vault), webhook_url: url }) : {}
        await updateAssistantRow(query, id, { ...settings, updated_at: now })
      })
    },
  }
}

/** Removes the built-in tools of an assistant that would transfer to the deleted one. */
async function removeTransfersTo(
  query: AccountQuery,
  { id, account_id, settings }: AssistantRow,
  deletedId: number,
): Promise<void> {
  const stored = parseJson(settings)
  const tools = (stored.tools ?? []).filter((it) => it.type !== 'assistant_transfer' || it.assistant_id !== deletedId)
  if (tools.length !== stored.tools?.length)
    await updateAssistantRow(accountQuery(query, account_id), id, { settings: stringifyJson({ ...stored, tools }) })
}
