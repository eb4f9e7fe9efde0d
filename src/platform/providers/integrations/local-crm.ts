import type { ConnectionAccess, Contact, CrmProvider } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import type { LocalContactTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { runOnce, toDigits } from '../local/idempotent-request.ts'
import { localCalendar } from './local-calendar.ts'

type ContactRow = Omit<LocalContactTable, 'number'> & { readonly number: number }
type ContactQuery = { readonly email?: string | null | undefined; readonly phone?: string | null | undefined }

/** Contacts of an account are saved one after the other, so that a person gets one contact. */
const contactsScope = ({ account }: ConnectionAccess) => ({ name: `contacts of account ${account}` })

/**
 * Creates a CRM that stores its data in the tables `local_contact` and `local_note`, with a separate calendar. It uses
 * its own transactions and never takes part in the platform's.
 */
export function localCrm({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): CrmProvider {
  return {
    ...localCalendar({ connection, calendar: 'crm-b', gate }),
    description:
      'Simulated CRM. Contacts, notes and appointments are stored in the database of this platform. No messages are sent.',

    async findContact(access, query) {
      const row = await findContact(connection.read, access, query)
      return { ok: true, value: row ? toContact(row) : null }
    },

    saveContact: (key, access, contact) =>
      withFaultInjection(gate, 'crm.change', async () => {
        const value = await connection.write(contactsScope(access), (query) =>
          runOnce(query, key, { account: access.account, contact }, () =>
            saveContact(query, access, contact, digest(`contact ${key}`, 16)),
          ),
        )
        return { ok: true, value } as const
      }),

    addNote: (key, access, contact, text) =>
      withFaultInjection(gate, 'crm.change', async () => {
        const stored = await connection.write(contactsScope(access), (query) =>
          runOnce(query, key, { account: access.account, contact, text }, async () => {
            const found = await ownContacts(query, access).where('id', '=', contact).executeTakeFirst()
            if (!found) return { ok: false, reason: 'Contact not found.', because: 'missing' } as const
            const id = `note_${digest(`note ${key}`, 16)}`
            await query.insertInto('local_note').values({ id, contact, text }).execute()
            return { ok: true, id } as const
          }),
        )
        return stored.ok ? ({ ok: true, value: { id: stored.id } } as const) : stored
      }),

    async contactsAfter(access, id) {
      const after =
        id === null ? undefined : await ownContacts(connection.read, access).where('id', '=', id).executeTakeFirst()
      const rows = await ownContacts(connection.read, access)
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .execute()
      return { ok: true, value: rows.map(toContact) }
    },
  }
}

const ownContacts = (query: PlatformQuery, { account }: ConnectionAccess) =>
  query.selectFrom('local_contact').selectAll().where('owner', '=', account)

/** Finds a contact by phone number, else by email address. What it finds is what `saveContact` updates in place of a new contact. */
async function findContact(
  query: PlatformQuery,
  access: ConnectionAccess,
  { email, phone }: ContactQuery,
): Promise<ContactRow | undefined> {
  const all = (phone || email ? await ownContacts(query, access).orderBy('number').execute() : []) as ContactRow[]
  const digits = toDigits(phone ?? '')
  const byPhone = digits === '' ? undefined : all.find((it) => toDigits(it.phone ?? '') === digits)
  return byPhone ?? (email ? all.find((it) => it.email === email.trim().toLowerCase()) : undefined)
}

async function saveContact(
  query: PlatformQuery,
  access: ConnectionAccess,
  { name, email, phone, tags, fields }: Partial<Omit<Contact, 'id'>>,
  digits: string,
): Promise<Contact> {
  const found = await findContact(query, access, { email, phone })
  const given = {
    ...(name != null && { name }),
    ...(email != null && { email: email.trim().toLowerCase() }),
    ...(phone != null && { phone }),
  }
  const [previousTags, previousFields] = [found ? parseJson(found.tags) : [], found ? parseJson(found.fields) : {}]
  const row = {
    name: null,
    email: null,
    phone: null,
    ...(found && { name: found.name, email: found.email, phone: found.phone }),
    ...given,
    tags: stringifyJson([...new Set([...previousTags, ...(tags ?? [])])]),
    fields: stringifyJson({ ...previousFields, ...fields }),
  }
  const id = found?.id ?? `contact_${digits}`
  if (found) await query.updateTable('local_contact').set(row).where('id', '=', id).execute()
  else
    await query
      .insertInto('local_contact')
      .values({ id, owner: access.account, ...row })
      .execute()
  return toContact({ ...row, id })
}

const toContact = ({ id, name, email, phone, tags, fields }: Omit<ContactRow, 'number' | 'owner'>): Contact => ({
  id,
  name,
  email,
  phone,
  tags: parseJson(tags),
  fields: parseJson(fields),
})
