import { type KnowledgeBase, type KnowledgeDocument, knowledge } from '../../../contract/resources/knowledge.ts'
import type { Waitable } from '../../program/waiting/waitable.ts'

/**
 * The conditions of both. Scripts have the names of the conditions in `--wait`, and the first one is the default: more are
 * added behind it, and none is renamed.
 */
const conditions = { active: { reached: ['active'], pending: ['processing'] } } as const

/** How a knowledge base is waited for, until all its documents are processed. */
export const knowledgeWait: Waitable = {
  singular: 'knowledge base',
  conditions,
  read: async ({ call }, { id }) => (await call(knowledge.get, { id: id as number })).data,
  stateOf: (record) => (record as KnowledgeBase).status,
  async detailOf({ call }, _, { id }) {
    const { data } = await call(knowledge.listDocuments, { id: id as number })
    const open = data.filter(({ status }) => status !== 'active')
    return open.length === 0 ? undefined : `not active: ${open.map((it) => `${it.name} (${it.status})`).join(', ')}`
  },
  shownBy: ({ id }) => ({ words: 'knowledge get', argument: String(id) }),
}

/** How a document is waited for, until assistants can search it. Its ids are those of `knowledge.getDocument`. */
export const documentWait: Waitable = {
  singular: 'document',
  conditions,
  read: async ({ call }, { id, docId }) =>
    (await call(knowledge.getDocument, { id: id as number, docId: docId as number })).data,
  stateOf: (record) => (record as KnowledgeDocument).status,
  detailOf: async (_, record) => (record as KnowledgeDocument).error ?? undefined,
  shownBy: ({ id, docId }) => ({
    words: 'knowledge documents get',
    argument: String(docId),
    flags: { knowledge: String(id) },
  }),
}
