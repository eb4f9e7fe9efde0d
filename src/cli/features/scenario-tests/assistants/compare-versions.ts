import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { assistants } from '../../../../contract/resources/assistants.ts'
import { readConfiguration } from '../../../program/configuration/profiles.ts'
import { unknownProfile } from '../../../program/configuration/settings.ts'
import type { Context } from '../../../program/context.ts'
import { createContext } from '../../../program/create-context.ts'
import { normalizeDocument } from '../../../program/documents/document-fields.ts'
import { replaceSecrets } from '../../../program/documents/environment-secrets.ts'
import { replaceIdsWithNames } from '../../../program/documents/name-references.ts'
import { ResourceNames } from '../../../program/documents/resource-names.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readDocument } from '../../../program/input/read-document.ts'
import { textDifference } from '../../../program/updates/text-difference.ts'
import { parseSelection } from '../../as-code/project-layout.ts'
import { findingLines } from '../reports.ts'
import { type ProjectFiles, readProject } from './project-files.ts'
import { runSuite, type ScenarioResult, type SuiteOptions } from './run-suite.ts'
import type { TestScenario } from './scenario-schema.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What a scenario does with another version of the assistants. Results in JSON have it as `against`: fields are added, not
 * renamed.
 */
interface VersionComparison {
  readonly verdict: ScenarioResult['verdict']
  readonly changed: boolean
  /** Lines of the other version (`-`) and of this one (`+`). */
  readonly differences: readonly string[]
}

/**
 * Reads another version of the files: a project folder, or a file of one assistant that replaces the one with its name.
 * @throws ClientFailure `usage` for an assistant that the project does not have
 */
async function readOtherVersion(context: Context, project: ProjectFiles, path: string): Promise<ProjectFiles> {
  const file = resolve(context.system.cwd, path)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return readProject(context, file)
  const document = (await readDocument(context.system, file, assistants.create.body, path, true)) as Fields
  const other = normalizeDocument(document, assistants.create.body, path)
  if (!project.assistants.some((it) => it.name === other.name))
    throw usageError(
      `${path}: the project has no assistant "${String(other.name)}".`,
      `Assistants: ${project.assistants.map((it) => it.name).join(', ')}.`,
    )
  return { ...project, assistants: project.assistants.map((it) => (it.name === other.name ? other : it)) }
}

/** Reads the assistants and tools of the platform of a profile, and the automations of the files. */
async function readDeployedVersion(context: Context, project: ProjectFiles, profile: string): Promise<ProjectFiles> {
  const { system, command, commandName } = context
  const { profiles } = readConfiguration(system)
  if (!Object.hasOwn(profiles, profile))
    throw unknownProfile({ value: profile, from: '--against-profile' }, Object.keys(profiles))
  const { baseUrl: _, ...globals } = context.globals
  const other = await createContext({
    system,
    command,
    commandName,
    globals: { ...globals, profile },
    approval: context.approvals.origin,
  })
  try {
    const names = new ResourceNames(other)
    const found: Record<string, Fields[]> = {}
    const { layout } = await parseSelection(other, [], 'tools,assistants')
    for (const [below, kind] of layout) {
      found[below] = []
      for (const raw of await kind.list(other)) {
        const content = kind.toContent(raw)
        found[below].push(await replaceIdsWithNames(names, kind, replaceSecrets(content, String(content.name))))
      }
    }
    return { ...project, assistants: found.assistants ?? [], tools: found.tools ?? [] }
  } finally {
    await other.close()
  }
}

const turnText = ({ customer, assistant, calls }: ScenarioResult['transcript'][number]): string =>
  [`customer: ${customer}`, ...calls.map((it) => `called: ${it}`), `assistant: ${assistant}`].join('\n')

/** Returns why a result is not passed, indented. */
const reasonLines = ({ reason, findings }: ScenarioResult): string[] =>
  [...(reason === null ? [] : reason.split('\n')), ...findings.flatMap(findingLines)].map((line) => `  ${line}`)

/** Compares the results of a scenario with two versions: its verdict, and each turn. */
function compareResults(own: ScenarioResult, other: ScenarioResult): VersionComparison {
  const differences =
    own.verdict === other.verdict
      ? []
      : [`- ${other.verdict}`, ...reasonLines(other), `+ ${own.verdict}`, ...reasonLines(own)]
  // A stale scenario was not run.
  if (own.verdict === 'stale' || other.verdict === 'stale')
    return { verdict: other.verdict, changed: differences.length > 0, differences }
  for (let n = 0; n < Math.max(own.transcript.length, other.transcript.length); n++) {
    const [before, now] = [other.transcript[n], own.transcript[n]].map((it) => (it ? turnText(it) : ''))
    if (before === now) continue
    differences.push(`turn ${n + 1}:`, ...textDifference(before ?? '', now ?? '').map((line) => `  ${line}`))
  }
  return { verdict: other.verdict, changed: differences.length > 0, differences }
}

/** Returns the lines of a comparison for people. */
export function comparisonLines(
  results: readonly (ScenarioResult & { readonly against: VersionComparison })[],
): string[] {
  const changed = results.filter((it) => it.against.changed)
  return [
    `Changed from the other version: ${changed.length} of ${results.length} scenarios.`,
    ...changed.flatMap((it) => [it.name, ...it.against.differences.map((line) => `  ${line}`)]),
  ]
}

/** The other version: a path of files, or a profile. */
interface OtherVersion {
  readonly path: string | undefined
  readonly profile: string | undefined
}

/** Parses --against and --against-profile; undefined without them. @throws ClientFailure `usage` for both, and on a remote deployment */
export function parseOtherVersion(path: unknown, profile: unknown, isRemote: boolean): OtherVersion | undefined {
  if (path === undefined && profile === undefined) return undefined
  if (path !== undefined && profile !== undefined) throw usageError('Pass --against or --against-profile, not both.')
  if (isRemote)
    throw usageError('--against compares versions on the local platform.', 'Omit --profile, or pass --against-profile.')
  return { path: path as string | undefined, profile: profile as string | undefined }
}

/** Reads another version of the files, or what is deployed. @throws ClientFailure for files or a profile that cannot be read */
export const readVersion = (
  context: Context,
  project: ProjectFiles,
  { path, profile }: OtherVersion,
): Promise<ProjectFiles> =>
  profile === undefined
    ? readOtherVersion(context, project, String(path))
    : readDeployedVersion(context, project, profile)

/** Runs the scenarios with another version and compares the results. A configured language model is asked again. */
export async function runOtherVersion(
  context: Context,
  scenarios: readonly TestScenario[],
  suite: SuiteOptions,
  project: ProjectFiles,
  own: readonly ScenarioResult[],
): Promise<readonly (ScenarioResult & { readonly against: VersionComparison })[]> {
  const checked = await runSuite(context, scenarios, {
    ...suite,
    project,
    record: false,
    isLiveModel: suite.endpoint !== undefined,
  })
  return own.map((it, n) => ({ ...it, against: compareResults(it, (checked[n] as (typeof checked)[number]).result) }))
}
