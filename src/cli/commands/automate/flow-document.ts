import { automate } from '../../../contract/automate.ts'
import { Flow } from '../../../contract/automation-node.ts'
import { gaveFlag } from '../../answered.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../usage.ts'

/** Fields of a request; whatever else a document holds is the definition itself. */
const fields = { ...automate.create.body.shape, ...automate.update.body.shape }

/** What a file may hold: the fields of a request, or a definition in their place. */
export const flowDocument = automate.create.body.extend(Flow.shape)

/** The same for an update, which can switch it on and off. */
export const changeDocument = flowDocument.extend(automate.update.body.shape)

/** A document that is a definition, `{trigger, steps}`, as the field `flow`; one that holds `flow` as it is. */
export function withFlow(input: Input): Input {
  if (input.flow !== undefined || (input.trigger === undefined && input.steps === undefined)) return input
  const entries = Object.entries(input)
  const isField = ([name]: [string, unknown]): boolean => Object.hasOwn(fields, name)
  return { ...Object.fromEntries(entries.filter(isField)), flow: Object.fromEntries(entries.filter((it) => !isField(it))) }
}

/** The file with a definition, asked for on a terminal; elsewhere exit 2. */
export async function fileOf(context: Context, given: unknown): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive) throw usage('Missing: --file.', 'Give the file with the definition; - reads standard input.')
  const file = await (await context.prompts()).input('File with the definition:', { validate: (it) => it !== '' || 'A file is needed.' })
  gaveFlag(context, '--file', file)
  return file
}
