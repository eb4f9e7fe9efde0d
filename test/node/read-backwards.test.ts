import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPiecesBackwards } from '../../src/node/read-backwards.ts'
import { temporaryFolder } from '../support/databases.ts'

const file = join(temporaryFolder(), 'lines.txt')

test.each([0, 1, 1000, 200_000, 300_000])('pieces of lines of %d characters have every line once', (length) => {
  const text = Array.from({ length: 5 }, (_, n) => `${n}é${'x'.repeat(length)}\n`).join('')
  writeFileSync(file, text)
  const pieces = [...readPiecesBackwards(file)]
  expect(Buffer.from(pieces.reverse().join(''), 'latin1').toString()).toBe(text)
  for (const piece of pieces) expect(piece.endsWith('\n')).toBe(true)
})

test('many short lines are read in several pieces', () => {
  const text = Array.from({ length: 100_000 }, (_, n) => `line ${n}`).join('\n')
  writeFileSync(file, text)
  const pieces = [...readPiecesBackwards(file)]
  expect(pieces.length).toBeGreaterThan(2)
  expect(Buffer.from(pieces.reverse().join(''), 'latin1').toString()).toBe(text)
})

test('an empty and a missing file have no pieces', () => {
  writeFileSync(file, '')
  expect([...readPiecesBackwards(file)]).toEqual([])
  expect([...readPiecesBackwards(`${file}.missing`)]).toEqual([])
})
