import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { execa } from 'execa'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, hasChromium, openPage, startBrowser } from '../../inspector/page/browser/chromium.ts'
import { root } from '../../support/sources.ts'

const dist = join(root, 'site/dist')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.md': 'text/markdown; charset=utf-8',
}

let server: Server
let browser: Browser
let url: string

/** Serves the built files and nothing else, as a host of static files does. */
beforeAll(async () => {
  const { exitCode, all } = await execa('npm', ['run', 'docs:build'], { cwd: root, all: true, reject: false })
  expect(exitCode, all).toBe(0)
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path)
    if (!existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  if (hasChromium) browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

test('every page has its Markdown beside it, and the rendered text of its first heading', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const pages = files.filter((it) => it.endsWith('.html') && it !== '404.html')
  expect(pages.length).toBeGreaterThan(300)
  expect(pages.filter((it) => !existsSync(join(dist, it.replace(/html$/, 'md'))))).toEqual([])
  expect(pages.filter((it) => !/<h1[^>]*>[^<]*\S/.test(readFileSync(join(dist, it), 'utf8')))).toEqual([])
})

describe.skipIf(!hasChromium)('in a browser', () => {
  const shown = [
    '/',
    '/concepts.html',
    '/commands/',
    '/commands/numbers/buy.html',
    '/pieces/http.html',
    '/architecture.html',
  ]

  test.each(shown.flatMap((path) => [[path, 'light'] as const, [path, 'dark'] as const]))(
    '%s is accessible in %s colors',
    async (path, colorScheme) => {
      const { page, context, problems } = await openPage(browser, `${url}${path}`, { colorScheme })
      await expect
        .poll(() => page.evaluate(`document.documentElement.classList.contains('dark')`))
        .toBe(colorScheme === 'dark')
      expect(await accessibilityProblems(page)).toEqual([])
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test('the search finds a command by a flag, with the keyboard alone', async () => {
    const { page, context, problems } = await openPage(browser, `${url}/`)
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill('numbers buy max-price')
    await page.locator('#localsearch-list a[href*="commands/numbers/buy"]').first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(`document.querySelector('h1')?.textContent`)).not.toBe('Parley documentation')
    expect(problems).toEqual([])
    await context.close()
  })

  test('the first tab stop skips to the content', async () => {
    const { page, context } = await openPage(browser, `${url}/concepts.html`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/skip to content/i)
    await context.close()
  })

  test.each([1280, 375])('without JavaScript, pages of %i pixels are readable and linked', async (width) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${url}/`)
    await page.locator('.vp-doc').getByRole('link', { name: 'Concepts' }).click()
    await page.getByRole('heading', { name: 'Platform and profile' }).waitFor()
    await context.close()
  })

  test('a page on a narrow screen is not wider than the screen', async () => {
    const { page, context } = await openPage(browser, `${url}/commands/numbers/buy.html`, { width: 375, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    await context.close()
  })
})
