import type { Contact } from '../../automation/ports.ts'
import type { Crm, Whose } from '../../services/connected-ports.ts'
import type { LocalContactTable } from '../../store/connected-tables.ts'
import type { Connection, Query } from '../../store/connection.ts'
import { digitsOf, once } from '../acts.ts'
import { localBookings } from '../bookings/local.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'

type ContactRow = Omit<LocalContactTable, 'number'> & { readonly number: number }
type Known = { readonly email?: string | null | undefined; readonly phone?: string | null | undefined }

/** A CRM whose books are the tables `local_contact` and `local_note`, with a calendar of its own. Its own transactions: it never takes part in the platform's. */
export function localCrm({ connection, gate }: { connection: Connection; gate?: Gate | undefined }): Crm {
  return {
    ...localBookings({ connection, calendar: 'crm-b', gate }),
    description: 'A made-up CRM with its contacts, notes and appointments in the database of this platform. Nobody is written to.',

    async findContact(whose, query) {
      const row = await contactOf(connection.read, whose, query)
      return row ? toContact(row) : null
    },

    saveContact: (key, whose, contact) =>
      throughGate(gate, 'crm.change', () =>
        connection.write((query) => once(query, key, { account: whose.account, contact }, () => save(query, whose, contact, digest(`contact ${key}`, 16)))),
      ),

    addNote: (key, whose, contact, text) =>
      throughGate(gate, 'crm.change', () =>
        connection.write((query) =>
          once(query, key, { account: whose.account, contact, text }, async () => {
            const found = await contacts(query, whose).where('id', '=', contact).executeTakeFirst()
            if (!found) return { ok: false, reason: 'There is no such contact.', because: 'missing' } as const
            const id = `note_${digest(`note ${key}`, 16)}`
            await query.insertInto('local_note').values({ id, contact, text }).execute()
            return { ok: true, id } as const
          }),
        ),
      ),

    async contactsAfter(whose, id) {
      const after = id === null ? undefined : await contacts(connection.read, whose).where('id', '=', id).executeTakeFirst()
      const rows = await contacts(connection.read, whose)
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .execute()
      return rows.map(toContact)
    },
  }
}

const contacts = (query: Query, { account }: Whose) => query.selectFrom('local_contact').selectAll().where('owner', '=', account)

/** By the number or the mail address, the number first. */
async function contactOf(query: Query, whose: Whose, { email, phone }: Known): Promise<ContactRow | undefined> {
  const all = (phone || email ? await contacts(query, whose).orderBy('number').execute() : []) as ContactRow[]
  const digits = digitsOf(phone ?? '')
  const called = digits === '' ? undefined : all.find((it) => digitsOf(it.phone ?? '') === digits)
  return called ?? (email ? all.find((it) => it.email === email.trim().toLowerCase()) : undefined)
}

async function save(query: Query, whose: Whose, { name, email, phone, tags, fields }: Partial<Omit<Contact, 'id'>>, digits: string): Promise<Contact> {
  const found = await contactOf(query, whose, { email, phone })
  const given = { ...(name != null && { name }), ...(email != null && { email: email.trim().toLowerCase() }), ...(phone != null && { phone }) }
  const [had, hadFields] = [found ? JSON.parse(found.tags) : [], found ? JSON.parse(found.fields) : {}]
  const row = {
    name: null,
    email: null,
    phone: null,
    ...(found && { name: found.name, email: found.email, phone: found.phone }),
    ...given,
    tags: JSON.stringify([...new Set([...had, ...(tags ?? [])])]),
    fields: JSON.stringify({ ...hadFields, ...fields }),
  }
  const id = found?.id ?? `contact_${digits}`
  if (found) await query.updateTable('local_contact').set(row).where('id', '=', id).execute()
  else
    await query
      .insertInto('local_contact')
      .values({ id, owner: whose.account, ...row })
      .execute()
  return toContact({ ...row, id })
}

const toContact = ({ id, name, email, phone, tags, fields }: Omit<ContactRow, 'number' | 'owner'>): Contact => ({
  id,
  name,
  email,
  phone,
  tags: JSON.parse(tags),
  fields: JSON.parse(fields),
})
