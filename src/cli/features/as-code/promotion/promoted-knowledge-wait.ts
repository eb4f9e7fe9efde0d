import { knowledge } from '../../../../contract/resources/knowledge.ts'
import type { Context } from '../../../program/context.ts'
import type { Waitable } from '../../../program/waiting/waitable.ts'
import { openTarget } from './profile-pair.ts'

/** What is waited for. It is added to the printed result, where scripts read it: fields are added, not renamed. */
interface PromotedKnowledge {
  readonly bases: readonly { readonly name: string; readonly status: string }[]
}

/**
 * How a promotion is waited for: its documents are processed after they were written. `names` are the knowledge bases of the promotion.
 * The target is opened for each read, because the promotion has closed it.
 */
export const promotionWait = (context?: Context, to?: string, names: ReadonlySet<string> = new Set()): Waitable => ({
  singular: 'promotion',
  conditions: { active: { reached: ['active'], pending: ['processing'] } },
  async read() {
    if (!context || names.size === 0) return { bases: [] }
    const target = await openTarget(context, to)
    try {
      const { data } = await target.context.call(knowledge.list, {})
      return { bases: data.filter(({ name }) => names.has(name)) }
    } finally {
      await target.context.close()
    }
  },
  stateOf(record) {
    const { bases } = record as PromotedKnowledge
    const states = bases.map(({ status }) => status)
    return states.includes('processing') ? 'processing' : states.includes('failed') ? 'failed' : 'active'
  },
  async detailOf(_, record) {
    const open = (record as PromotedKnowledge).bases.filter(
      ({ status }) => status === 'processing' || status === 'failed',
    )
    return `knowledge: ${open.map(({ name, status }) => `${name} (${status})`).join(', ')}`
  },
  addsToResult: true,
})
