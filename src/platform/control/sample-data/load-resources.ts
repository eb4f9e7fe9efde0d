import type { ConnectionKind } from '../../../engine/pieces/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { groupingService } from '../../services/assistants/grouping-service.ts'
import { type ToolDraft, toolService } from '../../services/assistants/tool-service.ts'
import { connectionService } from '../../services/automations/ports/connection-service.ts'
import { documentJobKind, knowledgeService } from '../../services/knowledge/knowledge-service.ts'
import { splitDocument } from '../../services/knowledge/split-passages.ts'
import { issueKey } from '../../services/runtime/api-keys.ts'
import { insertKey, updateKeyLastUsed } from '../../store/accounts/api-keys.ts'
import { setConnectionStatus } from '../../store/automations/account-connections.ts'
import { updateStoredRow } from '../../store/database/stored-rows.ts'
import { insertDocument } from '../../store/knowledge/documents.ts'
import { insertPassages } from '../../store/knowledge/passages.ts'
import type { KnowledgeDocumentTable } from '../../store/knowledge/tables.ts'
import { depsAt, type Loading, loadEach, setUpdatedAt, timeOf, timesOf } from './loading.ts'
import { objectsIn } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

/** Loads the API keys of an account. Returns the first one, whose secret is `secret` if the account is the first. */
export async function loadKeys(loading: Loading, isFirstAccount: boolean): Promise<string | undefined> {
  const { query, account, secret, secrets, now } = loading
  let local: string | undefined
  await loadEach(loading, 'keys', async ({ record, createdAt }) => {
    const isLocal = isFirstAccount && local === undefined
    const key = { account: account.id, name: String(record.name), now: createdAt }
    let id: number
    if (typeof record.hash === 'string' && !isLocal)
      id = (
        await insertKey(query, {
          account_id: key.account,
          name: key.name,
          hash: record.hash,
          last_used_at: null,
          created_at: createdAt,
        })
      ).id
    else {
      const issued = await issueKey(query, {
        ...key,
        secret: isLocal ? secret : secrets(`key ${key.account} ${key.name}`, 40),
      })
      id = issued.row.id
      local ??= issued.token
    }
    const usedAt = timeOf(loading, record.last_used_at, undefined)
    if (usedAt !== undefined) await updateKeyLastUsed(query, id, usedAt)
    return undefined
  })
  if (!isFirstAccount) return undefined
  return local ?? (await issueKey(query, { account: account.id, name: 'local', secret, now })).token
}

/** Loads folders, labels, connections, tools and knowledge bases. */
export async function loadResources(loading: Loading): Promise<void> {
  const { query, account } = loading
  for (const [list, kind] of [
    ['folders', 'folder'],
    ['labels', 'label'],
  ] as const)
    await loadEach(
      loading,
      list,
      async ({ body, createdAt }) =>
        (await groupingService(depsAt(loading, createdAt), kind).create(account.id, body as { name: string })).id,
    )
  await loadEach(loading, 'connections', async (record) => {
    const draft = record.body as { kind: ConnectionKind; name?: string; secret: unknown }
    const { id } = await connectionService(depsAt(loading, record.createdAt)).add(account.id, draft)
    if (record.record.status === 'expired')
      await setConnectionStatus(query, account.id, id, 'expired', record.updatedAt)
    await setUpdatedAt(loading, 'automation_connection', id, record)
    return undefined
  })
  await loadEach(loading, 'tools', async (record) => {
    const { id } = await toolService(depsAt(loading, record.createdAt)).create(
      account.id,
      record.body as unknown as ToolDraft,
    )
    await setUpdatedAt(loading, 'tool', id, record)
    return id
  })
  await loadEach(loading, 'knowledge', async (record) => {
    const { base } = await knowledgeService(depsAt(loading, record.createdAt)).create(
      account.id,
      record.body as { name: string },
    )
    await setUpdatedAt(loading, 'knowledge_base', base.id, record)
    for (const document of objectsIn(record.record.documents)) await loadDocument(loading, base.id, document)
    return base.id
  })
}

/** Sets the automations of tools, which are known once the automations are loaded. */
export async function linkTools(loading: Loading): Promise<void> {
  const { names, lists } = loading.data
  for (const { item } of lists.tools) {
    if (item.type !== 'automation') continue
    const tool = names.find({ path: '', to: 'tools' }, item.ref ?? item.name, item)
    const automation = names.find({ path: '', to: 'automate' }, item.automation_id, item)
    if ('id' in tool)
      await updateStoredRow(loading.query, 'tool', tool.id as number, {
        type: 'automation',
        automation_id: String('id' in automation ? automation.id : (item.automation_id ?? '')),
      })
  }
}

async function loadDocument(loading: Loading, base: number, record: Fields): Promise<void> {
  const { query, account } = loading
  const { createdAt, updatedAt } = timesOf(loading, record)
  const links = objectsIn(record.links).map(({ link }) => String(link))
  const row = await insertDocument(query, {
    account_id: account.id,
    knowledge_base_id: base,
    name: String(record.name),
    description: (record.description as string | null | undefined) ?? null,
    type: record.type as KnowledgeDocumentTable['type'],
    status: record.status as KnowledgeDocumentTable['status'],
    source: stringifyJson({
      ...(typeof record.file === 'string' && { file: record.file }),
      ...(typeof record.url === 'string' && { url: record.url }),
      ...(links.length > 0 && { links }),
      limit: record.relative_links_limit,
    }),
    failure: record.error as string | null,
    created_at: createdAt,
    updated_at: updatedAt,
  })
  if (row.status === 'processing')
    await scheduleJob(query, { account: account.id, kind: documentJobKind, subject: String(row.id), at: loading.now })
  const pages = objectsIn(record.pages) as never[]
  if (pages.length > 0) await insertPassages(query, splitDocument(row, pages))
}
