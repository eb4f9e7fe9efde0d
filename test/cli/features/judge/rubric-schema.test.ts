import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createRubricSchema } from '../../../../src/cli/features/judge/rubric.ts'
import { operator } from '../../../support/operator.ts'

const check = new Ajv2020({ strict: false, validateFormats: false }).compile(createRubricSchema())

test('"parley schema rubric" prints the JSON Schema of rubrics', async () => {
  const { exitCode, stdout } = await operator().run('schema rubric')
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, createRubricSchema()])
})

test('it accepts the rubric of the documentation', () => {
  const [, text = ''] =
    /<!-- file: rubric.yaml -->\n```yaml\n(.*?)```/s.exec(readFileSync('docs/judging.md', 'utf8')) ?? []
  check(parse(text))
  expect(check.errors).toBeNull()
})

test('the rubric in the help judges conversations without a change', async () => {
  const by = operator()
  const help = (await by.run('conversations judge --help')).stdout.replaceAll(/\s+/g, ' ')
  const [, text = ''] = /A small rubric: (\{.*\]\})\./.exec(help) ?? []
  check(parse(text))
  expect(check.errors).toBeNull()
  expect(await by.run('conversations judge --rubric - --checks-only', { stdin: text })).toMatchObject({ exitCode: 0 })
})

test.each([
  ['a text for a list', '{version: 1, name: a, criteria: [{id: a, when: price, check: {never: no}}]}', true],
  ['an unknown field', '{version: 1, name: a, criterion: []}', false],
  ['an unknown field of a criterion', '{version: 1, name: a, criteria: [{id: a, prompt: b}]}', false],
  ['an unknown condition', '{version: 1, name: a, criteria: [{id: a, check: {says_prices: true}}]}', false],
])('%s: %s', (_, text, expected) => expect(check(parse(text))).toBe(expected))

test('a wrong rubric from standard input says where it is wrong and what prints the format', async () => {
  const { exitCode, stderr } = await operator().run('conversations judge --rubric -', { stdin: 'criteria: 3\n' })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('standard input:1: criteria: ')
  expect(stderr).toContain('parley schema rubric')
})
