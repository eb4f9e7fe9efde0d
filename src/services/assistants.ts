import { randomUUID } from 'node:crypto'
import { assistants } from '../contract/assistants.ts'
import { Failure } from '../contract/errors.ts'
import {
  type AssistantRow,
  assistantsWithTool,
  changeAssistant,
  deleteAssistant,
  findAssistant,
  findLinkedAssistant,
  insertAssistant,
  type LinkedAssistant,
  linkAssistant,
  listAssistants,
} from '../store/assistants.ts'
import type { Query } from '../store/connection.ts'
import type { SlotEvent } from '../store/slots.ts'
import { withCalendars } from './assistant-calendars.ts'
import { assistantErrors, type FieldErrors } from './assistant-checks.ts'
import { type AssistantChange, type AssistantDraft, type AssistantFields, changed, drafted, fieldsOf, toColumns } from './assistant-state.ts'
import type { Deps } from './deps.ts'
import { setWebhook } from './slots.ts'
import { uuidOf } from './uuid.ts'

/** Events of an assistant that have a webhook of their own. */
export type WebhookEvent = Exclude<SlotEvent, 'conversation'>

const order = Object.keys(assistants.create.body.shape)
const rank = (path: string): number => order.indexOf(path.split('.', 1)[0] ?? '')

function accept(errors: FieldErrors): void {
  const sorted = Object.entries(errors).sort(([a], [b]) => rank(a) - rank(b))
  if (sorted.length > 0) throw new Failure('invalid', { text: 'Validation failed', errors: Object.fromEntries(sorted) })
}

const found = <T>(it: T | undefined): T => {
  if (it === undefined) throw new Failure('assistants.not_found')
  return it
}

const fieldsIn = (body: object): Set<string> => new Set(Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [name])))

const addresses = (it: AssistantFields) => ({ post_call: it.is_webhook_active ? it.webhook_url : null, conversation_ended: it.conversation_ended_webhook_url })

/** Switches webhooks as a request wants them, where that is another way than before. */
async function switchWebhooks(query: Query, row: AssistantRow, before: AssistantFields | undefined, after: AssistantFields, now: number): Promise<void> {
  const [was, is] = [before && addresses(before), addresses(after)]
  for (const event of ['post_call', 'conversation_ended'] as const)
    if (is[event] !== (was?.[event] ?? null)) await setWebhook(query, { account: row.account_id, assistant: row.id, event, url: is[event], now })
}

export function assistantService({ connection, clock, providers, secret }: Pick<Deps, 'connection' | 'clock' | 'providers' | 'secret'>) {
  const asked = async <T extends AssistantDraft | AssistantChange>(body: T): Promise<T> =>
    body.tools ? { ...body, tools: await withCalendars(providers.calendars, body.tools) } : body

  return {
    /** `page` counts from 1; beyond the last one there is nothing. */
    list: (account: number, { page, perPage }: { page: number; perPage: number }): Promise<{ items: LinkedAssistant[]; total: number }> =>
      listAssistants(connection.read, account, { offset: (page - 1) * perPage, limit: perPage }),

    /** @throws Failure 422 on every field that cannot be as it is given */
    async create(account: number, draft: AssistantDraft): Promise<AssistantRow> {
      const body = await asked(draft)
      const fields = drafted(body)
      return connection.write(async (query) => {
        accept(await assistantErrors(query, account, fields, fieldsIn(body)))
        const now = await clock.now(query)
        const row = await insertAssistant(query, {
          ...toColumns(fields),
          account_id: account,
          uuid: randomUUID(),
          status: 'inactive',
          created_at: now,
          updated_at: now,
          deleted_at: null,
        })
        // A seeded platform gives the same UUIDs again, and only the id tells which one is due.
        await changeAssistant(query, account, row.id, { uuid: uuidOf(secret(`assistant ${row.id}`, 40)) })
        await linkAssistant(query, row, { labels: fields.label_ids ?? [], tools: fields.tool_ids ?? [] })
        await switchWebhooks(query, row, undefined, fields, now)
        return row
      })
    },

    /** Changes only what is given. @throws Failure 404, 422 */
    async update(account: number, id: number, change: AssistantChange): Promise<AssistantRow> {
      // Calendars are not asked on behalf of an assistant that is not there.
      found(await findAssistant(connection.read, account, id))
      const body = await asked(change)
      return connection.write(async (query) => {
        const linked = found(await findLinkedAssistant(query, account, id))
        const before = fieldsOf(linked)
        const after = changed(before, body)
        accept(await assistantErrors(query, account, after, fieldsIn(body), id))
        const now = await clock.now(query)
        await changeAssistant(query, account, id, { ...toColumns(after), updated_at: now })
        await linkAssistant(query, linked.row, { labels: body.label_ids, tools: body.tool_ids })
        await switchWebhooks(query, linked.row, before, after, now)
        return found(await findAssistant(query, account, id))
      })
    },

    /** Activates or deactivates it. @throws Failure 404 */
    setStatus: (account: number, id: number, status: AssistantRow['status']): Promise<AssistantRow> =>
      connection.write(async (query) => {
        found(await findAssistant(query, account, id))
        await changeAssistant(query, account, id, { status, updated_at: await clock.now(query) })
        return found(await findAssistant(query, account, id))
      }),

    /** Deletes it whatever it is used by, and takes it off all of that. @throws Failure 404 */
    async delete(account: number, id: number): Promise<void> {
      await connection.write(async (query) => {
        if (!(await findAssistant(query, account, id))) throw new Failure('assistants.not_yours')
        const now = await clock.now(query)
        await deleteAssistant(query, account, id, now)
        for (const other of await assistantsWithTool(query, account, 'assistant_transfer')) await dropTransfers(query, other, id)
      })
    },

    /** Points the webhook of an event at an address; null switches it off. @throws Failure 404, 422 when an automation holds the event */
    async setWebhook(account: number, id: number, event: WebhookEvent, url: string | null): Promise<void> {
      await connection.write(async (query) => {
        const linked = found(await findLinkedAssistant(query, account, id))
        const now = await clock.now(query)
        await setWebhook(query, { account, assistant: id, event, url, now })
        const settings = event === 'post_call' ? toColumns({ ...fieldsOf(linked), webhook_url: url }) : {}
        await changeAssistant(query, account, id, { ...settings, updated_at: now })
      })
    },
  }
}

/** Takes the built-in tools that would transfer to a deleted assistant off another. */
async function dropTransfers(query: Query, { id, account_id, settings }: AssistantRow, gone: number): Promise<void> {
  const kept = JSON.parse(settings) as Pick<AssistantFields, 'tools'>
  const tools = (kept.tools ?? []).filter((it) => it.type !== 'assistant_transfer' || it.assistant_id !== gone)
  if (tools.length !== kept.tools?.length) await changeAssistant(query, account_id, id, { settings: JSON.stringify({ ...kept, tools }) })
}
