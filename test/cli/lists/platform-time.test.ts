import { expect, test } from 'vitest'
import { type Operator, operator } from '../../support/operator.ts'

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
