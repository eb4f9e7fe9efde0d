import { expect, test } from 'vitest'
import { numberState, stateText, toneOf } from '../../../src/contract/values/states.ts'
import { parseRoute, resourcePath, routePath } from '../../../src/inspector/page/app/routes.ts'
import {
  amountText,
  milliseconds,
  plainText,
  prettyJson,
  relativeTime,
  shownAt,
} from '../../../src/inspector/page/data/values.ts'
import { type Finding, groupFindings } from '../../../src/inspector/page/overview/findings.ts'
import { textBlocks } from '../../../src/inspector/page/parts/text-blocks.ts'

test('an address names the page, its parts and its query', () => {
  expect(parseRoute('/_parley/')).toEqual({ page: 'overview', parts: [], query: {} })
  const path = routePath('timeline', ['run:7', 'a/b'], { search: 'status:failed é', account: '' })
  const [pathname, search] = path.split('?')
  expect(parseRoute(pathname as string, `?${search}`)).toEqual({
    page: 'timeline',
    parts: ['run:7', 'a/b'],
    query: { search: 'status:failed é' },
  })
  expect(parseRoute('/_parley/calls/%E0%A4%A').parts).toEqual(['%E0%A4%A'])
})

test('resources have an address if a page shows them', () => {
  expect(resourcePath('automation', 'x1')).toBe('/_parley/automations/x1')
  expect(resourcePath('run', 'r1')).toBe('/_parley/automations/runs/r1')
  expect(resourcePath('conversations', 'c1')).toBe('/_parley/conversations/c1')
  expect(resourcePath('folder', 1)).toBeNull()
})

test('a value is shown as the server formatted it, or else as plain text', () => {
  const answer = { body: { data: [{ price: 1.3, name: null }] }, shown: { '/data/0/price': '1.30 USD' } }
  expect(shownAt(answer, '/data/0/price')).toBe('1.30 USD')
  expect(shownAt(answer, '/data/0/name')).toBe('–')
  expect(shownAt(answer, '/data/7/name')).toBe('–')
  expect([plainText(true), plainText({ a: 1 }), plainText('x')]).toEqual(['yes', '{"a":1}', 'x'])
})

test('durations and distances are short', () => {
  const now = Date.parse('2026-11-23T10:00:00Z')
  expect(relativeTime('2026-11-26T11:00:00Z', now)).toBe('in 3 d')
  expect(relativeTime('2026-11-23T09:48:00Z', now)).toBe('12 min ago')
  expect(relativeTime('2026-11-23T10:00:00Z', now)).toBe('now')
  expect([85, 12_340, 245_000, 29_520_000, null].map(milliseconds)).toEqual([
    '85 ms',
    '12.3 s',
    '4 min 5 s',
    '8 h 12 min',
    '–',
  ])
})

test('a text that is JSON is indented, and other text is not changed', () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyJson('<html>')).toBe('<html>')
})

test('a long text is split into blocks at the end of words, and loses nothing', () => {
  for (const text of ['word '.repeat(10_000), 'line\n'.repeat(10_000), '🦷'.repeat(20_000), 'short']) {
    const blocks = textBlocks(text)
    expect(blocks.join('')).toBe(text)
    expect(Math.max(...blocks.map((it) => it.length))).toBeLessThanOrEqual(12_000)
    expect(blocks.some((it) => /[\ud800-\udbff]$/.test(it))).toBe(false)
  }
})

test('an amount has a unit, whether the server formatted it or not', () => {
  expect(['1.3', '-0.34', '1', '2.50 USD', '–'].map((it) => amountText(it, 'usd'))).toEqual([
    '1.30 USD',
    '-0.34 USD',
    '1.00 USD',
    '2.50 USD',
    '–',
  ])
  expect(amountText('1.3', 'usd')).toBe('1.30 USD')
})

test('a number that is released at the end of its month ends, and has not ended', () => {
  const now = Date.parse('2026-11-23T10:00:00Z')
  const stateOf = (number: Parameters<typeof numberState>[0]) => {
    const state = numberState(number, now)
    return [state, state && toneOf(state)]
  }
  expect(stateOf({ has_active_subscription: true, ends_at: null })).toEqual(['active', 'good'])
  expect(stateOf({ has_active_subscription: true, ends_at: '2026-12-01T10:00:00Z' })).toEqual(['ends', 'pending'])
  expect(stateOf({ has_active_subscription: true, ends_at: '2026-11-23T10:00:00Z' })).toEqual(['ended', 'plain'])
  expect(stateOf({ has_active_subscription: false })).toEqual([null, null])
})

test('a state has the same tone in any spelling, and its words have no underscores', () => {
  expect(['no-answer', 'no_answer', 'NO ANSWER'].map(toneOf)).toEqual(['pending', 'pending', 'pending'])
  expect(['SUCCEEDED', 'FAILED', 'ended', 'draft', '204', '503', 'constructor'].map(toneOf)).toEqual([
    'good',
    'bad',
    'plain',
    'plain',
    'good',
    'bad',
    undefined,
  ])
  expect(['would_update', 'FAILED', 'in-progress'].map(stateText)).toEqual(['would update', 'failed', 'in progress'])
})

test('identical warnings are one with a count, and failures come first', () => {
  const finding = (code: string, severity: string, n: number): Finding => ({
    code,
    severity,
    text: `${code} ${n}`,
    command: null,
  })
  const groups = groupFindings([
    ...[1, 2, 3, 4].map((n) => finding('unused_number', 'warning', n)),
    finding('sip_trunk', 'failed', 1),
    ...[5, 6, 7].map((n) => finding('unused_number', 'warning', n)),
  ])
  expect(groups.map((it) => [it.title, it.severity, it.findings.length])).toEqual([
    ['SIP trunk', 'failed', 1],
    ['Unused number', 'warning', 7],
  ])
})
