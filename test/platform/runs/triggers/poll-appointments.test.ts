import { expect, test } from 'vitest'
import type { Appointment, AppointmentQuery } from '../../../../src/engine/ports.ts'
import { poll } from '../../../../src/platform/runs/triggers/poll-trigger.ts'
import { createFakePorts } from '../../../engine/pieces/fake-ports.ts'

const hour = 3_600_000
const noon = Date.UTC(2027, 2, 1, 12)

/** A calendar, and a function that asks for its news as a trigger does: the keys and payloads since the last time. */
function calendarWith(triggerName: string) {
  const appointments = new Map<string, Appointment>()
  const set = (id: string, inHours: number, status: Appointment['status'] = 'booked'): void => {
    const [start, end] = [0, 0.5].map((it) => new Date(noon + (inHours + it) * hour).toISOString())
    const person = { name: 'Ada', email: null, phone: null }
    appointments.set(id, { id, title: 'Visit', start: start as string, end: end as string, status, ...person })
  }
  const find = async (_: number, { id, from = '' }: AppointmentQuery): Promise<Appointment[]> => {
    const all = [...appointments.values()]
    if (id !== undefined) return all.filter((it) => it.id === id)
    return all.filter((it) => it.status === 'booked' && it.start >= from)
  }
  const { ports } = createFakePorts({ 'calendarA.find': find })
  let cursor: unknown
  const news = async (hoursLater: number) => {
    const trigger = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@engine/piece-calendar-a', triggerName, input: {} },
    }
    const result = await poll(trigger, { ports, account: 1, cursor, now: (noon + hoursLater * hour) * 1000 })
    cursor = result.cursor
    return result.items
  }
  return { appointments, set, news }
}

test('a trigger for cancelled appointments starts for each one once, and not for those that are over or deleted', async () => {
  const { appointments, set, news } = calendarWith('booking_cancelled')
  set('cancelled', 5)
  set('over', -22)
  set('deleted', 6)
  set('booked', 7)
  expect(await news(0)).toEqual([])
  set('cancelled', 5, 'cancelled')
  appointments.delete('deleted')
  // An appointment is out of sight a day after its start.
  expect(await news(3)).toMatchObject([
    { key: 'cancelled cancelled 2027-03-01T17:00:00.000Z', payload: { id: 'cancelled', status: 'cancelled' } },
  ])
  expect(await news(4)).toEqual([])
})

test('a trigger for moved appointments starts for those whose time has changed, one for new ones for the others', async () => {
  const [moved, made] = [calendarWith('booking_rescheduled'), calendarWith('booking_created')]
  for (const { set, news } of [moved, made]) {
    set('moved', 5)
    set('same', 6)
    expect(await news(0)).toEqual([])
    set('moved', 8)
    set('new', 9)
  }
  expect((await moved.news(1)).map((it) => it.key)).toEqual(['moved moved 2027-03-01T20:00:00.000Z'])
  expect((await made.news(1)).map((it) => it.key)).toEqual(['new new 2027-03-01T21:00:00.000Z'])
})
