import { describe, expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'

const json = (body: unknown, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: body === undefined ? '' : JSON.stringify(body),
})
/** A platform that answers every write so. */
const saying =
  (body: unknown, status?: number): NonNullable<RunOptions['through']> =>
  async (handle, request) =>
    request.method === 'GET' ? handle(request) : json(body, status)

const spends: Readonly<Record<string, string>> = {
  'a purchase': 'numbers buy +15005550006 --yes',
  'a template message': 'messaging send --sender 1 --template 2 --to +14155550111',
  'a message without a template': 'messaging send --sender 1 --to +14155550142 --text Hello',
  'a generated reply': "api replies.generate --data '{assistant_id: 1, customer_identifier: a, message: Hello}' --yes",
  'an SMS': 'api sms.send --data \'{from: 4, to: "+14155550142", body: Hello}\' --yes',
  'a call': 'api calls.start --data \'{phone_number: "+14155550142", assistant_id: 1}\' --yes',
  'a chat message': 'conversations send dcc8a31d-9a12-40f7-8676-f5d9a81c26ae --message Hello',
}
const answers: readonly [what: string, body: unknown, status: number | undefined][] = [
  ['204', undefined, 204],
  ['an empty body', undefined, 200],
  ['{}', {}, 200],
  ['{"message":"queued"}', { message: 'queued' }, 200],
  ['data that is empty', { message: 'ok', data: {} }, 200],
  ['data without an id', { message: 'ok', data: { id: null, phone_number: '+15005550006' } }, 200],
  [
    'an id beside a failure',
    {
      success: false,
      message_id: 7,
      conversation_id: 'x',
      message: '',
      function_calls: [],
      data: { id: 1, phone_number: '+15005550006' },
    },
    200,
  ],
]

describe.each(Object.entries(spends))('%s', (what, line) => {
  // What a platform says of a call it begins is a sentence, and nothing in data.
  const odd = answers.filter(
    ([, body]) => what !== 'a call' || !Object.hasOwn(Object(body), 'data') || Object.hasOwn(Object(body), 'success'),
  )

  test.each([...odd])('answered with %s has an unknown outcome, and is never marked done', async (_, body, status) => {
    const by = operator({ supports: 'neutral' })
    for (const form of ['', ' --json']) {
      // Otherwise the first one, whose outcome is unknown, would stop the second.
      const [open] = await by.json('ops list --open')
      if (open) await by.run(`ops close ${open.id} --as refused --reason test`)
      const { exitCode, stdout, stderr } = await by.run(`${line}${form}`, { through: saying(body, status) })
      expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' })
      expect(stderr).toContain('The outcome of the request is unknown.')
      expect(stderr).not.toContain('undefined')
    }
    expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['unknown', 'refused'])
  })
})

test('a purchase that is answered with another number has an unknown outcome', async () => {
  const by = operator({ supports: 'neutral' })
  const through = saying(
    {
      message: 'ok',
      data: { id: 9, phone_number: '+15005550007', country_code: 'US', type: 'normal', sms_capable: true },
    },
    201,
  )
  const { exitCode, stdout, stderr } = await by.run('numbers buy +15005550006 --yes', { through })
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' })
  expect(stderr).toContain('without "data.phone_number": "+15005550006". The outcome')
  expect(await by.json('ops list --open')).toHaveLength(1)
})

test('a purchase that is answered with its number in digits alone is done', async () => {
  const by = operator({ supports: 'neutral' })
  const through = saying({ message: 'ok', data: { id: '9', phone_number: 15005550006 } }, 201)
  expect(await by.run('numbers buy +15005550006 --yes -o id', { through })).toMatchObject({
    exitCode: 0,
    stdout: '9\n',
  })
})

test('an update that is answered without its record is read back, and is exit 20 where it was not made', async () => {
  const by = operator({ supports: 'neutral' })
  const through = saying({ message: 'ok', data: { name: 'x' } })
  expect(await by.run('tools update 1 --tool-timeout 9', { through })).toMatchObject({
    exitCode: 20,
    stdout: 'The platform accepted the update, but the tool differs: timeout is 10, sent 9. Id: 1\n',
    stderr: expect.stringContaining('warning: The tool 1 still differs from what was sent: timeout is 10, sent 9.'),
  })
})

test.each([
  ['folders create --name x', { message: 'ok', data: {} }, '"data.id"', 'parley folders list'],
  ['keys create --name x', { message: 'ok', api_key: { name: 'x' } }, '"api_key.token"', 'parley keys list'],
  ['conversations start --assistant 1', {}, '"conversation_id"', 'parley conversations list'],
] as const)(
  '%s, answered without the created resource and not found, has an unknown outcome and names the command to check',
  async (line, body, missing, checked) => {
    const { exitCode, stdout, stderr } = await operator({ supports: 'neutral' }).run(line, { through: saying(body) })
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' })
    expect(stderr).toContain(`returned 200 without ${missing}.`)
    expect(stderr).toContain(`hint: The request may have succeeded. Check before you repeat it: ${checked}.\n`)
  },
)

test.each([
  'whoami',
  'numbers list',
  'tools get 1',
  'conversations list',
  'calls get 1',
  'messaging session --sender 1 --to +14155550142',
])('a read that is answered 204 is a failure of the platform: %s', async (line) => {
  const { exitCode, stdout } = await operator({ supports: 'neutral' }).run(`${line} --json`, {
    through: async () => json(undefined, 204),
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 8, stdout: '' })
})
