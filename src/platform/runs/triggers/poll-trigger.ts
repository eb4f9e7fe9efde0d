import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { getOwn, nodeSettings } from '../../../engine/definition/node.ts'
import type { AutomationPorts, CalendarPort } from '../../../engine/pieces/ports.ts'
import { StepFailure } from '../../../engine/pieces/step-failure.ts'
import type { Appointment, SheetLocation } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'

/** Context of a poll. `cursor` is the one from the previous result; undefined at first, when nothing counts as new. */
interface PollContext {
  readonly ports: AutomationPorts
  readonly account: number
  readonly cursor: unknown
  readonly now: Micros
}

/** New items, each with a unique key, and the cursor of the next poll. */
interface PollResult {
  readonly items: readonly { readonly key: string; readonly payload: unknown }[]
  readonly cursor: unknown
}

type Poller = (input: unknown, context: PollContext) => Promise<PollResult>

/** Returns the new items of the service of a trigger. @throws StepFailure if the service cannot be queried */
export async function poll(trigger: AutomationNode, context: PollContext): Promise<PollResult> {
  const { pieceName, triggerName, input } = nodeSettings(trigger)
  const poller = getOwn(pollers, String(triggerName)) as Poller | undefined
  if (!poller) throw new StepFailure(`${String(pieceName)} does not support the trigger ${String(triggerName)}.`)
  return poller(input, context)
}

const pageSize = 200

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

async function pollRows(input: unknown, { ports, account, cursor }: PollContext): Promise<PollResult> {
  const spreadsheet = toText(getOwn(input, 'spreadsheet_id')) ?? toText(getOwn(input, 'spreadsheetId'))
  if (spreadsheet === undefined) throw new StepFailure('spreadsheet_id is required.')
  const at: SheetLocation = {
    spreadsheet,
    sheet: toText(getOwn(input, 'sheet_id')) ?? toText(getOwn(input, 'sheetId')),
  }
  const known = getOwn(cursor, 'row')
  // If the sheet lost rows since the last poll, it is read as if for the first time.
  const isKnown =
    typeof known === 'number' && (known <= 1 || (await ports.sheets.rows(account, at, known - 1, 1)).length > 0)
  if (!isKnown) {
    let last = 1
    for (;;) {
      const page = await ports.sheets.rows(account, at, last, pageSize)
      last = page.at(-1)?.number ?? last
      if (page.length < pageSize) return { items: [], cursor: { row: last } }
    }
  }
  const rows = await ports.sheets.rows(account, at, known, pageSize)
  return {
    items: rows.map((row) => ({
      // Keys of items, here and below, become deduplication keys of runs: they never change.
      key: `row ${row.number} ${stringifyJson(row.values)}`,
      payload: { row: row.number, values: row.values },
    })),
    cursor: { row: rows.at(-1)?.number ?? known },
  }
}

/** Returns a poller that compares the appointments since yesterday with those of the last poll. */
function pollAppointments(
  port: (ports: AutomationPorts) => CalendarPort,
  wanted: 'new' | 'moved' | 'cancelled',
): Poller {
  return async (_, { ports, account, cursor, now }) => {
    const calendar = port(ports)
    const booked = await calendar.find(account, { from: new Date((now - day) / 1000).toISOString() })
    const before = getOwn(cursor, 'starts')
    const starts = Object.fromEntries(booked.map((it) => [it.id, it.start]))
    if (!isObject(before)) return { items: [], cursor: { starts } }
    const found =
      wanted === 'new'
        ? booked.filter((it) => !Object.hasOwn(before, it.id))
        : wanted === 'moved'
          ? booked.filter((it) => Object.hasOwn(before, it.id) && before[it.id] !== it.start)
          : await findCancelled(
              calendar,
              account,
              Object.keys(before).filter((id) => !Object.hasOwn(starts, id)),
            )
    return { items: found.map((it) => ({ key: `${wanted} ${it.id} ${it.start}`, payload: it })), cursor: { starts } }
  }
}

async function findCancelled(calendar: CalendarPort, account: number, ids: readonly string[]): Promise<Appointment[]> {
  const found: Appointment[] = []
  for (const id of ids) found.push(...(await calendar.find(account, { id })).filter((it) => it.status === 'cancelled'))
  return found
}

async function pollContacts(_: unknown, { ports, account, cursor }: PollContext): Promise<PollResult> {
  const known = getOwn(cursor, 'last')
  const contacts = await ports.crmB.contactsAfter(account, typeof known === 'string' ? known : null)
  const last = contacts.at(-1)?.id ?? known ?? ''
  return {
    items: cursor === undefined ? [] : contacts.map((it) => ({ key: `contact ${it.id}`, payload: it })),
    cursor: { last },
  }
}

/**
 * Pollers by the name of the trigger. A trigger of the kind `external` that is missing here fails at each poll. The
 * cursors are stored: their fields never change.
 */
const pollers: Readonly<Record<string, Poller>> = {
  new_row_added: pollRows,
  googlesheets_new_row_added: pollRows,
  booking_created: pollAppointments((it) => it.calendarA, 'new'),
  booking_rescheduled: pollAppointments((it) => it.calendarA, 'moved'),
  booking_cancelled: pollAppointments((it) => it.calendarA, 'cancelled'),
  invitee_created: pollAppointments((it) => it.calendarB, 'new'),
  invitee_canceled: pollAppointments((it) => it.calendarB, 'cancelled'),
  appointment_created: pollAppointments((it) => it.crmB, 'new'),
  new_contact: pollContacts,
}
