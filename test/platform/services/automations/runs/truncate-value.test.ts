import { expect, test } from 'vitest'
import { truncateValue } from '../../../../../src/platform/services/automations/runs/run-records.ts'

test('long names of fields are truncated like long texts', () => {
  const { value, isTruncated } = truncateValue({ ['x'.repeat(3_000_000)]: '', short: 1 })
  expect(isTruncated).toBe(true)
  expect(value).toEqual({ [`${'x'.repeat(200)}… (2999800 more characters)`]: '', short: 1 })
})

test('a value without long texts, names and lists is unchanged', () => {
  const value = { a: ['b', 1, null, { c: true }] }
  expect(truncateValue(value)).toEqual({ value, isTruncated: false })
})
