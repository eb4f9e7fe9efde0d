import { command } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import { resolveEndpoint } from '../input/resolve-endpoint.ts'
import type { View } from '../output/form.ts'

const view: View<{ readonly title?: string }> = { id: (it) => it.title ?? '', columns: [], empty: '' }

export const schema = command({
  summary: 'Print the JSON Schema of what an endpoint takes, or answers',
  argument: { name: 'endpoint', describe: 'Name such as tools.update; parley api --list', optional: true },
  flags: [{ flags: '--output-schema', describe: 'What it answers instead of what it takes' }],
  examples: ['tools.update > tools.update.schema.json', 'assistants.create -o yaml', 'numbers.search --output-schema'],
  notes:
    'For editors and for programs that check bodies. In a YAML file for --file, an editor with a YAML language server follows a first line such as "# yaml-language-server: $schema=tools.update.schema.json".',
  view,
  async run(context, { argument, flags }) {
    const endpoint = await resolveEndpoint(context, argument)
    const { inputSchema, outputSchema } = await import('../command-reference/json-schema.ts')
    const found = flags.outputSchema ? outputSchema(endpoint) : inputSchema(endpoint)
    if (!found)
      throw usageError(
        `${endpoint.name} takes neither a body nor a query.`,
        `What it answers: parley schema ${endpoint.name} --output-schema.`,
      )
    const { out } = context
    if (out.settings.form === 'table') await out.line(JSON.stringify(found, null, 2))
    else await out.record(found, { view })
  },
})
