import { numbers, type OwnedNumber } from '../../../contract/resources/numbers.ts'
import { numberState } from '../../../contract/values/states.ts'
import { isSameId } from '../../program/input/ids.ts'
import { absent, type Waitable } from '../../program/waiting/waitable.ts'

/**
 * How a number is waited for. Some platforms list a new number a moment later, and a released one until its month is over.
 * Scripts have the names of the conditions in `--wait`, and the first one is the default: more are added behind it, and none
 * is renamed.
 */
export const numberWait: Waitable = {
  singular: 'number',
  conditions: {
    active: { reached: ['active'], pending: [absent, 'pending'] },
    released: { reached: [absent, 'ended'], pending: ['ends'] },
  },
  read: async ({ call }, { id }) => (await call(numbers.list, {})).data.find((it) => isSameId(it.id, id)),
  stateOf(record, { out }) {
    const number = record as OwnedNumber
    // Only numbers that were bought have a subscription.
    return numberState(number, out.settings.now) ?? (number.type === 'normal' ? 'pending' : 'active')
  },
  detailOf: async ({ context }, record) => {
    const number = record as OwnedNumber
    if (number.ends_at) return `until ${number.ends_at}`
    return numberState(number, context.out.settings.now) === null ? 'it has no active subscription' : undefined
  },
  shownBy: ({ id }) => ({ words: 'numbers get', argument: String(id) }),
}
