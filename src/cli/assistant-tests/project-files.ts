import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseSelection } from '../as-code/project-layout.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { readDocument } from '../input/read-document.ts'

type Fields = Readonly<Record<string, unknown>>

/** The assistants, tools and automations of a project folder, as their files have them. */
export interface ProjectFiles {
  readonly assistants: readonly Fields[]
  readonly tools: readonly Fields[]
  readonly automations: readonly Fields[]
}

/** Reads the files of `parley pull`. @throws ClientFailure `usage` with the file and the field */
export async function readProject(context: Context, folder: string): Promise<ProjectFiles> {
  const found: Record<string, Fields[]> = { assistants: [], tools: [], automations: [] }
  const { layout } = await parseSelection(context, [folder], 'tools,assistants,automations')
  for (const [below, kind] of layout) {
    const path = join(folder, below)
    for (const name of existsSync(path) ? readdirSync(path).sort() : []) {
      if (!/\.ya?ml$/.test(name)) continue
      const file = join(path, name)
      const document = (await readDocument(context.system, file, kind.documentSchema, file)) as Fields
      found[below]?.push(await kind.normalize(document, file))
    }
  }
  if (found.assistants?.length === 0)
    throw usageError(`${folder} has no assistants.`, `Export those of the platform: parley pull ${folder}`)
  return found as unknown as ProjectFiles
}
