import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { code, delay, hook } from '../../../support/flow-definitions.ts'
import { accessibilityProblems, hasChromium, openPage, startBrowser } from './chromium.ts'
import { type FakeInspector, startFakeInspector } from './fake-inspector.ts'
import { platformRoutes } from './platform-routes.ts'

interface Run {
  readonly id: string
  readonly status: string
  readonly trigger: unknown
}

describe.skipIf(!hasChromium)('runs', () => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  beforeAll(async () => {
    platform = await startPlatform({})
    browser = await startBrowser()
    fake = await startFakeInspector({ route: platformRoutes(platform) })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    return (await platform.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as T
  }
  const runsOf = async (automation: string): Promise<Run[]> =>
    (await ask<{ data: Run[] }>('GET', `/api/user/automate/runs?automation_id=${automation}`)).data

  /** Creates an automation and starts a live run of it. */
  async function started(
    name: string,
    steps: object[],
  ): Promise<{ readonly automation: string; readonly run: string }> {
    const { automation_id: automation } = await ask<{ automation_id: string }>('POST', '/api/user/automate/flows', {
      name,
      flow: { trigger: hook, steps },
      sample: { n: 1 },
    })
    await ask('PUT', `/api/user/automate/flows/${automation}`, { enabled: true })
    await ask('POST', `/automate/api/v1/webhooks/${automation}`, { n: 1 })
    await expect.poll(async () => (await runsOf(automation)).length).toBe(2)
    const [run] = await runsOf(automation)
    return { automation, run: (run as Run).id }
  }
  const statusOf = async (automation: string, run: string) =>
    (await runsOf(automation)).find((it) => it.id === run)?.status

  test('a waiting run is cancelled after a question, and retried', async () => {
    const { automation, run } = await started('Waits', [delay({ unit: 'minutes', delayFor: 10 })])
    await expect.poll(() => statusOf(automation, run)).toBe('PAUSED')
    const { page, context, problems } = await openPage(
      browser,
      `${fake.url}/_parley/automations/${automation}/runs/${run}`,
    )
    await page.getByRole('button', { name: 'Cancel run…' }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByText('No further step starts.').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await statusOf(automation, run)).toBe('PAUSED')
    await dialog.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByText('Status of the run: CANCELLED').waitFor()
    expect(await statusOf(automation, run)).toBe('CANCELLED')
    fake.emit({ kind: 'run', id: 1, account: null, at: '', status: null })
    await page.getByRole('button', { name: 'Retry from the failed step' }).click()
    await page.getByText('The run resumed at the failed step').waitFor()
    expect(await statusOf(automation, run)).toBe('PAUSED')
    expect(problems).toEqual([])
    await context.close()
  })

  test('the errors of earlier attempts stay on the page of a run that was retried', async () => {
    const { automation_id: automation } = await ask<{ automation_id: string }>('POST', '/api/user/automate/flows', {
      name: 'Nightly',
      flow: { trigger: hook, steps: [code('inputs.missing.field')] },
      sample: { n: 1 },
    })
    const [run] = await runsOf(automation)
    for (const width of [1280, 390]) {
      const { page, context, problems } = await openPage(
        browser,
        `${fake.url}/_parley/automations/${automation}/runs/${run?.id}`,
      )
      await page.setViewportSize({ width, height: 800 })
      await page.getByRole('button', { name: 'Retry from the failed step' }).click()
      await page.getByText('The run resumed at the failed step').waitFor()
      fake.emit({ kind: 'run', id: 1, account: null, at: '', status: null })
      await page.getByRole('heading', { name: 'Earlier attempts' }).waitFor()
      await page.getByText(/^Attempt 1 failed .*\d\d:\d\d.*: TypeError/).waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(problems).toEqual([])
      await context.close()
    }
  })

  test('a run is repeated with its payload, and with an edited one', async () => {
    const { automation, run } = await started('Counts', [code('inputs.n + 1', { n: "{{trigger['body']['n']}}" })])
    await expect.poll(() => statusOf(automation, run)).toBe('SUCCEEDED')
    const { page, context, problems } = await openPage(
      browser,
      `${fake.url}/_parley/automations/${automation}/runs/${run}`,
    )
    await page.getByRole('button', { name: 'Run again…' }).click()
    await page.getByText(/^Started run \w+\. Status: succeeded$/).waitFor()
    await page.getByRole('button', { name: 'Run with edited payload…' }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByLabel('Payload (JSON)').fill('{ "token": "••• hidden" }')
    await dialog.getByRole('button', { name: 'Run with this payload' }).click()
    await dialog.getByText('with the real value, or remove the field').waitFor()
    expect((await runsOf(automation)).length).toBe(3)
    await dialog.getByLabel('Payload (JSON)').fill('{ "body": { "n": 41 } }')
    await dialog.getByRole('button', { name: 'Run with this payload' }).click()
    await dialog.waitFor({ state: 'detached' })
    const all = await runsOf(automation)
    expect(all.length).toBe(4)
    const { data } = await ask<{ data: Run & { steps: { output: unknown }[] } }>(
      'GET',
      `/api/user/automate/runs/${all[0]?.id}`,
    )
    expect([data.trigger, data.steps[0]?.output]).toEqual([{ body: { n: 41 } }, 42])
    expect(problems).toEqual([])
    await context.close()
  })
})
