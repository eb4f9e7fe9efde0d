import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { placeStops } from '../../../src/inspector/page/clock/scrubber.ts'
import { scenarioText } from '../../../src/inspector/page/conversations/scenario.ts'
import { parseTranscript } from '../../../src/inspector/page/conversations/transcript.ts'
import { describeFault } from '../../../src/inspector/page/faults/describe-fault.ts'
import { fillTemplate } from '../../../src/inspector/page/messaging/template-preview.ts'
import { amountsOf, lastDays, totalOf } from '../../../src/inspector/page/numbers/usage-days.ts'
import { composeEntries, entrySources } from '../../../src/inspector/page/timeline/compose-entries.ts'
import { parseSearch } from '../../../src/inspector/page/timeline/search.ts'

test('jobs are grouped by time and placed from now to the last one, evenly', () => {
  const job = (due_at: string) => ({ kind: 'delivery', subject: '1', text: 'delivery 1', due_at, attempts: 0 })
  const stops = placeStops([
    job('2026-02-01T00:00:00Z'),
    job('2026-01-01T01:00:00Z'),
    job('2026-02-01T00:00:00Z'),
    job('2025-12-31T00:00:00Z'),
  ])
  expect(stops.map((it) => it.jobs.length)).toEqual([1, 1, 2])
  expect(stops.map((it) => it.position)).toEqual([1 / 3, 2 / 3, 1])
  expect(placeStops([])).toEqual([])
})

test('a transcript is a list of turns, and lines without a speaker continue one', () => {
  expect(parseTranscript('AI: Hello\nsecond line\nCustomer: <b>hi</b>\nNote: a colon')).toEqual([
    { role: 'assistant', text: 'Hello\nsecond line' },
    { role: 'user', text: '<b>hi</b>\nNote: a colon' },
  ])
  expect(parseTranscript(null)).toEqual([])
})

test('placeholders of a template show the names of their variables', () => {
  expect(fillTemplate('Hello {{1}}, on {{ 2 }} or {{day_off}}', ['first_name', 'day'])).toBe(
    'Hello [first name], on [day] or [day off]',
  )
})

test('usage has an amount for each day, of balance and card, and its total is exact', () => {
  const days = lastDays(Date.parse('2026-01-03T23:30:00Z'), 3)
  expect(days).toEqual(['2026-01-01', '2026-01-02', '2026-01-03'])
  const rows = [
    { key: '2026-01-02', paid_from: 'card', amount: 1.3 },
    { key: '2026-01-02', paid_from: 'balance', amount: 0.1 },
    { key: '2026-01-03', paid_from: 'balance', amount: 0.2 },
  ] as const
  expect(amountsOf(rows, 'balance', days)).toEqual([0, 0.1, 0.2])
  expect(amountsOf(rows, 'card', days)).toEqual([0, 1.3, 0])
  expect(totalOf(amountsOf(rows, 'balance', days))).toBe(0.3)
})

describe('a fault rule', () => {
  const rule = {
    endpoint: '*',
    account: null,
    error: null,
    text: null,
    status: null,
    socket: null,
    drift: [],
    latency_ms: 0,
    times: null,
    probability: 1,
    met: 0,
    fired: 0,
  }

  test('is described by its effect', () => {
    expect(describeFault({ ...rule, status: 503, latency_ms: 200, probability: 0.25 })).toBe(
      'delay 200 ms, HTTP status 503, in 25 % of the requests',
    )
    expect(describeFault({ ...rule, socket: 'garbage' })).toBe('return invalid JSON')
    expect(describeFault(rule)).toBe('no effect')
  })
})

test('a timeline is composed of lists, newest first, with its filters', () => {
  const sources = (kind: string) => entrySources.find((it) => it.kind === kind)!
  const answers = [
    {
      source: sources('run'),
      body: {
        data: [
          { id: 'r1', status: 'FAILED', automation_name: 'Hours', error: 'No day', start_time: '2026-01-01T10:00:00Z' },
        ],
      },
    },
    {
      source: sources('request'),
      body: {
        data: [{ id: 4, method: 'GET', path: '/api/user/me', status: 503, ms: 2.4, at: '2026-01-01T11:00:00Z' }],
      },
    },
    { source: sources('call'), body: null },
  ]
  const ids = (search: string): string[] => composeEntries(answers, 1, parseSearch(search)).map((it) => it.id)
  expect(ids('')).toEqual(['request:4', 'run:r1'])
  expect(ids('status:failed')).toEqual(['request:4', 'run:r1'])
  expect(ids('kind:run')).toEqual(['run:r1'])
  expect(ids('since:2026-01-01T10:30:00Z')).toEqual(['request:4'])
  expect(ids('day hours')).toEqual(['run:r1'])
  expect(ids('account:2')).toEqual([])
  expect(composeEntries(answers, 1, parseSearch('hours'))[0]?.subject).toEqual({ noun: 'run', id: 'r1' })
})

test('a transcript becomes a scenario, whatever it contains', () => {
  const text = scenarioText(
    [
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Book: "tomorrow"\n- please #1' },
      {
        role: 'assistant',
        content: 'Done',
        function_calls: [{ name: 'book_appointment', result: { booked: true } }],
      },
      { role: 'user', content: 'Thanks 🦷' },
    ],
    { assistant: 'Front: desk', name: 'Conversation 1', channel: 'messaging' },
  )
  expect(parse(text)).toEqual({
    assistant: 'Front: desk',
    name: 'Conversation 1',
    channel: 'messaging',
    mocks: { book_appointment: { body: { booked: true } } },
    turns: [{ say: 'Book: "tomorrow"\n- please #1', expect: { called: ['book_appointment'] } }, { say: 'Thanks 🦷' }],
  })
})
