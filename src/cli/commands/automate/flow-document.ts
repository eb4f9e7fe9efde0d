import { automate } from '../../../contract/automate.ts'
import { Flow } from '../../../contract/automation-node.ts'
import { gaveFlag } from '../../answered.ts'
import type { Input, Reads } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { FoundFlow } from '../../flow-files/shapes.ts'
import { readDocument } from '../../options.ts'
import { usage } from '../../usage.ts'

/** What a file may hold: the fields of a request, or a definition in their place. */
export const flowDocument = automate.create.body.extend(Flow.shape)

/** The same for an update, which can switch it on and off. */
export const changeDocument = flowDocument.extend(automate.update.body.shape)

/** The flag that chooses one of several flows in a file, for commands whose endpoint has no field of that name. */
export const flowFlag = { flags: '--flow <name|number>', describe: 'Flow to use when the file holds several' } as const

/** Fields of a request for a new automation. A file of somebody else's consents to nothing. */
export function creationOf({ name, flow, beside, shape }: FoundFlow): Input {
  const { confirm_side_effects, ...others } = beside
  return { ...(name !== undefined && { name }), ...(shape === 'request' ? beside : others), flow }
}

/** The same for an update: an export renames nothing, and a record says nothing that was not so before. */
function changeOf(found: FoundFlow): Input {
  const { name, shape } = found
  const { bind_webhook: _, assistant_id, ...fields } = creationOf(found)
  return {
    ...fields,
    ...(assistant_id !== undefined && shape !== 'record' && { assistant_id }),
    name: shape === 'export' ? undefined : name,
  }
}

/** Reads the fields of a request from a document of any known shape. */
const reader =
  (fieldsOf: (found: FoundFlow) => Input): Reads =>
  async (context, document, where, chosen) => {
    const { isPlainRequest, readOnlyIn } = await import('../../flow-files/shapes.ts')
    const dropped = context.globals.verbose && isFields(document) ? readOnlyIn(document) : []
    if (dropped.length > 0) await context.notes.note(`Not sent, read-only: ${dropped.join(', ')}.`)
    if (isFields(document) && isPlainRequest(document)) return plainOf(document)
    const { chooseFlow } = await import('../../flow-files/choose.ts')
    const fields = fieldsOf(await chooseFlow(document, where, chosen, context))
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  }

const isFields = (it: unknown): it is Input => typeof it === 'object' && it !== null && !Array.isArray(it)

/** Without what only a record has. */
const plainOf = (document: Input): Input => Object.fromEntries(Object.entries(document).filter(([name]) => Object.hasOwn(changeDocument.shape, name)))

export const readsCreation = reader(creationOf)
export const readsChange = reader(changeOf)

/** The automation in a file of any known shape, as fields of a request. @throws UsageError where it holds none, or several and none is chosen */
export async function readFlowFile(context: Context, file: string, chosen: unknown): Promise<Input> {
  const document = await readDocument(context.world, file, flowDocument, '--file', false)
  const { chooseFlow } = await import('../../flow-files/choose.ts')
  return creationOf(await chooseFlow(document, file, typeof chosen === 'string' ? chosen : undefined, context))
}

/** The file with a definition, asked for on a terminal; elsewhere exit 2. */
export async function fileOf(context: Context, given: unknown): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive) throw usage('Missing --file.', 'Pass the file with the definition; - reads standard input.')
  const file = await (await context.prompts()).input('File with the definition:', { validate: (it) => it !== '' || 'Enter a path.' })
  gaveFlag(context, '--file', file)
  return file
}
