import { expect, test } from 'vitest'
import { scrollToRow, visibleRows } from '../../../src/inspector/page/parts/virtual-window.ts'

test.each([
  [
    { scrollTop: 0, height: 360, rowHeight: 36, count: 100_000 },
    { first: 0, end: 18 },
  ],
  [
    { scrollTop: 3_599_640, height: 360, rowHeight: 36, count: 100_000 },
    { first: 99_982, end: 100_000 },
  ],
  [
    { scrollTop: 36_000, height: 360, rowHeight: 36, count: 100_000 },
    { first: 992, end: 1018 },
  ],
  [
    { scrollTop: 0, height: 360, rowHeight: 36, count: 3 },
    { first: 0, end: 3 },
  ],
  [
    { scrollTop: 0, height: 0, rowHeight: 36, count: 0 },
    { first: 0, end: 0 },
  ],
  // The list became shorter than where it was scrolled to.
  [
    { scrollTop: 90_000, height: 360, rowHeight: 36, count: 10 },
    { first: 2, end: 10 },
  ],
])('of a list %o, only the visible rows are drawn', (list, expected) => {
  expect(visibleRows(list)).toEqual(expected)
})

test('a list scrolls only as far as the selected row needs', () => {
  const list = { scrollTop: 360, height: 360, rowHeight: 36 }
  expect([scrollToRow(3, list), scrollToRow(12, list), scrollToRow(20, list)]).toEqual([108, 360, 396])
})
