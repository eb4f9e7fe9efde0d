import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { delay, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

describe.each(databases)('a test run on $name', (database) => {
  const platform = automationPlatform(database)
  const steps = [
    http('POST', 'https://there.example/before'),
    delay({ unit: 'hours', delayFor: 1 }),
    http('POST', 'https://there.example/behind'),
  ]
  const asked = (): string[] => platform.requests.splice(0).map((one) => one.url)

  test('that pauses at a delay runs the steps before it, and never those after it', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    expect(body).toMatchObject({ status: 'active', test: { run_status: 'PAUSED' } })
    expect(asked()).toEqual(['https://there.example/before'])
    await platform.wait(25 * 3600_000)
    expect(asked()).toEqual([])
    expect((await platform.runs(by, body.automation_id)).body.runs).toMatchObject([{ status: 'PAUSED', testing: true }])
  })

  test('is distinguished from a live run in the list, and a live run continues', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    asked()
    expect((await platform.call(body.automation_id, '', {})).status).toBe(200)
    await platform.wait(0)
    await platform.wait(3600_000)
    expect(asked()).toEqual(['https://there.example/before', 'https://there.example/behind'])
    const { runs } = (await platform.runs(by, body.automation_id)).body
    expect(runs.map((one: { status: string; testing: boolean }) => [one.status, one.testing])).toEqual([
      ['SUCCEEDED', false],
      ['PAUSED', true],
    ])
  })
})
