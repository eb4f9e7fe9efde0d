import { type AutomationNode, Flow } from '../../../../contract/automations/automation-node.ts'
import type { Automation } from '../../../../contract/automations/automation-records.ts'
import { toFlow } from '../../../../contract/automations/flow-form.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import type { CommandInput, DocumentParser } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readDocument } from '../../../program/input/read-document.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'
import { chooseFlow, type FoundFlow, isPlainRequest, readOnlyIn } from './flow-shapes.ts'

/** Schema of a file: the fields of a request, or a definition in their place. */
export const flowDocument = automate.create.body.extend(Flow.shape)

/** Schema of a file for an update, which can also enable and disable it. */
export const updateDocument = flowDocument.extend(automate.update.body.shape)

/** Flag that selects a flow in a file, for commands whose endpoint has no field of that name. */
export const flowFlag = { flags: '--flow <name|number>', describe: 'Flow to use if the file contains several' } as const

/** Returns the request for a new automation. The consent to side effects in a foreign file is ignored. */
export function toCreateRequest({ name, flow, otherFields, shape }: FoundFlow): CommandInput {
  const { confirm_side_effects, ...others } = otherFields
  return { ...(name !== undefined && { name }), ...(shape === 'request' ? otherFields : others), flow }
}

/**
 * Returns the request for an update. An export does not rename the automation, and a record does not change its
 * assistant.
 */
function toUpdateRequest(found: FoundFlow): CommandInput {
  const { name, shape } = found
  const { bind_webhook: _, assistant_id, ...fields } = toCreateRequest(found)
  return {
    ...fields,
    ...(assistant_id !== undefined && shape !== 'record' && { assistant_id }),
    name: shape === 'export' ? undefined : name,
  }
}

/** Returns a parser for documents of any known shape. */
const flowParser =
  (fieldsOf: (found: FoundFlow) => CommandInput): DocumentParser =>
  async (context, document, where, chosen) => {
    const dropped = context.globals.verbose && isObject(document) ? readOnlyIn(document) : []
    if (dropped.length > 0) await context.notes.note(`Not sent, read-only: ${dropped.join(', ')}.`)
    if (isObject(document) && isPlainRequest(document)) return pickRequestFields(document)
    const fields = fieldsOf(await chooseFlow(document, where, chosen, context))
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  }

/** Removes fields that only a record has. */
const pickRequestFields = (document: CommandInput): CommandInput =>
  Object.fromEntries(Object.entries(document).filter(([name]) => Object.hasOwn(updateDocument.shape, name)))

export const createRequestParser = flowParser(toCreateRequest)
export const updateRequestParser = flowParser(toUpdateRequest)

/**
 * Reads the automation in a file of any known shape, as fields of a request. @throws ClientFailure `usage` if it holds
 * none, or several without a selection
 */
export async function readFlowFile(context: Context, file: string, chosen: unknown): Promise<CommandInput> {
  const document = await readDocument(context.system, file, flowDocument, '--file', false)
  return toCreateRequest(await chooseFlow(document, file, typeof chosen === 'string' ? chosen : undefined, context))
}

/** Returns the file with the definition, or prompts for it. @throws ClientFailure `usage` without a terminal */
export async function promptFlowFile(context: Context, given: unknown): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive)
    throw usageError('Missing --file.', 'Pass the file with the definition; - reads standard input.')
  const file = await (await context.prompts()).input('File with the definition:', {
    validate: (it) => it !== '' || 'Enter a path.',
  })
  recordFlag(context, '--file', file)
  return file
}

/**
 * Returns the content of the file of a live automation, without the fields that the platform computes. Project files and the
 * history have these fields, and lock files a hash of them: fields are not renamed.
 */
export function automationContent({ name, status, definition, binding }: Automation): Record<string, unknown> {
  const bound = binding && {
    assistant_id: binding.assistant_id,
    ...(binding.type === 'conversation_ended' && { bind_webhook: binding.type }),
  }
  return { name, enabled: status === 'enabled', ...bound, flow: toFlow(definition as AutomationNode) }
}
