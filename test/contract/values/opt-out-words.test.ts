import { expect, test } from 'vitest'
import {
  defaultOptOutSettings,
  normalizeReply,
  optOutLanguages,
  optOutWords,
  readOptOutReply,
} from '../../../src/contract/values/opt-out-words.ts'

const read = (text: string, more: object = {}) => readOptOutReply(text, { ...defaultOptOutSettings, ...more })

test.each([
  'STOP',
  'stop',
  ' Stop. ',
  '"STOP"!',
  'S.T.O.P.',
  'Stop 🛑',
  'ＳＴＯＰ',
  'sto\u200bp',
  'Stop all',
  'opt-out',
  'STOPP',
  'BAJA',
  'Cancelar suscripcion',
  'ARRET',
  'arrêt',
  'ARRE\u0302T',
  'СТОП',
  '退订',
  'توقف',
  'बंद करें।',
  'ABONELİKTEN ÇIK',
])('%j opts out', (text) => {
  expect(read(text)).toMatchObject({ kind: 'stop', confirmation: expect.stringContaining('START') })
})

test.each(['START', 'unblock', 'Alta!', 'Старт', '再開'])('%j opts in', (text) => {
  expect(read(text)).toMatchObject({ kind: 'start' })
})

test.each([
  ['Please stop calling me', 'stop'],
  ['stop, it was a joke', 'stop'],
  ['Can you unsubscribe me from all of this?', 'unsubscribe'],
  ['Quiero darme de baja mañana', 'baja'],
])('%j is for a person to read', (text, word) => {
  expect(read(text)).toEqual({ kind: 'suspected', word })
})

test.each([
  '',
  '   ',
  '...',
  '🛑',
  'Yes',
  'No',
  'Cancel',
  'The nonstop flight',
  'stopwatch',
  'restart please',
  'x'.repeat(100_000),
])('%j means nothing for opt-outs', (text) => {
  expect(read(text)).toBeUndefined()
})

test('the languages and words of the account count beside English, with its own confirmation', () => {
  const own = { languages: ['es'], stop_words: ['No more'], start_words: ['More'], confirmation: 'Bye.' }
  expect(read('arrêt', own)).toBeUndefined()
  expect(read('stop', own)).toEqual({ kind: 'stop', word: 'stop', confirmation: 'Bye.' })
  expect(read('stop', { ...own, confirmation: null })).toMatchObject({ confirmation: optOutWords.es.confirmation })
  expect(read('NO MORE!', own)).toEqual({ kind: 'stop', word: 'No more', confirmation: 'Bye.' })
  expect(read('baja', { ...own, confirmation: null })).toMatchObject({ confirmation: optOutWords.es.confirmation })
  expect(read('more', own)).toMatchObject({ kind: 'start' })
  expect(read('no more of it', own)).toMatchObject({ kind: 'suspected' })
})

test('no word opts out in one language and in again in another', () => {
  const all = (kind: 'stop' | 'start') =>
    optOutLanguages.flatMap((it) => optOutWords[it][kind].map((word) => normalizeReply(word)))
  const stop = new Set(all('stop'))
  expect(all('start').filter((it) => stop.has(it))).toEqual([])
  expect([...all('stop'), ...all('start')]).not.toContain('')
})
