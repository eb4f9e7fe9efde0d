import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type AccountAuditScope,
  type AuditFinding,
  auditAccount,
} from '../../../../src/cli/features/audit/audit-account.ts'
import type { LinkedItem } from '../../../../src/contract/references/resource-links.ts'
import type { ResourceKind } from '../../../../src/contract/references/resource-references.ts'
import { altered, at, type Body, item, notParleyServer, withheld } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { twoPlatforms } from '../as-code/promotion/two-platforms.ts'

const audit = async (by: Operator, flags = '', options: RunOptions = {}): Promise<readonly AuditFinding[]> => {
  const { exitCode, stdout, stderr } = await by.run(`audit --json ${flags}`, options)
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout)
}
const of = (findings: readonly AuditFinding[], category: string, noun: string, id: number | string) =>
  findings.find((it) => it.category === category && it.noun === noun && it.id === id)
const found = async (by: Operator, category: string, noun: string, id: number | string, options?: RunOptions) =>
  of(await audit(by, '', options), category, noun, id)

const tool = (name: string, url = 'https://hooks.example/a') =>
  `tools create --name ${name} --description "Does it" --endpoint ${url} --method POST`

describe('unused resources', () => {
  test('are paid numbers that nothing uses, with their price and the command that ends it', async () => {
    const by = operator()
    expect(await found(by, 'unused', 'numbers', 2)).toMatchObject({
      monthly_usd: 1.3,
      age_days: expect.any(Number),
      detail: expect.stringMatching(
        /^Number \+\d+ \(2\) costs 1\.30 USD per month, next on \d{4}-\d\d-\d\d, and is not used by an assistant, campaign or automation\.$/,
      ),
      commands: ['parley numbers release 2'],
    })
    const number = (fields: Body): RunOptions => altered({ [at.numbers]: item(2, fields) })
    expect(await found(by, 'unused', 'numbers', 2, number({ price: undefined, renews_at: undefined }))).toMatchObject({
      monthly_usd: null,
      detail: expect.stringContaining('has an active subscription and is not used by'),
    })
    // A number that was released ends anyway, and one without a subscription costs nothing.
    for (const fields of [{ ends_at: '2026-08-20T12:00:00Z' }, { has_active_subscription: false, price: null }])
      expect(await found(by, 'unused', 'numbers', 2, number(fields))).toBeUndefined()
  })

  test('are tools that no assistant has', async () => {
    const by = operator()
    const { id } = await by.json(`${tool('spare')} --header "Authorization: Bearer abcdefgh12345678"`)
    expect(await found(by, 'unused', 'tools', id)).toMatchObject({
      name: 'spare',
      detail: `Tool "spare" (${id}) is not used by an assistant, and has headers that may hold credentials.`,
      commands: [`parley tools delete ${id}`],
    })
    expect(await found(by, 'unused', 'tools', 1)).toBeUndefined()
    await by.run(`assistants update 1 --add-tool ${id}`)
    expect(await found(by, 'unused', 'tools', id)).toBeUndefined()
  })

  test('are folders, labels and knowledge bases without an assistant', async () => {
    const by = operator()
    await by.run('folders create --name Spare')
    await by.run('labels create --name Spare')
    await by.run('knowledge create --name Spare')
    const names = (await audit(by)).filter((it) => it.name === 'Spare').map((it) => `${it.category} ${it.noun}`)
    expect(names.sort()).toEqual(['unused folders', 'unused knowledge', 'unused labels'])
  })

  test('are not named while a list that may refer to them cannot be read, which is said', async () => {
    for (const list of [at.campaigns, at.assistants, at.flows]) {
      const by = operator()
      const { exitCode, stdout, stderr } = await by.run('audit --json --junit audit.xml', withheld(403, list))
      expect(of(JSON.parse(stdout), 'unused', 'numbers', 2)).toBeUndefined()
      expect(stderr).toContain('Could not be read')
      expect(exitCode).toBe(11)
      expect(readFileSync(join(by.cwd, 'audit.xml'), 'utf8')).toMatch(/errors="1".*<error message="/s)
    }
  })

  test('are not looked for with a key that the platform rejects', async () => {
    const by = operator()
    const env = { PARLEY_API_KEY: 'wrong' }
    expect(await by.run('audit --strict --json', { env })).toMatchObject({ exitCode: 3, stdout: '' })
  })

  test('are assistants that nothing uses and that did not speak for long', async () => {
    const by = operator()
    const created = await by.json(
      'assistants create --name Spare --type outbound --mode pipeline --voice-id 1 --language-id 1 --llm-model-id 2 --timezone UTC --system-prompt Hello --initial-message Hello',
    )
    await by.run(`assistants activate ${created.id}`)
    expect(await found(by, 'unused', 'assistants', created.id)).toBeUndefined()
    await by.run('server clock advance 100d')
    expect(await found(by, 'unused', 'assistants', created.id)).toMatchObject({
      age_days: 100,
      detail: expect.stringContaining('has no number, is not used by anything and has never spoken.'),
    })
    await by.run(`conversations start --assistant ${created.id} --type test`)
    expect(await found(by, 'unused', 'assistants', created.id)).toBeUndefined()
  })
})

test('orphaned resources are used only by what is switched off', async () => {
  const by = operator()
  const { id } = await by.json(tool('old'))
  await by.run(`assistants update 2 --add-tool ${id}`)
  expect(await found(by, 'orphaned', 'tools', id)).toBeUndefined()
  await by.run('assistants deactivate 2 --yes')
  expect(await found(by, 'orphaned', 'tools', id)).toMatchObject({
    detail: `Tool "old" (${id}) is used only by what is switched off: assistant "Recall" (2).`,
  })
  const inCampaign = (status: string): RunOptions =>
    altered({ [at.campaigns]: item(1, { status, phone_number_ids: [2] }) })
  expect(await found(by, 'orphaned', 'numbers', 2, inCampaign('paused'))).toBeUndefined()
  expect(await found(by, 'orphaned', 'numbers', 2, inCampaign('completed'))).toMatchObject({ monthly_usd: 1.3 })
})

describe('stale resources', () => {
  test('are API keys, disabled automations, drafts and knowledge bases that were not changed', async () => {
    const by = operator()
    await by.run('automate disable "Weekly count" --yes')
    await by.run('server clock advance 60d')
    const nouns = async (flags: string) =>
      new Set((await audit(by, flags)).filter((it) => it.category === 'stale').map((it) => it.noun))
    const soon = await nouns('--stale 30')
    for (const noun of ['keys', 'automate', 'campaigns', 'knowledge']) expect([...soon]).toContain(noun)
    expect((await nouns('--stale 3650')).size).toBe(0)
  })

  test('have the days since their last use', async () => {
    const by = operator()
    const old = altered({
      '/api/user/api-keys': ({ api_keys: keys }: Body) => {
        keys[1].last_used_at = '2026-01-01T00:00:00.000000Z'
      },
    })
    expect(await found(by, 'stale', 'keys', 2, old)).toMatchObject({
      since: '2026-01-01T00:00:00.000000Z',
      age_days: 215,
      detail: expect.stringMatching(/has not been used since\.$/),
      commands: ['parley keys delete 2'],
    })
  })
})

test('duplicates have the same content, or the same name', async () => {
  const by = operator()
  const first = (await by.json(tool('one'))).id
  const copy = (await by.json(tool('two'))).id
  const other = (await by.json(tool('three', 'https://hooks.example/b'))).id
  const all = await audit(by)
  expect(of(all, 'duplicate', 'tools', copy)).toMatchObject({
    detail: `Tool "two" (${copy}) has the same content as "one" (${first}).`,
  })
  for (const id of [first, other]) expect(of(all, 'duplicate', 'tools', id)).toBeUndefined()
  const named = altered({ [at.campaigns]: item(3, { name: ' call BACK ' }) })
  expect(await found(by, 'duplicate', 'campaigns', 3, named)).toMatchObject({
    detail: expect.stringContaining('has the same name as'),
  })
})

test('of duplicates the one in use stays, and what is in use is not to be deleted', async () => {
  const by = operator()
  const [first, second, third] = [await by.json(tool('one')), await by.json(tool('two')), await by.json(tool('three'))]
  await by.run(`assistants update 1 --add-tool ${second.id}`)
  const all = await audit(by)
  expect(of(all, 'duplicate', 'tools', second.id)).toBeUndefined()
  for (const { id } of [first, third])
    expect(of(all, 'duplicate', 'tools', id)).toMatchObject({
      detail: expect.stringContaining(`has the same content as "two" (${second.id}).`),
      commands: [`parley tools delete ${id}`],
    })
  await by.run(`assistants update 1 --add-tool ${third.id}`)
  expect(await found(by, 'duplicate', 'tools', third.id)).toMatchObject({
    detail: `Tool "three" (${third.id}) has the same content as "two" (${second.id}). The assistant "Front desk" (1) uses it.`,
    commands: [`parley refs tools ${third.id}`],
  })
})

describe('over-privileged API keys', () => {
  test('may do everything, or spend without a budget', async () => {
    const by = operator()
    for (const flags of [
      '--name all',
      '--name reader --scope read',
      '--name buyer --scope spend',
      '--name capped --scope spend --budget 5/day',
    ])
      await by.run(`keys create ${flags}`)
    const named = Object.fromEntries(
      (await audit(by)).filter((it) => it.category === 'over_privileged').map((it) => [it.name, it]),
    )
    expect(named.all).toMatchObject({
      detail: expect.stringContaining('may do everything but approve, without budget and expiry.'),
      commands: ['parley keys create --name all --scope read --expires 90d', `parley keys delete ${named.all?.id}`],
    })
    expect(named.buyer).toMatchObject({ detail: expect.stringContaining('may spend money, without budget') })
    expect(named.reader ?? named.capped).toBeUndefined()
  })

  test('that a profile uses are replaced, and never deleted', async () => {
    const by = operator()
    const tokens: string[] = []
    for (const _ of [1, 2, 3]) tokens.push((await by.run('keys create --name ops -o id')).stdout.trim())
    const [, used = '', other = ''] = tokens
    for (const [profile, stdin] of [
      ['second', used],
      ['third', other],
    ] as const)
      await by.run(`login ${profile} --url embedded: --api-key-stdin`, { stdin })
    const id = (token: string | undefined) => Number(token?.split('|')[0])
    for (const profile of ['local', 'second']) {
      const all = await audit(by, `--profile ${profile}`)
      expect(of(all, 'over_privileged', 'keys', id(used))).toMatchObject({
        detail: expect.stringContaining('without budget and expiry. Profile "second" uses it.'),
        commands: ['parley keys rotate --profile second --expires 90d'],
      })
      // The unused one is a duplicate of one in use, whichever is first in the list.
      expect(of(all, 'duplicate', 'keys', id(tokens[0]))?.commands[0]).toMatch(`parley keys delete`)
      const inUse = ['1', id(used), id(other)].map((it) => `parley keys delete ${it}`)
      const suggested = all.flatMap((it) => it.commands).map((it) => it.replace(/ --profile \w+/, ''))
      expect(suggested.filter((it) => inUse.includes(it))).toEqual([])
    }
    // A key that no command can replace keeps what this computer does with it.
    expect((await found(by, 'over_privileged', 'keys', 1))?.commands).toEqual([
      'parley keys create --name local --scope write --expires 90d',
    ])
    expect(
      (await found(by, 'over_privileged', 'keys', id(tokens[0]), { env: { PARLEY_API_KEY: tokens[0] } }))?.detail,
    ).toMatch(/This command uses it\.$/)
    await by.run('server clock advance 100d')
    const later = await audit(by, '--profile local --only stale')
    expect(of(later, 'stale', 'keys', id(other))).toMatchObject({ commands: ['parley keys rotate --profile third'] })
  })

  test('are not judged on a platform that does not say what keys may do', async () => {
    const all = await audit(operator(), '', { through: notParleyServer })
    expect(all.filter((it) => it.category === 'over_privileged')).toEqual([])
    expect(all).not.toEqual([])
  })
})

test('only reads, and reads each list once', async () => {
  const { requests } = await operator().run('audit --json')
  expect(requests.every((it) => it.startsWith('GET '))).toBe(true)
  const lists = requests.filter((it) => !/flows\/|runs|conversations|calls|templates/.test(it))
  // The capabilities are read with the keys.
  expect(lists.filter((it, n) => lists.indexOf(it) !== n && !it.endsWith('/api-keys'))).toEqual([])
})

test('no finding of the audit is one of doctor', async () => {
  const by = operator()
  await by.run('assistants deactivate 1 --yes')
  const subject = (it: { readonly noun: string | null; readonly id: number | string | null }) => `${it.noun} ${it.id}`
  const { stdout } = await by.run('doctor --voice --json')
  const broken = new Set((JSON.parse(stdout) as AuditFinding[]).map(subject))
  const superfluous = (await audit(by)).filter((it) => it.category === 'unused' || it.category === 'orphaned')
  expect(superfluous.length).toBeGreaterThan(0)
  expect(superfluous.map(subject).filter((it) => broken.has(it))).toEqual([])
})

describe('the gate of CI', () => {
  const gate = 'audit --strict --baseline accepted.json --json'

  test('accepts the findings of a baseline, and names what is new', async () => {
    const by = operator()
    const { id } = await by.json(tool('spare'))
    const planned = await by.run('audit --baseline accepted.json --accept --dry-run --json')
    expect(JSON.parse(planned.stdout)).not.toEqual([])
    expect(existsSync(join(by.cwd, 'accepted.json'))).toBe(false)
    const accepted = await by.run('audit --baseline accepted.json --accept')
    expect(accepted).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Accepted \d+ new findings in accepted\.json\./),
    })
    expect(await by.run(gate)).toMatchObject({ exitCode: 0, stdout: '[]\n' })
    // Repeated, it says the same to programs.
    expect(await audit(by, '--baseline accepted.json --accept')).toEqual(JSON.parse(planned.stdout))

    await by.run(tool('fresh', 'https://hooks.example/fresh'))
    const { exitCode, stdout, stderr } = await by.run(`${gate} --junit audit.xml --markdown audit.md`)
    expect(exitCode).toBe(20)
    expect(JSON.parse(stdout)).toMatchObject([{ category: 'unused', noun: 'tools', name: 'fresh' }])
    expect(stderr).toMatch(/1 unused, .*\d+ more are accepted in accepted\.json\./s)
    const [junit, markdown] = ['audit.xml', 'audit.md'].map((it) => readFileSync(join(by.cwd, it), 'utf8'))
    expect(junit).toContain('fresh')
    expect(`${junit}${markdown}`).not.toContain('spare')
    // Another resource with the id of an accepted one is new.
    const renamed = altered({ [at.tools]: item(id, { name: 'other' }) })
    expect((JSON.parse((await by.run(gate, renamed)).stdout) as AuditFinding[]).map((it) => it.name)).toEqual([
      'other',
      'fresh',
    ])
  })

  test('keeps the notes of people in a baseline, and removes what is gone', async () => {
    const by = operator()
    const { id } = await by.json(tool('spare'))
    const file = join(by.cwd, 'accepted.json')
    const entries = () => JSON.parse(readFileSync(file, 'utf8')).findings as { noun: string; reason?: string }[]
    await by.run('audit --baseline accepted.json --accept')
    const before = entries().map((it) => (it.noun === 'numbers' ? { ...it, reason: 'For the fair in March' } : it))
    writeFileSync(file, JSON.stringify({ findings: before }))
    await by.run(`tools delete ${id} --yes`)
    expect((await by.run(gate)).stderr).toContain('1 accepted finding is not found any more')
    // Lists that cannot be read remove nothing, and a category that was not asked for neither.
    await by.run('audit --baseline accepted.json --accept --only stale')
    expect((await by.run('audit --baseline accepted.json --accept', withheld(403, at.tools))).exitCode).toBe(11)
    expect(entries()).toHaveLength(before.length)
    await by.run('audit --baseline accepted.json --accept')
    expect(entries()).toEqual(before.filter((it) => it.noun !== 'tools'))
  })

  test('takes only some categories', async () => {
    const by = operator()
    await by.run(tool('spare'))
    const all = await audit(by)
    const some = await audit(by, '--only unused,over-privileged')
    expect(some).toEqual(all.filter((it) => ['unused', 'over_privileged'].includes(it.category)))
    expect(await by.run('audit --only duplicate --strict --json')).toMatchObject({ exitCode: 0, stdout: '[]\n' })
    await by.run('audit --only duplicate --junit audit.xml')
    expect(readFileSync(join(by.cwd, 'audit.xml'), 'utf8')).not.toContain('name="unused"')
  })

  test.each([
    ['--only lost', '--only: Unknown category "lost". Use unused, stale, duplicate, orphaned or over-privileged.'],
    ['--accept', '--accept requires --baseline.'],
    ['--baseline missing.json', 'missing.json does not exist.'],
    ['--baseline accepted.json --compare local', '--baseline cannot be combined with --compare.'],
    ['--baseline broken.json', 'broken.json is not a baseline of "parley audit".'],
  ])('%s is refused', async (flags, message) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'broken.json'), '[1]')
    const { exitCode, stdout, stderr } = await by.run(`audit ${flags}`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})

describe('the output', () => {
  test('has one line for each command of a finding', async () => {
    const by = operator()
    await by.run('keys create --name all')
    const { stdout } = await by.run('audit', { terminal: true, columns: 400 })
    const lines = stdout.split('\n')
    const first = lines.findIndex((it) => it.includes('parley keys create --name all --scope read --expires 90d'))
    expect(lines[first]).toMatch(/ {2}parley keys create --name all --scope read --expires 90d(?: {2}|$)/)
    expect(lines[first + 1]).toMatch(/^\s+parley keys delete \d+$/)
    expect(stdout).not.toContain('then')
  })

  test('is a table for people with the costs, and --strict ends with 20', async () => {
    const by = operator()
    const { exitCode, stdout, stderr } = await by.run('audit --strict', { terminal: true, columns: 160 })
    expect(exitCode).toBe(20)
    expect(stdout).toContain('unused')
    expect(stderr).toMatch(/\d+ unused.*They cost 1\.30 USD per month\./)
    expect(await by.run('audit')).toMatchObject({ exitCode: 0 })
  })

  test('is also Markdown and JUnit', async () => {
    const by = operator()
    await by.run('audit --markdown audit.md --junit audit.xml')
    const [markdown, junit] = ['audit.md', 'audit.xml'].map((it) => readFileSync(join(by.cwd, it), 'utf8'))
    expect(markdown).toMatch(/^## Audit of .*\n\n.*unused/)
    expect(markdown).toContain('| `parley numbers release 2` |')
    expect(junit).toMatch(/<testsuite name="parley audit" tests="\d+" failures="\d+" errors="0">/)
    expect(junit).toContain('<testcase classname="numbers" name="unused"><failure type="unused" message="1 unused">')
    expect(junit).toContain('<testcase classname="numbers" name="duplicate"/>')
  })

  test.each([
    ['--stale 0', 2],
    ['--stale soon', 2],
    ['--compare nowhere', 4],
  ])('%s is refused', async (flags, exitCode) => {
    expect(await operator().run(`audit ${flags}`)).toMatchObject({ exitCode, stdout: '' })
  })

  test('of two profiles is shown side by side', async () => {
    const { run } = await twoPlatforms()
    await run(`--profile staging ${tool('spare')}`)
    const { exitCode, stdout, stderr } = await run('audit --profile staging --compare production --json')
    expect(exitCode, stderr).toBe(0)
    const tools = JSON.parse(stdout).find((it: { noun: string }) => it.noun === 'tools')
    expect(tools.here.unused).toBe(tools.there.unused + 1)
    expect(tools.here.resources).toBe(tools.there.resources + 1)
    const shown = await run('audit --profile staging --compare production')
    expect(shown.stdout).toContain(`${tools.here.unused} | ${tools.there.unused}`)
    // The differences by name.
    expect(tools.differences).toEqual([{ name: 'spare', here: ['unused'], there: null }])
    expect(shown.stdout).toMatch(/^tools\tspare\tunused\tmissing$/m)
    await run(`--profile production ${tool('spare')}`)
    await run('--profile production assistants update 1 --add-tool spare')
    const used = await run('audit --profile staging --compare production')
    expect(used.stdout).toMatch(/^tools\tspare\tunused\tno finding$/m)
    const only = await run('audit --profile staging --compare production --only duplicate --json')
    expect(JSON.parse(only.stdout).flatMap((it: { differences: object[] }) => it.differences)).toEqual([])
    expect(await run('audit --profile staging --compare production --strict')).toMatchObject({ exitCode: 20 })
  })
})

/** Counts how often a field of a row is read during an audit of as many resources of each kind. */
async function countReads(count: number): Promise<number> {
  let reads = 0
  const counted = (item: LinkedItem): LinkedItem =>
    new Proxy(item, {
      get(target, name) {
        reads += 1
        return Reflect.get(target, name)
      },
    })
  const each = (build: (id: number) => LinkedItem) => Array.from({ length: count }, (_, n) => counted(build(n + 1)))
  const lists = new Map<ResourceKind, readonly LinkedItem[]>([
    ['assistants', each((id) => ({ id, name: `A${id}`, status: 'active', tool_ids: [id], knowledgebase_id: id }))],
    ['tools', each((id) => ({ id, name: `t${id}`, endpoint: `https://hooks.example/${id}` }))],
    ['knowledge', each((id) => ({ id, name: `K${id}` }))],
    ['numbers', each((id) => ({ id, phone_number: `+1415${2_000_000 + id}`, type: 'normal' }))],
    ['campaigns', each((id) => ({ id, name: `C${id}`, status: 'completed', phone_number_ids: [id] }))],
    ['automate', each((id) => ({ id: `f${id}`, name: `F${id}`, status: 'disabled', definition: {} }))],
  ])
  const list = async (kind: ResourceKind): Promise<readonly LinkedItem[]> => lists.get(kind) ?? []
  const call: unknown = async () => ({ data: [], runs: [] })
  await auditAccount({
    account: {
      list,
      listReferring: list,
      automations: () => list('automate'),
      read: async () => [],
      isComplete: () => true,
      failures: [],
    },
    call: call as AccountAuditScope['call'],
    signal: new AbortController().signal,
    now: 0,
    staleMs: 1,
    isOffered: async () => false,
    keysInUse: new Map(),
  })
  return reads
}

test('ten times as many resources are read ten times as often', async () => {
  const [few, many] = [await countReads(100), await countReads(1000)]
  expect(few).toBeGreaterThan(100)
  expect(many / few).toBeLessThan(10.5)
})
