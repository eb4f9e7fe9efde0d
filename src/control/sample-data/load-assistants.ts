import { stringifyJson } from '../../node/json.ts'
import type { AssistantChange, AssistantDraft } from '../../services/assistants/assistant-fields.ts'
import { assistantService } from '../../services/assistants/assistant-service.ts'
import { periodicSyncJobKinds, scheduleSync } from '../../services/messaging/channel-sync-service.ts'
import { updateAssistantRow } from '../../store/assistants/assistants.ts'
import { insertTemplate } from '../../store/messaging/message-templates.ts'
import { insertSender } from '../../store/messaging/senders.ts'
import type { SenderTable } from '../../store/messaging/tables.ts'
import { depsAt, type LoadedRecord, type Loading, loadEach, timeOf } from './loading.ts'
import { objectsIn, templateName } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

const transfers = (body: Fields): boolean => objectsIn(body.tools).some((it) => it.type === 'assistant_transfer')

/** Loads the assistants of an account. Those that transfer to another one get their tools once all exist. */
export async function loadAssistants(loading: Loading): Promise<void> {
  const { query, account } = loading
  const ids = new Map<LoadedRecord['entry'], number>()
  const finish = (id: number, { record, updatedAt }: LoadedRecord): Promise<void> =>
    updateAssistantRow(query, account.id, id, {
      status: record.status as 'active' | 'inactive',
      updated_at: updatedAt,
      ...(typeof record.uuid === 'string' && { uuid: record.uuid.toLowerCase() }),
    })
  await loadEach(loading, 'assistants', async (it) => {
    const service = assistantService(depsAt(loading, it.createdAt))
    const { tools: _, ...rest } = it.body
    const draft = (transfers(it.body) ? rest : it.body) as AssistantDraft
    const { id } = await service.create(account.id, draft)
    if (typeof it.record.inbound_webhook_url === 'string')
      await service.setWebhook(account.id, id, 'inbound', it.record.inbound_webhook_url)
    await finish(id, it)
    ids.set(it.entry, id)
    return id
  })
  await loadEach(loading, 'assistants', async (it) => {
    const id = ids.get(it.entry) as number
    if (transfers(it.body)) {
      const change = { tools: it.body.tools } as AssistantChange
      await assistantService(depsAt(loading, it.createdAt)).update(account.id, id, change)
      await finish(id, it)
    }
    return undefined
  })
}

/** Loads the senders of an account with their templates. */
export async function loadSenders(loading: Loading): Promise<void> {
  const { query, account, now, data } = loading
  await loadEach(loading, 'senders', async ({ name, record, createdAt }) => {
    const limit = record.messaging_limit as number | null | undefined
    const sender = await insertSender(query, {
      account_id: account.id,
      phone_number: String(record.phone_number),
      display_name: String(record.display_name),
      status: record.status as SenderTable['status'],
      quality_rating: String(record.quality_rating),
      messaging_limit: limit ?? null,
      limit_known: limit === undefined ? 0 : 1,
      voice_calling_enabled: record.voice_calling_enabled ? 1 : 0,
      assistant_id: record.assistant_id as number | null,
      created_at: createdAt,
    })
    for (const it of objectsIn(record.templates)) {
      const template = await insertTemplate(query, {
        account_id: account.id,
        sender_id: sender.id,
        name: String(it.name),
        language: String(it.language),
        category: String(it.category),
        status: String(it.status),
        body_text: String(it.body_text),
        variables: stringifyJson(it.variables),
        is_synced: it.is_synced ? 1 : 0,
        is_voice_call: it.is_voice_call ? 1 : 0,
        created_at: timeOf(loading, it.created_at, createdAt),
      })
      data.names.add('templates', templateName(name, String(it.ref ?? it.name)), template.id)
    }
    return sender.id
  })
  if (data.lists.senders.length > 0)
    for (const kind of periodicSyncJobKinds) await scheduleSync(query, kind, account.id, now)
}
