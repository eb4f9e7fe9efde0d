import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { onTestFailed } from 'vitest'
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

/** A text that no row contains: a short word is in a random id now and then, which a search finds, too. */
export const inNoRow = 'in-no-row'

/**
 * Returns what a script of a page returns. Playwright waits for its promise without an end.
 *
 * @throws Error what did not end
 */
export async function evaluate(page: Page, script: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`This did not end in ${hangMs} ms: ${script.slice(0, 200)}`)), hangMs)
  })
  return Promise.race([page.evaluate(script), end]).finally(() => clearTimeout(timer))
}

/** Describes what a page shows: its address, the element with the focus, and the beginning of its content. */
async function described(page: Page): Promise<string> {
  const script = `(() => {
    const it = document.activeElement
    const field = 'value' in it ? ' with the text ' + JSON.stringify(it.value) : ''
    const text = (document.querySelector('dialog[open], #main') ?? document.body).innerText
    const name = it.getAttribute('aria-label') || (it === document.body ? '' : it.innerText) || it.id
    return 'focus on ' + it.tagName + ' ' + JSON.stringify(name.slice(0, 80)) + field + '; content: ' +
      JSON.stringify(text.slice(0, 1000))
  })()`
  return `${page.url()}: ${await evaluate(page, script).catch(String)}`
}

/** Opens an address in a fresh window. A test that fails says what the page showed. */
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
  onTestFailed(async ({ task }) => {
    if (page.isClosed()) return
    const shown = await described(page)
    for (const error of task.result?.errors ?? []) error.message += `\nThe page: ${shown}`
  }, 2 * hangMs)
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
  const results = (await evaluate(
    page,
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
