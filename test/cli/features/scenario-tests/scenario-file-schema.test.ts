import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createScenarioSchema } from '../../../../src/cli/features/scenario-tests/assistants/scenario-schema.ts'
import { operator } from '../../../support/operator.ts'
import { sampleScenarios } from './project.ts'

const check = new Ajv2020({ strict: false, validateFormats: false }).compile(createScenarioSchema())

test('"parley schema scenario" prints the JSON Schema of the files of scenarios', async () => {
  const { exitCode, stdout } = await operator().run('schema scenario')
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, createScenarioSchema()])
})

test.each(Object.entries(sampleScenarios(true)))('it accepts the sample scenarios in %s', (_, text) => {
  check(parse(text))
  expect(check.errors).toBeNull()
})

test.each([
  [
    'a short form of each list',
    '{turns: [Hi], mocks: {a: {body: 1}}, expect: {called: a, not_called: b, contains: c, never: d}}',
    true,
  ],
  ['a call with arguments', '{turns: [{say: Hi, expect: {called: [{tool: a, with: {b: 1}, times: 2}]}}]}', true],
  ['an unknown field', '{turn: [Hi]}', false],
  ['an unknown expectation', '{expect: {contain: a}}', false],
  ['an unknown expectation of a turn', '{scenarios: [{turns: [{say: Hi, expect: {contain: a}}]}]}', false],
  ['an unknown field of a call', '{expect: {called: {tool: a, wiht: {}}}}', false],
  ['an unknown channel', '{channel: fax}', false],
])('%s: %s', (_, text, expected) => expect(check(parse(text))).toBe(expected))
