import { type Mode, modes } from '../../../contract/assistant-modes.ts'
import { references, type Thing } from '../../../contract/references.ts'
import { type Item, type Link, linksOf } from '../../references/links.ts'
import { things } from '../../references/things.ts'
import { itemsOf, targetOf } from '../../references/uses.ts'
import type { Finding } from '../finding.ts'
import { about, type Look } from './look.ts'

/** Kinds whose things belong to the account, and may point to what is gone. */
const kinds = [...new Set<Thing>([...(Object.keys(references) as Thing[]).filter((it) => it !== 'voices'), 'tools'])]

/** References that point nowhere. What is switched off, or done, is a warning. */
export async function danglingReferences({ account, origin }: Look): Promise<Finding[]> {
  const found = await Promise.all(
    kinds.map(async (thing) => {
      const links = (await itemsOf(account, thing)).flatMap((it) => linksOf(thing, it))
      const targets = await Promise.all(links.map((it) => targetOf(account, it, origin)))
      return links.filter((_, n) => targets[n] === 'missing')
    }),
  )
  return found.flat().map(toFinding)
}

function toFinding(link: Link): Finding {
  const { from, item, path, to, id } = link
  const { one } = things[to]
  const isIdle = item.status === 'disabled' || item.status === 'completed' || item.status === 'draft' || item.status === 'inactive'
  const where = link.sender === undefined ? 'is not there' : `is none of sender ${link.sender}`
  const named = link.step === undefined ? path : `${path} ("${link.step}")`
  return about(isIdle ? 'warning' : 'failed', 'reference', [from, item], `points at ${named} to ${one} ${id}, which ${where}.`, wayOut(link))
}

const clearable = new Set(['phone_number_id', 'folder_id', 'knowledgebase_id', 'synthesizer_provider_id', 'transcriber_provider_id', 'chat_llm_fallback_id'])

/** The command that mends it, or shows what to choose from. */
function wayOut({ from, item, by, to, id }: Link): string {
  const self = `${things[from].noun} update ${item.id}`
  if (from === 'assistants') {
    if (by === 'tool_ids[]') return `parley ${self} --tool-ids '${JSON.stringify(without(item, 'tool_ids', id))}'`
    if (by.endsWith('_ids[]'))
      return `parley ${self} --${by.replaceAll('_', '-').replace('[]', '')} '${JSON.stringify(without(item, by.replace('[]', ''), id))}'`
    if (clearable.has(by)) return `parley ${self} --unset ${by}`
    if (by === 'address') return `parley ${self} --edit`
    if (by.startsWith('tools[]')) return `parley ${self} --edit`
    const fitting = modes.includes(item.mode as Mode) ? ` --mode ${item.mode}` : ''
    return to === 'voices' ? `parley voices list${fitting}` : `parley ${things[to].noun} list`
  }
  return `parley ${things[from].show} ${item.id}`
}

const without = (item: Item, field: string, id: unknown): unknown[] =>
  Array.isArray(item[field]) ? item[field].filter((it) => typeof it === 'number' && it !== id) : []
