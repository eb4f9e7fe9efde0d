import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

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

  test.each([
    ['tools get 2', 'Created', 'created_at'],
    ['leads get 5', 'campaign id', 'campaign_id'],
    ['leads get 5', 'Variables first name', 'variables.first_name'],
    ['calls get 2', 'STATUS', 'status'],
    ['whoami', 'Base URL', 'base_url'],
    ['server status', 'Providers mail', 'providers.mail'],
  ])('of a single record: %s --fields "%s" is %s', async (line, heading, field) => {
    expect((await by.run(line)).stdout.toLowerCase()).toContain(`${heading.toLowerCase()}\t`)
    expect(await json(line, '--fields', heading)).toEqual(await by.json(`${line} --fields ${field}`))
    expect((await by.run([...line.split(' '), '--fields', heading])).stdout.toLowerCase()).toMatch(
      new RegExp(`^${heading.toLowerCase()}\t`),
    )
  })

  test('of a field that no column describes, also in --filter and --sort', async () => {
    expect(await json('tools list', '--filter', 'Body format=JSON', '--sort', 'Body Format', '--fields', 'id')).toEqual(
      await by.json('tools list --filter body_format=json --sort body_format --fields id'),
    )
  })

  test('and an unknown one is refused with a suggestion', async () => {
    const run = await by.run('calls list --sort Kost')
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('Unknown field "Kost" in --sort.')
    expect((await by.run('calls list --fields Kost')).exitCode).toBe(2)
  })
})

describe('a column that is composed of several fields', () => {
  test('is printed, filtered and sorted by its heading', async () => {
    const by = operator()
    await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
    await by.run('messaging send --sender 1 --template 2 --to +14155550111')
    expect((await by.run('ops list --fields Target,Amount')).stdout).toBe(
      'Target\tAmount\n+14155550111\t0.008 USD\n+14155550142\t0.01 USD\n',
    )
    expect(await by.json('ops list --fields target,amount_usd --filter Target=+14155550142')).toEqual([
      { target: '+14155550142', amount_usd: 0.01 },
    ])
    expect((await by.run('ops list --sort Target --fields TARGET -o csv')).stdout).toBe(
      'target\n+14155550111\n+14155550142\n',
    )
    expect((await by.run('ops list --fields target -o ndjson')).stdout).toBe(
      '{"target":"+14155550111"}\n{"target":"+14155550142"}\n',
    )
    expect(await by.json('ops list --filter "Amount=0.01 USD" --fields target')).toEqual([{ target: '+14155550142' }])
  })
})

describe('--fields help', () => {
  const by = operator({ lasts: 'file' })

  test.each([
    ['server faults list', 'effect, applies_to, state'],
    ['server deliveries list', 'last_response'],
    ['automate list', 'bound_to'],
    ['automate templates', 'needs'],
    ['billing usage --by kind', 'share'],
  ])('of %s says which names are composed of other fields: %s', async (line, composed) => {
    const help = await by.run(`${line} --fields help`)
    expect(help.stdout.split('\n')).toEqual(expect.arrayContaining(composed.split(', ')))
    expect(help.stderr).toBe(
      `Composed of other fields: ${composed}. Tables show them; other formats have them when --fields names them.\n`,
    )
    for (const row of await by.json(`${line} --fields ${composed.replaceAll(' ', '')}`))
      expect(Object.keys(row).toString()).toBe(composed.replaceAll(' ', ''))
  })

  test('of a list without composed columns says no more', async () => {
    expect((await by.run('calls list --fields help')).stderr).toBe('')
  })

  test.each([
    ['ops list', 'sms send --from "Front desk" --to +14155550142 --body Hello'],
    ['history list', 'tools update 1 --description Hours'],
    ['automate list', ''],
    ['server accounts list', ''],
    ['profile list', ''],
    ['calls list', ''],
  ])('of %s names each field of the JSON output', async (line, before) => {
    if (before !== '') expect((await by.run(before)).exitCode).toBe(0)
    const listed = (await by.run(`${line} --fields help`)).stdout.split('\n')
    const [first] = await by.json(line)
    expect(Object.keys(first).length).toBeGreaterThan(0)
    expect(listed).toEqual(expect.arrayContaining(Object.keys(first)))
  })
})

test('the target of an operation is in JSON, with its heading', async () => {
  const by = operator()
  await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
  const [entry] = await by.json('ops list')
  expect(entry.target).toBe('+14155550142')
  expect(await by.json(`ops get ${entry.id}`)).toMatchObject({ target: '+14155550142' })
})

describe('a value on the screen is accepted by --filter', () => {
  const by = operator({ lasts: 'file' })
  const ids = async (line: string, filter: string) => by.run([...line.split(' '), '--filter', filter, '-o', 'id'])

  test.each([
    ['numbers list', 'SMS=Yes', 'sms_capable=true'],
    ['conversations list', 'AI=disabled', 'ai_enabled=false'],
    ['automate list', 'Last run=succeeded', 'last_run.status=SUCCEEDED'],
    ['leads list', 'Campaign=Call back', 'campaign.id=1'],
    ['calls list', 'Duration>=1:00', 'duration>=60'],
  ])('%s --filter "%s" is %s', async (line, shown, exact) => {
    const [found, expected] = [await ids(line, shown), await ids(line, exact)]
    expect(found).toMatchObject({ exitCode: 0, stdout: expected.stdout })
    expect(found.stdout).not.toBe('')
  })

  test('also of an action that the sample data does not have', async () => {
    expect(await by.run('history list --filter action=promote')).toMatchObject({ exitCode: 0 })
    expect(await by.run('history list --filter noun=promotions')).toMatchObject({ exitCode: 0 })
    expect(await by.run('history list --all-writes --filter Outcome=refused --sort Request')).toMatchObject({
      exitCode: 0,
    })
  })

  test('but a typing mistake in the name of a field of yes and no is refused', async () => {
    expect(await by.run('conversations list --filter ai_enabled=disabled')).toMatchObject({ exitCode: 2 })
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
