import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../../contract/references/resource-references.ts'
import type { AccountReader } from '../../../program/dependencies/account-reader.ts'
import { describeItem } from '../../../program/dependencies/deletion-effects.ts'
import { resources } from '../../../program/resources/registry.ts'
import type { Finding } from '../finding.ts'

/** Input of the account checks. */
export interface AccountScope {
  readonly account: AccountReader
  /** The platform is on another machine, so it cannot reach private addresses of this network. */
  readonly isRemote: boolean
  /** Origin of the platform, `https://host`; undefined if this process runs the platform. */
  readonly origin: string | undefined
}

/**
 * Builds a finding about a resource. `detail` continues the sentence after its name; `hint` is the command that fixes
 * it.
 */
export const resourceFinding = (
  status: 'warning' | 'failed',
  check: string,
  [resourceKind, item]: readonly [ResourceKind, LinkedItem],
  detail: string,
  hint: string,
): Finding => {
  const { noun, singular } = resources[resourceKind]
  const name = [item.name, item.phone_number, item.display_name].find((value) => typeof value === 'string')
  const kind = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  return {
    check,
    status,
    detail: `${kind} ${describeItem(item)} ${detail}`,
    hint,
    noun,
    id: item.id as number | string,
    name: name === undefined ? null : String(name),
  }
}

/** Returns whether a campaign is running or about to run. */
export const isActiveCampaign = (campaign: LinkedItem): boolean => resources.campaigns.isActive?.(campaign) === true

/** Returns the phone number for messages; its id if the platform does not return it. */
export const displayNumber = ({ phone_number: phone, id }: LinkedItem): string =>
  typeof phone === 'string' ? phone : `number ${id}`
