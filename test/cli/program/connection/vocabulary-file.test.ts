import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readVocabulary } from '../../../../src/cli/program/connection/vocabulary-file.ts'
import { temporaryFolder } from '../../../support/databases.ts'

const file = join(temporaryFolder(), 'words.json')
const read = (content: object) => {
  writeFileSync(file, JSON.stringify(content))
  return readVocabulary(file)
}

test.each([
  ['decimals', { amount: 0, total: 20 }],
  ['keys', { id: 'identifier' }],
  ['values', { status: { active: 'on' } }],
  ['prefixes', { event: { call: 'anruf' } }],
  ['paths', { user: 'me' }],
  ['wrapped', { data: 'result' }],
  ['bits', ['is_active']],
])('a vocabulary file has %s', async (part, value) => {
  expect(await read({ [part]: value })).toMatchObject({ [part]: value })
})

test.each([
  ['decimals', { amount: -1 }],
  ['decimals', { amount: 21 }],
  ['decimals', { amount: 1.5 }],
  ['decimals', { amount: '2' }],
  ['decimals', [2]],
  ['keys', { id: '' }],
  ['keys', { '': 'identifier' }],
  ['keys', { id: 3 }],
  ['keys', ['id']],
  ['values', { status: 'on' }],
  ['values', { status: { active: '' } }],
  ['bits', 'is_active'],
  ['bits', [1]],
])('a vocabulary file with %s of the form %j is refused', async (part, value) => {
  await expect(read({ [part]: value })).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(`"${part}" has the wrong format`),
  })
})

test.each([
  [{ words: {} }, 'unknown key "words"'],
  [{ extends: 'other' }, '"extends" must be public or neutral'],
])('a vocabulary file of %j is refused', async (content, message) => {
  await expect(read(content)).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(message) })
})
