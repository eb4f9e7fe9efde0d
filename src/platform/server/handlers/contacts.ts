import { invalidField } from '../../../contract/errors/failures.ts'
import {
  type BlockedContact,
  contacts,
  maxListedNumbers,
  type WaitingContact,
} from '../../../contract/resources/contacts.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { countedLanguages, type OptOutSettings, optOutWords } from '../../../contract/values/opt-out-words.ts'
import { numberPrefix } from '../../../contract/values/phone-number.ts'
import { parseJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { contactHoursService } from '../../services/contacts/contact-hours-service.ts'
import { contactService } from '../../services/contacts/contact-service.ts'
import { type DescribedWaiting, waitingContactService } from '../../services/contacts/waiting-contact-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { BlockedContactRow } from '../../store/contacts/blocked-contacts.ts'
import { toPage } from '../http/page-envelope.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const contactResource = (deps: Deps): LoadedResource => loadedResource(contacts, contactHandlers(deps))

/** Creates the handlers of blocked contacts. */
function contactHandlers(deps: Deps): HandlersOf<typeof contacts> {
  const service = contactService(deps)
  const hours = contactHoursService(deps)
  return {
    async list(input, { account, origin }) {
      const phones = input.phone_numbers?.split(',').filter((it) => it !== '')
      if (phones && phones.length > maxListedNumbers)
        throw invalidField('phone_numbers', `The phone numbers field must have at most ${maxListedNumbers} numbers.`)
      const filters = {
        channel: input.channel,
        phonePrefix: input.phone_number && numberPrefix(input.phone_number),
        phones,
      }
      const { items, total } = await service.list(account.id, filters, { page: input.page, perPage: input.per_page })
      return toPage(items.map(toWire), { total, path: contacts.list.path, origin, input })
    },
    async block({ contacts: given }, { account }) {
      const { blocked, alreadyBlocked, inProgress } = await service.block(account.id, given)
      return {
        message: 'Contacts blocked.',
        data: { received: given.length, blocked, already_blocked: alreadyBlocked, in_progress: inProgress },
      }
    },
    unblock: async ({ contacts: given }, { account }) => ({
      message: 'Contacts unblocked.',
      data: { unblocked: await service.unblock(account.id, given) },
    }),
    settings: async (_, { account }) => ({ data: settingsToWire(await service.settings(account.id)) }),
    async updateSettings(input, { account }) {
      const change = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      return { message: 'Settings saved.', data: settingsToWire(await service.updateSettings(account.id, change)) }
    },
    async waiting(input, { account, origin }) {
      const { waiting_id: id, channel } = input
      const filters = { id, channel, state: input.state === 'all' ? undefined : input.state }
      const paging = { page: input.page, perPage: input.per_page }
      const service = waitingContactService(deps)
      const { items, total } = await service.list(account.id, filters, paging)
      const described = await service.describe(account.id, items)
      return toPage(described.map(waitingToWire), { total, path: contacts.waiting.path, origin, input })
    },
    async cancelWaiting({ waiting_id: id }, { account }) {
      const service = waitingContactService(deps)
      const [cancelled] = await service.describe(account.id, [await service.cancel(account.id, id)])
      return { data: waitingToWire(requireValue(cancelled)) }
    },
    async sendWaiting({ waiting_id: id }, { account }) {
      const service = waitingContactService(deps)
      const [started] = await service.describe(account.id, [await service.sendNow(account.id, id)])
      return { data: waitingToWire(requireValue(started)) }
    },
    hours: async (_, { account }) => ({ data: await hours.get(account.id) }),
    async updateHours(input, { account }) {
      const change = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      return { message: 'Hours saved.', data: await hours.update(account.id, change) }
    },
  }
}

const waitingToWire = ({ row, ...details }: DescribedWaiting): WaitingContact => ({
  id: row.id,
  channel: row.channel,
  phone_number: row.phone_number,
  content: details.content,
  max_cost: details.maxCost === null ? null : fromMillionths(details.maxCost),
  opens_at: toIsoMicros(row.opens_at),
  timezones: [...details.zones],
  timezone_source: details.source,
  closed_by: details.closed?.reason ?? null,
  closed_in: details.closed?.zone ?? null,
  state: row.state as WaitingContact['state'],
  started_id: row.started_id,
  error: row.failure === null ? null : parseJson(row.failure).text,
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})

const settingsToWire = ({ languages, stop_words, start_words, confirmation }: OptOutSettings) => ({
  languages: [...languages],
  stop_words: [...stop_words],
  start_words: [...start_words],
  confirmation,
  known_words: countedLanguages({ languages }).map((language) => {
    const { stop, start } = optOutWords[language]
    return { language, stop: [...stop], start: [...start] }
  }),
})

const toWire = ({ phone_number, channel, reason, source, created_at }: BlockedContactRow): BlockedContact => ({
  phone_number,
  channel,
  reason,
  source,
  created_at: toIsoMicros(created_at),
})
