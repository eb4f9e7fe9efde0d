import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { toFlow } from '../../contract/automations/flow-form.ts'
import { references } from '../../contract/references/resource-references.ts'
import { idReferencesIn } from '../../contract/references/step-references.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { parseJson } from '../../node/json.ts'
import { fieldsFromRow } from '../../services/assistants/assistant-fields.ts'
import { readDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import { listAssistants } from '../../store/assistants/assistants.ts'
import { findVersion } from '../../store/automations/automation-versions.ts'
import { listAutomations } from '../../store/automations/automations.ts'
import { listTemplates } from '../../store/messaging/message-templates.ts'
import { listSenders } from '../../store/messaging/senders.ts'
import { type Exporting, maskSecrets, timesOfRow } from './export-context.ts'
import { omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the assistants. They may refer to each other, so all names are stored first. */
export async function exportAssistants(exporting: Exporting): Promise<Fields[]> {
  const { query, account, names, vault } = exporting
  const { items } = await listAssistants(query, account.id, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  const refs = items.map(({ row }) => names.add('assistants', row.id, row.name))
  return items.map((it, n) =>
    omitDefaults('assistants', {
      ...names.replaceIds(maskSecrets(exporting, fieldsFromRow(it, vault)) as Fields, references.assistants),
      ...refs[n],
      status: it.row.status,
      uuid: it.row.uuid,
      inbound_webhook_url: it.slots.find(({ event, holder }) => event === 'inbound' && holder === 'webhook')?.target,
      ...timesOfRow(it.row),
    }),
  )
}

/** Returns the senders with their templates. */
export async function exportSenders({ query, account, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const it of await listSenders(query, account.id)) {
    const templates = await listTemplates(query, it)
    exported.push(
      omitDefaults('senders', {
        ...names.add('senders', it.id, it.phone_number),
        phone_number: it.phone_number,
        display_name: it.display_name,
        status: it.status,
        quality_rating: it.quality_rating,
        messaging_limit: it.limit_known === 1 ? it.messaging_limit : undefined,
        voice_calling_enabled: it.voice_calling_enabled === 1,
        assistant_id: names.nameOf('assistants', it.assistant_id),
        templates: templates.map((one) => ({
          ...names.add('templates', one.id, one.name, it.phone_number),
          name: one.name,
          language: one.language,
          category: one.category,
          status: one.status,
          body_text: one.body_text,
          variables: parseJson(one.variables),
          is_synced: one.is_synced === 1,
          is_voice_call: one.is_voice_call === 1,
          created_at: toIsoMicros(one.created_at),
        })),
        created_at: toIsoMicros(it.created_at),
      }),
    )
  }
  return exported
}

/** Returns the published automations: their live versions, without drafts and earlier versions. */
export async function exportAutomations(exporting: Exporting): Promise<Fields[]> {
  const { query, account, names, vault } = exporting
  const exported: Fields[] = []
  for (const row of await listAutomations(query, account.id)) {
    const live = row.live_version === null ? undefined : await findVersion(query, row.live_version)
    if (!live) continue
    const definition = maskSecrets(exporting, readDefinition(vault, live))
    exported.push(
      omitDefaults('automations', {
        ...names.add('automate', row.id, row.name),
        name: row.name,
        assistant_id: names.nameOf('assistants', live.assistant_id),
        bind_webhook: live.event === 'conversation_ended' ? live.event : undefined,
        flow: toFlow(withNames(exporting, definition)),
        id: row.id,
        enabled: row.status === 'enabled',
        ...timesOfRow(row),
      }),
    )
  }
  return exported
}

/** Replaces the ids in the steps of a definition by names. */
const withNames = ({ names }: Exporting, definition: AutomationNode): AutomationNode =>
  names.replaceIds(
    definition as unknown as Fields,
    idReferencesIn(definition, '').map(({ path, to }) => ({ path: path.slice(1), to })),
  ) as unknown as AutomationNode
