import { createDefinitionSchema, describePieces, inputSchemaOf } from '../../../engine/pieces/describe-pieces.ts'
import { createFileSchema } from '../../features/as-code/file-schema.ts'
import { fileKinds, loadFileKind } from '../../features/as-code/project-layout.ts'
import { createRubricSchema } from '../../features/judge/rubric.ts'
import { createScenarioSchema } from '../../features/scenario-tests/assistants/scenario-schema.ts'
import { suggestNames } from '../../program/commandline/closest-match.ts'
import { command } from '../../program/commandline/command.ts'
import { spelledAs } from '../../program/commandline/spelling.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { inputSchema, outputSchema } from '../../program/input/json-schema.ts'
import { resolveEndpoint } from '../../program/input/resolve-endpoint.ts'
import { idView, type View } from '../../program/output/format.ts'

const view: View<{ readonly title?: string }> = idView((it) => it.title ?? '')

export const schema = command({
  summary: 'Print the JSON Schema of an endpoint or a file format',
  argument: {
    name: 'endpoint',
    describe:
      'Endpoint name, for example tools.update (parley api --list), file with a kind, sample-data, scenario, rubric, or automation with an optional piece action such as http.send_request',
    optional: true,
    isVariadic: true,
  },
  flags: [{ flags: '--output-schema', describe: 'Print the schema of the response instead of the input' }],
  examples: [
    'tools.update > tools.update.schema.json',
    'assistants.create -o yaml',
    'numbers.search --output-schema',
    'file assistants > assistants.schema.json',
    'sample-data > sample-data.schema.json',
    'scenario > scenario.schema.json',
    'rubric > rubric.schema.json',
    'automation > automation.schema.json',
    'automation http.send_request',
  ],
  notes:
    'For editors and programs that validate input. Editors with a YAML language server use a first line such as "# yaml-language-server: $schema=tools.update.schema.json" in a file for --file.',
  view,
  async run(context, { argument, flags }) {
    if (argument === sampleData) {
      const { createSampleDataSchema } = await import('../../../contract/openapi/sample-data-schema.ts')
      return print(context, createSampleDataSchema())
    }
    if (argument === scenario) return print(context, createScenarioSchema())
    if (argument === rubric) return print(context, createRubricSchema())
    const [format, ...rest] = argument?.split(' ') ?? []
    if (format === file) {
      if (rest.length !== 1)
        throw usageError(`Pass one kind of file: parley schema file assistants.`, `Kinds: ${fileKinds.join(', ')}.`)
      return print(context, createFileSchema(await loadFileKind(rest[0] as string)))
    }
    if (format === automation) return print(context, await automationSchema(rest))
    const endpoint = await resolveEndpoint(context, argument)
    const found = flags.outputSchema ? outputSchema(endpoint) : inputSchema(endpoint)
    if (!found)
      throw usageError(
        `${endpoint.name} takes no body and no query.`,
        `For the response: parley schema ${endpoint.name} --output-schema.`,
      )
    return print(context, found)
  },
})

// Words of the argument. Scripts and documentation of users have them, as they have names of endpoints: they are added, not renamed.

/** Name of the schemas of files of `pull` and `push`. */
const file = 'file'
/** Name of the schema of files for `server seed`. */
const sampleData = 'sample-data'
/** Name of the schema of files for `assistants test`. */
const scenario = 'scenario'
/** Name of the schema of files for `conversations judge`. */
const rubric = 'rubric'

/** Name of the schema of definitions of automations. */
const automation = 'automation'

/**
 * Returns the JSON Schema of a definition, or of the input of an action or trigger. @throws ClientFailure `usage` for an
 * unknown one
 */
async function automationSchema(words: readonly string[]): Promise<object> {
  if (words.length === 0) return createDefinitionSchema()
  const given = words
    .join('.')
    .replace(/^@[^/]*\//, '')
    .replace(/^piece-/, '')
  const all = describePieces()
  const key = spelledAs(
    given,
    all.map((it) => it.key),
  )
  const name = spelledAs(
    given,
    all.map((it) => it.name),
  )
  const found = all.find((it) => it.key === key) ?? all.find((it) => it.name === name)
  if (found) return inputSchemaOf(found)
  throw usageError(
    `Unknown action or trigger "${words.join(' ')}".${suggestNames(
      given,
      all.map((it) => it.key),
    )}`,
    'List them: parley help pieces.',
  )
}

async function print({ out }: Context, found: object): Promise<undefined> {
  await out.result(found, () => out.json(found), { view })
}
