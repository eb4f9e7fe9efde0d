import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import { keys } from '../../../contract/resources/keys.ts'
import { itemWith } from '../../program/dependencies/item-index.ts'
import { type AuditRules, isStale } from '../../program/resources/audit-rules.ts'

/** What a key may do, from the list of scopes; false where the platform does not say it. */
const isKnown = (item: LinkedItem): boolean => Object.hasOwn(item, 'scope')

/**
 * What `parley audit` asks about API keys. A finding has `detail` as the end of its sentence, which may change, and commands
 * as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  async list({ read, isOffered }) {
    const all = await read('API keys', keys.list, {})
    if (!(await isOffered('key-scopes'))) return all
    const scopes = await read('scopes of API keys', keys.scopes, {})
    return all.map((it) => ({ ...it, ...withoutName(itemWith(scopes, 'id', it.id)) }))
  },
  removeCommand: ({ id }) => `parley keys delete ${id}`,
  stale({ last_used_at: used, created_at, is_expired: isExpired }, scope) {
    if (isExpired === true) return { detail: 'has expired.', since: typeof used === 'string' ? used : null }
    if (isStale(used, scope)) return { detail: 'has not been used since.', since: used }
    return (used ?? null) === null && isStale(created_at, scope)
      ? { detail: 'has never been used.', since: created_at }
      : undefined
  },
  // The old key of a rotation was created before the one that replaced it.
  keepOrder: ({ last_used_at: used, created_at }) => `${used ?? ''} ${created_at}`,
  usedHere({ id, is_expired: isExpired }, { keysInUse }) {
    const use = keysInUse.get(String(id))
    // An expired one gives no access.
    if (!use || isExpired === true) return undefined
    return { detail: use.text, commands: [use.rotateCommand ?? 'parley keys list'] }
  },
  overPrivileged(item, { keysInUse }) {
    const { name, scope, budget, expires_at: expires, is_expired: isExpired } = item
    if (!isKnown(item) || isExpired === true) return undefined
    const use = keysInUse.get(String(item.id))
    const replacedBy = (scope: string): readonly string[] => {
      if (use?.rotateCommand !== undefined) return [`${use.rotateCommand} --expires 90d`]
      const create = `parley keys create --name ${/^[\w.-]+$/.test(String(name)) ? name : `"${name}"`}`
      // The key in use is replaced where it comes from, by one that may still write.
      return use
        ? [`${create} --scope write --expires 90d`]
        : [`${create} ${scope} --expires 90d`, `parley keys delete ${item.id}`]
    }
    const user = use ? ` ${use.text}` : ''
    const lacks = [...((budget ?? null) === null ? ['budget'] : []), ...((expires ?? null) === null ? ['expiry'] : [])]
    const without = lacks.length === 0 ? '' : `, without ${lacks.join(' and ')}`
    if ((scope ?? null) === null)
      return { detail: `may do everything but approve${without}.${user}`, commands: replacedBy('--scope read') }
    return scope === 'spend' && lacks.includes('budget')
      ? { detail: `may spend money${without}.${user}`, commands: replacedBy('--scope spend --budget 20/day') }
      : undefined
  },
}

const withoutName = ({ name: _, ...rest }: LinkedItem = {}): LinkedItem => rest
