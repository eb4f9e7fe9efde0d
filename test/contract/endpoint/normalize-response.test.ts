import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { pageEnvelope } from '../../../src/contract/endpoint/field-schemas.ts'
import { normalizeResponse } from '../../../src/contract/endpoint/normalize-response.ts'
import { Assistant } from '../../../src/contract/resources/assistants.ts'
import { automate } from '../../../src/contract/resources/automate.ts'

const Resource = z.object({
  id: z.int(),
  price: z.number(),
  on: z.boolean(),
  ok: z.literal(true),
  name: z.string(),
  kind: z.enum(['a', 'b']).nullable(),
  tags: z.array(z.int()),
  more: z.object({ n: z.int().nullable() }).optional(),
  open: z.unknown(),
  by: z.record(z.string(), z.unknown()),
  prices: z.record(z.string(), z.number().nullable()),
  variables: z.record(z.string(), z.string()),
})

describe('a response of a deployment', () => {
  test.each([
    ['a decimal as text', { price: '0.0100' }, { price: 0.01 }],
    ['a whole number as text', { id: '17' }, { id: 17 }],
    ['a whole number with decimals', { id: '17.00' }, { id: 17 }],
    ['0 and 1 for a boolean', { on: 1 }, { on: true }],
    ['"0" for a boolean', { on: '0' }, { on: false }],
    ['1 for what is always true', { ok: 1 }, { ok: true }],
    ['a number for text', { name: 12 }, { name: '12' }],
    ['a list as JSON text', { tags: '["1",2]' }, { tags: [1, 2] }],
    ['an object as JSON text', { more: '{"n":"3"}' }, { more: { n: 3 } }],
    [
      'numbers as text by name',
      { prices: { sms: '0.01', call: 2, chat: null } },
      { prices: { sms: 0.01, call: 2, chat: null } },
    ],
    ['numbers among texts by name, which stay', { variables: { age: 7 } }, { variables: { age: 7 } }],
    ['numbers as text in a list', { tags: ['1', '2'] }, { tags: [1, 2] }],
    ['null where something is due', { id: null, tags: null, more: null }, { id: null, tags: null, more: null }],
    ['nothing of it', {}, {}],
    ['an unknown field', { stranger: '1', id: '1' }, { stranger: '1', id: 1 }],
    ['what is people’s own', { open: '1', by: { x: '1', y: 0 } }, { open: '1', by: { x: '1', y: 0 } }],
    ['text that is no number', { id: 'seventeen', price: '', on: 'yes' }, { id: 'seventeen', price: '', on: 'yes' }],
    ['a number too large to be exact', { id: '123456789012345678901' }, { id: '123456789012345678901' }],
    ['a list where an object is due', { more: [1] }, { more: [1] }],
    ['text where a list is due', { tags: 'none' }, { tags: 'none' }],
  ])('with %s is understood or not changed', (_what, given, meant) => {
    expect(normalizeResponse(Resource, given)).toEqual(meant)
    expect(normalizeResponse(z.array(Resource), [given])).toEqual([meant])
    expect(normalizeResponse(pageEnvelope(Resource), { data: [given], total: '3' })).toEqual({
      data: [meant],
      total: 3,
    })
  })

  test.each([null, 'text', 3, [], [null], ['x'], [[]]])('that is %j is not changed', (answer) => {
    expect(normalizeResponse(Resource, answer)).toEqual(answer)
    expect(normalizeResponse(z.array(Resource), answer)).toEqual(answer)
  })

  test('with tools as {type, data} gets flat tools', () => {
    const tools = [
      { type: 'dtmf_input', data: { description: 'd' } },
      { type: 'end_call' },
      { type: 'new_one', data: { x: 1 } },
      null,
    ]
    expect(normalizeResponse(Assistant, { tools })).toEqual({
      tools: [{ type: 'dtmf_input', description: 'd' }, { type: 'end_call' }, { type: 'new_one', x: 1 }, null],
    })
  })

  test('with booleans as 0 and 1 inside a tool, flat or not, is not changed', () => {
    const tools = [
      { type: 'call_transfer', warm_transfer: 0 },
      { type: 'call_transfer', data: { warm_transfer: 1 } },
      { type: 'calendar_integration', calendar_type: 'cal_a', data: { cal_a_booking_fields: [{ required: 1 }] } },
    ]
    const { tools: meant } = normalizeResponse(Assistant, { tools }) as { tools: unknown[] }
    expect(meant).toEqual([
      { type: 'call_transfer', warm_transfer: false },
      { type: 'call_transfer', warm_transfer: true },
      { type: 'calendar_integration', calendar_type: 'cal_a', cal_a_booking_fields: [{ required: true }] },
    ])
  })

  test('with a very long definition is processed', () => {
    const node = {
      name: 'trigger',
      valid: 1,
      settings: { input: { valid: 1 } },
      nextAction: { name: 'step_1', valid: '0', nextAction: null },
    }
    expect(normalizeResponse(automate.get.output, { data: { definition: node } })).toEqual({
      data: { definition: { ...node, valid: true, nextAction: { name: 'step_1', valid: false, nextAction: null } } },
    })
  })

  test('that is already normal is returned without a copy', () => {
    const page = { data: [{ id: 1, price: 2, on: true, tags: [1], more: { n: 1 } }], total: 1 }
    expect(normalizeResponse(pageEnvelope(Resource), page)).toBe(page)
  })
})
