import type { Link } from '../../../../contract/references/resource-links.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { findLinkTarget, linksFrom } from '../../../program/dependencies/usages.ts'
import { resources } from '../../../program/resources/registry.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, displayNumber, resourceFinding } from './account-scope.ts'

/** Reports offline senders, unapproved templates and numbers without SMS that a campaign or automation sends with. */
export async function messageFindings({ account }: AccountScope): Promise<Finding[]> {
  const [campaigns, flows] = await Promise.all([linksFrom(account, 'campaigns'), linksFrom(account, 'automate')])
  const links = [
    ...campaigns.filter(({ item }) => item.status !== 'completed'),
    ...flows.filter(({ item }) => item.status === 'enabled'),
  ].filter(({ to, by }) => to === 'senders' || to === 'templates' || (to === 'numbers' && by === 'step'))
  return (await Promise.all(links.map((it) => findingOf(account, it)))).flat()
}

async function findingOf(account: AccountScope['account'], link: Link): Promise<Finding[]> {
  const target = await findLinkTarget(account, link)
  if (!isObject(target)) return []
  const { from, item, to, step } = link
  const status = resources[from].isActive?.(item) ? 'failed' : 'warning'
  const sends = step === undefined ? 'sends' : `sends at "${step}"`
  const self = [from, item] as const
  if (to === 'senders' && target.status === 'offline')
    return [
      resourceFinding(
        status,
        'sender_offline',
        self,
        `${sends} with ${displayNumber(target)} (${target.id}), which is offline.`,
        'parley messaging senders',
      ),
    ]
  if (to === 'templates' && target.status !== 'approved' && typeof target.status === 'string')
    return [
      resourceFinding(
        status,
        'template_status',
        self,
        `${sends} the template "${target.name}" (${target.id}), which is ${target.status}.`,
        `parley messaging templates ${target.sender_id}`,
      ),
    ]
  return to === 'numbers' && target.sms_capable === false
    ? [
        resourceFinding(
          status,
          'sms_number',
          self,
          `${sends} SMS from ${displayNumber(target)} (${target.id}), which cannot send SMS.`,
          'parley numbers list --json --fields id,phone_number,sms_capable',
        ),
      ]
    : []
}
