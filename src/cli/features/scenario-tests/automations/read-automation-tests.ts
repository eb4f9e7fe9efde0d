import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { coerceDeep } from '../../../../contract/endpoint/coerce.ts'
import { validate } from '../../../../contract/endpoint/validation.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { decodeText } from '../../../../node/decode-text.ts'
import { describeFileError } from '../../../../node/file-error.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readYaml, yamlErrorMessage } from '../../../program/input/read-yaml.ts'
import { sourceLocations } from '../../../program/input/source-locations.ts'
import type { System } from '../../../program/system.ts'
import { automationId } from '../../automations/commands/view.ts'
import { readFlowFile } from '../../automations/flow-files/flow-document.ts'
import { AutomationTest, type FiledTest } from './automation-test-schema.ts'

/** Folder of a project with the tests of its automations. Projects of users have it: the name never changes. */
export const testsFolder = 'automation-tests'

/**
 * Reads the tests of `<folder>/automation-tests`, or of the folder itself. @throws ClientFailure `usage` with the file
 * and field of every problem
 */
export async function readAutomationTests(system: System, folder: string): Promise<readonly FiledTest[]> {
  const path = existsSync(join(folder, testsFolder)) ? join(folder, testsFolder) : folder
  const found: FiledTest[] = []
  const problems: string[] = []
  for (const name of readdirSync(path).sort())
    if (/\.(ya?ml|json)$/.test(name)) {
      const test = await readTest(system, join(path, name), problems)
      if (test) found.push(test)
    }
  if (problems.length > 0)
    throw usageError(
      problems.join('\n'),
      'No test was run. To write a complete test from a run: parley automate runs save <run> --as-test <file>.',
    )
  if (found.length === 0)
    throw usageError(
      `${relative(system.cwd, path) || '.'} has no tests of automations.`,
      'Save a run as a test: parley automate runs save <run> --as-test <file>.',
    )
  return found
}

/** Reads one test. What is wrong with it is added to `problems`, and undefined is returned. */
export async function readTest(system: System, path: string, problems: string[]): Promise<FiledTest | undefined> {
  const file = relative(system.cwd, path)
  let value: unknown
  try {
    const read = await readYaml(decodeText(readFileSync(path)))
    value = coerceDeep(AutomationTest, read.value, read.asText)
  } catch (error) {
    const isFileError = typeof (error as { code?: unknown }).code === 'string' && 'syscall' in (error as object)
    problems.push(`${file}: ${isFileError ? `${describeFileError(error)}.` : yamlErrorMessage(error)}`)
    return undefined
  }
  if (!isObject(value)) {
    problems.push(`${file}: A test must be an object with the fields automation, payload and expect.`)
    return undefined
  }
  const locations = await sourceLocations(system, path)
  const lineOf = (field: string): number | null => {
    const line = /:(\d+)$/.exec(locations(field) ?? '')?.[1]
    return line === undefined ? null : Number(line)
  }
  const checked = validate(AutomationTest, value) as ReturnType<typeof validate<typeof AutomationTest>>
  if (checked.ok) {
    const name = checked.value.name ?? file.replace(/^.*[\\/]|\.(ya?ml|json)$/g, '')
    return { ...checked.value, name, file, path, lineOf }
  }
  for (const [field, messages] of Object.entries(checked.errors))
    for (const message of messages) problems.push(`${file}:${lineOf(field) ?? 1}: ${field}: ${message}`)
  return undefined
}

/** A definition for a test, and its file if it has one. */
export interface FoundDefinition {
  readonly flow: unknown
  readonly file: string | undefined
}

/**
 * Finds the definition of a test: in the file that it names, in the automations of its project, or on the platform.
 * @throws ClientFailure if there is none
 */
export async function findDefinition(
  context: Context,
  { automation, definition, path }: Pick<FiledTest, 'automation' | 'definition' | 'path'>,
): Promise<FoundDefinition> {
  if (definition !== undefined) {
    const file = resolve(dirname(path), definition)
    return { flow: (await readFlowFile(context, file, undefined)).flow, file }
  }
  const folder = dirname(path)
  for (const place of [join(folder, 'automations'), join(folder, '..', 'automations')])
    for (const name of existsSync(place) ? readdirSync(place).sort() : []) {
      if (!/\.ya?ml$/.test(name)) continue
      const found = await readFlowFile(context, join(place, name), undefined)
      if (found.name === automation) return { flow: found.flow, file: join(place, name) }
    }
  const { data } = await context.call(automate.get, { id: await automationId(context, automation) })
  return { flow: data.definition, file: undefined }
}
