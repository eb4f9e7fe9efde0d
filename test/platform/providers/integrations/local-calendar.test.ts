import { expect, test } from 'vitest'
import { localCalendarLookup } from '../../../../src/platform/providers/integrations/local-calendar.ts'
import { testCalendar } from '../../../../src/platform/providers/local/test-numbers.ts'

const access = { apiKey: 'k', endpoint: 'us' }
const uri = (last: string): string => `https://calendar.example/event_types/${last}`

test('the local calendars have every event except one, which they name', async () => {
  const calendars = localCalendarLookup({})
  expect(await calendars.eventName(access, '17')).toEqual({ ok: true, name: 'Event 17' })
  expect(await calendars.eventName(access, testCalendar.missingEvent)).toMatchObject({ ok: false })
  expect(await calendars.ownsEventType('token', uri('8d1d5b8e-0f7c-4a53-9f0e-3d0c5a1f8b11'))).toBe(true)
  expect(await calendars.ownsEventType('token', uri(testCalendar.foreignEventType))).toBe(false)
  for (const value of Object.values(testCalendar)) expect(calendars.description).toContain(value)
})

test('the local calendars can simulate a failure', async () => {
  const steps: string[] = []
  const calendars = localCalendarLookup({
    gate: async (step) => {
      steps.push(step)
      if (step === 'calendars.owner:before') throw new Error('unreachable')
    },
  })
  await calendars.eventName(access, '1')
  await expect(calendars.ownsEventType('token', uri('a'))).rejects.toThrow('unreachable')
  expect(steps).toEqual(['calendars.event:before', 'calendars.event:after', 'calendars.owner:before'])
})
