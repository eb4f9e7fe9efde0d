import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ResourceRecord } from '../../../../contract/values/json-object.ts'
import { knowledge } from '../../../nouns/knowledge/files.ts'
import type { Context } from '../../../program/context.ts'
import type { SyncSide } from '../compare.ts'
import { readDocuments, toSide } from '../compare-folder.ts'
import { missingFolderError } from '../project-layout.ts'

/** Documents with their content, by the name of their knowledge base. */
export type DocumentContents = ReadonlyMap<string, readonly ResourceRecord[]>

const documentsOf = ({ documents }: ResourceRecord): readonly ResourceRecord[] =>
  Array.isArray(documents) ? (documents as readonly ResourceRecord[]) : []

/**
 * Reads the documents of the knowledge bases in a project folder. Paths of uploads become absolute. @throws
 * ClientFailure `usage` for a missing folder and for an invalid file
 */
export async function readDocumentContents(context: Context, folder: string): Promise<DocumentContents> {
  if (!existsSync(folder))
    throw missingFolderError(folder, { cwd: context.system.cwd, here: '--documents .', pull: `parley pull ${folder}` })
  const found = new Map<string, readonly ResourceRecord[]>()
  for (const [path, content] of await readDocuments(context, folder, 'knowledge', knowledge))
    found.set(
      String(content.name),
      documentsOf(content).map((document) =>
        typeof document.file === 'string'
          ? { ...document, file: resolve(folder, dirname(path), document.file) }
          : document,
      ),
    )
  return found
}

/**
 * Returns a knowledge base of the source as it can be written: documents that the target has, and those whose content is
 * in the files. Documents that only the target has are preserved. `unread` has the names of all others.
 */
export async function withReadableDocuments(
  side: SyncSide,
  target: ResourceRecord | undefined,
  contents: DocumentContents,
): Promise<{ readonly side: SyncSide; readonly unread: readonly string[] }> {
  const isSame = (one: ResourceRecord, other: ResourceRecord): boolean =>
    one.name === other.name && one.type === other.type
  const existing = documentsOf(target ?? {})
  const inFiles = contents.get(side.name) ?? []
  const wanted: ResourceRecord[] = []
  const unread: string[] = []
  for (const document of documentsOf(side.content)) {
    const content = inFiles.find((one) => isSame(one, document) && (one.url ?? one.links ?? one.file) !== undefined)
    if (content) wanted.push({ ...content, ...document })
    else if (existing.some((one) => isSame(one, document))) wanted.push(document)
    else unread.push(`"${String(document.name)}" (${String(document.type)})`)
  }
  const own = existing.filter((it) => !wanted.some((one) => isSame(one, it)))
  return { side: await toSide(knowledge, { ...side.content, documents: [...wanted, ...own] }), unread }
}
