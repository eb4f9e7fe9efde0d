import { Failure } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import type { WebsiteSource } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import { runInBackground, ShutdownAbort } from '../../jobs/background-queue.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import {
  completeDocument,
  deleteDocument,
  findDocument,
  findDocumentById,
  insertDocument,
  insertPassages,
  type KnowledgeDocumentRow,
  listDocuments,
  updateDocumentRow,
} from '../../store/knowledge/documents.ts'
import {
  deleteKnowledgeBase,
  findKnowledgeBase,
  insertKnowledgeBase,
  type KnowledgeBaseWithCounts,
  listKnowledgeBases,
  lockKnowledgeBase,
  updateKnowledgeBase,
} from '../../store/knowledge/knowledge-bases.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { findSearchableKnowledge, type ScoredPassage, searchKnowledge } from './knowledge-search.ts'
import { splitDocument } from './split-passages.ts'
import { type UploadedSource, uploadedOutcome } from './uploaded-document.ts'

/** Kind of the job that ingests a document. The subject is the document's id. Its rows have this name, so it never changes. */
export const documentJobKind = 'document'

/** Attempts to read a website that is busy or unreachable. */
const maxAttempts = 3

/** Maximum passages of a search. */
const maxPassages = 20

/** The input for a new knowledge base. */
export interface KnowledgeDraft {
  readonly name: string
  readonly description?: string | null | undefined
}

/**
 * The input for a new document. Its source is stored as JSON, which jobs of later versions and the export of sample data read: fields are added, not
 * renamed.
 */
interface DocumentDraft extends KnowledgeDraft {
  readonly type: KnowledgeDocumentRow['type']
  readonly source: WebsiteSource | UploadedSource
}

const isUpload = (source: WebsiteSource | UploadedSource): source is UploadedSource => 'file' in source

const requireBase = <T>(base: T | undefined): T => {
  if (base === undefined) throw new Failure('knowledge.not_found')
  return base
}

const requireDocument = (document: KnowledgeDocumentRow | undefined): KnowledgeDocumentRow => {
  if (!document) throw new Failure('knowledge.document_not_found')
  return document
}

const toChange = ({ name, description }: Partial<KnowledgeDraft>) => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
})

/** Returns the status of a knowledge base. It is usable as soon as one document is. */
export function knowledgeStatus({
  documents,
}: Pick<KnowledgeBaseWithCounts, 'documents'>): 'empty' | KnowledgeDocumentRow['status'] {
  if (documents.processing) return 'processing'
  if (documents.active) return 'active'
  return documents.failed ? 'failed' : 'empty'
}

async function outcomeOfUpload(source: UploadedSource) {
  return uploadedOutcome(source)
}

/** Manages knowledge bases and their documents. Scheduled jobs ingest the documents. */
export function knowledgeService(deps: Pick<Deps, 'connection' | 'clock' | 'providers' | 'backgroundQueue'>) {
  const { connection, clock, providers } = deps
  const { read, write } = connection

  /** Locks the base until the transaction ends. Returns the current time. */
  async function lockBase(query: AccountQuery, account: number, base: number): Promise<Micros> {
    const now = await clock.now(query)
    if (!(await lockKnowledgeBase(accountQuery(query, account), base, now))) throw new Failure('knowledge.not_found')
    return now
  }

  async function ingest(
    document: KnowledgeDocumentRow,
    source: WebsiteSource | UploadedSource,
    { subject, attempts }: JobRow,
    signal: AbortSignal,
  ): Promise<void> {
    const outcome = isUpload(source) ? await outcomeOfUpload(source) : await providers.reader.read(source, signal)
    // A shutdown is not an outcome of the website.
    if (signal.reason instanceof ShutdownAbort) throw signal.reason
    if (!outcome.ok && 'again' in outcome && outcome.again && attempts + 1 < maxAttempts)
      throw new Error(outcome.reason)
    const rows = outcome.ok ? splitDocument(document, outcome.pages) : []
    await write({ account: document.account_id }, async (query) => {
      const settled = {
        status: outcome.ok ? 'active' : 'failed',
        failure: outcome.ok ? null : outcome.reason,
        updated_at: await clock.now(query),
        // The text is in the passages now.
        ...(isUpload(source) && { source: stringifyJson({ file: source.file }) }),
      } as const
      if (await completeDocument(query, document.id, settled)) await insertPassages(query, rows)
      await unscheduleJob(query, documentJobKind, subject)
    })
  }

  return {
    list: (account: number): Promise<KnowledgeBaseWithCounts[]> => listKnowledgeBases(accountQuery(read, account)),

    get: async (account: number, id: number): Promise<KnowledgeBaseWithCounts> =>
      requireBase(await findKnowledgeBase(accountQuery(read, account), id)),

    create: (account: number, { name, description = null }: KnowledgeDraft): Promise<KnowledgeBaseWithCounts> =>
      write({ account }, async (query) => {
        const now = await clock.now(query)
        return {
          base: await insertKnowledgeBase(query, {
            account_id: account,
            name,
            description,
            created_at: now,
            updated_at: now,
          }),
          documents: {},
          assistants: 0,
        }
      }),

    update: (account: number, id: number, draft: Partial<KnowledgeDraft>): Promise<KnowledgeBaseWithCounts> =>
      write({ account }, async (query) => {
        await updateKnowledgeBase(query, id, { ...toChange(draft), updated_at: await clock.now(query) })
        return requireBase(await findKnowledgeBase(query, id))
      }),

    /** Deletes a knowledge base with its documents. Assistants that used it continue without it. */
    delete: (account: number, id: number): Promise<void> =>
      write({ account }, async (query) => {
        await lockBase(query, account, id)
        for (const document of await listDocuments(query, id))
          await unscheduleJob(query, documentJobKind, String(document.id))
        await deleteKnowledgeBase(query, id)
      }),

    /** Returns the passages that an assistant finds for a question, best first, and further ones. Empty without documents. */
    async search(account: number, id: number, text: string): Promise<ScoredPassage[]> {
      const own = accountQuery(read, account)
      requireBase(await findKnowledgeBase(own, id))
      const knowledge = await findSearchableKnowledge(own, account, id)
      return knowledge ? searchKnowledge(own, knowledge, text, maxPassages) : []
    },

    async listDocuments(account: number, base: number): Promise<KnowledgeDocumentRow[]> {
      requireBase(await findKnowledgeBase(accountQuery(read, account), base))
      return listDocuments(accountQuery(read, account), base)
    },

    async getDocument(account: number, base: number, id: number): Promise<KnowledgeDocumentRow> {
      requireBase(await findKnowledgeBase(accountQuery(read, account), base))
      return requireDocument(await findDocument(accountQuery(read, account), base, id))
    },

    /** Stores a document with the status `processing` and schedules its ingestion. */
    addDocument: (
      account: number,
      base: number,
      { name, description = null, type, source }: DocumentDraft,
    ): Promise<KnowledgeDocumentRow> =>
      write({ account }, async (query) => {
        const now = await lockBase(query, account, base)
        const document = await insertDocument(query, {
          account_id: account,
          knowledge_base_id: base,
          name,
          description,
          type,
          status: 'processing',
          source: stringifyJson(source),
          created_at: now,
          updated_at: now,
        })
        await scheduleJob(query, { account, kind: documentJobKind, subject: String(document.id), at: now })
        return document
      }),

    updateDocument: (
      account: number,
      base: number,
      id: number,
      draft: Partial<KnowledgeDraft>,
    ): Promise<KnowledgeDocumentRow> =>
      write({ account }, async (query) => {
        const now = await lockBase(query, account, base)
        requireDocument(await findDocument(query, base, id))
        return updateDocumentRow(query, id, { ...toChange(draft), updated_at: now })
      }),

    deleteDocument: (account: number, base: number, id: number): Promise<void> =>
      write({ account }, async (query) => {
        await lockBase(query, account, base)
        requireDocument(await findDocument(query, base, id))
        await unscheduleJob(query, documentJobKind, String(id))
        await deleteDocument(query, id)
      }),

    /**
     * Scheduled job: ingests a document. It becomes `active`, or `failed` when it cannot be read, which for a busy or
     * unreachable website is decided after several attempts.
     */
    async process(row: JobRow): Promise<void> {
      const document = await findDocumentById(accountQuery(read, row.account_id), Number(row.subject))
      if (document?.status !== 'processing')
        return write({ rows: row.account_id }, (query) => unscheduleJob(query, documentJobKind, row.subject))
      const source = parseJson(document.source) as WebsiteSource | UploadedSource
      const job = (signal: AbortSignal): Promise<void> => ingest(document, source, row, signal)
      return !isUpload(source) && providers.reader.isRemote(source)
        ? runInBackground(deps, row, job)
        : withTimeLimit(60_000, [], job)
    },
  }
}
