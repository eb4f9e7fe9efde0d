import { describe, expect, test } from 'vitest'
import { operator } from '../../../../support/operator.ts'
import { conformance, expectAll, localKey, namesOf, writes } from './run-conformance.ts'

describe('the local platform', () => {
  test('conforms for reads and writes, and keeps nothing from the check', async () => {
    const by = operator({ supports: 'neutral', reachesLoopback: true })
    const before = await Promise.all(
      ['server accounts list', 'tools list', 'numbers search --contains 5005550006'].map((line) => by.json(line)),
    )
    const rows = await conformance(by, '--strict')
    expect(rows.filter((it) => it.status !== 'same' && it.status !== 'not_checked')).toEqual([])
    for (const name of [
      'tools.create',
      'numbers.buy',
      'knowledge.deleteDocument',
      'sipTrunks.get',
      'messaging.templates',
      'assistants.enableInboundWebhook',
    ])
      expect(rows).toContainEqual({ endpoint: name, case: 'answer', status: 'same', differences: [], note: null })
    expect(rows).toContainEqual(expect.objectContaining({ endpoint: 'tools.get', case: 'not_found', status: 'same' }))
    expect(rows).toContainEqual(expect.objectContaining({ endpoint: 'user.me', case: 'no_key', status: 'same' }))
    expectAll(rows, [])
    for (const name of [
      'assistants.enableConversationEndedWebhook',
      'assistants.enablePostCallWebhook',
      'messaging.send',
    ])
      for (const about of ['deliveries', 'signature'])
        expect(rows).toContainEqual(expect.objectContaining({ endpoint: name, case: about, status: 'same' }))
    expect(rows).toContainEqual(
      expect.objectContaining({
        endpoint: 'assistants.disableConversationEndedWebhook',
        case: 'deliveries',
        status: 'same',
      }),
    )
    for (const name of [
      'tools.update',
      'keys.delete',
      'calls.delete',
      'campaigns.updateStatus',
      'messaging.send',
      'sms.send',
      'conversations.enableAi',
    ])
      expect(rows).toContainEqual(expect.objectContaining({ endpoint: name, case: 'not_found', status: 'same' }))
    for (const name of [
      'tools.create',
      'tools.update',
      'numbers.buy',
      'conversations.send',
      'campaigns.updateStatus',
      'messaging.send',
      'replies.generate',
    ])
      expect(rows).toContainEqual(expect.objectContaining({ endpoint: name, case: 'rejected', status: 'same' }))
    expect(await by.json('ops list')).toEqual([])
    expect(
      await Promise.all(
        ['server accounts list', 'tools list', 'numbers search --contains 5005550006'].map((line) => by.json(line)),
      ),
    ).toEqual(before)
  })

  test('is only read with a read-only profile', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('profile set careful --url embedded: --read-only --api-key-stdin', { stdin: localKey })
    const rows = await conformance(by, '--profile careful')
    expect(rows.filter((it) => it.endpoint === 'tools.create')).toEqual([
      {
        endpoint: 'tools.create',
        case: 'answer',
        status: 'not_checked',
        differences: [],
        note: 'The endpoint writes, and the profile is read-only.',
      },
    ])
    expect(namesOf(rows, 'same')).toContain('tools.get')
    expectAll(rows, writes)
  })
})

/** What is planted, and what is to be found of it: an endpoint, its difference, and whether it is understood all the same. */
const planted: readonly [
  endpoint: string,
  drift: string,
  path: string,
  expected: string,
  seen: string,
  tolerated: boolean,
][] = [
  ['keys.list', 'remove api_keys', 'api_keys', 'a list', 'nothing', false],
  ['tools.list', 'remove *.schema', '*.schema', 'a list', 'nothing', false],
  ['tools.get', 'rename timeout seconds', 'timeout', 'a whole number', 'nothing', false],
  ['tools.create', 'add data owner', 'data.owner', 'nothing', 'text', true],
  ['numbers.search', 'text data.*.price', 'data.*.price', 'a number', 'a number as text', true],
  ['numbers.list', 'null data.*.country_code', 'data.*.country_code', 'text', 'null', false],
  ['assistants.list', 'flag data.*.record', 'data.*.record', 'true or false or null', 'a number', true],
  ['folders.list', 'number data.*.name', 'data.*.name', 'text', 'a number', true],
  ['models.list', 'wrap . data', '.', '', 'an object', false],
  ['knowledge.get', 'unwrap .', 'data', 'an object', 'nothing', false],
  ['folders.create', 'status 200', '.', 'status 201', 'status 200', true],
  ['voices.list', 'list *.language_id', '*.language_id', 'a whole number', 'a list', false],
]

describe('a platform that differs', () => {
  test('is reported with each planted difference, and nothing else', async () => {
    const by = operator({ supports: 'neutral' })
    for (const [endpoint, drift] of planted)
      expect(await by.run(['server', 'faults', 'add', endpoint, '--drift', drift])).toMatchObject({ exitCode: 0 })
    const rows = await conformance(by, '', 20)
    for (const [endpoint, , path, expected, seen, tolerated] of planted) {
      const row = rows.find((it) => it.endpoint === endpoint && it.case === 'answer')
      expect(row?.status, endpoint).toBe(tolerated ? 'tolerated' : 'drift')
      expect(row?.differences).toContainEqual(
        expected === '' ? expect.objectContaining({ path, seen }) : { path, expected, seen, tolerated },
      )
    }
    const names = planted.map(([endpoint]) => endpoint)
    // What reads hand to one another may be missing then, and is said so.
    const others = rows.filter(
      (it) => !names.includes(it.endpoint) && (it.status === 'drift' || it.status === 'tolerated'),
    )
    expect(others).toEqual([])
  })

  test('is not compared with a rejected key', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('profile set other --url embedded: --api-key-stdin', { stdin: '99|nobody' })
    expect(await by.run('doctor --conformance --profile other')).toMatchObject({ exitCode: 3, stdout: '' })
  })
})

test('an empty local platform is reported as empty', async () => {
  const { exitCode, stderr } = await operator({ fresh: true }).run('doctor --conformance')
  expect(exitCode).toBe(3)
  expect(stderr).toContain(
    'The local platform is empty. It has no account and no API key.\nhint: Load sample data: parley server seed.',
  )
})
