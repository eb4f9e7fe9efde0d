import { describe, expect, test } from 'vitest'
import { Failure, toEnvelope } from '../../../../src/contract/errors/failures.ts'
import { listPlaceholders } from '../../../../src/contract/values/template-value.ts'
import { fillTemplate } from '../../../../src/platform/services/messaging/send-rules.ts'

const text = 'Hello {{1}}, see you on {{2}}. Bye {{1}}.'
const names = ['first_name', 'day']
const refusal = (body: string, named: readonly string[], given: Record<string, string>): unknown => {
  try {
    return fillTemplate(body, named, given).body
  } catch (error) {
    return error instanceof Failure ? toEnvelope(error).error : error
  }
}
const head = 'The variables do not match the placeholders of the template: {{1}} (first_name), {{2}} (day).'

describe('a template', () => {
  test.each([
    ['numbers', { 1: 'Anna', 2: 'Monday' }],
    ['names', { first_name: 'Anna', day: 'Monday' }],
    ['a mixture', { day: 'Monday', 1: 'Anna' }],
  ])('is filled by %s, each placeholder at every position', (_, given) => {
    expect(fillTemplate(text, names, given)).toEqual({
      body: 'Hello Anna, see you on Monday. Bye Anna.',
      values: ['Anna', 'Monday'],
    })
  })

  test('without placeholders is sent unchanged', () => {
    expect(fillTemplate('We are open.', [], {})).toEqual({ body: 'We are open.', values: [] })
  })

  test('uses a value literally, whatever it contains', () => {
    expect(fillTemplate(text, names, { 1: '{{2}} $& $1', 2: '{{1}}' }).body).toBe(
      'Hello {{2}} $& $1, see you on {{1}}. Bye {{2}} $& $1.',
    )
  })

  test('can number its placeholders with gaps and in any order', () => {
    expect(listPlaceholders('{{7}} {{2}} {{7}} {{ 3 }} {{x}} {1}')).toEqual([2, 3, 7])
    expect(fillTemplate('{{7}}-{{2}}', ['small', 'large'], { large: 'L', 2: 'S' })).toEqual({
      body: 'L-S',
      values: ['S', 'L'],
    })
  })

  test.each([
    ['one is missing', { 1: 'Anna' }, `${head} Missing: {{2}} (day).`],
    ['one is empty', { 1: 'Anna', 2: '' }, `${head} Missing: {{2}} (day).`],
    ['all are missing', {}, `${head} Missing: {{1}} (first_name), {{2}} (day).`],
    ['there is one too many', { 1: 'Anna', 2: 'Monday', 3: 'x' }, `${head} Unknown: 3.`],
    ['a name is wrong', { first_name: 'Anna', date: 'Monday' }, `${head} Missing: {{2}} (day). Unknown: date.`],
    ['one is given twice', { 1: 'Anna', first_name: 'Ben', day: 'Monday' }, `${head} Given twice: {{1}} (first_name).`],
    [
      'a name is one that every object has',
      { 1: 'Anna', 2: 'Monday', constructor: 'x' },
      `${head} Unknown: constructor.`,
    ],
  ])('is refused when %s, and names its placeholders', (_, given, said) => {
    expect(refusal(text, names, given as Record<string, string>)).toBe(said)
  })

  test('that has no placeholders refuses values', () => {
    expect(refusal('Hello.', [], { 1: 'Anna' })).toBe(
      'The variables do not match the placeholders of the template: it has none. Unknown: 1.',
    )
  })

  test('whose placeholders have no names is filled by number', () => {
    expect(fillTemplate('Hello {{1}}.', [], { 1: 'Anna' }).body).toBe('Hello Anna.')
    expect(refusal('Hello {{1}}.', [], {})).toBe(
      'The variables do not match the placeholders of the template: {{1}}. Missing: {{1}}.',
    )
  })
})
