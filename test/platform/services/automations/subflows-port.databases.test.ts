import { describe, expect, test } from 'vitest'
import { subflowsPort } from '../../../../src/platform/services/automations/ports/create-ports.ts'
import { databases } from '../../../support/databases.ts'
import { delay, hook } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const callable = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: {
    pieceName: '@engine/piece-subflows',
    triggerName: 'callableFlow',
    input: { mode: 'simple', exampleData: {} },
  },
}

describe.each(databases)('a call of an automation on $name', (database) => {
  const platform = automationPlatform(database)

  test('starts nothing once the calling run was cancelled', async () => {
    const by = await platform.owner()
    const calling = (
      await platform.create(by, {
        name: 'Caller',
        flow: { trigger: hook, steps: [delay({ unit: 'days', delayFor: 1 })] },
      })
    ).body
    const called = (
      await platform.create(by, {
        name: 'Called',
        flow: { trigger: callable, steps: [delay({ unit: 'days', delayFor: 1 })] },
      })
    ).body
    const { headers } = await platform.call(calling.automation_id, '', {})
    const caller = headers['x-webhook-id'] as string
    await platform.wait(0)
    expect([caller, called.automation_id]).toEqual([expect.any(String), expect.any(String)])
    const accepted: unknown[] = []
    const port = subflowsPort({
      connection: platform.tables(),
      clock: { now: async () => platform.time.ms * 1000 } as never,
      runner: async () => ({ accept: async (_: unknown, given: unknown) => void accepted.push(given) }) as never,
    })
    const start = () =>
      port.start(
        { account: by.id, key: 'step' } as never,
        { automation: called.automation_id, data: {}, caller, testing: false } as never,
        false,
      )
    // The runner of this test accepts no run, so that a call that is not refused ends here.
    await expect(start()).rejects.toThrow('could not be started')
    expect(accepted).toHaveLength(1)
    const cancelled = await platform.api().ask('POST', `/api/user/automate/runs/${caller}/cancel`, { key: by.key })
    expect(cancelled.status, cancelled.text).toBe(200)
    await expect(start()).rejects.toThrow('The calling run was cancelled.')
    expect(accepted).toHaveLength(1)
  })
})
