import type { Insertable } from 'kysely'
import { insertAssistant } from '../../../src/platform/store/assistants/assistants.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { insertTemplate } from '../../../src/platform/store/messaging/message-templates.ts'
import { insertSender } from '../../../src/platform/store/messaging/senders.ts'
import type { MessageTemplateTable, SenderTable } from '../../../src/platform/store/messaging/tables.ts'

export interface TestSender {
  readonly id: number
  readonly phone: string
  readonly assistant: number
  /** Id of a template without placeholders. */
  readonly template: number
}

let made = 0

/** Adds an assistant and a sender without restrictions to an account. The parameters override fields. */
export async function addSender(
  connection: Connection,
  account: number,
  sender: Partial<Insertable<SenderTable>> = {},
  template: Partial<Insertable<MessageTemplateTable>> = {},
): Promise<TestSender> {
  const n = ++made
  return connection.write({ account }, async (query) => {
    const assistant = await insertAssistant(query, {
      account_id: account,
      uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      name: `Assistant ${n}`,
      type: 'outbound',
      mode: 'pipeline',
      status: 'active',
      phone_number_id: null,
      folder_id: null,
      knowledgebase_id: null,
      settings: '{}',
      created_at: 0,
      updated_at: 0,
      deleted_at: null,
    })
    const phone = `+1415555${String(2000 + n)}`
    const row = await insertSender(query, {
      account_id: account,
      phone_number: phone,
      display_name: `Sender ${n}`,
      status: 'online',
      quality_rating: 'GREEN',
      messaging_limit: null,
      limit_known: 1,
      voice_calling_enabled: 0,
      assistant_id: assistant.id,
      created_at: 0,
      ...sender,
    })
    const { id } = await insertTemplate(query, templateOf(account, row.id, template))
    return { id: row.id, phone, assistant: assistant.id, template: id }
  })
}

/** Returns a template without placeholders, approved and known to the channel. */
export const templateOf = (
  account: number,
  sender: number,
  more: Partial<Insertable<MessageTemplateTable>> = {},
): Insertable<MessageTemplateTable> => ({
  account_id: account,
  sender_id: sender,
  name: 'hello',
  language: 'en',
  category: 'utility',
  status: 'approved',
  body_text: 'Hello.',
  variables: '[]',
  is_synced: 1,
  is_voice_call: 0,
  created_at: 0,
  ...more,
})
