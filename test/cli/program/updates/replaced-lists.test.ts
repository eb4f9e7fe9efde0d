import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { operator } from '../../../support/operator.ts'

type Values = readonly [first: unknown, disjoint: unknown, overlapping: unknown, empty?: unknown]

interface Replaced {
  readonly id: number
  /** Command that shows the resource. */
  readonly get: string
  /** Values of each field: the second shares nothing with the first, the third shares a part with the second. */
  readonly fields: Readonly<Record<string, Values>>
  /** Fields that the platform requires with the others. */
  readonly base?: Readonly<Record<string, unknown>>
}

const header = (name: string) => ({ name, value: `of ${name}` })
const constant = (key: string) => ({ key, value: `of ${key}` })
const parameter = (name: string) => ({ name, type: 'string', description: name, required: false })
const fact = (name: string) => ({ name, type: 'string', description: name })

const replaced: Readonly<Record<string, Replaced>> = {
  'assistants.update': {
    id: 1,
    get: 'assistants get 1',
    fields: {
      label_ids: [[1], [2, 3], [1, 3], []],
      tool_ids: [[1, 2], [3], [3, 2], []],
      secondary_language_ids: [[2], [3, 4], [4, 2], []],
      post_call_schema: [[fact('first')], [fact('second'), fact('third')], [fact('third'), fact('first')], []],
      tools: [
        [{ type: 'end_call' }],
        [{ type: 'call_transfer', phone_number: '+14155550199', description: 'a person', warm_transfer: false }],
        [
          { type: 'end_call' },
          { type: 'call_transfer', phone_number: '+14155550199', description: 'a person', warm_transfer: false },
        ],
        [],
      ],
      variables: [{ a: '1' }, { b: '2', c: '3' }, { c: '4', a: '5' }, {}],
    },
  },
  'campaigns.update': {
    id: 1,
    get: 'campaigns get 1',
    fields: {
      phone_number_ids: [[1], [2, 3], [3, 1], []],
      allowed_days: [['monday'], ['tuesday', 'friday'], ['friday', 'monday']],
      holidays: [['2027-12-24'], ['2027-12-24', '2027-12-25'], []],
      schedule_windows: [
        [{ start: '09:00', end: '10:00' }],
        [
          { start: '11:00', end: '12:00' },
          { start: '13:00', end: '14:00' },
        ],
        [
          { start: '09:00', end: '10:00' },
          { start: '13:00', end: '14:00' },
        ],
      ],
    },
  },
  'sipTrunks.update': {
    id: 5,
    get: 'sip-trunks get 5',
    fields: {
      allowed_inbound_ips: [['203.0.113.1'], ['203.0.113.2', '203.0.113.3'], ['203.0.113.3', '203.0.113.1']],
    },
  },
  'tools.update': {
    id: 1,
    get: 'tools get 1',
    fields: {
      headers: [[header('A')], [header('B'), header('C')], [header('C'), header('A')], []],
      schema: [
        [parameter('first')],
        [parameter('second'), parameter('third')],
        [parameter('third'), parameter('first')],
        [],
      ],
      static_fields: [[constant('a')], [constant('b'), constant('c')], [constant('c'), constant('a')], []],
    },
  },
}

/** Fields that are set with another one, and the variables of a lead, which an update completes. Their own tests cover them. */
const elsewhere = [
  'leads.update variables',
  'campaigns.update text_variable_mapping',
  'campaigns.update fallback_variable_mapping',
]

const by = operator({ lasts: 'file' })

describe.each(Object.entries(replaced))('%s', (endpoint, { id, get, fields, base }) => {
  test.each(Object.entries(fields))(
    '%s holds what the last update gave, and nothing of earlier ones',
    async (name, values) => {
      for (const value of values) {
        await by.json(['api', endpoint, '--data', JSON.stringify({ id, ...base, [name]: value })].map(quoted).join(' '))
        expect((await by.json(get))[name]).toEqual(value)
      }
    },
  )
})

test('every list and every map that an update replaces is in this table', () => {
  const kindOf = (schema: unknown): string => {
    let inner = schema as { _zod?: { def: { type: string; innerType?: unknown } } }
    while (inner?._zod?.def.innerType) inner = inner._zod.def.innerType as typeof inner
    return inner?._zod?.def.type ?? ''
  }
  const names = Object.values(endpoints).flatMap((endpoint) =>
    endpoint.name.endsWith('.update') && 'body' in endpoint && !endpoint.name.startsWith('automate.')
      ? Object.entries((endpoint.body as { shape: Record<string, unknown> }).shape)
          .filter(([, schema]) => ['array', 'record'].includes(kindOf(schema)))
          .map(([field]) => `${endpoint.name} ${field}`)
      : [],
  )
  const covered = Object.entries(replaced).flatMap(([name, { fields }]) =>
    Object.keys(fields).map((field) => `${name} ${field}`),
  )
  expect(names.length).toBeGreaterThan(10)
  expect([...covered, ...elsewhere].sort()).toEqual(names.sort())
})

/** Returns a word of a command line as a shell would need it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
