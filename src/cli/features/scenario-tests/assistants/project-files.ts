import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readDocument } from '../../../program/input/read-document.ts'
import { parseSelection } from '../../as-code/project-layout.ts'

type Fields = Readonly<Record<string, unknown>>

/** The assistants, tools and automations of a project folder, as their files have them. */
export interface ProjectFiles {
  readonly assistants: readonly Fields[]
  readonly tools: readonly Fields[]
  readonly automations: readonly Fields[]
  /** Paths of the files by list and name, such as `tools/book_appointment`. */
  readonly files?: ReadonlyMap<string, string>
  /** Automations whose files are invalid and that scenarios run without, a text each. */
  readonly problems?: readonly string[]
}

/**
 * Reads the files of `parley pull`, as far as the folder has them. An automation that is invalid is reported in
 * `problems`, because few scenarios need it. @throws ClientFailure `usage` with the file and the field of everything else
 */
export async function readProjectFiles(context: Context, folder: string): Promise<ProjectFiles> {
  const found: Record<string, Fields[]> = { assistants: [], tools: [], automations: [] }
  const files = new Map<string, string>()
  const problems: string[] = []
  const { layout } = await parseSelection(context, [folder], 'tools,assistants,automations')
  for (const [below, kind] of layout) {
    const path = join(folder, below)
    for (const name of existsSync(path) ? readdirSync(path).sort() : []) {
      if (!/\.ya?ml$/.test(name)) continue
      const file = join(path, name)
      const shown = relative(context.system.cwd, file)
      try {
        const document = (await readDocument(context.system, file, kind.documentSchema, shown)) as Fields
        const content = await kind.normalize(document, shown)
        found[below]?.push(content)
        files.set(`${below}/${String(content.name)}`, shown)
      } catch (error) {
        const { message, code } = error as { readonly message: string; readonly code?: string }
        if (below !== 'automations' || code !== 'usage') throw error
        problems.push(message)
      }
    }
  }
  const { assistants = [], tools = [], automations = [] } = found
  return { assistants, tools, automations, files, problems }
}

/** Reads the files of a project, which has assistants. @throws ClientFailure `usage` as `readProjectFiles`, and without assistants */
export async function readProject(context: Context, folder: string): Promise<ProjectFiles> {
  const project = await readProjectFiles(context, folder)
  if (project.assistants.length === 0)
    throw usageError(`${folder} has no assistants.`, `Export those of the platform: parley pull ${folder}`)
  return project
}
