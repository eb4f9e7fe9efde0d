import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import { validate } from '../../../src/contract/endpoint/validation.ts'
import { Failure, failures, toEnvelope } from '../../../src/contract/errors/failures.ts'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { publicVocabulary } from '../../../src/contract/vocabulary/public-vocabulary.ts'
import { createCodec, createResponseTranslator, type Vocabulary } from '../../../src/contract/vocabulary/vocabulary.ts'
import { findVocabularyConflicts } from '../../../src/contract/vocabulary/vocabulary-conflicts.ts'
import { invented, roundTrips } from './round-trips.ts'

// round-trip.full.test.ts has ten times as many.
roundTrips(3)

describe.each(endpoints.map((it) => [it.name, it] as const))('%s', (_name, endpoint) => {
  test('is refused by it with neutral words', () => {
    const fields = [endpoint.query, endpoint.body].flatMap((it) => Object.keys(it?.shape ?? {}))
    const refusals = [
      ...endpoint.errors.map((name) => toEnvelope(new Failure(name))),
      ...fields.map((field) =>
        toEnvelope(
          new Failure('invalid', {
            text: 'Validation failed',
            errors: { [field]: [`The ${field.replaceAll('_', ' ')} field is required.`] },
          }),
        ),
      ),
      toEnvelope(new Failure('invalid', { text: `Invalid fields: ${fields.join(', ')}`, errors: {} })),
    ]
    const [codec, translator] = [createCodec(publicVocabulary), createResponseTranslator(publicVocabulary)]
    for (const refusal of refusals) expect(codec.refusal(translator.refusal(refusal))).toEqual(refusal)
  })
})

describe('a server with the public vocabulary', () => {
  const translator = createResponseTranslator(publicVocabulary)

  test('names the sent words in its errors', () => {
    const campaign = endpoints.find((it) => it.name === 'campaigns.create') as Endpoint
    const checked = validate(campaign.body as NonNullable<Endpoint['body']>, {
      name: 'x',
      channel: 'messaging',
      timezone: 'UTC',
    })
    if (checked.ok) throw new Error('It was taken.')
    expect(
      translator.refusal(toEnvelope(new Failure('invalid', { text: checked.first, errors: checked.errors }))),
    ).toMatchObject({
      errors: { whatsapp_sender_id: ['The whatsapp sender id field is required when channel is whatsapp.'] },
    })
    expect(translator.refusal({ message: 'The tools.0.cal a api key field is required.' })).toEqual({
      message: 'The tools.0.calcom api key field is required.',
    })
  })

  test('does not know the neutral words', () => {
    expect(translator.incoming({ messaging_sender_id: 1, type: 'messaging', cal_a_api_key: 'k' })).toEqual({
      whatsapp_sender_id: 1,
      type: 'whatsapp',
      calcom_api_key: 'k',
    })
    expect(
      translator.refusal({ errors: { whatsapp_sender_id: ['The whatsapp sender id field is not recognized.'] } }),
    ).toEqual({
      errors: { messaging_sender_id: ['The messaging sender id field is not recognized.'] },
    })
  })

  test('writes numbers, booleans and tools of an assistant as public deployments do', () => {
    const assistant = {
      voice_stability: 0.5,
      fillers: true,
      record: true,
      variables: { fillers: true },
      tools: [{ type: 'end_call', description: 'd' }],
    }
    expect(translator.outgoing({ data: [assistant] })).toEqual({
      data: [
        {
          voice_stability: '0.50',
          fillers: 1,
          record: true,
          variables: { fillers: true },
          tools: [{ type: 'end_call', data: { description: 'd' } }],
        },
      ],
    })
  })

  test('has its words in the URLs of pages', () => {
    const page = (type: string, path: string) => ({
      data: [],
      per_page: 15,
      path: `http://h/api/user/${path}`,
      next_page_url: `http://h/api/user/${path}?type=${type}&page=2`,
      prev_page_url: null,
      links: [{ url: `http://h/api/user/${path}?page=1&type=${type}`, label: '1', active: true }],
    })
    expect(translator.outgoing(page('messaging', 'messaging/senders'))).toEqual(page('whatsapp', 'whatsapp/senders'))
    expect(createCodec(publicVocabulary).incoming(page('whatsapp', 'whatsapp/senders'))).toEqual(
      page('messaging', 'messaging/senders'),
    )
  })
})

describe('a vocabulary', () => {
  test('public or invented, is reversible', () => {
    expect(findVocabularyConflicts(publicVocabulary)).toEqual([])
    fc.assert(
      fc.property(invented, (vocabulary) => {
        expect(findVocabularyConflicts(vocabulary)).toEqual([])
      }),
      { numRuns: 20 },
    )
  })

  test('that maps two words to the same word is reported', () => {
    const empty: Vocabulary = { paths: {}, keys: {}, values: {}, prefixes: {} }
    expect(findVocabularyConflicts({ ...empty, keys: { sender_id: 'id2', template_id: 'id2' } })).toEqual([
      'In keys, two words map to "id2".',
    ])
    expect(findVocabularyConflicts({ ...empty, keys: { sender_id: 'template_id' } })).toEqual([
      'In keys, "sender_id" maps to "template_id", which is already another word.',
    ])
    expect(findVocabularyConflicts({ ...empty, keys: { sender_id: 'template_id', template_id: 'sender_id' } })).toEqual(
      [],
    )
    expect(findVocabularyConflicts({ ...empty, values: { status: { online: 'offline' } } })).toHaveLength(1)
    expect(findVocabularyConflicts({ ...empty, prefixes: { '*': { cal_a_: 'sip_' } } }).length).toBeGreaterThan(0)
  })
})

test('no error message means another error in the public vocabulary', () => {
  const [codec, translator] = [createCodec(publicVocabulary), createResponseTranslator(publicVocabulary)]
  for (const { text } of Object.values(failures))
    expect(codec.refusal(translator.refusal({ message: text }))).toEqual({ message: text })
})
