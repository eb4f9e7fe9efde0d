import { type BlockedContact, contactChannels } from '../../../contract/resources/contacts.ts'
import type { View } from '../../program/output/format.ts'

/**
 * How blocked contacts are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with
 * `-o id`.
 */
export const view: View<BlockedContact> = {
  id: (it) => it.phone_number,
  columns: [
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'channel', title: 'Channel', priority: 1 },
    { key: 'reason', title: 'Reason', priority: 2, flexible: true },
    { key: 'source', title: 'Source', priority: 2 },
    { key: 'created_at', title: 'Blocked', priority: 2, kind: 'time' },
  ],
  empty: 'No blocked contacts. Block one: parley contacts block <number> --channel <channel>.',
}

/** Hint where a platform has no list of blocked contacts. */
export const elsewhere = 'Block contacts in the app of the platform.'

/** The channels of contacts. Scripts have the words: they are those of the contract. */
export const channelFlag = {
  flags: '--channel <channel>',
  describe: 'Channel: call, messaging, sms, or all for every channel',
  choices: contactChannels,
} as const

/** Returns a count with its noun: `1 block`, `12 blocks`. */
export const countText = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
