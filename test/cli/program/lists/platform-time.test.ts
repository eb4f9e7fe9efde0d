import { expect, test } from 'vitest'
import { recordTime } from '../../../../src/cli/program/lists/conditions.ts'
import { parseListQuery } from '../../../../src/cli/program/lists/list-query.ts'
import { valueAtPath } from '../../../../src/cli/program/output/fields.ts'
import { printedSchema } from '../../../../src/cli/reference/command-reference/printed-schema.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { type Operator, operator, today } from '../../../support/operator.ts'

// Relative times of flags count from the time of the platform, whose clock a test may have moved.

/** An operator whose platform is 31 days ahead and frozen, with a call and a run of that day. */
async function ahead(supports: 'neutral' | 'public'): Promise<Operator> {
  const by = operator({ supports })
  await by.run('server clock freeze')
  await by.run('server clock advance 31d --yes')
  await by.json('server simulate call --phone-number +14155550142 --assistant Recall --direction outbound')
  return by
}

test.each(['neutral', 'public'] as const)(
  'of a moved clock select the records of the last hours (%s)',
  async (supports) => {
    const by = await ahead(supports)
    for (const line of [
      'calls list --since 3h',
      'calls list --since today',
      'calls list --filter created_at>3h',
      'billing usage --since 3h',
    ]) {
      const recent = await by.json(line)
      expect([line, recent.length]).toEqual([line, 1])
    }
    expect(await by.json('calls list --until 3h')).not.toHaveLength(0)
    expect((await by.json('calls list')).length).toBeGreaterThan(1)
    expect(await by.json('calls list --since yesterday --until today')).toEqual([])
    const all = await by.json('automate runs list --limit 100')
    const recent = await by.json('automate runs list --since 3h')
    expect(recent.length).toBeLessThan(all.length)
  },
)

test('of the history and the journal are those of this computer', async () => {
  const by = await ahead('neutral')
  await by.run('tools update 2 --tool-timeout 20')
  expect(await by.json('history list --since 1h')).toHaveLength(1)
  by.wait(2 * 3_600_000)
  expect(await by.json('history list --since 1h')).toEqual([])
})

test('of records that the control API lists are those of the platform', async () => {
  const by = await ahead('neutral')
  await by.run('server accounts update 1 --top-up 10 --yes')
  const line = 'server accounts ledger 1'
  expect((await by.run(line, { terminal: { stdout: true } })).stdout).toContain('just now')
  expect(await by.json(`${line} --since 3h`)).not.toEqual([])
  expect((await by.json(`${line} --until 3h`)).length).toBeLessThan((await by.json(line)).length)
})

test('of a clock that was moved by a minute count from it too', async () => {
  const by = operator()
  await by.run('server clock freeze')
  await by.run('tools update 2 --tool-timeout 20')
  const recent = 'tools list --filter updated_at>30s'
  expect(await by.json(recent)).toMatchObject([{ id: 2 }])
  await by.run('server clock advance 60s --yes')
  expect(await by.json(recent)).toEqual([])
})

test('of snapshots are those that the clock of the platform had', async () => {
  const by = await ahead('neutral')
  await by.run('server snapshot save before')
  expect(await by.json('server snapshot list --since 3h')).toHaveLength(1)
  await by.run('server clock advance 1d --yes')
  expect(await by.json('server snapshot list --since 3h')).toEqual([])
})

/** Lists of this computer, which are not rows of a platform. */
const ofComputer = ['history list', 'ops list']
const day = 86_400_000

test('of every list that takes no argument count from the time of its records', async () => {
  const by = await ahead('neutral')
  await by.run('tools update 2 --tool-timeout 20')
  const compared: string[] = []
  for (const [words, command] of await allCommands()) {
    if (!command.isList || command.argument?.optional === false) continue
    const { timePath } = parseListQuery(words, command, printedSchema(words, command), {})
    if (timePath === undefined) continue
    const all = await by.run(`${words} --until 2100-01-01 --json`)
    if (all.exitCode !== 0) continue
    const now = ofComputer.includes(words) || command.hasComputerTimes ? today : today + 31 * day
    const expected = JSON.parse(all.stdout).filter(
      (record: object) => recordTime(valueAtPath(record, timePath)) >= now - 28 * 3_600_000,
    )
    const recent = await by.run(`${words} --since 28h --json`)
    expect([words, recent.exitCode, JSON.parse(recent.stdout || '[]')]).toEqual([words, 0, expected])
    compared.push(words)
  }
  expect(compared.length).toBeGreaterThan(15)
})
