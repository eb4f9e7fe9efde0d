import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { functionNames, isBuiltInFunction } from '../../../../contract/assistants/function-names.ts'
import { coerceDeep, schemaDefinition, unwrap } from '../../../../contract/endpoint/coerce.ts'
import { validate } from '../../../../contract/endpoint/validation.ts'
import type * as z from '../../../../contract/schema/schema.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { decodeText } from '../../../../node/decode-text.ts'
import { describeFileError } from '../../../../node/file-error.ts'
import { closestMatch } from '../../../program/commandline/closest-match.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readYaml, yamlErrorMessage } from '../../../program/input/read-yaml.ts'
import { sourceLocations } from '../../../program/input/source-locations.ts'
import type { System } from '../../../program/system.ts'
import { compilePattern } from '../match-value.ts'
import type { ProjectFiles } from './project-files.ts'
import { MocksFile, Scenario, type TestScenario, type TurnExpected } from './scenario-schema.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the scenarios of `<folder>/tests`, or of the folder itself if it has none. @throws ClientFailure `usage` with
 * the file, line and field of every problem
 */
export async function readScenarios(system: System, folder: string, shown: string): Promise<readonly TestScenario[]> {
  const below = existsSync(join(folder, 'tests')) ? 'tests' : ''
  const path = join(folder, below)
  if (!existsSync(path)) throw usageError(`Folder ${path} not found.`, 'Pass the folder of the project.')
  const found: TestScenario[] = []
  const problems: string[] = []
  for (const name of readdirSync(path).sort()) {
    if (!/\.ya?ml$/.test(name)) continue
    const file = [shown, below, name].filter(Boolean).join('/')
    found.push(...(await readFile(system, join(path, name), file, problems)))
  }
  const names = new Map<string, string>()
  for (const scenario of found) {
    const other = names.get(scenario.name.toLowerCase())
    if (other !== undefined)
      problems.push(`${scenario.locate('name')}: ${other} has a scenario "${scenario.name}" too. Rename one.`)
    names.set(scenario.name.toLowerCase(), scenario.file)
  }
  if (problems.length > 0)
    throw usageError(problems.join('\n'), 'No scenario was run. For the format: parley schema scenario.')
  if (found.length === 0)
    throw usageError(
      `${path} has no scenarios.`,
      'Write one in tests/<name>.yaml. For the format: parley schema scenario.',
    )
  return found
}

async function readFile(system: System, path: string, file: string, problems: string[]): Promise<TestScenario[]> {
  let text = ''
  try {
    text = decodeText(readFileSync(path))
  } catch (error) {
    problems.push(`${file}: could not be read: ${describeFileError(error)}.`)
    return []
  }
  const read = await readYaml(text).catch((error: unknown) => {
    problems.push(`${file}: ${yamlErrorMessage(error)}`)
    return undefined
  })
  if (!read) return []
  const { value, asText } = read
  if (!isObject(value)) {
    problems.push(`${file}:1: A scenario must be an object with fields such as assistant, turns and expect.`)
    return []
  }
  const locations = await sourceLocations(system, path)
  const locate = (at: string): string => {
    const line = /:(\d+)$/.exec(locations(at) ?? '')?.[1]
    return line === undefined ? file : `${file}:${line}`
  }
  const { scenarios, ...shared } = value as { readonly scenarios?: unknown } & Fields
  const listed: readonly unknown[] = Array.isArray(scenarios) ? scenarios : [{}]
  const base = file.replace(/^.*\/|\.ya?ml$/g, '')
  return listed.flatMap((own, n) => {
    const isOwn = (at: string): boolean =>
      Array.isArray(scenarios) && isObject(own) && Object.hasOwn(own, at.split('.')[0] ?? '')
    const find = (at: string): string => {
      const isShared = Object.hasOwn(shared, at.split('.')[0] ?? '')
      return locate(Array.isArray(scenarios) && (isOwn(at) || !isShared) ? `scenarios.${n}.${at}` : at)
    }
    const given = withListForms({ ...shared, ...(isObject(own) ? own : {}) })
    const fields = coerceDeep(Scenario, given, asText)
    const checked = validate(Scenario, fields) as ReturnType<typeof validate<typeof Scenario>>
    const found = checked.ok ? ruleProblems(checked.value) : checked.errors
    for (const [at, messages] of Object.entries(found))
      for (const message of messages) problems.push(`${find(at)}: ${at}: ${withCandidates(at, message)}`)
    if (!checked.ok) return []
    const name = checked.value.name ?? (listed.length > 1 ? `${base} ${n + 1}` : base)
    return [{ ...checked.value, name, file, locate: find }]
  })
}

/** Adds the choices of a field, and the candidates for an unknown one, which are the fields of its parent. */
function withCandidates(at: string, message: string): string {
  const own = schemaAt(at.split('.'))
  if (own?.kind === 'enum') return `Use one of: ${Object.values(schemaDefinition(own.base).entries ?? {}).join(', ')}.`
  const parent = schemaAt(at.split('.').slice(0, -1))
  const fields = parent?.kind === 'object' ? Object.keys(schemaDefinition(parent.base).shape ?? {}) : undefined
  const name = at.split('.').at(-1) ?? ''
  if (!fields || fields.includes(name)) return message
  const guess = closestMatch(name, fields)
  return `Unknown field "${name}". ${guess ? `Did you mean ${guess}? ` : ''}Fields: ${fields.join(', ')}.`
}

/** Returns the schema at a path of a scenario; undefined where any name is possible. */
function schemaAt(path: readonly string[]): ReturnType<typeof unwrap> | undefined {
  let { base, kind } = unwrap(Scenario)
  for (const key of path) {
    const def = schemaDefinition(base)
    const next =
      kind === 'object'
        ? def.shape?.[key]
        : kind === 'array'
          ? def.element
          : kind === 'record'
            ? def.valueType
            : undefined
    if (!next) return undefined
    ;({ base, kind } = unwrap(next as z.ZodType))
  }
  return { base, kind }
}

const listed = (it: unknown): unknown => (it === undefined || Array.isArray(it) ? it : [it])
const mapList = (it: unknown, change: (one: unknown) => unknown): unknown => (Array.isArray(it) ? it.map(change) : it)
const mapFields = (value: unknown, change: (one: unknown, name: string) => unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one, name)])) : value

/** Replaces the short forms of expectations, such as a single text, by lists. */
export const expectationLists = (value: unknown): unknown =>
  mapFields(value, (one, name) => {
    if (name === 'called') return mapList(listed(one), (call) => (typeof call === 'string' ? { tool: call } : call))
    return ['not_called', 'contains', 'matches', 'never'].includes(name) ? listed(one) : one
  })

/** Replaces the short forms of a file: a text for a list of one, a message for a turn, a tool for a call. */
function withListForms(given: Fields): Fields {
  const result: Record<string, unknown> = { ...given }
  if (given.mocks !== undefined) result.mocks = withMockLists(given.mocks)
  if (given.expect !== undefined) result.expect = expectationLists(given.expect)
  if (given.turns !== undefined)
    result.turns = mapList(given.turns, (turn) => {
      if (typeof turn === 'string') return { say: turn }
      return mapFields(turn, (one, name) => (name === 'expect' ? expectationLists(one) : one))
    })
  return result
}

/** Replaces a single response of a tool by a list of one. */
const withMockLists = (mocks: unknown): unknown => mapFields(mocks, listed)

/**
 * Reads the responses of tools from the field `mocks` of a YAML or JSON file, such as a scenario. @throws ClientFailure
 * `usage` for an invalid one
 */
export async function readMocksFile({ cwd }: System, path: string): Promise<TestScenario['mocks']> {
  let text = ''
  try {
    text = decodeText(readFileSync(resolve(cwd, path)))
  } catch (error) {
    throw usageError(`Could not read --mocks ${path}: ${describeFileError(error)}.`)
  }
  const { value, asText } = await readYaml(text).catch((error: unknown) => {
    throw usageError(`--mocks ${path}: ${yamlErrorMessage(error)}`)
  })
  const { mocks } = isObject(value) ? value : {}
  if (!isObject(mocks))
    throw usageError(`--mocks ${path} has no field "mocks".`, 'Write the responses by tool, as in a scenario.')
  const checked = validate(MocksFile, coerceDeep(MocksFile, { mocks: withMockLists(mocks) }, asText)) as ReturnType<
    typeof validate<typeof MocksFile>
  >
  const problems = Object.entries(checked.ok ? mockProblems(checked.value.mocks) : checked.errors)
  if (!checked.ok || problems.length > 0)
    throw usageError(
      problems.flatMap(([at, messages]) => messages.map((it) => `--mocks ${path}: ${at}: ${it}`)).join('\n'),
      'Write the responses by tool, as in a scenario.',
    )
  return checked.value.mocks
}

/** Adds the invalid regular expressions in a value to `problems`, by path. */
function addPatternProblems(problems: Record<string, string[]>, at: string, value: unknown): void {
  if (typeof value === 'string') {
    const why = compilePattern(value, false)
    if (typeof why === 'string') problems[at] = [`Invalid regular expression: ${why}`]
  } else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) addPatternProblems(problems, `${at}.${name}`, one)
}

/** Returns what the schema cannot say about responses of tools, by path. */
function mockProblems(given: TestScenario['mocks']): Record<string, string[]> {
  const problems: Record<string, string[]> = {}
  for (const [name, mocks] of Object.entries(given))
    for (const [n, { when }] of mocks.entries()) addPatternProblems(problems, `mocks.${name}.${n}.when`, when)
  return problems
}

type Problems = Record<string, string[]>

/** Adds what is wrong with texts that may be regular expressions in slashes, or are always (`isWhole`). */
export function addTextProblems(
  problems: Problems,
  at: string,
  list: readonly string[] | undefined,
  isWhole = false,
): void {
  for (const [n, pattern] of (list ?? []).entries()) {
    const why = compilePattern(pattern, isWhole)
    if (typeof why === 'string') problems[`${at}.${n}`] = [`Invalid regular expression: ${why}`]
  }
}

/** Adds what is wrong with the regular expressions of expectations. */
export function addExpectationProblems(problems: Problems, at: string, expected: TurnExpected): void {
  addTextProblems(problems, `${at}.matches`, expected.matches, true)
  addTextProblems(problems, `${at}.contains`, expected.contains)
  addTextProblems(problems, `${at}.never`, expected.never)
  for (const [n, { with: args }] of (expected.called ?? []).entries())
    addPatternProblems(problems, `${at}.called.${n}.with`, args)
}

/** Returns what the schema cannot say, by path. */
function ruleProblems(scenario: z.output<typeof Scenario>): Record<string, string[]> {
  const problems: Record<string, string[]> = {}
  const isSilent = scenario.channel === 'call' && scenario.call.ends !== 'customer'
  if (scenario.turns.length > 0 === (scenario.customer !== undefined) && !isSilent)
    problems.turns = ['Write either turns or a customer, and one of them.']
  const valuePatterns = (at: string, value: unknown): void => addPatternProblems(problems, at, value)
  for (const [at, expected] of [
    ['expect', scenario.expect] as const,
    ...scenario.turns.map((turn, n) => [`turns.${n}.expect`, turn.expect ?? {}] as const),
  ]) {
    addExpectationProblems(problems, at, expected)
  }
  valuePatterns('expect.variables', scenario.expect.variables)
  Object.assign(problems, mockProblems(scenario.mocks))
  addTextProblems(
    problems,
    'customer.answers',
    scenario.customer?.answers.map((one) => one.when),
  )
  return problems
}

const objects = (it: unknown): readonly Fields[] => (Array.isArray(it) ? it.filter(isObject) : [])
const texts = (items: readonly unknown[]): string[] => items.filter((it) => typeof it === 'string')

/** Returns the names of the tools of a project, also of those without a file that an assistant refers to. */
const toolNamesOf = ({ assistants, tools }: Pick<ProjectFiles, 'assistants' | 'tools'>): string[] =>
  texts([
    ...tools.map((it) => it.name),
    ...assistants.flatMap((it) => (Array.isArray(it.tool_ids) ? (it.tool_ids as unknown[]) : [])),
  ])

const isKnownTool = (name: string, toolNames: readonly string[]): boolean =>
  toolNames.includes(name.replace(/_\d+$/, '')) || toolNames.includes(name) || isBuiltInFunction(name)

const unknownToolText = (name: string, toolNames: readonly string[]): string =>
  `there is no tool "${name}".${candidates(name, [...toolNames, functionNames.end, functionNames.search])}`

/** Returns whether the name of a mock is the host of requests of automations. */
const isHost = (name: string): boolean => name.includes('.')

/** Checks the tools of mocks. @throws ClientFailure `usage` for one that the project does not have */
export function requireMockedTools(project: ProjectFiles, mocked: readonly string[], flag: string): void {
  const toolNames = toolNamesOf(project)
  const unknown = mocked.find((name) => !isHost(name) && !isKnownTool(name, toolNames))
  if (unknown !== undefined) throw usageError(`${flag}: ${unknownToolText(unknown, toolNames)}`)
}

/**
 * Checks the names of assistants and tools in scenarios. An unknown tool in `not_called` would pass whatever happens.
 *
 * @throws ClientFailure `usage` with the file, line and field of every problem
 */
export function requireKnownNames({ assistants, tools }: ProjectFiles, scenarios: readonly TestScenario[]): void {
  const problems = new Set<string>()
  for (const scenario of scenarios) {
    const { data, expect, turns, mocks, locate } = scenario
    const allAssistants = [...assistants, ...objects(data.assistants)]
    const assistantNames = texts(allAssistants.map((it) => it.name))
    const toolNames = toolNamesOf({ assistants: allAssistants, tools: [...tools, ...objects(data.tools)] })
    const assistantAt = (path: string, name: string | undefined): void => {
      if (name !== undefined && !assistantNames.includes(name))
        problems.add(`${locate(path)}: ${path}: there is no assistant "${name}".${candidates(name, assistantNames)}`)
    }
    const toolAt = (path: string, name: string): void => {
      if (isKnownTool(name, toolNames)) return
      problems.add(`${locate(path)}: ${path}: ${unknownToolText(name, toolNames)}`)
    }
    assistantAt('assistant', scenario.assistant)
    if (expect.handover !== 'none') assistantAt('expect.handover', expect.handover)
    for (const [at, { called = [], not_called = [] }] of [
      ['expect', expect] as const,
      ...turns.map((it, n) => [`turns.${n}.expect`, it.expect ?? {}] as const),
    ]) {
      for (const { tool } of called) toolAt(`${at}.called`, tool)
      for (const tool of not_called) toolAt(`${at}.not_called`, tool)
    }
    // Requests of automations are mocked by their host.
    for (const name of Object.keys(mocks)) if (!isHost(name)) toolAt(`mocks.${name}`, name)
  }
  if (problems.size > 0)
    throw usageError([...problems].join('\n'), 'No scenario was run. For the format: parley schema scenario.')
}

/** Returns the sentences with the closest name and all of them. */
function candidates(name: string, given: readonly string[]): string {
  const all = [...new Set(given)]
  const guess = closestMatch(name, all)
  return `${guess === undefined ? '' : ` Did you mean "${guess}"?`} Known: ${all.join(', ')}.`
}

/** The folder of a project, and one file of scenarios in it if that was given. */
interface TestedPath {
  readonly folder: string
  readonly file: string | undefined
}

/** Returns the project of a path, which is its folder or a file of its scenarios. */
export function parseTestedPath(cwd: string, given: string): TestedPath {
  const path = resolve(cwd, given)
  if (!/\.ya?ml$/.test(path) || !statSync(path, { throwIfNoEntry: false })?.isFile())
    return { folder: path, file: undefined }
  const above = dirname(path)
  return { folder: basename(above) === 'tests' ? dirname(above) : above, file: basename(path) }
}

/** Returns the scenarios of a file, an assistant and a name. `/.../` is a regular expression. @throws ClientFailure `usage` if there are none */
export function chooseScenarios(
  all: readonly TestScenario[],
  { file, assistant, scenario }: { readonly file: string | undefined; assistant?: unknown; scenario?: unknown },
): readonly TestScenario[] {
  const pattern = typeof scenario === 'string' ? compilePattern(scenario, false) : undefined
  if (typeof pattern === 'string') throw usageError(`Invalid regular expression in --scenario: ${pattern}`)
  const isNamed = (name: string): boolean =>
    scenario === undefined || (pattern ? pattern.test(name) : name === scenario)
  const inFile = all.filter((it) => file === undefined || basename(it.file) === file)
  const found = inFile.filter((it) => (assistant ?? it.assistant) === it.assistant && isNamed(it.name))
  if (found.length > 0) return found
  const names = inFile.map((it) => it.name)
  const guess = typeof scenario === 'string' ? closestMatch(scenario, names) : undefined
  throw usageError(
    'No scenario fits --assistant and --scenario.',
    `${guess === undefined ? '' : `Did you mean "${guess}"? `}Assistants: ${[...new Set(inFile.map((it) => it.assistant))].join(', ')}. Scenarios: ${names.join(', ')}.`,
  )
}
