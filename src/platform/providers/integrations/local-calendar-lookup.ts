import type { CalendarLookup } from '../../../engine/ports/calendar-lookup.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { testCalendar } from '../local/test-numbers.ts'

/**
 * Creates simulated calendars in which every event exists and every account owns every event type, except the test
 * values.
 */
export const localCalendarLookup = ({ gate }: { gate?: FaultInjector | undefined }): CalendarLookup => ({
  name: 'local',
  description: `Simulated calendars. Every event exists except ${testCalendar.missingEvent}, and every account owns every event type except ${testCalendar.foreignEventType}. Nothing is booked.`,

  eventName: (_, event) =>
    withFaultInjection(gate, 'calendars.event', async () =>
      event === testCalendar.missingEvent
        ? { ok: false, reason: 'Event not found.' }
        : { ok: true, name: `Event ${event}` },
    ),

  ownsEventType: (_, uri) =>
    withFaultInjection(gate, 'calendars.owner', async () => !uri.endsWith(`/${testCalendar.foreignEventType}`)),
})
