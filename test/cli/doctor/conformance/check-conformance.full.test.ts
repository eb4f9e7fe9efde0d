import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { operator, sampleSeed } from '../../../support/operator.ts'

import { conformance, expectAll, namesOf, serving, writes } from './run-conformance.ts'

describe('a platform that differs', () => {
  test('conforms again after the difference is removed', async () => {
    const by = operator({ supports: 'neutral' })
    const before = await conformance(by)
    await by.run(['server', 'faults', 'add', 'tools.get', '--drift', 'rename timeout seconds'])
    expect(namesOf(await conformance(by, '', 20), 'drift')).toContain('tools.get')
    await by.run('server faults clear')
    expect(await conformance(by)).toEqual(before)
  })

  test('only in tolerated ways fails only with --strict', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run(['server', 'faults', 'add', 'numbers.search', '--drift', 'text data.*.price'])
    expect(namesOf(await conformance(by), 'tolerated')).toEqual(['numbers.search'])
    await conformance(by, '--strict', 20)
  })

  test('in an error response is detected', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('server faults create tools.get --error keys.not_found')
    const rows = await conformance(by, '', 20)
    const row = rows.find((it) => it.endpoint === 'tools.get' && it.case === 'not_found')
    expect(row).toMatchObject({
      status: 'tolerated',
      differences: [{ path: 'message', expected: '"Tool not found"', seen: '"API key not found."' }],
    })
  })

  test('by refusing a write is detected', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('server faults create calls.delete --error calls.not_found')
    await by.run('server faults create folders.create --status 400')
    const rows = await conformance(by, '', 20)
    expect(rows).toContainEqual(
      expect.objectContaining({
        endpoint: 'calls.delete',
        case: 'not_found',
        differences: [expect.objectContaining({ seen: '"Call not found"' })],
      }),
    )
    expect(rows).toContainEqual(
      expect.objectContaining({ endpoint: 'folders.create', case: 'answer', status: 'drift' }),
    )
  })

  test('by returning no JSON is detected', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('server faults create languages.list --socket html')
    expect(await conformance(by, '', 20)).toContainEqual({
      endpoint: 'languages.list',
      case: 'answer',
      status: 'drift',
      differences: [{ path: '.', expected: 'JSON', seen: 'no JSON', tolerated: false }],
      note: null,
    })
  })
})

describe.each(databases)('a server on $name', (database) => {
  const target = async (): Promise<string> => {
    const it = await database.target()
    return 'url' in it ? `--database ${it.url} --seed ${sampleSeed}` : ''
  }

  test.each(['', '--vocabulary public'])(
    'conforms over a socket %s, from a read-only profile and from its own folder',
    async (vocabulary) => {
      const flags = await target()
      const by = operator({ supports: 'neutral', fresh: flags !== '' })
      await serving(by, `${flags} ${vocabulary}`, async (url) => {
        const here = await conformance(by)
        expect(namesOf(here, 'drift')).toEqual([])
        expect(namesOf(here, 'tolerated')).toEqual(vocabulary === '' ? [] : ['assistants.list'])
        expect(namesOf(here, 'same')).toContain('numbers.buy')
        const key = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8')).key
        const other = operator({ fresh: true, supports: 'neutral' })
        await other.run(`profile set there --url ${url} ${vocabulary} --api-key-stdin`, { stdin: key })
        const there = await conformance(other, '--profile there')
        expect(namesOf(there, 'drift')).toEqual([])
        expect(there).toContainEqual(
          expect.objectContaining({
            endpoint: 'numbers.buy',
            status: 'skipped',
            note: expect.stringContaining('only checked on a local platform'),
          }),
        )
        expectAll(here, [])
        expectAll(there, writes)
        expect(namesOf(there, 'same')).toContain('messaging.templates')
        expect(await by.json('server accounts list --fields name')).toEqual(
          expect.not.arrayContaining([{ name: 'Conformance check' }]),
        )
      })
    },
  )

  test('that uses another vocabulary than the profile is reported as drift', async () => {
    const flags = await target()
    const by = operator({ supports: 'neutral', fresh: flags !== '' })
    await serving(by, `${flags} --vocabulary public`, async (url) => {
      const key = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8')).key
      const other = operator({ fresh: true, supports: 'neutral' })
      await other.run(`profile set there --url ${url} --api-key-stdin`, { stdin: key })
      const rows = await conformance(other, '--profile there', 20)
      expect(namesOf(rows, 'drift')).toEqual(expect.arrayContaining(['messaging.senders', 'numbers.search']))
    })
  })
})
