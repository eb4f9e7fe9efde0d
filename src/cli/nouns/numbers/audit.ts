import type { LinkedItem } from '../../../contract/references/resource-links.ts'
import { usd } from '../../../contract/values/money.ts'
import { type AuditRules, hasAssistant } from '../../program/resources/audit-rules.ts'

/** Returns the price in USD per month; null if the platform does not show it. */
const monthlyUsd = ({ price }: LinkedItem): number | null => (typeof price === 'number' ? price : null)

/**
 * What `parley audit` asks about phone numbers. A finding has `detail` as the end of its sentence, which may change, and
 * commands as they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley numbers release ${id}`,
  // SIP trunks and caller ids are not bought from the platform; a released number is removed anyway.
  unused: (item, _, users) =>
    !hasAssistant(users) &&
    item.type === 'normal' &&
    (item.ends_at ?? null) === null &&
    item.has_active_subscription === true
      ? { detail: `${priceText(item)} and is not used by an assistant, campaign or automation.` }
      : undefined,
  monthlyUsd,
}

/** Says what a number costs, as far as the platform reports it. */
function priceText(item: LinkedItem): string {
  const price = monthlyUsd(item)
  const cost = price === null ? 'has an active subscription' : `costs ${usd(price)} per month`
  return typeof item.renews_at === 'string' ? `${cost}, next on ${item.renews_at.slice(0, 10)},` : cost
}
