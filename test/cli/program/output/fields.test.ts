import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { closestMatch } from '../../../../src/cli/program/commandline/closest-match.ts'
import { isFieldHelp, knownFields, parseFields, requireFields } from '../../../../src/cli/program/output/fields.ts'

type Node = { label: string; below?: Node | undefined }
const node: z.ZodType<Node> = z.object({
  label: z.string(),
  get below() {
    return node.optional()
  },
})
const schema = z.object({
  id: z.int(),
  nickname: z.string().nullable().default(null),
  variables: z.record(z.string(), z.string()),
  steps: z.array(z.object({ name: z.string() })).optional(),
  trigger: z.union([z.object({ event: z.string() }), z.object({ cron: z.string() })]),
  size: z.string().transform(Number),
  extra: z.unknown(),
})

describe('the known fields', () => {
  test('are all fields of the schema, through lists, choices and defaults', () => {
    expect(knownFields({ schema })).toEqual([
      'id',
      'nickname',
      'variables',
      'variables.*',
      'steps',
      'steps.name',
      'trigger',
      'trigger.event',
      'trigger.cron',
      'size',
      'extra',
      'extra.*',
    ])
  })
  test('of a recursive object are finite', () => {
    const fields = knownFields({ schema: node })
    expect(fields).toContain('below.below.label')
    expect(fields.length).toBeLessThan(20)
  })
  test('are the columns if there is no schema, composed ones by their heading', () => {
    expect(
      knownFields({
        view: {
          id: () => 1,
          empty: '',
          columns: [
            { key: 'a.b', title: 'A', priority: 1 },
            { key: () => 1, title: 'N', priority: 2 },
          ],
        },
      }),
    ).toEqual(['a.b', 'n'])
  })
  test('can be checked before a request is made', () => {
    expect(() => requireFields(['id', 'variables.city', 'steps.name'], { schema })).not.toThrow()
    expect(() => requireFields(['steps.nam'], { schema })).toThrow('Unknown field "steps.nam".')
  })
})

test('--fields is split at commas, without blanks and duplicates', () => {
  expect(parseFields('id, agent.name,,id')).toEqual(['id', 'agent.name'])
  expect([isFieldHelp(['help']), isFieldHelp(['id', 'help']), isFieldHelp(undefined)]).toEqual([true, false, false])
})

test.each([
  ['nmae', ['name', 'id'], 'name'],
  ['phone', ['id', 'phone_number'], 'phone_number'],
  ['creatd_at', ['created_at', 'updated_at'], 'created_at'],
  ['ID', ['id'], 'id'],
  ['zzz', ['name', 'id'], undefined],
  ['lst', ['list', 'get'], 'list'],
])('a suggestion for %s', (typed, candidates, meant) => {
  expect(closestMatch(typed, candidates)).toBe(meant)
})
