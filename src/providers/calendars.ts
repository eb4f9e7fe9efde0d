import type { Calendars } from '../services/ports.ts'
import { type Gate, throughGate } from './gate.ts'
import { magicCalendar } from './magic.ts'

/** Calendars in which every event is there and everybody owns every event type, but for the magic values. */
export const localCalendars = ({ gate }: { gate?: Gate | undefined }): Calendars => ({
  name: 'local',
  description: `Made-up calendars: every event is there but ${magicCalendar.missingEvent}, and everybody owns every event type but ${magicCalendar.foreignEventType}. Nothing is booked.`,

  eventName: (_, event) =>
    throughGate(gate, 'calendars.event', async () =>
      event === magicCalendar.missingEvent ? { ok: false, reason: 'There is no such event.' } : { ok: true, name: `Event ${event}` },
    ),

  ownsEventType: (_, uri) => throughGate(gate, 'calendars.owner', async () => !uri.endsWith(`/${magicCalendar.foreignEventType}`)),
})
