import { invalidField } from '../../../contract/errors/failures.ts'
import { channels } from '../../../contract/resources/campaigns.ts'
import { contactSources } from '../../../contract/values/contact-sources.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import {
  defaultOptOutSettings,
  findContradictoryWord,
  type OptOutSettings,
} from '../../../contract/values/opt-out-words.ts'
import { parseE164 } from '../../../contract/values/phone-number.ts'
import type { Channel } from '../../store/campaigns/tables.ts'
import {
  type BlockedContactFilters,
  type BlockedContactRow,
  deleteBlockedContacts,
  insertBlockedContacts,
  listBlockedContacts,
  listOpenHandOvers,
  type OpenHandOver,
} from '../../store/contacts/blocked-contacts.ts'
import { findOptOutSettings, saveOptOutSettings } from '../../store/contacts/opt-out-settings.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import type { Deps } from '../runtime/deps.ts'
import { handOverMs, waitForHandOvers } from './hand-over.ts'

/** A contact as a request names it. */
interface GivenContact {
  readonly phone_number: string
  readonly channel: Channel | 'all'
  readonly reason?: string | null | undefined
  readonly source?: string | undefined
}

/** A number and a channel, with why it is blocked. */
export interface ContactBlock {
  readonly phone: string
  readonly channel: Channel
  readonly reason: string | null
  readonly source: string
}

/** The result of a block. */
interface BlockResult {
  /** Blocks that were added, and those that existed. */
  readonly blocked: number
  readonly alreadyBlocked: number
  /** Sends that were handed over before. */
  readonly inProgress: number
}

/** Servers read the time of the database at slightly different moments. */
const clockToleranceMs = 1000

/** Returns the numbers of those contacts that are on a channel. */
const phonesOf = (contacts: readonly Pick<ContactBlock, 'phone' | 'channel'>[], channel: Channel): string[] =>
  contacts.filter((it) => it.channel === channel).map((it) => it.phone)

/**
 * Adds blocks in the caller's transaction, which holds the account. Returns those that did not exist, and the sends that were
 * handed over before.
 */
export async function addBlocks(
  query: AccountQuery,
  { wall }: Pick<Deps, 'wall'>,
  contacts: readonly ContactBlock[],
  now: Micros,
): Promise<{ readonly added: number; readonly open: readonly OpenHandOver[] }> {
  const added = await insertBlockedContacts(
    query,
    contacts.map(({ phone, channel, reason, source }) => ({
      account_id: query.account,
      phone_number: phone,
      channel,
      reason,
      source,
      created_at: now,
    })),
  )
  if (added.length > 0) {
    const isAdded = new Set(added.map((it) => `${it.channel} ${it.phone_number}`))
    await appendEvent(query, {
      account: query.account,
      kind: 'contact.blocked',
      subject: 'contacts',
      payload: {
        contacts: contacts
          .filter((it) => isAdded.has(`${it.channel} ${it.phone}`))
          .map(({ phone, ...block }) => ({ phone_number: phone, ...block })),
      },
      now,
    })
  }
  const open: OpenHandOver[] = []
  const since = wall() - handOverMs - clockToleranceMs
  for (const channel of channels) {
    const phones = phonesOf(contacts, channel)
    if (phones.length > 0) open.push(...(await listOpenHandOvers(query, channel, phones, since)))
  }
  return { added: added.length, open }
}

/** Lists, blocks and unblocks contacts of an account. */
export function contactService(deps: Pick<Deps, 'connection' | 'clock' | 'wall'>) {
  const { connection, clock } = deps

  /** Returns each number and channel once. @throws Failure 422 for an invalid number */
  async function toBlocks(contacts: readonly GivenContact[]): Promise<ContactBlock[]> {
    const blocks = new Map<string, ContactBlock>()
    for (const [n, { phone_number, channel, reason = null, source = contactSources.request }] of contacts.entries()) {
      const phone = await parseE164(phone_number)
      if (phone === undefined)
        throw invalidField(`contacts.${n}.phone_number`, 'Invalid phone number. Please use international E.164 format.')
      for (const each of channel === 'all' ? channels : [channel])
        blocks.set(`${each} ${phone}`, { phone, channel: each, reason, source })
    }
    return [...blocks.values()]
  }

  return {
    /** Returns one page of blocked contacts by number, and the total. `page` counts from 1. */
    list: (
      account: number,
      filters: BlockedContactFilters,
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ items: BlockedContactRow[]; total: number }> =>
      listBlockedContacts(accountQuery(connection.read, account), filters, {
        offset: (page - 1) * perPage,
        limit: perPage,
      }),

    /**
     * Blocks contacts. It returns after every send to them that was handed over before has its outcome or can start no
     * request any more: afterwards no request starts. @throws Failure 422 for an invalid number
     */
    async block(account: number, given: readonly GivenContact[]): Promise<BlockResult> {
      const contacts = await toBlocks(given)
      const { added, open } = await connection.write({ account }, async (query) =>
        addBlocks(query, deps, contacts, await clock.now(query)),
      )
      await waitForHandOvers(deps, account, open)
      return { blocked: added, alreadyBlocked: contacts.length - added, inProgress: open.length }
    },

    /** Returns the words with which contacts of the account opt out and in. */
    settings: async (account: number): Promise<OptOutSettings> =>
      (await findOptOutSettings(accountQuery(connection.read, account))) ?? defaultOptOutSettings,

    /** Changes the given settings, and returns all. @throws Failure 422 for a word that would opt out as well as in */
    updateSettings: (account: number, change: Partial<OptOutSettings>): Promise<OptOutSettings> =>
      connection.write({ account }, async (query) => {
        const settings = { ...((await findOptOutSettings(query)) ?? defaultOptOutSettings), ...change }
        const word = findContradictoryWord(settings)
        if (word !== undefined)
          throw invalidField(
            change.start_words && !change.stop_words ? 'start_words' : 'stop_words',
            `The word "${word}" would opt out as well as in.`,
          )
        await saveOptOutSettings(query, settings, await clock.now(query))
        return settings
      }),

    /** Unblocks contacts. Returns the number of blocks that were removed. @throws Failure 422 for an invalid number */
    async unblock(account: number, given: readonly GivenContact[]): Promise<number> {
      const contacts = await toBlocks(given)
      return connection.write({ account }, async (query) => removeBlocks(query, contacts, await clock.now(query)))
    },
  }
}

/** Removes blocks in the caller's transaction. Returns how many there were. */
export async function removeBlocks(
  query: AccountQuery,
  contacts: readonly Pick<ContactBlock, 'phone' | 'channel'>[],
  now: Micros,
): Promise<number> {
  const removed: BlockedContactRow[] = []
  for (const channel of channels) {
    const phones = phonesOf(contacts, channel)
    if (phones.length > 0) removed.push(...(await deleteBlockedContacts(query, channel, phones)))
  }
  if (removed.length > 0)
    await appendEvent(query, {
      account: query.account,
      kind: 'contact.unblocked',
      subject: 'contacts',
      payload: {
        contacts: removed.map(({ phone_number, channel, reason, source }) => ({
          phone_number,
          channel,
          reason,
          source,
        })),
      },
      now,
    })
  return removed.length
}
