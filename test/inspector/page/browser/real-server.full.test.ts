import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedPlatform, serve } from '../../../../src/platform/serve.ts'
import { root } from '../../../support/sources.ts'
import { accessibilityProblems, hasChromium, openPage, screenshot, startBrowser } from './chromium.ts'

describe.skipIf(!hasChromium)('the inspector of a server', () => {
  let browser: Browser
  let server: ServedPlatform
  const folder = mkdtempSync(join(tmpdir(), 'parley-inspector-'))
  beforeAll(async () => {
    browser = await startBrowser()
    server = await serve({
      dataDir: folder,
      durable: false,
      host: '127.0.0.1',
      port: 0,
      pid: process.pid,
      isAlive: () => true,
      seed: 7,
      inspectorFolder: join(root, 'dist/inspector'),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Signs in with a one-time link that leads to a page. */
  const open = async (page: string) => {
    const { path } = JSON.parse((await server.control('POST', '/control/inspector/logins')).body) as { path: string }
    return openPage(browser, `${server.url}${path}&next=${encodeURIComponent(`/_parley/${page}`)}`)
  }
  const dialog = (page: Page) => page.locator('dialog[open]')

  test('a browser without a session shows how to get one', async () => {
    const { page, context } = await openPage(browser, `${server.url}/_parley/timeline`)
    await page.getByText('This browser is not signed in to the inspector.').waitFor()
    await page.getByText('parley ui', { exact: true }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await context.close()
  })

  test.each([
    'overview',
    'timeline',
    'clock',
    'numbers',
    'approvals',
    'messaging',
    'deliveries',
    'calls',
    'conversations',
    'faults',
  ])('the page %s shows the data of the platform', async (name) => {
    const { page, context, problems } = await open(name)
    await page.locator('.connection:not(.connecting)').waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    await screenshot(page, `real-${name}`)
    expect(await page.locator('.state.failed').allInnerTexts()).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  test('the overview shows the findings of parley doctor for the account', async () => {
    const { page, context } = await open('overview')
    await page.getByText('Next charges').waitFor()
    await screenshot(page, 'real-findings')
    expect(await page.locator('.findings').allInnerTexts()).not.toContainEqual(
      expect.stringContaining('Could not be read'),
    )
    await page.getByRole('link', { name: /^Sender \+14155550174 .* has no assistant/ }).click()
    await page.getByRole('heading', { name: 'Templates of Northwind Surveys' }).waitFor()
    await context.close()
  })

  test('a new user finds the failed run, sees why, and restores the previous version', async () => {
    const { page, context, problems } = await open('automations')
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.getByRole('button', { name: 'failed' }).click()
    await page.getByRole('row').filter({ hasText: 'Opening hours' }).getByRole('link').click()
    await page.getByText('TypeError: inputs.day.toLowerCase is not a function').first().waitFor()
    await page.getByRole('link', { name: 'Restore a version' }).click()
    await page.getByRole('button', { name: 'Restore…' }).click()
    await dialog(page).getByText('Steps: 1 changed.').waitFor()
    await dialog(page).getByRole('button', { name: 'Restore version 1' }).click()
    await dialog(page).getByText('to confirm').waitFor()
    await screenshot(page, 'real-restore')
    await dialog(page).getByRole('textbox').fill('Opening hours')
    await dialog(page).getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByText('Restored version 1 of "Opening hours".').waitFor()
    await page.getByText('Restored from version 1').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })

  test('a failed delivery is sent to the test receiver, which shows it', async () => {
    const { page, context, problems } = await open('deliveries')
    await page.getByRole('button', { name: 'failed', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'post call' }).getByRole('link').click()
    await page.getByText('The receiver returned status 503.').first().waitFor()
    await page.getByRole('button', { name: 'Send to the test receiver' }).click()
    await page.getByText(/^Delivery 1 was sent as delivery \d+\.$/).waitFor()
    await page.getByRole('link', { name: 'test receiver' }).first().click()
    await page.getByRole('link', { name: 'Call 3, +14155550143' }).click()
    await page.getByText('"webhook-signature"').first().waitFor()
    await screenshot(page, 'real-receiver')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  test('a failed delivery whose webhook is disabled is replayed after the page enabled the webhook', async () => {
    const { page, context, problems } = await open('deliveries/1')
    await page.getByText('so a replay has no receiver').waitFor()
    await screenshot(page, 'real-disabled-webhook')
    await page.getByRole('button', { name: 'Enable the webhook…' }).click()
    await dialog(page).getByRole('button', { name: 'Enable', exact: true }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.locator('.page-head .badge.good').waitFor()
    expect(await page.getByText('so a replay has no receiver').count()).toBe(0)
    // The address is the one that it was sent to.
    expect(await page.getByText('Replay goes to').count()).toBe(0)
    await screenshot(page, 'real-replayed')
    expect(problems).toEqual([])
    await context.close()
  })

  test('the start of a campaign is asked with its price', async () => {
    const { page, context } = await open('messaging/1')
    await page.getByRole('button', { name: 'Start…' }).click()
    await dialog(page).getByText('Start campaign "Call back"?').waitFor()
    await dialog(page)
      .getByText(/^Price: at most \d/)
      .waitFor()
    await screenshot(page, 'real-campaign-start')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await context.close()
  })

  test('a form that was closed while it was sent does not close the next one, and its result is shown', async () => {
    const { page, context } = await open('faults')
    let answer = (): void => {}
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/control/snapshots', async (route) => {
      if (route.request().method() === 'POST') await isHeld
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save a snapshot…' }).click()
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create a fault rule…' }).click()
    answer()
    await page.getByText('Snapshot saved successfully.').waitFor()
    expect(await dialog(page).count()).toBe(1)
    await context.close()
  })

  test('two states are compared by their content', async () => {
    await server.control('POST', '/control/snapshots', { name: 'before', replace: true })
    await server.control('POST', '/control/accounts', { name: 'Created later' })
    const { page, context, problems } = await open('faults')
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByText('Created later').last().waitFor()
    await page.getByText('accounts', { exact: true }).waitFor()
    await screenshot(page, 'real-comparison')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  test('a number shows its price before it is bought, asks again if it changed, and is bought once', async () => {
    const { page, context } = await open('numbers')
    await page.getByRole('button', { name: 'Buy a number…' }).click()
    // The price rises after the question was shown.
    let isRaised = false
    await page.route('**/_parley/api/api/user/phone-numbers/purchase', async (route) => {
      const answer = await route.fetch()
      if (isRaised || answer.status() !== 202) return route.fulfill({ response: answer })
      isRaised = true
      const { confirm } = await answer.json()
      const details = confirm.details.map((it: string) => it.replace(/[\d.]+ USD/, '0.10 USD'))
      return route.fulfill({ response: answer, json: { confirm: { ...confirm, details, agreement: 'earlier' } } })
    })
    await dialog(page)
      .getByRole('button', { name: /^Buy \+/ })
      .first()
      .click()
    await dialog(page)
      .getByRole('heading', { name: /^\[local · simulated\] / })
      .waitFor()
    await dialog(page).getByText('Price: 0.10 USD/month').waitFor()
    const buy = dialog(page).getByRole('button', { name: /^Buy \+/ })
    await buy.click()
    await dialog(page).getByText('This changed since you were asked. Nothing was sent.').waitFor()
    await dialog(page)
      .getByText(/^Now: Price: /)
      .waitFor()
    await screenshot(page, 'real-changed-price')
    expect(await accessibilityProblems(page)).toEqual([])
    await buy.click()
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('table').first().locator('tbody tr').count()).toBe(6)
    await context.close()
  })

  test('a cancelled purchase returns to the list of numbers, and no question is an error on the console', async () => {
    const { page, context } = await open('numbers')
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.getByRole('button', { name: 'Buy a number…' }).click()
    await dialog(page).getByLabel('Country').selectOption({ label: 'United Kingdom (GB)' })
    await dialog(page)
      .getByRole('button', { name: /^Buy \+44/ })
      .first()
      .click()
    await dialog(page).getByText('This number requires an address: local.').waitFor()
    await screenshot(page, 'real-buy-address')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog(page).getByText('Buy a number', { exact: false }).first().waitFor()
    expect(
      await dialog(page)
        .getByRole('button', { name: /^Buy \+44/ })
        .count(),
    ).toBeGreaterThan(0)
    await screenshot(page, 'real-buy-list')
    expect(errors).toEqual([])
    await context.close()
  })

  test('the clock advances to the next charge', async () => {
    const { page, context } = await open('clock')
    await page.getByRole('button', { name: '+31d' }).click()
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    await page.locator('li', { hasText: 'Renewal of +' }).first().waitFor()
    await context.close()
  })
})
