import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, openPage, startBrowser } from './chromium.ts'
import { type FakeInspector, startFakeInspector } from './fake-inspector.ts'

const entryOf = (n: number) => ({
  id: `request:${n}`,
  kind: 'request',
  at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  account: 1,
  status: '200',
  title: `GET /api/user/me`,
  text: `request number ${n}`,
  subject: null,
})

describe.skipIf(!hasChromium)('the timeline', () => {
  let browser: Browser
  let fake: FakeInspector
  let newest = 100_000
  beforeAll(async () => {
    browser = await startBrowser()
    fake = await startFakeInspector({
      route(_, path) {
        if (!path.startsWith('/control/timeline')) return undefined
        const query = new URLSearchParams(path.split('?')[1])
        const limit = Number(query.get('limit'))
        const search = query.get('search')
        const from = query.get('before') ? Number(query.get('before')) - 1 : newest
        const all = search ? [77] : Array.from({ length: Math.min(limit, from) }, (_, at) => from - at)
        return { body: { data: all.map(entryOf), next: search || from <= limit ? null : String(from - limit + 1) } }
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
  })

  test('stays short in the document while thousands of entries are loaded by scrolling', async () => {
    const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/timeline`)
    await page.waitForSelector('[role=option]')
    const loaded = (): Promise<number> =>
      page.evaluate(`Number(document.querySelector('[role=option]').getAttribute('aria-setsize'))`)
    for (let size = await loaded(); size < 1500; size = await loaded()) {
      await page.evaluate(`{ const list = document.querySelector('.virtual'); list.scrollTop = list.scrollHeight }`)
      await expect.poll(loaded).toBeGreaterThan(size)
    }
    expect(await page.locator('[role=option]').count()).toBeLessThan(60)
    expect(problems).toEqual([])
    await context.close()
  })

  test('shows a new entry when it happens, and the selection stays on its entry', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/timeline`)
    await page.waitForSelector('[role=option]')
    await page.waitForSelector('.connection.live')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const selected = (): Promise<string> => page.locator('[aria-selected=true]').innerText()
    await expect.poll(selected).toContain(`request number ${newest - 1}`)
    newest += 1
    fake.emit({ kind: 'request', id: newest, account: 1, at: '2026-01-02T00:00:00Z', status: '200' })
    await page.getByText(`request number ${newest}`, { exact: true }).waitFor()
    await expect.poll(selected).toContain(`request number ${newest - 2}`)
    await context.close()
  })

  test('is used with the keyboard alone: search, move, open, close', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/timeline`)
    await page.waitForSelector('[role=option]')
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await page.getByText('request number 77', { exact: true }).waitFor()
    await expect.poll(() => page.locator('[role=option]').count()).toBe(1)
    await expect.poll(() => page.url()).toContain('search=needle')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.detail-pane h2')
    await expect.poll(() => page.url()).toContain('/_parley/timeline/request%3A77')
    await page.keyboard.press('Escape')
    await page.locator('.detail-pane').waitFor({ state: 'detached' })
    await context.close()
  })

  test('says when the server is away, and catches up when it is back', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/timeline`)
    await page.waitForSelector('.connection.live')
    fake.dropStreams()
    await page.waitForSelector('.connection.lost')
    newest += 1
    await page.waitForSelector('.connection.live')
    await page.getByText(`request number ${newest}`, { exact: true }).waitFor()
    await context.close()
  })
})
