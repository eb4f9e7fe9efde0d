import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../support/databases.ts'
import type { Api } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

/** What a value must be: a word for it, and whether it is. */
type Rule = readonly [word: string, isSo: (value: unknown) => boolean]

const is = (word: string, isSo: (value: unknown) => boolean): Rule => [word, isSo]
const matches = (word: string, pattern: RegExp): Rule => is(word, (it) => typeof it === 'string' && pattern.test(it))
const text = is('text', (it) => typeof it === 'string' && it !== '')
const integer = is('an integer', Number.isInteger)
const flag = is('true or false', (it) => typeof it === 'boolean')
const e164 = matches('a number in E.164', /^\+[1-9]\d{6,14}$/)
const country = matches('an ISO country code', /^[A-Z]{2}$/)
const micros = matches('ISO 8601 UTC with microseconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const millis = matches('ISO 8601 UTC with milliseconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const oneOf = (...values: readonly unknown[]): Rule => is(`one of ${values.join(', ')}`, (it) => values.includes(it))
const orNull = ([word, isSo]: Rule): Rule => is(`${word}, or null`, (it) => it === null || isSo(it))
const listOf = (word: string, isSo: (value: never) => boolean): Rule =>
  is(`a list of ${word}`, (it) => Array.isArray(it) && (it as never[]).every(isSo))
const pair =
  (...names: readonly string[]) =>
  (record: Record<string, unknown>): boolean =>
    Object.keys(record).join() === names.join() && names.every((name) => typeof record[name] === 'string')

type Item = Record<string, unknown>

interface Shape {
  readonly read: (api: Api) => Promise<readonly Item[]>
  readonly fields: Readonly<Record<string, Rule>>
  /** Fields beside those of the specification, from what public deployments answer. */
  readonly more?: readonly string[]
}

const body = async (api: Api, url: string) => (await api.ask('GET', url)).body

/** Section 2, resource by resource. */
const shapes: Readonly<Record<string, Shape>> = {
  'API key': {
    read: async (api) => (await body(api, '/api/user/api-keys')).api_keys,
    fields: { id: integer, name: text, last_used_at: orNull(micros), created_at: micros },
  },
  'mid-call tool': {
    read: (api) => body(api, '/api/user/tools'),
    fields: {
      id: integer,
      name: matches('a name of letters, digits, underscores', /^[A-Za-z_]\w{0,63}$/),
      description: is('text of at most 255 characters', (it) => typeof it === 'string' && [...it].length <= 255),
      type: oneOf('http', 'automation'),
      endpoint: is('an address', (it) => typeof it === 'string' && /^https?:/.test(it)),
      method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
      body_format: oneOf('json', 'form'),
      timeout: is('1-30', (it) => Number.isInteger(it) && Number(it) >= 1 && Number(it) <= 30),
      headers: listOf('names and values', pair('name', 'value')),
      static_fields: listOf('keys and values', pair('key', 'value')),
      schema: listOf(
        'parameters',
        (item: Item) =>
          pair('name', 'type', 'description')({ ...item, required: undefined } as never) ||
          typeof item.required === 'boolean',
      ),
      created_at: micros,
      updated_at: micros,
    },
  },
  'number for sale': {
    read: async (api) => [
      ...(await body(api, '/api/user/phone-numbers/search')).data,
      ...(await body(api, '/api/user/phone-numbers/search?country_code=GB')).data,
      ...(await body(api, '/api/user/phone-numbers/search?country_code=IT')).data,
    ],
    fields: {
      phone_number: e164,
      phone_number_formatted: matches('a number as people write it', /^\+\d[\d ()-]+ /),
      country_code: country,
      price: is('a price in USD', (it) => typeof it === 'number' && it > 0 && it < 100),
      payment_price_id: text,
      address_requirements: oneOf('none', 'local', 'foreign', 'inventory'),
      sms_capable: flag,
    },
  },
  'purchased number': {
    read: async (api) => {
      const owner = await api.account()
      return [(await api.buy('+15005550006', owner)).body.data]
    },
    fields: { id: integer, phone_number: e164, country_code: country, type: oneOf('normal'), sms_capable: flag },
  },
  'synthesizer provider': {
    read: (api) => body(api, '/api/user/assistants/synthesizer-providers'),
    fields: { id: integer, name: text, code: text },
  },
  'model of pipeline mode': {
    read: (api) => body(api, '/api/user/assistants/models?type=llm'),
    fields: { id: integer, name: text },
  },
  'model of multimodal mode': {
    read: (api) => body(api, '/api/user/assistants/models?type=multimodal'),
    fields: { id: integer, name: text, code: text },
  },
  'model of dualplex mode': {
    read: (api) => body(api, '/api/user/assistants/models?type=dualplex'),
    fields: { id: integer, name: text, code: text },
  },
  sender: {
    read: async (api) => (await body(api, '/api/user/messaging/senders?status=all')).data,
    fields: {
      id: integer,
      phone_number: e164,
      display_name: text,
      status: oneOf('online', 'offline'),
      quality_rating: oneOf('GREEN', 'YELLOW', 'RED'),
      messaging_limit: orNull(integer),
      messaging_limit_formatted: matches(
        'a count in 24 hours, Unlimited or Unknown',
        /^([\d,]+ \/ 24hr|Unlimited|Unknown)$/,
      ),
    },
  },
  'message template': {
    read: async (api) => {
      const senders: readonly Item[] = (await body(api, '/api/user/messaging/senders?status=all')).data
      return (
        await Promise.all(senders.map(({ id }) => body(api, `/api/user/messaging/senders/${id}/templates?status=all`)))
      ).flatMap((it) => it.data)
    },
    fields: {
      id: integer,
      name: text,
      language: matches('a language code', /^[a-z]{2}(_[A-Z]{2})?$/),
      category: oneOf('marketing', 'utility', 'authentication'),
      status: oneOf('approved', 'pending', 'rejected'),
      body_text: text,
      variables: listOf('names', (it: unknown) => typeof it === 'string'),
      has_variables: flag,
    },
  },
  'SIP trunk': {
    read: async (api) => {
      const listed: readonly Item[] = (await body(api, '/api/user/phone-numbers/sip-trunks')).data
      return Promise.all(
        listed.map(async ({ id }) => (await body(api, `/api/user/phone-numbers/sip-trunks/${id}`)).data),
      )
    },
    fields: {
      id: integer,
      phone_number: is('text of 1-15 characters', (it) => typeof it === 'string' && it.length >= 1 && it.length <= 15),
      nickname: orNull(text),
      sip_username: is(
        'text of 3-128 characters',
        (it) => typeof it === 'string' && it.length >= 3 && it.length <= 128,
      ),
      sip_address: matches('a server without a port', /^[\w.-]+$/),
      sip_calling_format: oneOf('+e164', 'e164', 'national'),
      inbound_authorization_type: oneOf('auth', 'ip'),
      allowed_inbound_ips: orNull(listOf('addresses', (it: unknown) => typeof it === 'string')),
      outbound_proxy: flag,
      country_code: matches('ISO 3166-2', /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/),
      inbound_trunk_id: text,
      outbound_trunk_id: text,
      created_at: micros,
      updated_at: micros,
    },
  },
}

const templatesOf = async (api: Api): Promise<readonly Item[]> => (await body(api, '/api/user/automate/templates')).data
const optional = ([word, isSo]: Rule): Rule => is(`${word}, or nothing`, (it) => it === undefined || isSo(it))

/** Automations: the seeded ones, and one that is bound to an assistant and waits. */
async function automationsOf(api: Api): Promise<readonly Item[]> {
  const request = { body: { assistant_id: 1, confirm_side_effects: true } }
  await api.ask('POST', '/api/user/automate/templates/post-call-callback', request)
  const listed: readonly Item[] = (await body(api, '/api/user/automate/flows')).data
  return Promise.all(listed.map(async ({ id }) => (await body(api, `/api/user/automate/flows/${id}`)).data))
}

/** Every node of the definitions. */
function nodesOf(node: unknown): readonly Item[] {
  if (typeof node !== 'object' || node === null) return []
  const { nextAction, onSuccessAction, onFailureAction } = node as Item
  return [node as Item, ...[nextAction, onSuccessAction, onFailureAction].flatMap(nodesOf)]
}

const automated: Readonly<Record<string, Shape>> = {
  automation: {
    read: automationsOf,
    fields: {
      id: text,
      name: text,
      status: oneOf('enabled', 'disabled'),
      updated_at: millis,
      definition: is(
        'a trigger with steps',
        (node) =>
          (node as Item).name === 'trigger' &&
          (node as Item).type === 'PIECE_TRIGGER' &&
          'nextAction' in (node as Item),
      ),
      binding: orNull(
        is('type, assistant_id, assistant_name', (binding) => {
          const { type, assistant_id: id, assistant_name: name, ...rest } = binding as Item
          return (
            ['post_call', 'inbound', 'conversation', 'conversation_ended'].includes(type as string) &&
            Number.isInteger(id) &&
            typeof name === 'string' &&
            Object.keys(rest).length === 0
          )
        }),
      ),
    },
  },
  'node of a definition': {
    read: async (api) => (await automationsOf(api)).flatMap((it) => nodesOf(it.definition)),
    fields: {
      name: matches('trigger, step_1 and so on', /^(trigger|step_\d+)$/),
      type: oneOf('PIECE_TRIGGER', 'PIECE', 'CODE', 'BRANCH', 'LOOP_ON_ITEMS'),
      displayName: text,
      settings: is('what the node does', (settings) => {
        const { pieceName, triggerName, actionName, input, sourceCode, conditions } = settings as Item
        return (
          sourceCode !== undefined ||
          conditions !== undefined ||
          (typeof pieceName === 'string' &&
            typeof (triggerName ?? actionName) === 'string' &&
            typeof input === 'object')
        )
      }),
      nextAction: is('a node, or nothing', (it) => it === undefined || typeof (it as Item).name === 'string'),
      onSuccessAction: is('a node, or nothing', (it) => it === undefined || typeof (it as Item).name === 'string'),
    },
    more: ['valid', 'onFailureAction'],
  },
  'automation template': {
    read: templatesOf,
    fields: {
      key: matches('a key', /^[a-z0-9-]+$/),
      name: text,
      description: text,
      use_when: text,
      binding: orNull(oneOf('post_call', 'inbound', 'conversation_ended')),
      requires_assistant: flag,
      required_connections: listOf('texts', (it: unknown) => typeof it === 'string'),
      side_effects: flag,
      params: listOf('parameters', (it: Item) => typeof it === 'object'),
      test_sample: optional(is('a payload', (it) => typeof it === 'object' && it !== null)),
    },
  },
  'template parameter': {
    read: async (api) => (await templatesOf(api)).flatMap((it) => it.params as Item[]),
    fields: {
      key: matches('a key', /^[a-z0-9_]+$/),
      label: text,
      description: text,
      required: flag,
      default: optional(text),
      example: optional(text),
      auto: optional(text),
    },
    more: ['choices'],
  },
}

describe.each(Object.entries({ ...shapes, ...automated }))('the record of %s', (_, { read, fields, more = [] }) => {
  let items: readonly Item[]
  beforeAll(async () => {
    items = await read(await fresh(sqlite, { seed: 7 }))
  })

  test.each(Object.entries(fields))('has %s', (field, [word, isSo]) => {
    expect(items.length).toBeGreaterThan(0)
    expect(
      items.map((it) => it[field]).filter((value) => !isSo(value)),
      word,
    ).toEqual([])
  })

  test('has nothing else', () => {
    const known = [...Object.keys(fields), ...more]
    expect(items.flatMap((it) => Object.keys(it)).filter((it) => !known.includes(it))).toEqual([])
  })
})

describe('related fields', () => {
  let api: Api
  beforeAll(async () => {
    api = await fresh(sqlite, { seed: 7 })
  })

  test('a sender without a limit is "Unlimited", and one with a limit shows it', async () => {
    const { data } = await body(api, '/api/user/messaging/senders?status=all')
    for (const { messaging_limit: limit, messaging_limit_formatted: formatted } of data)
      if (formatted !== 'Unknown')
        expect(formatted).toBe(limit === null ? 'Unlimited' : `${limit.toLocaleString('en-US')} / 24hr`)
    expect(data.map((it: Item) => it.messaging_limit_formatted)).toContain('Unlimited')
  })

  test('a template has variables exactly when its text has placeholders', async () => {
    const { data } = await body(api, '/api/user/messaging/senders/1/templates?status=all')
    for (const template of data) {
      expect(template.has_variables).toBe(/\{\{\d+\}\}/.test(template.body_text))
      expect(template.variables.length > 0).toBe(template.has_variables)
    }
    expect(new Set(data.map((it: Item) => it.has_variables)).size).toBe(2)
  })

  test('the last use of a key is null or a time', async () => {
    const { body: made } = await api.ask('POST', '/api/user/api-keys', { body: { name: 'unused' } })
    const lastUse = async () => (await body(api, '/api/user/api-keys')).api_keys.at(-1).last_used_at
    expect(await lastUse()).toBeNull()
    await api.ask('GET', '/api/user/me', { key: made.api_key.token })
    expect(await lastUse()).toMatch(/Z$/)
  })

  test('an account without keys has an empty list of them', async () => {
    const { apiKeyService } = await import('../../src/platform/services/runtime/api-keys.ts')
    const { opened } = await import('../support/databases.ts')
    const place = await sqlite.target()
    const connection = await opened(place)
    const keys = apiKeyService({ connection, clock: {} as never, secret: () => '' })
    expect(await keys.list(1)).toEqual([])
  })
})
