import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'
import { ShownAutomation } from '../shown-automation.ts'

type Fields = Readonly<Record<string, unknown>>

/** An automation found in a document. */
export interface FoundFlow {
  /** Its name, if the document has one. */
  readonly name: string | undefined
  readonly flow: Fields
  /** Other fields of a request beside it: a sample, an assistant. */
  readonly otherFields: Fields
  /**
   * `request`: fields that `create` accepts. `record`: read from a platform. `export`: a template or export of an
   * editor.
   */
  readonly shape: 'request' | 'record' | 'export'
}

const isText = (it: unknown): it is string => typeof it === 'string' && it.trim() !== ''

/**
 * Fields that contain one or several automations in exports, responses, and requests to an editor's API. Users have such
 * files: none of them is removed.
 */
const wrappers = ['flow', 'definition', 'version', 'flowVersion', 'template', 'flows', 'data', 'request'] as const

/** Fields of create and update requests. */
const requestFields: ReadonlySet<string> = new Set([
  ...Object.keys(automate.create.body.shape),
  ...Object.keys(automate.update.body.shape),
])
/** Fields of the output of `automate get` that a request does not accept. */
const recordFields: ReadonlySet<string> = new Set(
  Object.keys(ShownAutomation.shape).filter((name) => name !== 'definition' && !requestFields.has(name)),
)

/** Returns the fields of a document that only the platform sets. */
export const readOnlyIn = (document: Fields): string[] => Object.keys(document).filter((name) => recordFields.has(name))

/** Returns whether an object is a trigger without a surrounding definition. */
const isTrigger = (flow: Fields): boolean =>
  !('trigger' in flow) &&
  !('steps' in flow) &&
  typeof flow.type === 'string' &&
  (/^(?:EMPTY|(?:PIECE_)?TRIGGER)$/.test(flow.type) || (flow.name === 'trigger' && isObject(flow.settings)))

const isDefinition = (it: Fields): boolean => 'trigger' in it || 'steps' in it

/** Returns whether a definition was exported from an editor: it has fields that a request does not have. */
const isExported = (flow: Fields): boolean =>
  ['displayName', 'schemaVersion', 'valid', 'connectionIds'].some((name) => name in flow)

/** Returns whether a document holds only fields of a request or a record and no definition, for example a new name. */
export const isPlainRequest = (document: Fields): boolean =>
  Object.keys(document).every((name) => requestFields.has(name) || recordFields.has(name)) &&
  (document.flow === undefined || document.flow === null)

/**
 * Finds every automation in a document: in requests, definitions, output of `get`, files of `pull`, templates, editor
 * exports, their API responses, and a trigger alone. Empty if there is none.
 */
function findFlows(document: unknown): readonly FoundFlow[] {
  if (Array.isArray(document)) return document.flatMap(findFlows)
  if (!isObject(document)) return []
  if (isTrigger(document)) return [{ name: undefined, flow: { trigger: document }, otherFields: {}, shape: 'export' }]
  if (isDefinition(document)) return [fromDefinition(document)]
  for (const wrapper of wrappers) {
    const held = document[wrapper]
    const found = wrapper === 'definition' && isObject(held) ? flowsOfDefinition(held) : findFlows(held)
    if (found.length > 0) return found.map((it) => withWrapper(document, wrapper, it, found.length === 1))
  }
  return []
}

const flowsOfDefinition = (flow: Fields): readonly FoundFlow[] =>
  isDefinition(flow)
    ? findFlows(flow)
    : [{ name: undefined, flow: { trigger: flow }, otherFields: {}, shape: 'record' }]

/** Returns the steps that some generated files list as `actions`. */
const stepsOfOtherName = ({ actions }: Fields): unknown =>
  Array.isArray(actions) && actions.every((it) => isObject(it) && 'settings' in it) ? actions : undefined

/** Converts a trigger and steps, with the request fields among them. */
function fromDefinition(document: Fields): FoundFlow {
  const { trigger, steps = stepsOfOtherName(document) } = document
  const flow = { ...('trigger' in document && { trigger }), ...(steps !== undefined && { steps }) }
  if (isExported(document)) return { name: nameIn(document), flow, otherFields: {}, shape: 'export' }
  return { name: nameIn(document), flow, otherFields: requestFieldsOf(document), shape: 'request' }
}

/** Adds the fields around a wrapper to the automation found in it. */
function withWrapper(
  document: Fields,
  wrapper: (typeof wrappers)[number],
  inner: FoundFlow,
  isOnly: boolean,
): FoundFlow {
  if (wrapper === 'flow' && inner.shape === 'request')
    return {
      ...inner,
      name: nameIn(document) ?? inner.name,
      otherFields: { ...inner.otherFields, ...requestAndUnknownFieldsOf(document) },
    }
  if (wrapper === 'definition')
    return {
      ...inner,
      shape: 'record',
      name: nameIn(document),
      otherFields: { ...requestFieldsOf(document), ...bindingFields(document.binding) },
    }
  if (wrapper === 'data') return { ...inner, name: inner.name ?? nameIn(document) }
  // A single export has the name of the surrounding object; one of several has its own.
  return {
    ...inner,
    shape: 'export',
    name: (isOnly ? nameIn(document) : undefined) ?? inner.name,
    otherFields: { ...inner.otherFields, ...requestFieldsOf(document) },
  }
}

const nameIn = ({ displayName, name }: Fields): string | undefined =>
  [name, displayName].find((it): it is string => isText(it) && it !== 'trigger')

const requestFieldsOf = (document: Fields): Fields =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => requestFields.has(name) && name !== 'flow' && name !== 'name'),
  )

/** Returns the fields of a request, including unknown ones, which the platform validates. */
const requestAndUnknownFieldsOf = (document: Fields): Fields =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => name !== 'flow' && name !== 'name' && !recordFields.has(name)),
  )

/** Converts the binding of a record to the fields of a create request. */
function bindingFields(binding: unknown): Fields {
  if (!isObject(binding)) return {}
  const { type, assistant_id } = binding
  return {
    ...(assistant_id !== undefined && { assistant_id }),
    ...(type === 'conversation_ended' && { bind_webhook: type }),
  }
}

/** Formats of other programs that users may pass. */
const foreignFormats: readonly (readonly [what: string, is: (flow: Fields) => boolean])[] = [
  ['an n8n workflow', (it) => Array.isArray(it.nodes) && isObject(it.connections)],
  ['a Make blueprint', (it) => Array.isArray(it.flow) && it.flow.some((one) => isObject(one) && 'module' in one)],
  ['a Pipedream workflow', (it) => isObject(it.workflow) && !isDefinition(it.workflow)],
  ['a Node-RED flow', (it) => 'wires' in it],
  ['an assistant', (it) => 'system_prompt' in it && 'mode' in it],
  ['a mid-call tool', (it) => 'endpoint' in it && 'method' in it],
]

/** Describes a document that holds no automation, for an error message. */
function describeDocument(document: unknown): string {
  if (Array.isArray(document))
    return document.length === 0
      ? 'an empty list'
      : `a list of ${document.length}, the first ${describeDocument(document[0])}`
  if (!isObject(document)) return document === null ? 'nothing' : `a ${typeof document}`
  const keys = Object.keys(document)
  if (keys.length === 0) return 'an empty object'
  const empty = keys.find((key) => Array.isArray(document[key]) && (document[key] as unknown[]).length === 0)
  if (keys.length === 1 && empty !== undefined) return `an object whose list "${empty}" is empty`
  const other = foreignFormats.find(([, is]) => is(document))
  const listed = keys.slice(0, 8).join(', ')
  return `${other ? `${other[0]}, ` : ''}an object with ${keys.length > 8 ? `${listed}, ...` : listed}`
}

/** Accepted document shapes, for hints. */
const acceptedShapes =
  'Accepted: {name, flow: {trigger, steps}}, {trigger, steps}, a single trigger, output of "parley automate get -o json", files of "parley automate pull", and exports that contain flows, template, flow, version or request.'

const flowTitle = ({ name }: FoundFlow, at: number): string => name ?? `flow ${at + 1}`

const flowList = (flows: readonly FoundFlow[]): string =>
  flows.map((it, at) => `${at + 1}  ${flowTitle(it, at)}`).join('\n')

/** Returns the flow that `--flow` selects by number or name. @throws ClientFailure `usage` with the list of flows */
function findNamedFlow(flows: readonly FoundFlow[], given: string, where: string): FoundFlow {
  const byNumber = /^\d+$/.test(given) ? flows[Number(given) - 1] : undefined
  if (byNumber) return byNumber
  const same = (fold: (text: string) => string): FoundFlow[] =>
    flows.filter((it, at) => fold(flowTitle(it, at)) === fold(given))
  const found = [same((it) => it), same((it) => it.toLowerCase())].find((it) => it.length > 0) ?? []
  if (found.length === 1) return found[0] as FoundFlow
  const problem =
    found.length > 1 ? `${found.length} flows of ${where} are named "${given}".` : `${where} has no flow "${given}".`
  throw usageError(`${problem} Its flows:\n${flowList(flows)}`, 'Pass the number of one with --flow.')
}

/**
 * Returns the automation in a document. Of several, `given` selects one, otherwise a prompt.
 *
 * @throws ClientFailure `usage` if the document holds no automation, or several without a selection
 */
export async function chooseFlow(
  document: unknown,
  where: string,
  given?: string,
  context?: Context,
): Promise<FoundFlow> {
  const flows = findFlows(document)
  const [only] = flows
  if (!only) throw usageError(`${where} contains no automation. It is ${describeDocument(document)}.`, acceptedShapes)
  if (given !== undefined) return findNamedFlow(flows, given, where)
  if (flows.length === 1) return only
  if (!context?.interactive)
    throw usageError(
      `${where} contains ${flows.length} flows:\n${flowList(flows)}`,
      'Pass --flow <name|number> to choose one.',
    )
  const prompts = await context.prompts()
  const picked = await prompts.select(
    'Which flow?',
    flows.map((it, at) => ({ value: at, name: flowTitle(it, at) })),
    { searchable: true },
  )
  recordFlag(context, '--flow', String(picked + 1))
  return flows[picked] as FoundFlow
}
