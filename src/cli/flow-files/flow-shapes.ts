import { Automation } from '../../contract/automations/automation-records.ts'
import { automate } from '../../contract/resources/automate.ts'

export type Fields = Readonly<Record<string, unknown>>

/** An automation found in a document. */
export interface FoundFlow {
  /** Its name, where the document has one. */
  readonly name: string | undefined
  readonly flow: Fields
  /** Other fields of a request that stand beside it: a sample, an assistant. */
  readonly otherFields: Fields
  /** `request`: fields as `create` takes them. `record`: read from a platform. `export`: a template or export of an editor. */
  readonly shape: 'request' | 'record' | 'export'
}

const isObject = (it: unknown): it is Fields => typeof it === 'object' && it !== null && !Array.isArray(it)
const isText = (it: unknown): it is string => typeof it === 'string' && it.trim() !== ''

/** Fields that wrap one automation or several, in exports and in answers. */
const wrappers = ['flow', 'definition', 'version', 'flowVersion', 'template', 'flows', 'data'] as const

/** Fields of a request: what create and update take, and what stands in their place. */
const requestFields: ReadonlySet<string> = new Set([
  ...Object.keys(automate.create.body.shape),
  ...Object.keys(automate.update.body.shape),
])
/** Fields of a record that a request does not take. */
const recordFields: ReadonlySet<string> = new Set(
  Object.keys(Automation.shape).filter((name) => name !== 'definition' && !requestFields.has(name)),
)

/** Fields in a document that only the platform sets. */
export const readOnlyIn = (document: Fields): string[] => Object.keys(document).filter((name) => recordFields.has(name))

/** A step that starts a flow, without the object around it. */
const isTrigger = (it: Fields): boolean =>
  !('trigger' in it) &&
  !('steps' in it) &&
  typeof it.type === 'string' &&
  (/^(?:EMPTY|(?:PIECE_)?TRIGGER)$/.test(it.type) || (it.name === 'trigger' && isObject(it.settings)))

const isDefinition = (it: Fields): boolean => 'trigger' in it || 'steps' in it

/** Editors say with a flow what it is called and how old it is; a request does not. */
const isExported = (it: Fields): boolean =>
  ['displayName', 'schemaVersion', 'valid', 'connectionIds'].some((name) => name in it)

/** Whether a document holds only fields of a request or of a record, and no definition: a new name, on or off. */
export const isPlainRequest = (document: Fields): boolean =>
  Object.keys(document).every((name) => requestFields.has(name) || recordFields.has(name)) &&
  (document.flow === undefined || document.flow === null)

/**
 * Every automation in a document, whatever holds it: fields of a request, a definition, what `get` prints and `pull` writes, templates, exports of editors,
 * answers of their interfaces, a lone trigger. Empty where there is none.
 */
export function findFlows(document: unknown): readonly FoundFlow[] {
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

const flowsOfDefinition = (it: Fields): readonly FoundFlow[] =>
  isDefinition(it) ? findFlows(it) : [{ name: undefined, flow: { trigger: it }, otherFields: {}, shape: 'record' }]

/** A trigger and steps, with the fields of a request that stand among them. */
function fromDefinition(document: Fields): FoundFlow {
  const { trigger, steps } = document
  const flow = { ...('trigger' in document && { trigger }), ...('steps' in document && { steps }) }
  if (isExported(document)) return { name: nameIn(document), flow, otherFields: {}, shape: 'export' }
  return { name: nameIn(document), flow, otherFields: requestFieldsOf(document), shape: 'request' }
}

/** What was found inside a field, with what stands around it. */
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
  // An export is called as a person sees it in a list; one of several by its own name.
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

/** The fields of a request, those nobody knows among them: the platform says what it thinks of them. */
const requestAndUnknownFieldsOf = (document: Fields): Fields =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => name !== 'flow' && name !== 'name' && !recordFields.has(name)),
  )

/** What a record says of its assistant, as a new one is given it. */
function bindingFields(binding: unknown): Fields {
  if (!isObject(binding)) return {}
  const { type, assistant_id } = binding
  return {
    ...(assistant_id !== undefined && { assistant_id }),
    ...(type === 'conversation_ended' && { bind_webhook: type }),
  }
}

/** Files of other programs that people try. */
const foreignFormats: readonly (readonly [what: string, is: (it: Fields) => boolean])[] = [
  ['an n8n workflow', (it) => Array.isArray(it.nodes) && isObject(it.connections)],
  ['a Make blueprint', (it) => Array.isArray(it.flow) && it.flow.some((one) => isObject(one) && 'module' in one)],
  ['a Pipedream workflow', (it) => isObject(it.workflow) && !isDefinition(it.workflow)],
  ['a Node-RED flow', (it) => 'wires' in it],
  ['an assistant', (it) => 'system_prompt' in it && 'mode' in it],
  ['a mid-call tool', (it) => 'endpoint' in it && 'method' in it],
]

/** What a document is, for a message that it holds no automation. */
export function describeDocument(document: unknown): string {
  if (Array.isArray(document))
    return document.length === 0
      ? 'an empty list'
      : `a list of ${document.length}, the first ${describeDocument(document[0])}`
  if (!isObject(document)) return document === null ? 'nothing' : `a ${typeof document}`
  const keys = Object.keys(document)
  if (keys.length === 0) return 'an empty object'
  const other = foreignFormats.find(([, is]) => is(document))
  const listed = keys.slice(0, 8).join(', ')
  return `${other ? `${other[0]}, ` : ''}an object with ${keys.length > 8 ? `${listed}, ...` : listed}`
}

/** What is accepted, for hints. */
export const acceptedShapes =
  'Accepted: {name, flow: {trigger, steps}}, {trigger, steps}, a single trigger, output of "parley automate get -o json", files of "parley automate pull", and exports that contain flows, template, flow or version.'
