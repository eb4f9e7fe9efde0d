import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly, publicDeployments } from '../endpoint/endpoint-origins.ts'
import { evenIfInvalid, id, isoMicros, text, webAddress } from '../endpoint/field-schemas.ts'
import {
  createdResponse,
  deletedResponse,
  listResponse,
  recordResponse,
  updatedResponse,
} from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'

const statuses = z.enum(['empty', 'processing', 'active', 'failed'])

/** Knowledge base: documents that an assistant can search. */
export const KnowledgeBase = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  status: statuses,
  status_label: z.string(),
  documents_count: z.int(),
  assistants_count: z.int(),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type KnowledgeBase = z.output<typeof KnowledgeBase>

const documentTypes = z.enum(['website', 'pdf', 'txt', 'docx'])

/** Document of a knowledge base, processed in the background. */
export const KnowledgeDocument = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  type: documentTypes,
  status: statuses.exclude(['empty']),
  status_label: z.string(),
  error: z.string().nullable().optional().describe('Why processing failed; not on every deployment'),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type KnowledgeDocument = z.output<typeof KnowledgeDocument>

/** Passage of a document that matches a question. */
export const KnowledgePassage = z.object({
  document_id: z.int().describe('Id of the document'),
  document: z.string().describe('Name of the document'),
  score: z.number().describe('How well it matches; comparable only within one search'),
  text: z.string(),
  url: z.string().nullable().describe('Page that it is from; null for an uploaded file'),
})
export type KnowledgePassage = z.output<typeof KnowledgePassage>

const fields = {
  name: text(255, 1).describe('Name, at most 255 characters'),
  description: text(255).nullable().describe('Description, at most 255 characters'),
}
const draft = z.object({ name: fields.name, description: fields.description.optional() })
const change = z.object(fields).partial()

/** Maximum size of a file in kilobytes: 20 MB, which the description below and the help of `--upload` name. */
export const maxFileKilobytes = 20 * 1024

/** Message for a file in a JSON request body, which cannot carry one. */
const jsonFileError = 'Files are sent as multipart/form-data; as JSON only websites can be added.'

/** Fields of a new document. */
export const documentDraft = z
  .object({
    ...draft.shape,
    type: documentTypes.describe('Type of document'),
    url: webAddress(2048).optional().describe('URL of the website'),
    links: z
      .array(z.object({ link: webAddress(2048).describe('URL of the page') }))
      .min(1)
      .optional()
      .describe('Single pages of the website, instead of url'),
    relative_links_limit: z.int().min(1).max(50).default(10).describe('Maximum number of linked pages to add, 1-50'),
    file: z
      .file()
      .refine((it) => it.size <= maxFileKilobytes * 1024, { params: { rule: 'kilobytes', max: maxFileKilobytes } })
      .optional()
      .describe('File to upload as multipart/form-data, at most 20 MB'),
  })
  .superRefine((body, ctx) => {
    const site = body.type === 'website'
    if (site && body.url === undefined && body.links === undefined)
      ctx.addIssue({ code: 'custom', path: ['url'], message: 'The url field is required when links is not present.' })
    if (!site && documentTypes.options.includes(body.type) && body.file === undefined)
      ctx.addIssue({
        code: 'custom',
        path: ['file'],
        message: `The file field is required when type is ${body.type}. ${jsonFileError}`,
      })
  }, evenIfInvalid)

const base = '/api/user/knowledgebases'
const path = z.object({ id: id.describe('Id of the knowledge base') })
const documentPath = z.object({ ...path.shape, docId: id.describe('Id of the document') })

export const knowledge = resource('knowledge', {
  list: {
    ...publicDeployments,
    ...listResponse(KnowledgeBase),
    method: 'GET',
    path: base,
    summary: 'List knowledge bases',
    errors: [],
  },
  get: {
    ...publicDeployments,
    ...recordResponse(KnowledgeBase),
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'Show a knowledge base',
    params: path,
    errors: ['knowledge.not_found'],
  },
  create: {
    ...publicDeployments,
    ...createdResponse(KnowledgeBase),
    method: 'POST',
    path: base,
    summary: 'Create a knowledge base',
    body: draft,
    errors: ['knowledge.failed'],
  },
  update: {
    ...publicDeployments,
    ...updatedResponse(KnowledgeBase),
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Update a knowledge base; omitted fields are unchanged',
    params: path,
    body: change,
    errors: ['knowledge.not_found', 'knowledge.failed'],
  },
  delete: {
    ...publicDeployments,
    ...deletedResponse,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a knowledge base; assistants lose access to it',
    params: path,
    errors: ['knowledge.not_found', 'knowledge.failed'],
  },
  search: {
    ...parleyServerOnly('knowledge-search', 'A knowledge base can be searched as its assistants search it'),
    ...listResponse(KnowledgePassage),
    method: 'GET',
    path: `${base}/{id}/search`,
    summary: 'Search a knowledge base for passages',
    params: path,
    query: z.object({ query: text(500, 1).describe('Question, or words to search for, at most 500 characters') }),
    errors: ['knowledge.not_found'],
  },
  listDocuments: {
    ...publicDeployments,
    ...listResponse(KnowledgeDocument),
    method: 'GET',
    path: `${base}/{id}/documents`,
    summary: 'List the documents of a knowledge base',
    params: path,
    errors: ['knowledge.not_found'],
  },
  getDocument: {
    ...publicDeployments,
    ...recordResponse(KnowledgeDocument),
    method: 'GET',
    path: `${base}/{id}/documents/{docId}`,
    summary: 'Show a document',
    params: documentPath,
    errors: ['knowledge.not_found', 'knowledge.document_not_found'],
  },
  createDocument: {
    ...publicDeployments,
    ...createdResponse(KnowledgeDocument),
    method: 'POST',
    path: `${base}/{id}/documents`,
    summary: 'Add a website or file to a knowledge base',
    params: path,
    body: documentDraft,
    errors: ['knowledge.not_found', 'knowledge.failed'],
  },
  updateDocument: {
    ...publicDeployments,
    ...updatedResponse(KnowledgeDocument),
    method: 'PUT',
    path: `${base}/{id}/documents/{docId}`,
    summary: 'Rename or describe a document',
    params: documentPath,
    body: change,
    errors: ['knowledge.not_found', 'knowledge.document_not_found', 'knowledge.failed'],
  },
  deleteDocument: {
    ...publicDeployments,
    ...deletedResponse,
    method: 'DELETE',
    path: `${base}/{id}/documents/{docId}`,
    summary: 'Delete a document',
    params: documentPath,
    errors: ['knowledge.not_found', 'knowledge.document_not_found', 'knowledge.failed'],
  },
})
