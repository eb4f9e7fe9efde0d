import type * as z from 'zod'
import {
  type SampleData,
  type SampleList,
  type SampleListName,
  sampleDataVersion,
  sampleListNames,
  sampleLists,
} from '../../src/contract/control/sample-data.ts'
import { AccountRecord } from '../../src/contract/control/sample-data-records.ts'
import { mapReference } from '../../src/contract/references/reference-paths.ts'
import { catalogueName, checkSampleData } from '../../src/platform/control/sample-data/check-sample-data.ts'
import { fieldsOf, valuesOf } from './schema-values.ts'

export type Fields = Readonly<Record<string, unknown>>
export type Lists = Readonly<Record<SampleListName, readonly Fields[]>>

const code = { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} }
const step = { name: 'step_1', displayName: 'One', type: 'CODE', settings: code }
const trigger = (pieceName: string, triggerName: string, input: Fields): Fields => ({
  name: 'trigger',
  displayName: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName, pieceVersion: '~0.1.0', triggerName, input },
})
const callEnded = {
  trigger: trigger('@platform/piece-platform', 'phoneCallEnded', { assistant: 'Base' }),
  steps: [step],
}
const webhook = { trigger: trigger('@engine/piece-webhook', 'catch_webhook', { authType: 'none' }), steps: [step] }

/** Id of the first automation, which ends with its number in the list. */
const automationId = `${'a'.repeat(17)}0000`

const assistant = {
  type: 'outbound',
  voice_id: 'Amelia',
  language_id: 'English',
  timezone: 'UTC',
  initial_message: 'Hello',
  system_prompt: 'Answer.',
}

/**
 * The least that a record of each list needs, beside its name. The first record is what others refer to; each further one
 * allows fields that the first does not.
 */
const leastRecords: Readonly<Record<SampleListName, readonly Fields[]>> = {
  keys: [{}],
  folders: [{}],
  labels: [{}],
  connections: [{ kind: 'custom' }],
  tools: [
    { description: 'Some tool', endpoint: 'https://tool.example', method: 'POST' },
    {
      description: 'Some tool',
      endpoint: `https://platform.example/automate/api/v1/webhooks/${automationId}/sync`,
      method: 'POST',
      type: 'automation',
      automation_id: 'Base',
    },
  ],
  knowledge: [{}],
  numbers: [{ country_code: 'US' }],
  sip_trunks: [
    {
      sip_trunk_type: 'extension',
      sip_username: 'user',
      sip_password: 'pass-word-1',
      sip_address: 'pbx.example',
      sip_calling_format: 'e164',
      inbound_authorization_type: 'auth',
      country_code: 'US',
    },
  ],
  assistants: [
    { ...assistant, mode: 'pipeline', llm_model_id: 'Balanced' },
    { ...assistant, mode: 'multimodal', multimodal_model_id: 'Realtime', voice_id: 'Wren' },
    { ...assistant, mode: 'dualplex', multimodal_model_id: 'Duplex' },
  ],
  senders: [{ display_name: 'Sender', templates: [{ name: 'Base', body_text: 'Hi' }] }],
  automations: [{ id: automationId, flow: webhook }],
  campaigns: [
    { channel: 'call', assistant_id: 'Base' },
    { channel: 'messaging', messaging_sender_id: '+14155550200', messaging_template_id: 'Base' },
    { channel: 'sms', sms_from_phone_number_id: '+14155550300', sms_body: 'Hi' },
  ],
  conversations: [{ assistant_id: 'Base', type: 'messaging', sender_id: '+14155550200' }, { assistant_id: 'Base' }],
  calls: [{ assistant_id: 'Base' }],
}

/** Records with fields that apply only together. */
const combinedRecords: Readonly<Partial<Record<SampleListName, readonly Fields[]>>> = {
  knowledge: [{ documents: [{ name: 'Broken', url: 'https://other.example', status: 'failed', error: 'Not found' }] }],
  numbers: [{ country_code: 'US', type: 'caller_id' }],
  assistants: [
    { ...assistant, mode: 'pipeline', llm_model_id: 'Balanced', type: 'inbound', phone_number_id: '+14155550300' },
    {
      ...assistant,
      mode: 'pipeline',
      llm_model_id: 'Balanced',
      is_webhook_active: true,
      webhook_url: 'https://hooks.example',
    },
  ],
  automations: [
    { flow: callEnded, assistant_id: 'Base' },
    { flow: webhook, assistant_id: 'Base', bind_webhook: 'conversation_ended' },
  ],
  campaigns: [
    {
      channel: 'call',
      assistant_id: 'Base',
      fallback_channel: 'messaging',
      fallback_messaging_sender_id: '+14155550200',
      fallback_messaging_template_id: 'Base',
    },
    {
      channel: 'call',
      assistant_id: 'Base',
      fallback_channel: 'sms',
      fallback_sms_from_phone_number_id: '+14155550300',
      fallback_sms_body: 'Hi',
    },
  ],
}

/**
 * Values of fields that a schema alone does not show, by list and field or by field: without values where a record above
 * has them, and others where the usual one is what a record has without the field.
 */
const ownValues: Readonly<Record<string, readonly unknown[]>> = {
  updated_at: ['2027-01-03T03:04:05.000000Z'],
  'tools.automation_id': [],
  'tools.type': [],
  'numbers.type': [],
  'numbers.sms_capable': [false],
  'assistants.type': [],
  'assistants.mode': [],
  'assistants.voice_id': [],
  'assistants.language_id': [],
  'assistants.llm_model_id': ['Fast'],
  'assistants.multimodal_model_id': [],
  'assistants.synthesizer_provider_id': ['Standard'],
  'automations.flow': [],
  'automations.assistant_id': [],
  'automations.bind_webhook': [],
  'automations.versions': [],
  'campaigns.holidays': [['2027-12-24']],
  'conversations.ends': [3],
}

/** Names of the first records, by which others refer to them, where it is a number. */
const firstNames: Readonly<Record<string, string>> = { numbers: '+14155550300', senders: '+14155550200' }

/** Returns the schemas of the fields of a list, by name. */
export const shapeOf = (list: SampleListName): Readonly<Record<string, z.ZodType>> => {
  const { body, record }: SampleList = sampleLists[list]
  return { ...body?.shape, ...record.shape } as never
}

/** Fields of which no two records may have the same value. */
const identities = ['ref', 'uuid', 'id', 'hash']

/** A record that has, beside the least ones, other values of some fields. */
interface Variant {
  /** Number of the least record it is made of. */
  readonly least: number
  readonly fields: Fields
}

/** Returns variants with one value of one field each. */
function variantsOf(list: SampleListName): Variant[] {
  const { nameField }: SampleList = sampleLists[list]
  const values = Object.entries(shapeOf(list))
    .filter(([field]) => field !== nameField)
    .flatMap(([field, schema]) =>
      (ownValues[`${list}.${field}`] ?? ownValues[field] ?? valuesOf(schema)).map((it) => ({ [field]: it })),
    )
  return leastRecords[list].flatMap((_, least) => values.map((fields) => ({ least, fields })))
}

/** Omits variants whose fields enough of those before them have, for each least record. */
function withoutRepetitions(list: SampleListName, variants: readonly Variant[], enough: number): Variant[] {
  const counts = new Map<string, number>()
  return variants.filter(({ least, fields }) => {
    const keys = pathsOf(list, fields).map((it) => `${least} ${it}`)
    const isNeeded = keys.some((it) => (counts.get(it) ?? 0) < enough)
    if (isNeeded) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return isNeeded
  })
}

/** Joins variants of different fields to one. */
function joined(variants: readonly Variant[]): Variant[] {
  const all: Variant[] = []
  for (const { least, fields } of variants) {
    const [name] = Object.keys(fields)
    const place = all.findIndex((it) => it.least === least && !Object.hasOwn(it.fields, name ?? ''))
    if (place < 0) all.push({ least, fields })
    else all[place] = { least, fields: { ...all[place]?.fields, ...fields } }
  }
  return all
}

const pathsOf = (list: SampleListName, fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    fieldsOf(shapeOf(list)[name] as z.ZodType, value, name).map((it) => it.path),
  )

/** Returns the records of variants, each with a name of its own. */
function recordsOf(list: SampleListName, variants: readonly Variant[]): Fields[] {
  const { nameField, references = [] }: SampleList = sampleLists[list]
  const records: Fields[] = [
    ...leastRecords[list],
    ...(combinedRecords[list] ?? []),
    ...variants.map(({ least, fields }) => ({ ...leastRecords[list][least], ...fields })),
  ]
  const isNamed = Object.hasOwn(shapeOf(list), nameField)
  return records.map((record, n) => {
    const own = identities.filter((it) => Object.hasOwn(record, it))
    const unique = own.map((it) => [it, String(record[it]).slice(0, -4) + String(n).padStart(4, '0')])
    const named = { ...(isNamed && { [nameField]: nameOf(list, n) }), ...record, ...Object.fromEntries(unique) }
    return references.reduce<Fields>(
      (current, reference) =>
        mapReference(current, reference, (id) => catalogueName(reference, id) ?? firstNames[reference.to] ?? 'Base'),
      named,
    )
  })
}

function nameOf(list: SampleListName, n: number): string {
  const { nameField, to }: SampleList = sampleLists[list]
  if (n === 0) return list === 'sip_trunks' ? '+14155550400' : (firstNames[to ?? ''] ?? 'Base')
  return nameField === 'name' ? `${list}_${n}` : `+1${4150000000 + sampleListNames.indexOf(list) * 10_000 + n}`
}

const accountOf = (lists: Readonly<Record<SampleListName, readonly Variant[]>>): Fields => ({
  name: 'Main',
  kind: 'direct',
  balance: 100,
  ...Object.fromEntries(sampleListNames.map((list) => [list, recordsOf(list, lists[list])])),
})

/** Returns the variants that follow the rules of the contract. */
function valid(lists: Readonly<Record<SampleListName, readonly Variant[]>>): Record<SampleListName, Variant[]> {
  const refused = refusedPlaces({ version: sampleDataVersion, accounts: [accountOf(lists)] })
  return eachList((list) => {
    const before = leastRecords[list].length + (combinedRecords[list]?.length ?? 0)
    return lists[list].filter((_, n) => !refused.has(`${list}.${before + n}`))
  })
}

const eachList = <T>(make: (list: SampleListName) => T): Record<SampleListName, T> =>
  Object.fromEntries(sampleListNames.map((list) => [list, make(list)])) as Record<SampleListName, T>

/** Returns the places of the records that break a rule of the contract. */
function refusedPlaces(data: SampleData): ReadonlySet<string> {
  try {
    checkSampleData(data)
    return new Set()
  } catch (error) {
    const { errors } = error as { readonly errors: Readonly<Record<string, unknown>> }
    return new Set(Object.keys(errors).flatMap((it) => /^accounts\.0\.(\w+\.\d+)/.exec(it)?.[1] ?? []))
  }
}

/** Sample data with every field. */
interface EveryField {
  readonly data: SampleData
  /** Which least record each record of a list is made of. A field may apply to some of them only. */
  readonly kinds: Readonly<Record<SampleListName, readonly string[]>>
}

/**
 * Returns sample data whose records together have every field, as far as the contract allows it: a new field of the
 * contract is among them without a line of its own. The first account has all lists; each further one has one field of an
 * account.
 */
export function everyField(): EveryField {
  // Several values of each field, because a rule about other fields may refuse some of them.
  const single = valid(eachList((list) => withoutRepetitions(list, variantsOf(list), 4)))
  const lists = eachList((list) => joined(withoutRepetitions(list, single[list], 1)))
  const accounts = Object.entries(AccountRecord.shape).flatMap(([field, schema]) =>
    valuesOf(schema).map((value, n) => ({ name: `${field} ${n}`, [field]: value })),
  )
  return {
    data: { version: sampleDataVersion, accounts: [accountOf(lists), ...accounts] },
    kinds: eachList((list) => [
      ...leastRecords[list].map((_, n) => `least ${n}`),
      ...(combinedRecords[list] ?? []).map((_, n) => `combined ${n}`),
      ...lists[list].map(({ least }) => `least ${least}`),
    ]),
  }
}

/** Returns the first account with only as many records as it takes to have every field of a record, for tests of files. */
export function recordsWith({ data, kinds }: EveryField): SampleData {
  const [account] = data.accounts
  const fewer = eachList((list) => {
    const seen = new Set<string>()
    return ((account?.[list] ?? []) as readonly Fields[]).filter((record, n) => {
      const isNew = Object.keys(record).filter((field) => !seen.has(`${kinds[list][n]} ${field}`))
      for (const field of isNew) seen.add(`${kinds[list][n]} ${field}`)
      return isNew.length > 0
    })
  })
  return { ...data, accounts: [{ ...account, ...fewer }] }
}
