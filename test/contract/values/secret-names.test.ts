import { describe, expect, test } from 'vitest'
import { isSecretName, splitName } from '../../../src/contract/values/secret-names.ts'

const spellings = (words: readonly string[]): string[] => {
  const capital = (it: string): string => it.charAt(0).toUpperCase() + it.slice(1)
  const [first = '', ...more] = words
  return [
    words.join('_'),
    words.join('-'),
    [first, ...more.map(capital)].join(''),
    words.map(capital).join(''),
    words.join('_').toUpperCase(),
    words.map(capital).join('-'),
  ]
}
const each = (...names: string[]): string[] => names.flatMap((it) => spellings(it.split(' ')))

describe('the name of a secret is recognized in every spelling', () => {
  test.each([
    ...each(
      'api key',
      'x api key',
      'access token',
      'client secret',
      'refresh token',
      'bot token',
      'bearer token',
      'id token',
      'auth token',
      'auth value',
    ),
    ...each(
      'private key',
      'secret access key',
      'subscription key',
      'sip password',
      'smtp pass',
      'webhook secret',
      'auth header value',
      'service key',
    ),
    ...each(
      'session cookie',
      'set cookie',
      'proxy authorization',
      'user credentials',
      'connection string',
      'openai api key',
      'password confirmation',
    ),
    ...[
      'Authorization',
      'authorization',
      'password',
      'Password',
      'passwd',
      'pwd',
      'passphrase',
      'passWord',
      'token',
      'TOKEN',
      'secret',
      'cookie',
      'jwt',
      'pin',
      'otp',
    ],
    ...[
      'apikey',
      'APIKey',
      'ApiKEY',
      'accesstoken',
      'clientsecret',
      'privatekey',
      'x-rapidapi-key',
      'Ocp-Apim-Subscription-Key',
      'api_key_2',
      'token1',
    ],
    ...['secret_id', 'API-KEY-VALUE', 'hubspotPrivateAppToken', 'X-Auth-Token', 'bearer', 'credential', 'pass'],
  ])('%s', (name) => expect(isSecretName(name)).toBe(true))
})

describe('a name that only contains such a word, or part of one, is not secret in any spelling', () => {
  test.each([
    ...each(
      'max tokens',
      'max output tokens',
      'total tokens',
      'prompt tokens',
      'completion tokens',
      'max token',
      'token count',
      'token limit',
      'tokens per minute',
    ),
    ...each(
      'token type',
      'token url',
      'token expires at',
      'token expires in',
      'page token',
      'next page token',
      'password field',
      'password hint',
      'has password',
    ),
    ...each(
      'secret name',
      'api key header',
      'auth header',
      'auth type',
      'auth method',
      'authorization url',
      'authorization type',
      'cookie consent',
      'cookie policy',
    ),
    ...each(
      'primary key',
      'row primary key',
      'foreign key',
      'sort key',
      'public key',
      'idempotency key',
      'conversation key',
      'mem key',
      'issue key',
      'credential id',
    ),
    ...[
      'key',
      'keys',
      'keyword',
      'monkey',
      'author',
      'authors',
      'authored_by',
      'tokenizer',
      'tokenize',
      'secretary',
      'passenger',
      'compass',
      'bypass',
      'assignments',
    ],
    ...[
      'pins',
      'opinion',
      'signature',
      'auth',
      'include_secrets',
      'cookiecutter',
      'turkey',
      'hotkey',
      'passing',
      'accessory',
      'private',
      'headerName',
      'header_name',
    ],
  ])('%s', (name) => expect(isSecretName(name)).toBe(false))
})

test.each([
  ['custom_key', 'k9Qd82hf7Zs1aa', true],
  ['custom_key', 'customer name', false],
  ['vendorKey', 'k9Qd82hf7Zs1aa', true],
  ['vendorKey', 'last_seen', false],
  ['signature', 'Best regards, Ada', false],
  ['X-Signature', 'sha256=9f86d081884c7d659a2feaa0c55ad015', true],
  ['auth', 'none', false],
  ['auth', 'k9Qd82hf7Zs1aa', true],
  ['auth', "{{connections['mail']}}", false],
])('%s may be a secret: %s decides', (name, value, isSecret) => expect(isSecretName(name, value)).toBe(isSecret))

test('words are split in every spelling', () => {
  expect(
    ['maxOutputTokens', 'MAX_OUTPUT_TOKENS', 'max-output-tokens', 'X-APIKey2', 'OAuthToken'].map(splitName),
  ).toEqual([
    ['max', 'output', 'tokens'],
    ['max', 'output', 'tokens'],
    ['max', 'output', 'tokens'],
    ['x', 'api', 'key'],
    ['o', 'auth', 'token'],
  ])
})
