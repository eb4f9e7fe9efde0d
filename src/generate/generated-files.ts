// Every generated file and what it is made of. A test compares them with the files of the repository. The resources and
// commands are registered before anything is derived from them.
import '../cli/resources.ts'
import '../cli/tree.ts'

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { completionScripts } from '../cli/reference/completion/shell-scripts.ts'
import { createControlDocument } from '../contract/openapi/control-document.ts'
import { createOpenApiDocument } from '../contract/openapi/openapi-document.ts'
import { createSampleDataSchema } from '../contract/openapi/sample-data-schema.ts'
import { cliReference } from './cli-reference.ts'
import { clientTypesFile } from './client-types.ts'
import { commandDescriptionsFile, commandMapFile } from './command-descriptions.ts'
import { completionLines, completionTable } from './completion-table.ts'
import { testOutcomesModule, withTables } from './doc-tables.ts'
import { errorsPage } from './errors-page.ts'
import { llmsFile } from './llms-file.ts'
import { manPages } from './man-pages.ts'
import { piecesPage } from './pieces-page.ts'
import { examplesFile, recordExamples } from './record-examples.ts'
import { commandsFile, helpPagesFiles, programPageFile } from './reference-files.ts'
import { routesFile } from './route-table.ts'
import { sampleRowsFile } from './sample-rows.ts'
import { skillFile, skillModule } from './skill.ts'
import { terminalPicture } from './terminal-picture.ts'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * Returns the text of every generated file, by path from the root of the project. Tables inside pages of docs/ are
 * updated in place.
 */
async function generatedFiles(root: string): Promise<Readonly<Record<string, string>>> {
  const table = await completionTable()
  const examples = await recordExamples()
  const docs = readdirSync(join(root, 'docs')).filter((it) => it.endsWith('.md'))
  const pages = Object.fromEntries(docs.map((it) => [`docs/${it}`, readFileSync(join(root, 'docs', it), 'utf8')]))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    'src/generated/routes.ts': routesFile(),
    'src/generated/client-types.ts': clientTypesFile(),
    'src/generated/sample-rows.ts': await sampleRowsFile(),
    'src/generated/openapi-examples.ts': examplesFile(examples),
    'src/generated/completions.ts': `// Made of the commands by "npm run generate".\n\n/** A line for each path, \`<path><tab><node as JSON>\`; \`*\` has the flags of all. Only the lines that are asked for are read. */\nexport const completions =\n  ${JSON.stringify(completionLines(table))}\n`,
    'src/generated/commands.ndjson': await commandDescriptionsFile(),
    'src/generated/command-map.ts': await commandMapFile(),
    'src/generated/program-page.ts': await programPageFile(),
    ...(await helpPagesFiles()),
    'completions/parley.bash': completionScripts.bash,
    'completions/_parley': completionScripts.zsh,
    'completions/parley.fish': completionScripts.fish,
    'completions/parley.ps1': completionScripts.powershell,
    'test/golden/commands.json': json(await commandsFile()),
    'test/golden/openapi.json': json(createOpenApiDocument(version, examples.platform)),
    'test/golden/control-openapi.json': json(createControlDocument(version, examples.control)),
    'test/golden/sample-data.schema.json': json(createSampleDataSchema()),
    'src/generated/skill.ts': await skillModule(),
    'src/generated/test-outcomes.ts': testOutcomesModule(),
    'skills/parley/SKILL.md': await skillFile(),
    'llms.txt': llmsFile(pages['docs/README.md'] as string),
    'docs/errors.md': errorsPage(),
    'docs/pieces.md': piecesPage(),
    'docs/cli-reference.md': await cliReference(),
    'docs/terminal.svg': terminalPicture(readFileSync(join(root, 'README.md'), 'utf8')),
    ...withTables(pages),
    ...(await manPages(version)),
  }
}

/** Folders that contain only generated files. */
const generatedFolders = ['man', 'src/generated/help']

/** Returns files of the generated folders that are no longer generated, such as pages of removed commands. */
const leftovers = (root: string, paths: ReadonlySet<string>): string[] =>
  generatedFolders
    .flatMap((folder) => filesOf(join(root, folder)).map((it) => `${folder}/${it}`))
    .filter((it) => !paths.has(it))

/** Writes the generated files that differ, deletes leftovers, and returns the paths of both. `check` only compares. */
export async function generate(root: string, check: boolean): Promise<readonly string[]> {
  const files = await generatedFiles(root)
  const stale = leftovers(root, new Set(Object.keys(files)))
  if (!check) for (const path of stale) rmSync(join(root, path))
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    if (read(file) === text) continue
    stale.push(path)
    if (check) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return stale
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
