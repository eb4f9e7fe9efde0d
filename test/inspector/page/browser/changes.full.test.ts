import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { accessibilityProblems, hasChromium, openPage, startBrowser } from './chromium.ts'
import { type FakeInspector, type FakeOptions, startFakeInspector } from './fake-inspector.ts'
import { platformRoutes } from './platform-routes.ts'

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

describe.skipIf(!hasChromium)('changes', () => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  let own: NonNullable<FakeOptions['route']> = () => undefined
  const sent: Sent[] = []
  beforeAll(async () => {
    platform = await startPlatform({})
    browser = await startBrowser()
    fake = await startFakeInspector({
      route: platformRoutes(platform, (method, path, body, headers) => {
        if (method !== 'GET') sent.push({ method, path, body })
        return own(method, path, body, headers)
      }),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  const flows = async (): Promise<{ id: string; name: string }[]> =>
    ((await (await platform.fetch('/api/user/automate/flows')).json()) as { data: { id: string; name: string }[] }).data
  const liveVersion = async (id: string): Promise<number> => {
    const answer = await platform.fetch(`/api/user/automate/flows/${id}/versions`)
    const { versions } = (await answer.json()) as { versions: { number: number; live: boolean }[] }
    return versions.find((it) => it.live)!.number
  }
  const dialog = (page: Page) => page.locator('dialog[open]')

  test('a version is restored after its changes were shown and the name was typed', async () => {
    const { id } = (await flows()).find((it) => it.name === 'Opening hours')!
    own = (_, path, __, headers) =>
      path.endsWith('/restore') && headers['parley-inspector-confirm'] !== encodeURIComponent('Opening hours')
        ? {
            status: 202,
            body: null,
            raw: {
              confirm: {
                question: 'Restore version 1 of "Opening hours"?',
                details: ['The automation stays enabled.'],
                expected: 'Opening hours',
              },
            },
          }
        : undefined
    const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/automations/${id}/versions`)
    await page.getByRole('button', { name: 'Restore…' }).click()
    await dialog(page).getByText('settings.sourceCode.code').waitFor()
    await dialog(page).getByText('Steps: 1 changed.').waitFor()
    expect(await liveVersion(id)).toBe(2)
    await dialog(page).getByRole('button', { name: 'Restore version 1' }).click()
    await dialog(page).getByText('The automation stays enabled.').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    const button = dialog(page).getByRole('button', { name: 'Restore version 1' })
    expect(await button.isDisabled()).toBe(true)
    await dialog(page).getByRole('textbox').fill('Opening hours')
    await button.click()
    await page.getByText('Restored version 1 of "Opening hours".').waitFor()
    await expect.poll(() => liveVersion(id)).toBe(3)
    expect(problems).toEqual([])
    own = () => undefined
    await context.close()
  })

  test('a cancelled change is not sent', async () => {
    sent.length = 0
    const { page, context } = await openPage(browser, `${fake.url}/_parley/faults`)
    await platform.faults.add({ endpoint: 'numbers.buy', status: 503 })
    fake.emit({ kind: 'fault', id: 1, account: null, at: '', status: null })
    await page.getByRole('button', { name: 'Delete all…' }).click()
    await dialog(page).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(sent).toEqual([])
    await context.close()
  })

  test('a fault is added from the form, and its trigger count is shown', async () => {
    await platform.faults.clear()
    const { page, context } = await openPage(browser, `${fake.url}/_parley/faults`)
    await page.getByRole('button', { name: 'Create a fault rule…' }).click()
    await dialog(page).getByLabel('Value').fill('200')
    await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
    await dialog(page).getByText('The HTTP status must be from 400 to 599.').waitFor()
    await dialog(page).getByLabel('Value').fill('503')
    await dialog(page).getByLabel('Endpoint').fill('numbers.list')
    await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('0 of 1').waitFor()
    expect((await platform.fetch('/api/user/phone-numbers/all')).status).toBe(503)
    fake.emit({ kind: 'fault', id: 1, account: null, at: '', status: null })
    await page.getByText('1 of 1').waitFor()
    await platform.faults.clear()
    await context.close()
  })

  test('the clock is frozen, stepped to a chosen point, and says what happened', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/clock`)
    await page.getByRole('button', { name: 'Freeze' }).click()
    await page.getByRole('button', { name: 'Resume real time' }).waitFor()
    const slider = page.getByRole('slider', { name: 'Point in time' })
    await slider.focus()
    await page.keyboard.press('End')
    await page.getByText('runs 4 jobs').waitFor()
    const before = (await platform.clock.now()).now
    await page.getByRole('button', { name: '+31d' }).click()
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    expect(Date.parse((await platform.clock.now()).now) - Date.parse(before)).toBe(31 * 86_400_000)
    await platform.clock.resume()
    await context.close()
  })

  test('the payload of a delivery is edited and sent again', async () => {
    const delivery = {
      id: 7,
      account_id: 1,
      message_id: 'msg_7',
      event: 'post_call',
      assistant_id: 1,
      url: 'https://hooks.example/calls',
      status: 'failed',
      attempts: 2,
      attempts_left: 1,
      next_attempt_at: null,
      last_status: 500,
      last_error: 'HTTP 500',
      created_at: '2026-11-23T10:00:00Z',
      finished_at: null,
      payload: { call: { id: 3, customer: 'Ada' } },
      tries: [{ number: 1, at: '2026-11-23T10:00:00Z', status: 500, error: null, answer: 'no', ms: 12 }],
    }
    own = (method, path) => {
      if (path === '/control/deliveries/7') return { body: { data: delivery } }
      if (method === 'POST') return { body: { message: 'Sent.' } }
      return undefined
    }
    sent.length = 0
    const { page, context } = await openPage(browser, `${fake.url}/_parley/deliveries/7`)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await expect.poll(() => sent).toEqual([{ method: 'POST', path: '/control/deliveries/replay', body: { id: 7 } }])
    await page.getByRole('button', { name: 'Edit and replay…' }).click()
    const payload = dialog(page).getByLabel('Payload (JSON)')
    await payload.fill('{ broken')
    await dialog(page).getByRole('button', { name: 'Send' }).click()
    await dialog(page).getByText('Invalid JSON').waitFor()
    await payload.fill('{ "call": { "id": 4 } }')
    await dialog(page).getByRole('button', { name: 'Send' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(sent[1]).toEqual({
      method: 'POST',
      path: '/control/deliveries/replay',
      body: { id: 7, url: 'https://hooks.example/calls', payload: { call: { id: 4 } }, headers: {} },
    })
    own = () => undefined
    await context.close()
  })

  test('a conversation continues as the customer', async () => {
    const list = await platform.fetch('/api/user/conversations?type=widget')
    const [{ id }] = ((await list.json()) as { data: [{ id: string }] }).data
    await platform.fetch(`/api/automate/conversations/${id}/enable-ai`, { method: 'POST' })
    const { page, context } = await openPage(browser, `${fake.url}/_parley/conversations/${id}`)
    await page.getByLabel('Message as the customer').fill('When are you open today?')
    await page.keyboard.press('Enter')
    await page.getByText('Sent. The reply is below.').waitFor()
    fake.emit({ kind: 'message', id: 1, account: 1, at: '', status: null })
    await page.locator('.bubble.user', { hasText: 'When are you open today?' }).waitFor()
    await context.close()
  })
})
