import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { knowledge as endpoints } from '../../../contract/resources/knowledge.ts'
import * as z from '../../../contract/schema/schema.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { orderedFields } from '../../program/documents/document-fields.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { pathId } from '../../program/input/ids.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import { readUpload } from './documents/read-upload.ts'

/**
 * Fields of a document that the platform returns. Files of users have these fields, and the next ones: they are added,
 * not renamed.
 */
const shownFields = ['name', 'description', 'type']
/** Fields with the content of a document, which the platform does not return. */
const contentFields = ['url', 'links', 'relative_links_limit', 'file']
const { file: _, ...draftFields } = endpoints.createDocument.body.shape
const documentSchema = z.object({
  ...draftFields,
  relative_links_limit: draftFields.relative_links_limit.optional(),
  file: z.string().optional(),
})
const fields = { ...endpoints.create.body.shape, documents: z.array(documentSchema).optional() }

const kind = recordFiles(
  {
    noun: 'knowledge',
    singular: 'knowledge base',
    resourceKind: 'knowledge',
    documentSchema: z.object(fields),
    updateSchema: z.object({ ...endpoints.update.body.shape, documents: fields.documents }),
  },
  endpoints,
)

const documentsOf = ({ documents }: ResourceRecord): readonly ResourceRecord[] =>
  Array.isArray(documents) ? (documents as readonly ResourceRecord[]) : []
/** Returns whether a document of a file has its content. One that was exported has none, because the platform does not return it. */
export const hasContent = (document: ResourceRecord): boolean =>
  ['url', 'links', 'file'].some((name) => document[name] !== undefined)
const isSameDocument = (one: ResourceRecord, other: ResourceRecord): boolean =>
  one.name === other.name && one.type === other.type

async function withDocuments({ call }: Context, base: ResourceRecord): Promise<ResourceRecord> {
  const { data } = await call(endpoints.listDocuments, { id: pathId(String(base.id)) })
  return { ...base, documents: data }
}

/**
 * Knowledge bases with their documents. The platform returns the name, description and type of a document; a file also has
 * its content, as `url`, `links` or `file`. Files of users have `noun` as the name of their folder, and the names of fields:
 * they are added, not renamed.
 */
export const knowledge: ResourceFiles = {
  ...kind,
  async list(context) {
    const found: ResourceRecord[] = []
    for (const base of await kind.list(context)) found.push(await withDocuments(context, base))
    return found
  },
  get: async (context, id) => withDocuments(context, await kind.get(context, id)),
  toContent: (raw) => ({
    ...kind.toContent({ ...raw, documents: undefined }),
    documents: [...documentsOf(raw)]
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map((it) => ({ ...orderedFields(it, shownFields) })),
  }),
  comparable: (content) =>
    content.documents === undefined
      ? content
      : {
          ...content,
          documents: documentsOf(content)
            .map((it) => orderedFields(it, shownFields))
            .sort((a, b) => (stringifyJson(a) < stringifyJson(b) ? -1 : 1)),
        },
  keepLocalParts: (remote, local) => ({
    ...remote,
    documents: documentsOf(remote).map((document) => {
      const counterpart = documentsOf(local).find((one) => isSameDocument(one, document))
      return { ...document, ...(counterpart && orderedFields(counterpart, contentFields)) }
    }),
  }),
  check(content, live, path) {
    for (const [n, document] of documentsOf(content).entries()) {
      const isKnown = live && documentsOf(live).some((one) => isSameDocument(one, document))
      if (!isKnown && !hasContent(document))
        throw usageError(
          `${path}: documents.${n}: "${document.name}" has no content, which the platform does not return. Nothing was changed.`,
          'Add its url, links or file.',
        )
      if (typeof document.file === 'string' && !existsSync(resolve(dirname(path), document.file)))
        throw usageError(`${path}: documents.${n}.file: ${document.file} not found. Nothing was changed.`)
    }
  },
  async create(context, { documents, ...content }, file, options) {
    const { id } = await kind.create(context, content, file, options)
    await writeDocuments(context, pathId(id), documentsOf({ documents }), options.path ?? file)
    return { id }
  },
  async update(context, id, { documents, ...change }, options) {
    if (Object.keys(change).length > 0) await kind.update(context, id, change, options)
    if (documents !== undefined)
      await writeDocuments(context, pathId(id), documentsOf({ documents }), options.path ?? '')
    return { id }
  },
}

/** Adds, changes and deletes documents, so that the knowledge base has those of the file. */
async function writeDocuments(
  context: Context,
  id: number,
  wanted: readonly ResourceRecord[],
  path: string,
): Promise<void> {
  const { data: live } = await context.call(endpoints.listDocuments, { id })
  for (const document of wanted) {
    const current = live.find((one) => isSameDocument(one, document))
    if (!current) await addDocument(context, id, document, path)
    else if ((current.description ?? null) !== (document.description ?? null))
      await context.call(endpoints.updateDocument, {
        id,
        docId: current.id,
        description: document.description ?? null,
      } as never)
  }
  for (const document of live)
    if (!wanted.some((one) => isSameDocument(one, document)))
      await context.call(endpoints.deleteDocument, { id, docId: document.id })
}

async function addDocument(context: Context, id: number, document: ResourceRecord, path: string): Promise<void> {
  const { file, ...input } = document
  const upload = typeof file === 'string' ? { file: readUpload(context, resolve(dirname(path), file)).file } : {}
  await context.call(endpoints.createDocument, { ...input, ...upload, id } as never)
}
