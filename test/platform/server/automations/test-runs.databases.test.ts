import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { delay, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

describe.each(databases)('a test run on $name', (database) => {
  const it = automationPlatform(database)
  const steps = [
    http('POST', 'https://there.example/before'),
    delay({ unit: 'hours', delayFor: 1 }),
    http('POST', 'https://there.example/behind'),
  ]
  const asked = (): string[] => it.requests.splice(0).map((one) => one.url)

  test('that pauses at a delay runs the steps before it, and never those after it', async () => {
    const by = await it.owner()
    const { body } = await it.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    expect(body).toMatchObject({ status: 'active', test: { run_status: 'PAUSED' } })
    expect(asked()).toEqual(['https://there.example/before'])
    await it.wait(25 * 3600_000)
    expect(asked()).toEqual([])
    expect((await it.runs(by, body.automation_id)).body.runs).toMatchObject([{ status: 'PAUSED', testing: true }])
  })

  test('is distinguished from a live run in the list, and a live run continues', async () => {
    const by = await it.owner()
    const { body } = await it.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    asked()
    expect((await it.call(body.automation_id, '', {})).status).toBe(200)
    await it.wait(0)
    await it.wait(3600_000)
    expect(asked()).toEqual(['https://there.example/before', 'https://there.example/behind'])
    const { runs } = (await it.runs(by, body.automation_id)).body
    expect(runs.map((one: { status: string; testing: boolean }) => [one.status, one.testing])).toEqual([
      ['SUCCEEDED', false],
      ['PAUSED', true],
    ])
  })
})
