import type { Thing } from '../../../contract/references.ts'
import type { Account } from '../../references/account.ts'
import type { Item } from '../../references/links.ts'
import { calledIn } from '../../references/losses.ts'
import { things } from '../../references/things.ts'
import type { Finding } from '../finding.ts'

/** What the checks of an account look at. */
export interface Look {
  readonly account: Account
  /** The platform is on another machine: it does not reach what is private here. */
  readonly isRemote: boolean
  /** Where the platform is, `https://host`; undefined inside this program. */
  readonly origin: string | undefined
}

/** What is wrong with a thing: its kind and itself, a sentence about it that goes on after its name, and the command that leads out. */
export const about = (status: 'warning' | 'failed', check: string, [thing, it]: readonly [Thing, Item], detail: string, hint: string): Finding => {
  const { noun, one } = things[thing]
  const name = [it.name, it.phone_number, it.display_name].find((value) => typeof value === 'string')
  const kind = `${one.charAt(0).toUpperCase()}${one.slice(1)}`
  return {
    check,
    status,
    detail: `${kind} ${calledIn(it)} ${detail}`,
    hint,
    noun,
    id: it.id as number | string,
    name: name === undefined ? null : String(name),
  }
}

/** Something works with it now, or is meant to at once. */
export const isRunning = (campaign: Item): boolean => campaign.status === 'in-progress' || campaign.status === 'scheduled'

/** A number for people; its id where the platform does not tell it. */
export const phoneOf = ({ phone_number: phone, id }: Item): string => (typeof phone === 'string' ? phone : `number ${id}`)
