import { stringifyJson } from '../../node/json.ts'
import { command } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { resolveEndpoint } from '../input/resolve-endpoint.ts'
import type { View } from '../output/form.ts'

const view: View<{ readonly title?: string }> = { id: (it) => it.title ?? '', columns: [], empty: '' }

export const schema = command({
  summary: 'Print the JSON Schema of an endpoint or a file format',
  argument: {
    name: 'endpoint',
    describe: 'Endpoint name, for example tools.update (parley api --list), sample-data or scenario',
    optional: true,
  },
  flags: [{ flags: '--output-schema', describe: 'Print the schema of the response instead of the input' }],
  examples: [
    'tools.update > tools.update.schema.json',
    'assistants.create -o yaml',
    'numbers.search --output-schema',
    'sample-data > sample-data.schema.json',
    'scenario > scenario.schema.json',
  ],
  notes:
    'For editors and programs that validate input. Editors with a YAML language server use a first line such as "# yaml-language-server: $schema=tools.update.schema.json" in a file for --file.',
  view,
  async run(context, { argument, flags }) {
    if (argument === sampleData) {
      const { createSampleDataSchema } = await import('../../contract/openapi/sample-data-schema.ts')
      return print(context, createSampleDataSchema())
    }
    if (argument === scenario) {
      const { createScenarioSchema } = await import('../assistant-tests/scenario-file-schema.ts')
      return print(context, createScenarioSchema())
    }
    const endpoint = await resolveEndpoint(context, argument)
    const { inputSchema, outputSchema } = await import('../command-reference/json-schema.ts')
    const found = flags.outputSchema ? outputSchema(endpoint) : inputSchema(endpoint)
    if (!found)
      throw usageError(
        `${endpoint.name} takes no body and no query.`,
        `For the response: parley schema ${endpoint.name} --output-schema.`,
      )
    return print(context, found)
  },
})

/** Name of the schema of files for `server seed`. */
const sampleData = 'sample-data'
/** Name of the schema of files for `assistants test`. */
const scenario = 'scenario'

async function print({ out }: Context, found: object): Promise<undefined> {
  if (out.settings.form === 'table') await out.line(stringifyJson(found, null, 2))
  else await out.record(found, { view })
}
