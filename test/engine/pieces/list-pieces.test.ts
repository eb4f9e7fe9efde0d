import { expect, test } from 'vitest'
import { suggestForMissingAction, suggestForTrigger } from '../../../src/engine/pieces/piece-alternatives.ts'
import { dataSummarizer } from '../../../src/engine/pieces/registry.ts'
import { piece } from '../../support/automation-nodes.ts'
import { outputOf } from './fake-ports.ts'

const run = (name: string, action: string, input: object): Promise<unknown> =>
  outputOf(piece(`@activepieces/piece-${name}`, action, input))

test.each<[string, string, object, unknown]>([
  ['data-summarizer', 'calculateSum', { values: [1, '2.5', 3] }, { sum: 6.5 }],
  ['data-summarizer', 'calculateSum', { values: '[12345678901234567890, 1]' }, { sum: 12345678901234567000 }],
  ['data-summarizer', 'calculateSum', { values: [] }, { sum: 0 }],
  ['data-summarizer', 'calculateAverage', { values: '[1, 2]' }, { average: 1.5 }],
  ['data-summarizer', 'getMinMax', { values: [3, '-1', 2] }, { max: 3, min: -1 }],
  ['data-summarizer', 'countUniques', { values: [1, 1, '1', { a: 1 }, { a: 1 }] }, { numUniques: 3 }],
  [
    'data-summarizer',
    'countUniques',
    { values: [{ a: 1, b: 1 }, { a: 1, b: 2 }, 'x'], fields: ['a'] },
    { numUniques: 2 },
  ],
  ['data-mapper', 'chunk_array', { items: [1, 2, 3] }, [[1, 2], [3]]],
  [
    'data-mapper',
    'chunk_array',
    { items: '[1, 2, 3, 4, 5]', mode: 'count', n: '2' },
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ['data-mapper', 'chunk_array', { items: [] }, []],
  ['json', 'run_jq_query', { json: { a: [{ b: 1 }, { b: 2 }] }, query: 'map(.a[].b)' }, undefined],
])('%s %s of %j is %j', async (name, action, input, expected) => {
  if (expected === undefined) await expect(run(name, action, input)).rejects.toThrow('query failed in jq: ')
  else expect(await run(name, action, input)).toEqual(expected)
})

test.each<[object, unknown]>([
  [{ json: { a: [{ b: 1 }, { b: 2 }] }, query: '.a | map(.b)' }, [1, 2]],
  [{ json: '{"a": "x"}', query: '.a' }, 'x'],
  [{ json: { a: [1, 2] }, query: '.a[]' }, [1, 2]],
  [{ json: {}, query: 'empty' }, null],
  [{ json: { a: 'x\ny' }, query: '.a' }, 'x\ny'],
])('json run_jq_query of %j is %j', async (input, expected) => {
  expect(await run('json', 'run_jq_query', input)).toEqual(expected)
})

test.each<[string, string, object, string]>([
  ['json', 'run_jq_query', { json: {}, query: '.a[' }, 'query failed in jq: '],
  ['json', 'run_jq_query', { json: '{', query: '.' }, 'json is not valid JSON'],
  ['json', 'run_jq_query', { json: {} }, 'query is required.'],
  ['json', 'run_jq_query', { json: {}, query: 'last(range(1e15))' }, 'query took longer than 5 s.'],
  ['data-summarizer', 'calculateSum', { values: [1, 'two'] }, 'values[1] is not a number: "two".'],
  ['data-summarizer', 'calculateAverage', { values: [] }, 'values must have at least one number.'],
  ['data-summarizer', 'getMinMax', { values: 'x' }, 'values must be a list.'],
  ['data-mapper', 'chunk_array', { items: [1], n: 0 }, 'n must be at least 1.'],
  ['data-mapper', 'chunk_array', {}, 'items is required.'],
  [
    'csv',
    'convert_csv_to_json',
    { csv_text: 'a', delimiter_type: ';' },
    'delimiter_type must be one of auto, ",", "\\t".',
  ],
])('%s %s refuses %j', async (name, action, input, message) => {
  await expect(run(name, action, input)).rejects.toThrow(message)
})

test('an action or trigger that does not exist has an alternative', () => {
  expect(suggestForMissingAction('@activepieces/piece-json', 'run_jsonata_query')).toMatch(
    /^Available: .*run_jq_query.* Use run_jq_query or a CODE step instead\.$/,
  )
  expect(suggestForMissingAction('@activepieces/piece-google-sheets', 'get_next_rows')).toContain('use piece-http')
  expect(suggestForTrigger('@activepieces/piece-rss', 'new-item')).toContain('piece-schedule')
})

test('a calculation that needs a number fails for an empty list, and the sum of none is 0', async () => {
  const action = (name: string) =>
    dataSummarizer.actions[name] as unknown as { run: (input: object, context: object) => Promise<{ output: unknown }> }
  for (const name of ['calculateAverage', 'getMinMax'])
    await expect(action(name).run({ values: [] }, {})).rejects.toThrow('values must have at least one number.')
  expect((await action('calculateSum').run({ values: [] }, {})).output).toEqual({ sum: 0 })
})
