import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareFigures, describeComparison, readRecord, writeRecord } from '../bench/compare.ts'
import { type Figure, least, limit } from '../bench/measurements.ts'
import { temporaryFolder } from '../support/databases.ts'

const ratio = (what: string, value: number, budget?: Figure['budget']): Figure => ({
  section: 'start-up',
  what,
  value,
  unit: 'x',
  ...(budget && { budget }),
})
const record = [
  { section: 'start-up', what: '--help', value: 1 },
  { section: 'start-up', what: 'GET', value: 0.5 },
  { section: 'start-up', what: 'memory', value: 10 },
]

test('ratios more than 15 % worse than the record are named, the worst first', () => {
  const result = compareFigures([ratio('--help', 1.2, limit(2)), ratio('  GET', 0.4, least(0.1))], record)
  expect(result.worse.map((it) => [it.what, Math.round(it.factor * 100)])).toEqual([
    ['GET', 125],
    ['--help', 120],
  ])
  expect(describeComparison(result)).toBe(
    [
      '2 of 2 ratios are more than 15 % worse than the record.',
      '  start-up: GET  0.40, recorded 0.50 (25 % worse)',
      '  start-up: --help  1.20, recorded 1.00 (20 % worse)',
    ].join('\n'),
  )
})

test('better, slightly worse and new figures are not named, and other units are not compared', () => {
  const figures: Figure[] = [
    ratio('--help', 1.1),
    ratio('GET', 0.9, least(0.1)),
    ratio('new', 9),
    { ...ratio('memory', 99), unit: 'MB' },
  ]
  expect(compareFigures(figures, record)).toEqual({ compared: 2, worse: [] })
})

test('the record keeps the figures of sections that were not measured', () => {
  const file = join(temporaryFolder(), 'record.json')
  expect(readRecord(file)).toEqual([])
  writeRecord([{ ...ratio('other', 3), section: 'server' }], file)
  writeRecord([ratio('  --help', 1.234), { ...ratio('memory', 9), unit: 'MB' }], file)
  writeRecord([ratio('  --help', 1.5)], file)
  expect(readRecord(file)).toEqual([
    { section: 'server', what: 'other', value: 3 },
    { section: 'start-up', what: '--help', value: 1.5 },
  ])
  expect(describeComparison(compareFigures([], readRecord(file)))).toContain('--record')
})

test('the committed record has a figure for every kind of start', () => {
  const names = readRecord().map((it) => `${it.section}: ${it.what}`)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toContain('start-up: keys list, embedded platform')
})
