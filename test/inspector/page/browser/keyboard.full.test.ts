import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedPlatform, serve } from '../../../../src/platform/serve.ts'
import { root } from '../../../support/sources.ts'
import { accessibilityProblems, hasChromium, openPage, startBrowser } from './chromium.ts'

describe.skipIf(!hasChromium).each([1280, 390])('an operator with a keyboard alone, %i pixels wide', (width) => {
  let browser: Browser
  let server: ServedPlatform
  const folder = mkdtempSync(join(tmpdir(), 'parley-keyboard-'))
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

  const open = async (address: string) => {
    const { path } = JSON.parse((await server.control('POST', '/control/inspector/logins')).body) as { path: string }
    const opened = await openPage(browser, `${server.url}${path}&next=${encodeURIComponent(`/_parley/${address}`)}`, {
      width,
    })
    await opened.page.locator('.loading').first().waitFor({ state: 'detached' })
    return opened
  }

  interface Focus {
    readonly name: string
    /** Whether an outline, a shadow or another color shows the focus. */
    readonly isMarked: boolean
    readonly isInside: boolean
  }
  const focus = (page: Page): Promise<Focus> =>
    page.evaluate(`(() => {
      const it = document.activeElement
      const style = getComputedStyle(it)
      const box = it.getBoundingClientRect()
      const label = it.labels && it.labels[0] ? it.labels[0].innerText : ''
      return {
        name: (it.getAttribute('aria-label') || label || it.innerText || it.id || it.tagName).trim().split('\\n')[0],
        isMarked: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== 'none',
        isInside: box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
      }
    })()`) as Promise<Focus>
  /** Presses Tab until the focus is on a control with this name. Each focus on the way must be visible. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    const passed: string[] = []
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press('Tab')
      const now = await focus(page)
      passed.push(now.name)
      if (now.name !== 'BODY')
        expect(now, `focus after ${passed.join(', ')}`).toMatchObject({ isMarked: true, isInside: true })
      if (name.test(now.name)) return
    }
    expect(passed).toContain(String(name))
  }
  const dialog = (page: Page) => page.locator('dialog[open]')

  test('skips the navigation, and starts in the content', async () => {
    const { page, context } = await open('calls')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Tab')
    expect(await focus(page)).toEqual({ name: 'Skip to content', isMarked: true, isInside: true })
    await page.keyboard.press('Enter')
    await tabTo(page, /^Simulate a call…$/)
    await context.close()
  })

  test('keeps the focus where the operator put it when the browser is slow to draw a page', async () => {
    const { page, context } = await open('overview')
    // A busy machine: no frame is drawn until this test says so. It is not one of the browser, which does not draw each
    // window that has no screen.
    await page.evaluate(`(() => {
      const waiting = []
      window.requestAnimationFrame = (work) => waiting.push(work)
      window.drawFrames = () => { for (const work of waiting.splice(0)) work(performance.now()) }
    })()`)
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByRole('heading', { name: 'Numbers and billing' }).waitFor()
    await tabTo(page, /^Buy a number…$/)
    await page.evaluate('drawFrames()')
    expect((await focus(page)).name).toBe('Buy a number…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /Buy a number$/ }).waitFor()
    expect((await focus(page)).name).toBe('Country')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.evaluate('drawFrames()')
    expect((await focus(page)).name).toBe('Buy a number…')
    await context.close()
  })

  test('buys a number: finds it, reads its price, agrees, and is back where the purchase began', async () => {
    const { page, context, problems } = await open('overview')
    await page.keyboard.press('g')
    await page.keyboard.press('n')
    await page.getByRole('heading', { name: 'Numbers and billing' }).waitFor()
    const owned = page.getByRole('table', { name: 'Numbers', exact: true }).locator('tbody tr')
    await owned.first().waitFor()
    const before = await owned.count()
    await tabTo(page, /^Buy a number…$/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /Buy a number$/ }).waitFor()
    // The first choice of the form, and not the button that closes it.
    expect((await focus(page)).name).toBe('Country')
    await page.keyboard.type('United Kingdom')
    await dialog(page).getByText('1.30 USD/month').first().waitFor()
    await tabTo(page, /^Buy \+44/)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('Price: 1.30 USD/month').waitFor()
    // What cancels has the focus first: a second Enter buys nothing.
    expect((await focus(page)).name).toBe('Cancel')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /Buy a number$/ }).waitFor()
    expect(await owned.count()).toBe(before)
    await tabTo(page, /^Buy \+44/)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('Price: 1.30 USD/month').waitFor()
    await tabTo(page, /^Buy \+44/)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await page
      .getByRole('status')
      .filter({ hasText: /purchased/i })
      .waitFor()
    await expect.poll(() => owned.count()).toBe(before + 1)
    expect(await focus(page)).toMatchObject({ name: 'Buy a number…', isMarked: true })
    expect(problems).toEqual([])
    await context.close()
  })

  test('finds why a run failed, runs it again with another payload, and does not lose the place', async () => {
    const { page, context, problems } = await open('overview')
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: 'Automations' }).waitFor()
    await tabTo(page, /^All runs$/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^failed$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('status=FAILED')
    await expect.poll(() => page.locator('.table tbody tr').count()).toBe(1)
    await page.keyboard.press('j')
    expect((await focus(page)).isMarked).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Run of/ }).waitFor()
    await page.locator('.notice.bad').getByText('TypeError: inputs.day.toLowerCase').first().waitFor()
    // The list with the focus is gone: the content has it, so that a reader of the screen begins there.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await tabTo(page, /^Run with edited payload…$/)
    await page.keyboard.press('Enter')
    const payload = dialog(page).getByLabel('Payload (JSON)')
    await payload.waitFor()
    expect((await focus(page)).name).toBe('Payload (JSON)')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await focus(page)).toMatchObject({ name: 'Run with edited payload…', isMarked: true })
    await page.keyboard.press('Enter')
    await payload.waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('{ "body": { "day": "monday" } }')
    await tabTo(page, /^Run with this payload$/)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('Steps run with real effects').waitFor()
    expect((await focus(page)).name).toBe('Cancel')
    await tabTo(page, /^Run with this payload$/)
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'succeeded' }).waitFor()
    expect(await focus(page)).toMatchObject({ name: 'Run with edited payload…', isMarked: true })
    expect(problems).toEqual([])
    await context.close()
  })

  test('deletes a row, and continues from the content', async () => {
    await server.control('POST', '/control/faults', { endpoint: 'numbers.buy', status: 503, times: 2 })
    const { page, context } = await open('faults')
    await tabTo(page, /^Delete the fault rule of numbers.buy$/)
    await page.keyboard.press('Enter')
    await page.getByText('No fault rules').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await tabTo(page, /^Create a fault rule…$/)
    await context.close()
  })

  test.each([
    'overview',
    'timeline',
    'conversations',
    'calls/3',
    'automations',
    'deliveries/1',
    'deliveries/receiver',
    'messaging/1',
    'messaging/templates/1',
    'messaging/windows',
    'numbers',
    'approvals',
    'clock',
    'faults',
  ])('sees where the focus is on each stop of the page %s', async (address) => {
    const { page, context } = await open(address)
    await page.keyboard.press('Tab')
    const seen: string[] = []
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press('Tab')
      const now = await focus(page)
      if (now.name === 'BODY' || (now.name === 'Skip to content' && n > 0)) break
      seen.push(now.name)
      expect(now, `focus after ${seen.join(', ')}`).toMatchObject({ isMarked: true, isInside: true })
    }
    expect(seen.length).toBeGreaterThan(3)
    await context.close()
  })
})
