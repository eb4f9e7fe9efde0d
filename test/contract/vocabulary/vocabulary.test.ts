import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildRequest } from '../../../src/client/requests/build-request.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { publicVocabulary } from '../../../src/contract/vocabulary/public-vocabulary.ts'
import { createCodec } from '../../../src/contract/vocabulary/vocabulary.ts'
import { answer, failureOf, playing } from '../../support/scripted-client.ts'

const codec = createCodec(publicVocabulary)
const endpoint = (more: Partial<Endpoint>): Endpoint => ({
  name: 'x.y',
  method: 'POST',
  path: '/x',
  summary: '',
  status: 200,
  output: z.unknown(),
  errors: [],
  risk: 'write',
  section: '',
  ...more,
})
const templates = endpoint({
  name: 'templates.list',
  method: 'GET',
  path: '/api/user/automate/templates',
  items: 'data',
  risk: 'read',
})

describe('a request to a deployment with its own words', () => {
  test('has them in its path, and the value of a parameter is not changed', () => {
    expect(
      buildRequest(
        endpoint({ method: 'GET', path: '/api/user/messaging/senders/{senderId}/templates' }),
        { senderId: 'messaging' },
        { codec },
      ).url,
    ).toBe('/api/user/whatsapp/senders/messaging/templates')
  })

  test('has them in template keys', () => {
    const apply = endpoint({ path: '/api/user/automate/templates/{key}', body: z.object({}) })
    const sent = (key: string) =>
      buildRequest(apply, { key, params: { messaging_template: 3, sender_id: 1 } }, { codec })
    expect(sent('post-call-messaging-confirmation')).toMatchObject({
      url: '/api/user/automate/templates/post-call-whatsapp-confirmation',
      body: '{"params":{"whatsapp_template":3,"sender_id":1}}',
    })
    expect(sent('calendar-a-call-before-appointment').url).toBe(
      '/api/user/automate/templates/calcom-call-before-appointment',
    )
    expect(sent('post-call-qualified-to-spreadsheet').url).toBe(
      '/api/user/automate/templates/post-call-qualified-to-sheets',
    )
    expect(sent('lead-intake-webhook').url).toBe('/api/user/automate/templates/lead-intake-webhook')
  })

  test('has them in keys and enumerated values, and not in text of users', () => {
    const body = {
      type: 'messaging',
      tools: [{ calendar_type: 'cal_a', cal_a_api_key: 'k', description: 'messaging' }],
      variables: { messaging_template: 'mine', type: 'messaging' },
      messaging_sender_id: 4,
      definition: {
        settings: { pieceName: '@engine/piece-http', input: { pieceName: '@engine/piece-http' } },
        nextAction: { settings: { pieceName: '@platform/piece-platform' } },
      },
    }
    expect(codec.outgoing(body)).toEqual({
      type: 'whatsapp',
      tools: [{ calendar_type: 'calcom', calcom_api_key: 'k', description: 'messaging' }],
      variables: { messaging_template: 'mine', type: 'messaging' },
      whatsapp_sender_id: 4,
      definition: {
        settings: { pieceName: '@activepieces/piece-http', input: { pieceName: '@engine/piece-http' } },
        nextAction: { settings: { pieceName: '@integration-tools/piece-voice' } },
      },
    })
  })

  test('has them in its query', () => {
    expect(
      buildRequest(
        endpoint({ method: 'GET', path: '/x' }),
        { type: 'messaging', messaging_sender_phone: '+1' },
        { codec },
      ).url,
    ).toBe('/x?type=whatsapp&whatsapp_sender_phone=%2B1')
  })
})

describe('a response of a deployment with its own words', () => {
  test('is translated to neutral words', async () => {
    const wire = {
      data: [
        {
          phone_number: '+1',
          stripe_price_id: 'price_1',
          whatsapp_message_id: 5,
          type: 'whatsapp',
          unknown: { whatsapp: 1 },
        },
      ],
    }
    expect(await playing([answer(200, wire)], { codec }).call(numbers.search, {} as never)).toEqual({
      data: [
        {
          phone_number: '+1',
          payment_price_id: 'price_1',
          channel_message_id: 5,
          type: 'messaging',
          unknown: { whatsapp: 1 },
        },
      ],
    })
  })

  test('with templates is translated to neutral words', async () => {
    const wire = {
      data: [
        {
          key: 'sheet-rows-to-whatsapp-daily',
          required_connections: ['google-sheets', 'slack'],
          params: [{ key: 'whatsapp_template' }],
        },
        { key: 'ghl-appointment-manage-midcall', required_connections: ['lead-connector'] },
      ],
    }
    expect(await playing([answer(200, wire)], { codec }).call(templates, {})).toEqual({
      data: [
        {
          key: 'sheet-rows-to-messaging-daily',
          required_connections: ['spreadsheet', 'slack'],
          params: [{ key: 'messaging_template' }],
        },
        { key: 'crm-b-appointment-manage-midcall', required_connections: ['crm-b'] },
      ],
    })
  })

  test('with an error is translated to neutral words: its code and its fields', async () => {
    const { call } = playing(
      [
        answer(422, { success: false, error: 'No.', error_code: 'TWILIO_ERROR_63018' }),
        answer(422, {
          message: 'Validation failed',
          errors: { fallback_whatsapp_sender_id: ['Bad.'], 'tools.0.calcom_api_key': ['Bad.'] },
        }),
      ],
      { codec },
    )
    expect(await failureOf(call(numbers.update, { id: 1 }))).toMatchObject({ code: 'PROVIDER_ERROR_63018' })
    expect(await failureOf(call(numbers.update, { id: 1 }))).toMatchObject({
      details: [{ path: 'fallback_messaging_sender_id' }, { path: 'tools.0.cal_a_api_key' }],
    })
  })

  test('has values translated by the neutral name of their key', () => {
    const small = createCodec({
      paths: {},
      keys: { kind: 'sort', variables: 'vars' },
      values: { kind: { a: 'b' } },
      prefixes: {},
    })
    expect(small.outgoing({ kind: 'a', variables: { kind: 'a' } })).toEqual({ sort: 'b', vars: { kind: 'a' } })
    expect(small.incoming({ sort: 'b', vars: { sort: 'b' } })).toEqual({ kind: 'a', variables: { sort: 'b' } })
  })

  test('keeps both spellings side by side', () => {
    expect(codec.incoming({ whatsapp_message_id: 1, channel_message_id: 2 })).toEqual({
      whatsapp_message_id: 1,
      channel_message_id: 2,
    })
  })
})

test('a request that is translated back is the same', () => {
  const word = fc.constantFrom(
    'messaging',
    'cal_a',
    'cal_b',
    'spreadsheet',
    '@engine/piece-http',
    '@platform/piece-platform',
    'calendar-a-x',
    'crm-b-y',
    'post-call-messaging-confirmation',
    'other',
  )
  const key = fc.constantFrom(
    'type',
    'calendar_type',
    'channel',
    'key',
    'pieceName',
    'required_connections',
    'channel_message_id',
    'payment_price_id',
    'cal_a_x',
    'cal_b_y',
    'messaging_sender',
    'variables',
    'input',
    'plain',
    '__proto__',
  )
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true }), (fields) => {
      expect(codec.incoming(codec.outgoing(fields as Record<string, unknown>))).toEqual(fields)
    }),
  )
})
