import { expect, test } from 'vitest'
import { textDifference } from '../../../../../src/cli/program/updates/text-difference.ts'

test('only the differing lines of a long text are shown', () => {
  expect(textDifference('one\ntwo\nthree\nfour', 'one\nTWO\nthree\nfour')).toEqual(['- two', '+ TWO'])
  expect(textDifference('one\ntwo', 'one\nand a half\ntwo')).toEqual(['+ and a half'])
})

test('of one long line only the part around the change is shown', () => {
  const start = `export const code = async (inputs) => ({ ${'x'.repeat(300)}, `
  expect(textDifference(`${start}hours: 1 })`, `${start}hours: 2 })`)).toEqual([
    `- …${'x'.repeat(15)}, hours: 1 })`,
    `+ …${'x'.repeat(15)}, hours: 2 })`,
  ])
})

test('a text that differs in every line is cut, with the number of omitted lines', () => {
  const lines = textDifference('', Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'))
  expect(lines.at(-1)).toBe('+ … 28 more lines')
  expect(lines.length).toBeLessThan(20)
})
