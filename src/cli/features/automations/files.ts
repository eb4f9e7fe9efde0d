import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Automation, BuiltAutomation } from '../../../contract/automations/automation-records.ts'
import { fromFlow, toFlow } from '../../../contract/automations/flow-form.ts'
import { type ChildField, childFields, childOf, ownFields, setChild } from '../../../contract/automations/walk-steps.ts'
import {
  replaceNamesWithNumbers,
  stepReferencesIn,
  unnamedIdsIn,
} from '../../../contract/references/step-references.ts'
import { automate, maxListedDefinitions } from '../../../contract/resources/automate.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { sendWithConfirmation } from '../../program/consent/confirm-side-effects.ts'
import type { Context } from '../../program/context.ts'
import { maskSecrets } from '../../program/documents/environment-secrets.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { sampleHint } from '../../program/history/test-samples.ts'
import type { ContentMerging, ResourceFiles, WriteResult } from '../../program/resources/resource-files.ts'
import { fillFlowMasks } from '../../program/secrets/fill-flow-masks.ts'
import { describeFailedTest } from './change-automation.ts'
import { flowDifference } from './flow-files/difference-lines.ts'
import { automationContent, flowDocument, toCreateRequest } from './flow-files/flow-document.ts'
import { chooseFlow } from './flow-files/flow-shapes.ts'
import { readForeignFlow } from './flow-files/read-flow.ts'
import { outcomeRemark } from './print-update-outcome.ts'
import { updateSafely } from './safe-update.ts'

type Node = Readonly<Record<string, unknown>>

/** A step with its name, its conditions if it branches, and the steps inside and after it. */
interface Place {
  readonly name: string
  readonly settings?: unknown
  readonly inner: Readonly<Record<string, Place>>
}

/** A definition as parts that are merged separately: where each step is, and what each step does. */
interface DefinitionParts {
  readonly routing: readonly Place[]
  readonly steps: Readonly<Record<string, Node>>
}

/**
 * Merges definitions step by step. Two changes of one step are a conflict, and so are two changes of the routing: of
 * the order, the nesting and the conditions of steps.
 */
export const definitionMerging: ContentMerging = {
  split(content) {
    const parts = splitFlow(content.flow)
    return parts ? { ...content, flow: parts } : content
  },
  join(parts, preferred) {
    const { flow } = parts
    if (!isParts(flow)) return parts
    const known = isParts(preferred.flow) ? preferred.flow.steps : {}
    return { ...parts, flow: joinFlow(flow, { ...known, ...flow.steps }) }
  },
  isWhole: (path) => path === 'flow.routing' || path.startsWith('flow.steps.'),
}

const isParts = (it: unknown): it is DefinitionParts => isObject(it) && Array.isArray(it.routing) && isObject(it.steps)

/** Returns the parts of a definition; undefined if its steps have no unique names. */
function splitFlow(flow: unknown): DefinitionParts | undefined {
  if (!isObject(flow) || !isObject(flow.trigger) || !Array.isArray(flow.steps)) return undefined
  const steps = new Map<string, Node>()
  let isUnique = true
  const place = (node: Node): Place => {
    const name = String(node.name ?? '')
    if (name === '' || steps.has(name)) isUnique = false
    steps.set(name, Object.fromEntries(ownFields(node)))
    const branches = node.type === 'BRANCH' || node.type === 'ROUTER'
    const inner = childFields.flatMap((field) => {
      const child = childOf(node, field)
      return child ? [[field, place(child)] as const] : []
    })
    return {
      name,
      ...(branches && { settings: node.settings }),
      inner: Object.fromEntries(inner),
    }
  }
  const routing = [flow.trigger, ...flow.steps].filter(isObject).map(place)
  return isUnique ? { routing, steps: Object.fromEntries(steps) } : undefined
}

function joinFlow({ routing }: DefinitionParts, steps: Readonly<Record<string, Node>>): ResourceRecord {
  const build = ({ name, inner }: Place): AutomationNode => {
    const node: AutomationNode = { ...steps[name] }
    for (const [field, child] of Object.entries(inner)) setChild(node, field as ChildField, build(child))
    return node
  }
  const [first = {}, ...rest] = routing.map(build)
  return toFlow(fromFlow(first, rest))
}

/** Describes the changed steps of a definition, or of one step of a merge. */
const describeFlowChange: NonNullable<ResourceFiles['describeChange']> = (path, before, after, isFull) =>
  /^flow(\.steps\.[^.]+)?$/.test(path) ? flowDifference(maskSecrets(before), maskSecrets(after), isFull) : undefined

const sideEffectConsent = (confirmed: boolean) => (confirmed ? { confirm_side_effects: true } : {})

export const automations: ResourceFiles = {
  // The records of promotions on the disk have it: it never changes.
  noun: 'automations',
  singular: 'automation',
  resourceKind: 'automate',
  references: [{ path: 'assistant_id', to: 'assistants' }],
  nestedReferences: ({ flow }) => stepReferencesIn(flow, 'flow'),
  unnamedIds: ({ flow }) => unnamedIdsIn(flow, 'flow'),
  // A file holds the fields of a create request and `enabled`.
  documentSchema: flowDocument.extend({ enabled: automate.update.body.shape.enabled }),
  updateSchema: automate.update.body,
  list: (context) => context.progress.showWhile('Reading automations', (setText) => listAutomations(context, setText)),
  get: getAutomation,
  describeChange: describeFlowChange,
  merging: definitionMerging,
  toContent: (raw) => automationContent(raw as Automation),
  async normalize(document, file) {
    const { name, enabled, assistant_id, bind_webhook, flow: given } = toCreateRequest(await chooseFlow(document, file))
    const { flow, restoreNames } = replaceNamesWithNumbers(given)
    // Another platform may have pieces that Parley does not know.
    const { definition } = await readForeignFlow(flow, file)
    if (typeof name !== 'string') throw usageError(`${file}: name is missing.`)
    return {
      name,
      enabled: enabled !== false,
      ...(assistant_id !== undefined && { assistant_id }),
      ...(bind_webhook !== undefined && { bind_webhook }),
      flow: restoreNames(toFlow(definition)),
    }
  },
  // Sending a definition enables the automation unless `enabled` is sent as well.
  companionFields: ({ flow }) => (flow === undefined ? [] : ['name', 'enabled', 'assistant_id']),
  async create(context, { enabled, ...content }, file, { confirmed }): Promise<WriteResult> {
    const built = (await sendWithConfirmation(
      context,
      automate.create,
      { ...content, ...sideEffectConsent(confirmed) },
      `Building ${file}`,
    )) as BuiltAutomation
    const isFailed = built.status === 'test_failed'
    // A new automation is enabled.
    if (enabled === false && !isFailed) await context.call(automate.update, { id: built.automation_id, enabled: false })
    const id = built.automation_id
    if (!isFailed) return { id }
    return {
      id,
      remark: `its test failed and it is disabled: parley automate runs list ${id}. ${sampleHint(id)}`,
    }
  },
  resolveCredentials: async (context, id, change) =>
    change.flow === undefined ? change : { ...change, flow: await fillFlowMasks(context, String(id), change.flow) },
  async update(
    context,
    id,
    { bind_webhook: _, ...change },
    { confirmed, skipLocalTest, rollback, history },
  ): Promise<WriteResult> {
    if (change.flow === undefined) {
      // The platform enables it without a test, and a creation whose test failed leaves it disabled.
      const failedTest = change.enabled === true ? await describeFailedTest(context, String(id)) : undefined
      if (failedTest !== undefined)
        return {
          id,
          remark: `It was not enabled, because ${failedTest}. To enable it anyway: parley automate enable ${id}`,
          isUnchanged: true,
        }
      await context.call(automate.update, { ...change, id: String(id) }, history && { history })
      return { id }
    }
    const outcome = await updateSafely(context, {
      id: String(id),
      change: { ...change, ...sideEffectConsent(confirmed), flow: change.flow },
      skipLocalTest,
      rollback,
      progressText: `Building ${change.name ?? id}`,
    })
    if (outcome.kind === 'shown' || outcome.kind === 'live') return { id }
    const remark = outcomeRemark(outcome) ?? ''
    return {
      id,
      remark: outcome.kind === 'not_sent' ? `${remark} ${sampleHint(id)}` : remark,
      isUnchanged: ['not_sent', 'not_published', 'rolled_back'].includes(outcome.kind),
    }
  },
  async remove({ call }, id, history) {
    await call(automate.delete, { id: String(id) }, { history })
  },
}

/** Maximum number of automations that are always read one by one. */
const maxSingleReads = 4

/** Returns the automations with their definitions: many of them in pages where the platform has these. */
async function listAutomations(context: Context, setText: (text: string) => void): Promise<ResourceRecord[]> {
  const { call, system } = context
  const { data } = await call(automate.list, {})
  const onProgress = (count: number): void => setText(`Reading automations: ${count} of ${data.length}`)
  if (data.length > maxSingleReads && (await context.supports('automation-definitions'))) {
    const page = { limit: maxListedDefinitions }
    return readAllItems<ResourceRecord>(call, automate.listDefinitions, page, { signal: system.signal, onProgress })
  }
  const found: ResourceRecord[] = []
  for (const { id } of data) {
    try {
      found.push(await getAutomation(context, id))
      onProgress(found.length)
    } catch (error) {
      if ((error as ClientFailure).status !== 404) throw error
      // Either the automation was deleted since the list was read, or the platform contradicts itself.
      const { data: now } = await call(automate.list, {})
      if (now.some((it) => it.id === id)) throw error
    }
  }
  return found
}

/** The same kind, with ids instead of names in its files. */
export const automationsById: ResourceFiles = { ...automations, references: [], nestedReferences: () => [] }

async function getAutomation({ call }: Context, id: number | string): Promise<ResourceRecord> {
  return (await call(automate.get, { id: String(id) })).data
}
