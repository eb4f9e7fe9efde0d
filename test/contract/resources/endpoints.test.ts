import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { descriptionOf, isRequired, schemaDefinition, unwrap } from '../../../src/contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { validate } from '../../../src/contract/endpoint/validation.ts'
import { envelopes, exitCodes } from '../../../src/contract/errors/exit-codes.ts'
import { Failure, failures, toEnvelope } from '../../../src/contract/errors/failures.ts'
import { contract, endpoints } from '../../../src/contract/resources/index.ts'

type Json = Record<string, unknown> & { properties?: Record<string, Json>; items?: Json }
const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
const named = endpoints.map((it) => [it.name, it] as const)
const inputs = (it: Endpoint) => [it.params, it.query, it.body].filter((part) => part !== undefined)
const requiredOf = (schema: z.ZodObject) =>
  Object.keys(schema.shape).filter((name) => isRequired(schema.shape[name] as z.ZodType))

/** Every field of a schema with its path, those of nested objects, lists and unions too. */
function fieldsOf(schema: z.ZodType, path = '', seen = new Set<z.ZodType>()): [string, z.ZodType][] {
  const { base } = unwrap(schema)
  if (seen.has(base)) return []
  seen.add(base)
  const def = schemaDefinition(base)
  const own = Object.entries(def.shape ?? {}).flatMap(([name, field]): [string, z.ZodType][] => [
    [`${path}${name}`, field],
    ...fieldsOf(field, `${path}${name}.`, seen),
  ])
  const below = [def.element, def.valueType, ...(def.options ?? [])]
    .filter((it) => it !== undefined)
    .flatMap((it) => fieldsOf(it, path, seen))
  return [...own, ...below]
}

describe('the table', () => {
  test('names are unique and are the key of the resource and the verb', () => {
    expect(new Set(endpoints.map((it) => it.name)).size).toBe(endpoints.length)
    for (const [resource, table] of Object.entries(contract))
      for (const [verb, endpoint] of Object.entries(table))
        expect((endpoint as Endpoint).name).toBe(`${resource}.${verb}`)
  })

  test('no two endpoints share a method and a path', () => {
    const routes = endpoints.map((it) => `${it.method} ${it.path.replace(/\{\w+\}/g, '{}')}`)
    expect(routes.filter((it, n) => routes.indexOf(it) !== n)).toEqual([])
  })

  test.each(named)('%s has its declared parameters in its path', (_name, endpoint) => {
    expect(Object.keys(endpoint.params?.shape ?? {}).sort()).toEqual(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort(),
    )
    expect(endpoint.path.startsWith('/api/')).toBe(true)
  })

  test.each(named)('%s describes every field it accepts', (_name, endpoint) => {
    const bare = inputs(endpoint)
      .flatMap((part) => fieldsOf(part))
      .filter(([, field]) => !descriptionOf(field))
    expect(bare.map(([path]) => path)).toEqual([])
  })

  test.each(named)('%s uses no field name twice, and has a body only if the method allows one', (_name, endpoint) => {
    const names = inputs(endpoint).flatMap((part) => Object.keys(part.shape))
    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([])
    if (endpoint.method === 'GET' || endpoint.method === 'DELETE') expect(endpoint.body).toBeUndefined()
  })

  test.each(named)('%s has only errors of the catalogue', (_name, endpoint) => {
    expect(endpoint.errors.filter((name) => !Object.hasOwn(failures, name))).toEqual([])
    expect(new Set(endpoint.errors).size).toBe(endpoint.errors.length)
  })

  test.each(named)('%s can be written as JSON Schema', (_name, endpoint) => {
    for (const part of [...inputs(endpoint), endpoint.output]) expect(jsonSchema(part)).toBeTypeOf('object')
  })

  const answers = (schema: z.ZodType): string[] => {
    const { base, kind } = unwrap(schema)
    const def = schemaDefinition(base)
    return kind === 'union' ? (def.options ?? []).flatMap(answers) : Object.keys(def.shape ?? {})
  }
  const holdsList = (endpoint: Endpoint): boolean =>
    unwrap(endpoint.output).kind === 'array' ||
    endpoint.paged === true ||
    /\.(list|runs|senders|templates|search)/.test(endpoint.name)

  test.each(named.filter(([, endpoint]) => holdsList(endpoint)))(
    '%s, a list, declares where its items are',
    (_name, endpoint) => {
      expect(endpoint.items).toBeDefined()
      if (endpoint.items === '') expect(unwrap(endpoint.output).kind).toBe('array')
      else expect(answers(endpoint.output)).toContain(endpoint.items)
    },
  )

  test.each(named.filter(([, endpoint]) => endpoint.record !== undefined))(
    '%s declares where its record is',
    (_name, endpoint) => {
      expect(answers(endpoint.output)).toContain(endpoint.record)
    },
  )

  test.each(named.filter(([, endpoint]) => endpoint.paged === true))(
    '%s, a paged list, accepts 1-100 items per page',
    (_name, endpoint) => {
      const { properties = {} } = jsonSchema(endpoint.query as z.ZodObject)
      expect(properties.per_page).toMatchObject({ minimum: 1, maximum: 100 })
      expect(properties.page).toMatchObject({ minimum: 1, default: 1 })
    },
  )

  test.each(named.filter(([name, endpoint]) => endpoint.method === 'PUT' && name !== 'automate.update'))(
    '%s changes only the sent fields',
    (_name, endpoint) => {
      expect(endpoint.body?.parse({})).toEqual({})
      for (const [name, field] of Object.entries(endpoint.body?.shape ?? {}))
        expect([name, (field as z.ZodType).safeParse(undefined).data]).toEqual([name, undefined])
    },
  )

  test('updating an automation requires a name, a state or a definition, and has no defaults', () => {
    expect(validate(contract.automate.update.body, { confirm_side_effects: true }).ok).toBe(false)
    expect(contract.automate.update.body.parse({ enabled: false })).toEqual({ enabled: false })
  })

  test('every billable operation is marked', () => {
    expect(endpoints.filter((it) => it.risk === 'spends').map((it) => it.name)).toEqual([
      'campaigns.updateStatus',
      'numbers.buy',
      'conversations.send',
      'calls.start',
      'replies.generate',
      'messaging.send',
      'messaging.sendFreeform',
      'sms.send',
      'contacts.sendWaiting',
    ])
  })

  test('reads are GET, and nothing else is', () => {
    for (const endpoint of endpoints)
      expect([endpoint.name, endpoint.risk === 'read']).toEqual([endpoint.name, endpoint.method === 'GET'])
  })

  test('only conversations can be used without a key', () => {
    expect(endpoints.filter((it) => it.auth === 'none').map((it) => it.name)).toEqual([
      'conversations.create',
      'conversations.get',
      'conversations.send',
    ])
  })
})

describe('what the specification states', () => {
  // [section, endpoint, method, path]; paths the specification leaves out come from public deployments and say so.
  const stated: [string, string, string, string][] = [
    ['4.1', 'keys.list', 'GET', '/api/user/api-keys'],
    ['4.2', 'tools.update', 'PUT', '/api/user/tools/{id}'],
    ['4.3', 'leads.create', 'POST', '/api/user/lead'],
    ['4.4', 'numbers.search', 'GET', '/api/user/phone-numbers/search'],
    ['4.5', 'numbers.buy', 'POST', '/api/user/phone-numbers/purchase'],
    [
      '4.6',
      'assistants.enableConversationEndedWebhook',
      'POST',
      '/api/user/assistants/enable-conversation-ended-webhook',
    ],
    [
      '4.7',
      'assistants.disableConversationEndedWebhook',
      'POST',
      '/api/user/assistants/disable-conversation-ended-webhook',
    ],
    ['4.8', 'conversations.list', 'GET', '/api/user/conversations'],
    ['4.9', 'conversations.send', 'POST', '/api/conversations/{uuid}/messages'],
    ['4.10', 'messaging.senders', 'GET', '/api/user/messaging/senders'],
    ['4.11', 'messaging.templates', 'GET', '/api/user/messaging/senders/{senderId}/templates'],
    ['4.12', 'messaging.send', 'POST', '/api/user/messaging/send'],
    ['4.13', 'synthesizers.list', 'GET', '/api/user/assistants/synthesizer-providers'],
    ['4.14', 'models.list', 'GET', '/api/user/assistants/models'],
    ['4.18', 'automate.get', 'GET', '/api/user/automate/flows/{id}'],
    ['4.19', 'automate.restore', 'POST', '/api/user/automate/flows/{id}/restore'],
    ['4.20', 'automate.templates', 'GET', '/api/user/automate/templates'],
  ]
  const find = (name: string) => endpoints.find((it) => it.name === name)

  test.each(stated)('%s %s exists as stated', (section, name, method, path) => {
    expect(find(name)).toMatchObject({ section, method, path })
    expect(find(name)?.assumed).toBeUndefined()
  })

  test.each([
    ['4.15', 'assistants.create', 'POST', '/api/user/assistant', 201],
    ['4.16', 'assistants.update', 'PUT', '/api/user/assistant/{id}', 200],
    ['4.17', 'automate.create', 'POST', '/api/user/automate/flows', 201],
    ['4.21', 'sipTrunks.update', 'PUT', '/api/user/phone-numbers/sip-trunks/{id}', 200],
  ])('%s %s exists, and its path is marked as assumed', (section, name, method, path, status) => {
    expect(find(name)).toMatchObject({ section, method, path, status, assumed: expect.stringContaining('path') })
  })

  test('creating an automation answers 201, or 200 when its test failed', () => {
    expect(contract.automate.create.alsoStatus).toEqual({ 200: 'created, but the test failed' })
  })

  test.each([
    ['leads.create', ['phone_number', 'campaign_id']],
    ['numbers.buy', ['phone_number']],
    ['assistants.enableConversationEndedWebhook', ['assistant_id', 'webhook_url']],
    ['assistants.disableConversationEndedWebhook', ['assistant_id']],
    ['conversations.send', ['message']],
    ['messaging.send', ['sender_id', 'recipient_phone', 'template_id']],
    [
      'assistants.create',
      ['name', 'voice_id', 'language_id', 'type', 'mode', 'timezone', 'initial_message', 'system_prompt'],
    ],
    ['automate.create', ['name', 'flow']],
    [
      'sipTrunks.create',
      [
        'phone_number',
        'sip_username',
        'sip_password',
        'sip_address',
        'sip_calling_format',
        'inbound_authorization_type',
        'country_code',
        'sip_trunk_type',
      ],
    ],
    ['tools.create', ['name', 'description', 'endpoint', 'method']],
  ])('%s requires exactly %j', (name, required) => {
    expect(requiredOf(find(name)?.body as z.ZodObject).sort()).toEqual([...required].sort())
  })

  const body = (name: string) => jsonSchema(find(name)?.body as z.ZodObject).properties ?? {}
  const query = (name: string) => jsonSchema(find(name)?.query as z.ZodObject).properties ?? {}
  const innermost = (schema: Json | undefined): Json | undefined =>
    (schema?.anyOf as Json[] | undefined)?.find((option) => option.type !== 'null') ?? schema

  test.each([
    ['conversation message', body('conversations.send').message, { maxLength: 2000 }],
    ['conversations page', query('conversations.list').per_page, { minimum: 1, maximum: 100, default: 15 }],
    ['assistants page', query('assistants.list').per_page, { minimum: 1, maximum: 100, default: 10 }],
    ['automation definition', body('automate.create').flow, { 'x-max-bytes': 1024 * 1024 }],
    ['automation sample', body('automate.create').sample, { 'x-max-bytes': 256 * 1024 }],
    ['automation name', body('automate.create').name, { maxLength: 255 }],
    ['template parameters', body('automate.apply').params, { 'x-max-bytes': 64 * 1024 }],
    ['tool timeout', body('tools.update').timeout, { minimum: 1, maximum: 30 }],
    ['tool description', body('tools.update').description, { maxLength: 255 }],
    ['tool endpoint', body('tools.update').endpoint, { maxLength: 2048, pattern: '^[hH][tT]{2}[pP][sS]?://' }],
    ['tool name', body('tools.update').name, { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }],
    ['assistant name', body('assistants.create').name, { maxLength: 255 }],
    ['assistant initial message', body('assistants.create').initial_message, { maxLength: 200 }],
    ['call duration', body('assistants.create').max_duration, { minimum: 20, maximum: 1200, default: 600 }],
    ['ringing time', body('assistants.create').ringing_time, { minimum: 1, maximum: 60, default: 30 }],
    ['silence', body('assistants.create').max_silence_duration, { minimum: 1, maximum: 360, default: 40 }],
    ['initial silence', body('assistants.create').max_initial_silence_duration, { minimum: 1, maximum: 120 }],
    ['reengagement', body('assistants.create').reengagement_interval, { minimum: 7, maximum: 600, default: 30 }],
    ['reengagement prompt', body('assistants.create').reengagement_prompt, { maxLength: 1000 }],
    ['voicemail message', body('assistants.create').voice_mail_message, { maxLength: 1000 }],
    ['interrupting words', body('assistants.create').min_interrupt_words, { minimum: 0, maximum: 10 }],
    ['speed of speech', body('assistants.create').speech_speed, { minimum: 0.7, maximum: 1.2, default: 1 }],
    ['stability', body('assistants.create').voice_stability, { minimum: 0, maximum: 1, default: 0.7 }],
    ['similarity', body('assistants.create').voice_similarity, { minimum: 0, maximum: 1, default: 0.5 }],
    ['temperature', body('assistants.create').llm_temperature, { minimum: 0, maximum: 1, default: 0.1 }],
    ['turn detection', body('assistants.create').turn_detection_threshold, { minimum: 0, maximum: 1 }],
    ['endpoint sensitivity', body('assistants.create').endpoint_sensitivity, { minimum: 0, maximum: 5, default: 0.5 }],
    [
      'interrupt sensitivity',
      body('assistants.create').interrupt_sensitivity,
      { minimum: 0, maximum: 5, default: 0.5 },
    ],
    ['recipient name', body('messaging.send').recipient_name, { maxLength: 255 }],
    ['freeform message', body('messaging.sendFreeform').message, { maxLength: 4096 }],
    ['SMS', body('sms.send').body, { maxLength: 300 }],
    ['trunk number', body('sipTrunks.update').phone_number, { minLength: 1, maxLength: 15 }],
    ['trunk nickname', body('sipTrunks.update').nickname, { maxLength: 50 }],
    ['trunk user name', body('sipTrunks.update').sip_username, { minLength: 3, maxLength: 128 }],
    ['trunk password', body('sipTrunks.update').sip_password, { minLength: 3 }],
    ['runs', query('automate.runs').limit, { minimum: 1, maximum: 20, default: 10 }],
  ])('limit: %s', (_name, schema, expected) => {
    expect({ ...innermost(schema), ...schema }).toMatchObject(expected)
  })

  test('the lists of states and choices are those of the specification', () => {
    expect(query('models.list').type).toMatchObject({ enum: ['llm', 'multimodal', 'dualplex'], default: 'llm' })
    expect(query('messaging.senders').status).toMatchObject({ default: 'online' })
    expect(query('messaging.templates').status).toMatchObject({ default: 'approved' })
    expect(query('conversations.list').type).toMatchObject({ enum: ['test', 'widget', 'messaging', 'api'] })
    expect(query('numbers.search').country_code).toMatchObject({
      enum: ['US', 'CA', 'GB', 'AU', 'IL', 'PL', 'FI', 'NL', 'DK', 'IT'],
      default: 'US',
    })
    expect(body('automate.create').bind_webhook).toMatchObject({ const: 'conversation_ended' })
    expect(body('assistants.create').ambient_sound).toMatchObject({
      enum: ['off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature'],
    })
  })

  test('a field that the specification does not state names its source', () => {
    expect(query('conversations.list').date_from).toHaveProperty('x-assumed', 'public deployments')
    expect(body('assistants.update').post_call_schema).toHaveProperty('x-assumed')
    expect(body('assistants.update').voice_stability).not.toHaveProperty('x-assumed')
  })
})

describe('the catalogue of failures', () => {
  test.each(Object.entries(failures))('%s has an envelope, an exit code and an error status', (name, failure) => {
    expect(Object.keys(envelopes)).toContain(failure.envelope)
    expect(Object.keys(exitCodes)).toContain(failure.exit)
    // What waits is accepted: it is the only answer in this table that is not an error.
    if (name === 'contacts.waiting') expect(failure.status).toBe(202)
    else expect(failure.status).toBeGreaterThanOrEqual(400)
    expect(failure.text).not.toBe('')
  })

  test('every failure of one resource is declared by an endpoint', () => {
    const used = new Set(endpoints.flatMap((it) => it.errors as readonly string[]))
    const resources = new Set(Object.keys(contract))
    const orphans = Object.keys(failures).filter(
      (name) => name.includes('.') && resources.has(name.split('.', 1)[0] ?? '') && !used.has(name),
    )
    expect(orphans).toEqual([])
  })

  test('the envelopes are those of section 7', () => {
    expect(toEnvelope(new Failure('messaging.templates_sender_not_found'))).toEqual({
      success: false,
      error: 'Sender not found',
      error_code: 'SENDER_NOT_FOUND',
    })
    expect(toEnvelope(new Failure('messaging.provider_error', { providerCode: '63018' }))).toMatchObject({
      error_code: 'PROVIDER_ERROR_63018',
    })
    expect(toEnvelope(new Failure('conversations.not_found'))).toEqual({
      status: false,
      error: 'Conversation not found',
    })
    expect(toEnvelope(new Failure('sipTrunks.not_found'))).toEqual({ error: 'SIP trunk not found.' })
    expect(toEnvelope(new Failure('automate.not_found'))).toEqual({ message: 'Automation not found' })
    expect(toEnvelope(new Failure('automate.missing'))).toEqual({ message: 'Automation not found', error: 'not_found' })
    expect(toEnvelope(new Failure('automate.restored_as_draft'))).toMatchObject({ error: 'publish_failed' })
    expect(toEnvelope(new Failure('automate.missing_params', { extra: { params: [] } }))).toMatchObject({
      error: 'missing_params',
      params: [],
    })
  })

  test.each([
    'side_effects_require_confirmation',
    'no_steps',
    'invalid_definition',
    'unsupported_trigger',
    'assistant_required',
    'assistant_not_found',
    'binding_conflict',
    'needs_connection',
    'needs_reconnection',
    'import_failed',
    'publish_failed',
    'create_failed',
  ])('creating an automation can be refused with %s', (code) => {
    expect(contract.automate.create.errors).toContain(`automate.${code}`)
    expect(failures[`automate.${code}` as keyof typeof failures]).toMatchObject({ status: 422, envelope: 'automation' })
  })
})
