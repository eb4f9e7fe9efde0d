import { describe, expect, test } from 'vitest'
import { findMasks, isMaskedSecret } from '../../../src/contract/values/mask.ts'

const masks = [
  '********',
  '••••1234',
  '•••• 1234',
  '● ● ● ●',
  '*',
  '[redacted]',
  '[REDACTED]',
  '<secret>',
  '<your api key>',
  'Bearer ********',
  'Basic [redacted]',
  ' ******** ',
]

/** Values that somebody may really want to store in the place of a credential. */
const legitimate = [
  'sk-live-4f9a8b7c6d5e',
  '{{api_key}}',
  'Bearer {{ token }}',
  '${CRM_KEY}',
  'Bearer ${CRM_KEY}',
  '<{{token}}>',
  '[${TOKEN}]',
  '****secret',
  '**bold** text',
  'pass***word',
  'p@ss[1]',
  '[a]b',
  'a<b>c',
  '<a>1</a>',
  'Basic dXNlcjpwYXNzd29yZA==',
  'correct horse battery staple',
  '2*3*4',
  '#*#*12',
  '',
  '0',
  'null',
  'x•y',
]

const found = (value: unknown): string[] => findMasks(value, isMaskedSecret)

describe('a mask in the place of a credential', () => {
  test.each(masks)('%j is recognized, whichever platform wrote it', (text) => {
    expect(found({ api_key: text })).toEqual(['api_key'])
    expect(found({ headers: [{ name: 'X-Api-Key', value: text }] })).toEqual(['headers.0.value (X-Api-Key)'])
  })

  test.each(legitimate)('%j is not one', (text) => {
    expect(found({ api_key: text, headers: [{ name: 'Authorization', value: text }] })).toEqual([])
  })

  test('is recognized in a URL, in JSON as text and inside an object of credentials', () => {
    expect(
      found({
        url: 'https://crm.example/?x=1&token=********',
        other: 'https://user:%3Csecret%3E@crm.example/',
        body: '{"client_secret": "[redacted]"}',
        credentials: { client: '••••1234', region: '*' },
        tokens: ['<secret>'],
      }),
    ).toEqual(['url', 'other', 'body', 'credentials.client', 'tokens.0'])
  })

  test('does not include values of other fields that look alike', () => {
    expect(
      found({
        description: '********',
        name: '[Draft]',
        stop_key: '*',
        sort_key: '<name>',
        max_tokens: '*',
        headers: [{ name: 'If-None-Match', value: '*' }],
        schema: [{ name: 'password', type: 'string', description: '<password>' }],
        propertySettings: { token: { type: 'MANUAL', schema: '<any>' } },
        url: 'https://crm.example/?filter=*&token={{token}}',
        text: '[not JSON',
      }),
    ).toEqual([])
  })

  test('with an ambiguous name is recognized if the value says so itself', () => {
    expect(found({ headers: { 'X-Auth': '********', signature: '[redacted]', 'X-Sig': '[a]' } })).toEqual([
      'headers.X-Auth',
      'headers.signature',
    ])
  })
})
