import { assistants } from '../../contract/resources/assistants.ts'
import { day, hour, type Micros } from '../../contract/values/micros.ts'
import { fieldsFromDraft, toColumns } from '../../services/assistants/assistant-fields.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import { insertAssistant, replaceAssistantLinks } from '../../store/assistants/assistants.ts'
import type { Query } from '../../store/database/connection.ts'
import type { SeededFolders } from './seed-folders-and-knowledge.ts'

/** What the sample assistants are created from. */
export interface AssistantSeeds {
  readonly account: number
  readonly now: Micros
  readonly secrets: (label: string, length: number) => string
  /** Id of the number that the front desk answers. */
  readonly number: number | null
  readonly folders: SeededFolders
}

const frontDeskAssistant = {
  name: 'Front desk',
  voice_id: 1,
  language_id: 1,
  type: 'inbound',
  mode: 'pipeline',
  timezone: 'America/Los_Angeles',
  initial_message: 'Northwind Dental, how can I help you?',
  system_prompt:
    'You answer the phone of a dental practice. Find the patient, then book, move or cancel visits. Be brief and kind; never give medical advice.',
  llm_model_id: 2,
  secondary_language_ids: [2],
  tools: [
    {
      type: 'call_transfer',
      phone_number: '+14155550199',
      description: 'When the caller asks for a person or is in pain',
    },
    { type: 'end_call' },
  ],
  post_call_schema: [{ name: 'reason', type: 'string', description: 'Why they called, in a few words' }],
  knowledgebase_mode: 'function_call',
  voice_mail_message: 'Thank you for calling Northwind Dental. Please call again during opening hours.',
  webhook_url: 'https://practice.northwind.example/hooks/calls',
} as const

const recallAssistant = {
  name: 'Recall',
  voice_id: 43,
  language_id: 1,
  type: 'outbound',
  mode: 'multimodal',
  timezone: 'America/Los_Angeles',
  initial_message: 'Hello, this is Northwind Dental. Your check-up is due.',
  system_prompt:
    'You call patients whose check-up is due and offer them a visit. If they do not want one, thank them and end the call.',
  multimodal_model_id: 21,
  chat_llm_fallback_id: 1,
  max_duration: 300,
  end_call_on_voicemail: false,
  voice_mail_message: 'This is Northwind Dental. Your check-up is due; please call us back.',
} as const

/**
 * Inserts two assistants, in the caller's transaction: one answers a number and uses a knowledge base, one calls
 * patients.
 */
export async function seedAssistants(
  query: Query,
  { account, now, secrets, number, folders }: AssistantSeeds,
): Promise<void> {
  const [desk, campaigns] = folders.folders
  const seeds = [
    {
      ...frontDeskAssistant,
      folder_id: desk,
      label_ids: folders.labels.slice(0, 1),
      tool_ids: [1, 2, 3],
      knowledgebase_id: folders.knowledgeBase,
    },
    { ...recallAssistant, folder_id: campaigns, tool_ids: [4] },
  ]
  for (const [n, seed] of seeds.entries()) {
    const fields = fieldsFromDraft(
      assistants.create.body.parse({
        ...seed,
        ...(seed.type === 'inbound' && number !== null && { phone_number_id: number }),
      }),
    )
    const at = now - (12 - 4 * n) * day
    const row = await insertAssistant(query, {
      ...toColumns(fields),
      account_id: account,
      uuid: deterministicUuid(secrets(`assistant ${n + 1}`, 40)),
      status: 'active',
      created_at: at,
      updated_at: at + hour,
      deleted_at: null,
    })
    await replaceAssistantLinks(query, row, { labels: fields.label_ids ?? [], tools: fields.tool_ids ?? [] })
  }
}
