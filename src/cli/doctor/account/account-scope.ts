import type { ResourceKind } from '../../../contract/resources/resource-references.ts'
import type { AccountReader } from '../../dependencies/account-reader.ts'
import { describeItem } from '../../dependencies/deletion-effects.ts'
import type { LinkedItem } from '../../dependencies/resource-links.ts'
import { resourceNouns } from '../../dependencies/resource-nouns.ts'
import type { Finding } from '../finding.ts'

/** What the checks of an account look at. */
export interface AccountScope {
  readonly account: AccountReader
  /** The platform is on another machine: it does not reach what is private here. */
  readonly isRemote: boolean
  /** Where the platform is, `https://host`; undefined inside this program. */
  readonly origin: string | undefined
}

/** What is wrong with a thing: its kind and itself, a sentence about it that goes on after its name, and the command that leads out. */
export const resourceFinding = (
  status: 'warning' | 'failed',
  check: string,
  [resourceKind, it]: readonly [ResourceKind, LinkedItem],
  detail: string,
  hint: string,
): Finding => {
  const { noun, singular } = resourceNouns[resourceKind]
  const name = [it.name, it.phone_number, it.display_name].find((value) => typeof value === 'string')
  const kind = `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
  return {
    check,
    status,
    detail: `${kind} ${describeItem(it)} ${detail}`,
    hint,
    noun,
    id: it.id as number | string,
    name: name === undefined ? null : String(name),
  }
}

/** Something works with it now, or is meant to at once. */
export const isActiveCampaign = (campaign: LinkedItem): boolean =>
  campaign.status === 'in-progress' || campaign.status === 'scheduled'

/** A number for people; its id where the platform does not tell it. */
export const displayNumber = ({ phone_number: phone, id }: LinkedItem): string =>
  typeof phone === 'string' ? phone : `number ${id}`
