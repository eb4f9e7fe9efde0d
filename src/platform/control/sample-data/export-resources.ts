import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { openToolFields } from '../../services/assistants/sealed-tool-fields.ts'
import { openConnectionSecret } from '../../services/automations/ports/connection-service.ts'
import { listKeys } from '../../store/accounts/api-keys.ts'
import type { GroupingKind } from '../../store/assistants/groupings.ts'
import { listGroupings } from '../../store/assistants/groupings.ts'
import { listTools } from '../../store/assistants/tools.ts'
import { listConnections } from '../../store/automations/account-connections.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { type KnowledgeDocumentRow, listDocuments } from '../../store/knowledge/documents.ts'
import type { PassageRow } from '../../store/knowledge/passages.ts'
import type { KnowledgeBaseTable } from '../../store/knowledge/tables.ts'
import { type Exporting, isoOrNothing, maskSecrets, timesOfRow } from './export-context.ts'
import { omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the API keys. The first key of the first account belongs to the data folder and has no hash in a file. */
export async function exportKeys({ query, account, hasSecrets }: Exporting, isFirst: boolean): Promise<Fields[]> {
  return (await listKeys(query, account.id)).map((key, n) =>
    omitDefaults('keys', {
      name: key.name,
      hash: hasSecrets && !(isFirst && n === 0) ? key.hash : undefined,
      last_used_at: isoOrNothing(key.last_used_at),
      created_at: toIsoMicros(key.created_at),
    }),
  )
}

/** Returns the folders or labels. */
export async function exportGroupings({ query, account, names }: Exporting, kind: GroupingKind): Promise<Fields[]> {
  const list = `${kind}s` as const
  const { rows } = await listGroupings(query, kind, account.id, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  return rows.map((grouping) =>
    omitDefaults(list, {
      ...names.add(list, grouping.id, grouping.name),
      name: grouping.name,
      color: grouping.color ?? undefined,
      created_at: toIsoMicros(grouping.created_at),
    }),
  )
}

export async function exportConnections({ query, account, vault, hasSecrets }: Exporting): Promise<Fields[]> {
  return (await listConnections(query, account.id)).map((connection) =>
    omitDefaults('connections', {
      ...connection,
      ...timesOfRow(connection),
      secret: hasSecrets ? openConnectionSecret(vault, connection) : undefined,
    }),
  )
}

/** Returns the tools. `automationNames` are the names of the automations by id. */
export async function exportTools(
  exporting: Exporting,
  automationNames: ReadonlyMap<string, string>,
): Promise<Fields[]> {
  const { query, account, names, vault } = exporting
  return (await listTools(query, account.id)).map((stored) => {
    const opened = openToolFields(vault, stored)
    return omitDefaults('tools', {
      ...maskSecrets(exporting, {
        ...opened,
        headers: parseJson(opened.headers),
        static_fields: parseJson(opened.static_fields),
        schema: parseJson(opened.schema),
      }),
      ...names.add('tools', opened.id, opened.name),
      automation_id:
        opened.automation_id === null ? undefined : (automationNames.get(opened.automation_id) ?? opened.automation_id),
      ...timesOfRow(opened),
    })
  })
}

/** Returns the knowledge bases with their documents and the text of these. */
export async function exportKnowledge({ query, account, names }: Exporting): Promise<Fields[]> {
  const bases = await readAccountRows<Required<KnowledgeBaseTable> & { id: number }>(
    query,
    'knowledge_base',
    account.id,
  )
  const passages = await readAccountRows<PassageRow>(query, 'knowledge_passage', account.id, 'position')
  const exported: Fields[] = []
  for (const base of bases) {
    const documents = await listDocuments(query, account.id, base.id)
    exported.push(
      omitDefaults('knowledge', {
        ...names.add('knowledge', base.id, base.name),
        name: base.name,
        description: base.description ?? undefined,
        documents: documents.map((one) => documentFields(one, passages)),
        ...timesOfRow(base),
      }),
    )
  }
  return exported
}

function documentFields(document: KnowledgeDocumentRow, passages: readonly PassageRow[]): Fields {
  const source = parseJson(document.source) as Readonly<{
    url?: string
    links?: readonly string[]
    limit?: number
    file?: string
  }>
  return {
    name: document.name,
    description: document.description ?? undefined,
    type: document.type,
    url: source.url,
    links: source.links?.map((link) => ({ link })),
    relative_links_limit: source.limit,
    file: source.file,
    status: document.status,
    error: document.failure,
    pages: passages
      .filter((one) => one.document_id === document.id)
      .map(({ address, title, text }) => ({ address, title, text })),
    ...timesOfRow(document),
  }
}
