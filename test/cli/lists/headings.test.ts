import { describe, expect, test } from 'vitest'
import { columnField } from '../../../src/cli/output/fields.ts'
import { allCommands } from '../../../src/generate/reference-files.ts'
import { operator } from '../../support/operator.ts'

/** Columns that are composed of several fields. */
const composed = [
  'automate list: Bound to',
  'automate templates: Needs',
  'ops list: Target',
  'server deliveries list: Last response',
  'server faults list: Applies to',
  'server faults list: Effect',
  'server faults list: State',
]

test('every heading of a list names a field, unless its column is composed of several', async () => {
  const nameless = (await allCommands()).flatMap(([words, it]) =>
    it.isList
      ? (it.view?.columns ?? []).filter((column) => !columnField(column)).map(({ title }) => `${words}: ${title}`)
      : [],
  )
  expect(nameless.toSorted()).toEqual(composed)
})

describe('a heading on the screen, in any case, names its field', () => {
  const by = operator({ lasts: 'file' })
  const json = async (line: string, ...more: readonly string[]) =>
    JSON.parse((await by.run([...line.split(' '), ...more, '--json'])).stdout)

  test.each([
    ['leads list', 'Number', 'phone_number'],
    ['leads list', 'created', 'created_at'],
    ['calls list', 'Cost', 'total_cost'],
    ['calls list', 'CUSTOMER', 'client_phone_number'],
    ['conversations list', 'ai', 'ai_enabled'],
    ['campaigns list', 'Time zone', 'timezone'],
    ['keys list', 'last used', 'last_used_at'],
    ['server accounts ledger 1', 'Balance', 'balance_after'],
    ['server accounts list', 'Payment Method', 'payment_method'],
  ])('%s: %s is %s', async (line, heading, field) => {
    const [named, typed] = [
      await json(line, '--fields', `id,${heading}`),
      await by.json(`${line} --fields id,${field}`),
    ]
    expect(named).toEqual(typed)
    expect(Object.keys(named[0])).toEqual(['id', field])
    const sorted = async (name: string) => json(line, `--sort=-${name}`, '--fields', 'id')
    expect(await sorted(heading)).toEqual(await sorted(field))
    const value = named
      .map((it: Record<string, unknown>) => it[field])
      .find((it: unknown) => it !== null && it !== undefined)
    const text = typeof value === 'string' && /\d T?\d/.test(value) ? value : String(value)
    const matching = async (name: string) => json(line, '--filter', `${name}="${text}"`, '--fields', 'id')
    expect((await matching(heading)).length).toBeGreaterThan(0)
    expect(await matching(heading)).toEqual(await matching(field))
  })

  test('in tables, csv and ndjson, and of a single record', async () => {
    expect((await by.run('calls list --fields ID,Customer -o csv')).stdout).toMatch(/^id,client_phone_number\n/)
    expect((await by.run('calls list --fields ID,Customer')).stdout).toMatch(/^ID\tCustomer\n/)
    expect((await by.run('calls list --fields Customer,client_phone_number -o ndjson')).stdout).toMatch(
      /^\{"client_phone_number":"[^"]*"\}\n/,
    )
    expect((await by.run('assistants get 1 --fields NAME')).stdout).toMatch(/^Name\t/)
    expect((await by.run('server accounts list --fields id,BALANCE')).stdout).toMatch(/^ID\tBalance\n1\t25\.00 USD\n/)
  })

  test('and an unknown one is refused with a suggestion', async () => {
    const run = await by.run('calls list --sort Kost')
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('Unknown field "Kost" in --sort.')
    expect((await by.run('calls list --fields Kost')).exitCode).toBe(2)
  })
})

describe('a value of a fixed set is accepted in any case', () => {
  const by = operator({ lasts: 'file' })

  test.each([
    ['automate runs list --status failed', 'automate runs list --status FAILED'],
    ['automate runs list --filter status=failed', 'automate runs list --filter status=FAILED'],
    ['campaigns list --filter status=Draft', 'campaigns list --filter status=draft'],
    ['campaigns list --filter STATUS!=Draft', 'campaigns list --filter status!=draft'],
    ['messaging senders --status ALL', 'messaging senders --status all'],
    ['conversations list --type Widget', 'conversations list --type widget'],
    ['assistants list -o JSON', 'assistants list -o json'],
  ])('%s', async (typed, exact) => {
    const [run, expected] = [await by.run(typed), await by.run(exact)]
    expect(run.stderr).toBe(expected.stderr)
    expect(run.exitCode).toBe(0)
    expect(run.stdout).toBe(expected.stdout)
  })

  test('and sent to the platform as it is documented', async () => {
    const created = await by.json(
      'tools create --name hours --description Hours --endpoint https://example.com/hours --method GeT',
    )
    expect(created.method).toBe(
      (
        await by.json(
          'tools create --name hours_2 --description Hours --endpoint https://example.com/hours --method GET',
        )
      ).method,
    )
  })

  test('but not another word', async () => {
    const run = await by.run('campaigns list --filter status=drafted')
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('"drafted" is not a value of status.')
    expect((await by.run('automate runs list --status fail')).exitCode).toBe(2)
  })
})
