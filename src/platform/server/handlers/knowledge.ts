import {
  type KnowledgeBase,
  type KnowledgeDocument,
  type KnowledgePassage,
  knowledge,
} from '../../../contract/resources/knowledge.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { ScoredPassage } from '../../services/knowledge/knowledge-search.ts'
import { type KnowledgeDraft, knowledgeService, knowledgeStatus } from '../../services/knowledge/knowledge-service.ts'
import { readUploadedDocument } from '../../services/knowledge/uploaded-document.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { KnowledgeDocumentRow } from '../../store/knowledge/documents.ts'
import type { KnowledgeBaseWithCounts } from '../../store/knowledge/knowledge-bases.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const knowledgeResource = (deps: Deps): LoadedResource => loadedResource(knowledge, knowledgeHandlers(deps))

/** Creates the handlers of knowledge bases. */
function knowledgeHandlers(deps: Deps): HandlersOf<typeof knowledge> {
  const service = knowledgeService(deps)
  return {
    list: async (_, { account }) => ({ data: (await service.list(account.id)).map(toWire) }),
    get: async ({ id }, { account }) => ({ data: toWire(await service.get(account.id, id)) }),
    create: async (draft, { account }) => ({
      message: 'Knowledgebase created successfully.',
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...change }, { account }) => ({
      message: 'Knowledgebase updated successfully.',
      data: toWire(await service.update(account.id, id, change as Partial<KnowledgeDraft>)),
    }),
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Knowledgebase deleted successfully.' }
    },
    search: async ({ id, query }, { account }) => ({
      data: (await service.search(account.id, id, query)).map(toPassage),
    }),
    listDocuments: async ({ id }, { account }) => ({
      data: (await service.listDocuments(account.id, id)).map(toDocument),
    }),
    getDocument: async ({ id, docId }, { account }) => ({
      data: toDocument(await service.getDocument(account.id, id, docId)),
    }),
    async createDocument({ id, name, description, type, url, links, relative_links_limit: limit, file }, { account }) {
      const source =
        type !== 'website' && file
          ? await readUploadedDocument(type, file)
          : { url, links: links?.map((it) => it.link), limit }
      return {
        message: 'Document created successfully.',
        data: toDocument(await service.addDocument(account.id, id, { name, description, type, source })),
      }
    },
    updateDocument: async ({ id, docId, ...change }, { account }) => ({
      message: 'Document updated successfully.',
      data: toDocument(await service.updateDocument(account.id, id, docId, change as Partial<KnowledgeDraft>)),
    }),
    async deleteDocument({ id, docId }, { account }) {
      await service.deleteDocument(account.id, id, docId)
      return { message: 'Document deleted successfully.' }
    },
  }
}

/** Words of the answers for the status; clients show them. */
const statusLabels = { empty: 'Empty', processing: 'Processing', active: 'Active', failed: 'Failed' } as const

function toWire(base: KnowledgeBaseWithCounts): KnowledgeBase {
  const status = knowledgeStatus(base)
  return {
    id: base.base.id,
    name: base.base.name,
    description: base.base.description,
    status,
    status_label: statusLabels[status],
    documents_count: Object.values(base.documents).reduce((sum, n) => sum + (n ?? 0), 0),
    assistants_count: base.assistants,
    created_at: toIsoMicros(base.base.created_at),
    updated_at: toIsoMicros(base.base.updated_at),
  }
}

const toPassage = ({ documentId, document, text, address, score }: ScoredPassage): KnowledgePassage => ({
  document_id: documentId,
  document,
  score: Math.round(score * 1000) / 1000,
  text,
  url: address === '' ? null : address,
})

const toDocument = (row: KnowledgeDocumentRow): KnowledgeDocument => ({
  id: row.id,
  name: row.name,
  description: row.description,
  type: row.type,
  status: row.status,
  status_label: statusLabels[row.status],
  error: row.failure,
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})
