import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { hangMs } from '../../../support/hang-timeout.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Whether a browser is installed. Without one, the tests of the page are skipped, and say so. */
export const hasChromium = executablePath !== undefined
if (!hasChromium)
  stderr.write(
    '\n*** The browser tests of the inspector are SKIPPED: Chromium is not installed. ***\n' +
      '*** Install it with "apt-get install chromium", then run them again.          ***\n\n',
  )

/** Starts a headless browser without its own background requests. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath as string,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Violations of the content security policy, errors of scripts, and failed loads. */
  readonly problems: string[]
}

/** Opens an address in a fresh window. */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, colorScheme = 'light' as 'light' | 'dark', timezoneId = 'UTC' } = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    timezoneId,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(hangMs)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text())
  })
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', (e) => console.error('Content Security Policy: ' + e.violatedDirective + ' ' + e.blockedURI))`,
  )
  await page.goto(url)
  await page.waitForSelector('h1')
  return { page, context, problems }
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Returns what axe-core finds wrong, one line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { readFileSync } = await import('node:fs')
  await page.evaluate(readFileSync(axeFile, 'utf8'))
  const results = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations.map((v) => ({ id: v.id, nodes: v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary.split('\\n').slice(1).join(' ').slice(0, 200)) })))`,
  )) as { id: string; nodes: string[] }[]
  return results.flatMap((it) => it.nodes.map((node) => `${it.id}: ${node}`))
}

/** Saves a picture of a page as an artefact of the run, if PARLEY_TEST_SCREENSHOTS names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.PARLEY_TEST_SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
