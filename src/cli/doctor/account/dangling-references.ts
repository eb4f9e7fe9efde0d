import { type EngineMode, engineModes } from '../../../contract/assistants/engine-modes.ts'
import { type ResourceKind, references } from '../../../contract/references/resource-references.ts'
import { isNumericId } from '../../../contract/references/step-references.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type Link, type LinkedItem, linksOf } from '../../dependencies/resource-links.ts'
import { findLinkTarget, itemsOfKind } from '../../dependencies/usages.ts'
import { resources } from '../../resources/descriptors.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/** Kinds of resources that belong to the account and may reference others. */
const kinds = [
  ...new Set<ResourceKind>([...(Object.keys(references) as ResourceKind[]).filter((it) => it !== 'voices'), 'tools']),
]

/** Reports references to missing resources: as a warning for disabled, draft or completed resources. */
export async function danglingReferenceFindings({ account, origin }: AccountScope): Promise<Finding[]> {
  const found = await Promise.all(
    kinds.map(async (resourceKind) => {
      const links = (await itemsOfKind(account, resourceKind)).flatMap((it) => linksOf(resourceKind, it))
      const targets = await Promise.all(links.map((it) => findLinkTarget(account, it, origin)))
      return links.filter((_, n) => targets[n] === 'missing')
    }),
  )
  return found.flat().map(toFinding)
}

function toFinding(link: Link): Finding {
  const { from, item, path, to, id } = link
  const { singular } = resources[to]
  const isIdle =
    item.status === 'disabled' || item.status === 'completed' || item.status === 'draft' || item.status === 'inactive'
  const where = link.sender === undefined ? 'does not exist' : `does not belong to sender ${link.sender}`
  const named = link.step === undefined ? path : `${path} ("${link.step}")`
  return resourceFinding(
    isIdle ? 'warning' : 'failed',
    'reference',
    [from, item],
    `references ${singular} ${id} in ${named}, which ${where}.`,
    fixCommand(link),
  )
}

const clearable = new Set([
  'phone_number_id',
  'folder_id',
  'knowledgebase_id',
  'synthesizer_provider_id',
  'transcriber_provider_id',
  'chat_llm_fallback_id',
])

/** Returns the command that fixes the reference, or one that lists the choices. */
function fixCommand({ from, item, by, to, id }: Link): string {
  const self = `${resources[from].noun} update ${item.id}`
  if (from === 'assistants') {
    if (by === 'tool_ids[]') return `parley ${self} --tool-ids '${stringifyJson(remainingIds(item, 'tool_ids', id))}'`
    if (by.endsWith('_ids[]'))
      return `parley ${self} --${by.replaceAll('_', '-').replace('[]', '')} '${stringifyJson(remainingIds(item, by.replace('[]', ''), id))}'`
    if (clearable.has(by)) return `parley ${self} --unset ${by}`
    if (by === 'address') return `parley ${self} --edit`
    if (by.startsWith('tools[]')) return `parley ${self} --edit`
    const fitting = engineModes.includes(item.mode as EngineMode) ? ` --mode ${item.mode}` : ''
    return to === 'voices' ? `parley voices list${fitting}` : `parley ${resources[to].noun} list`
  }
  if (from === 'senders') return `parley messaging assign ${item.id} --assistant-id null`
  return `parley ${resources[from].showCommand} ${item.id}`
}

const remainingIds = (item: LinkedItem, field: string, id: unknown): unknown[] =>
  Array.isArray(item[field]) ? item[field].filter((it) => isNumericId(it) && String(it) !== String(id)) : []
