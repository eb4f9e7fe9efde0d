import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { accessibilityProblems, hasChromium, openPage, screenshot, startBrowser } from './chromium.ts'
import { type FakeInspector, startFakeInspector } from './fake-inspector.ts'
import { platformRoutes } from './platform-routes.ts'

/** Pages, and resources on them. Names in capitals are replaced by ids of the sample data. */
const addresses = [
  'overview',
  'timeline',
  'timeline/run:12',
  'conversations',
  'conversations/CONVERSATION',
  'calls',
  'calls/3',
  'automations',
  'automations/runs',
  'automations/AUTOMATION',
  'automations/AUTOMATION/versions',
  'automations/AUTOMATION/runs',
  'automations/AUTOMATION/runs/RUN',
  'deliveries',
  'deliveries/1',
  'deliveries/receiver',
  'messaging',
  'messaging/messages',
  'messaging/senders',
  'messaging/templates/1',
  'messaging/windows',
  'messaging/1',
  'numbers',
  'numbers/4',
  'clock',
  'faults',
]

describe.skipIf(!hasChromium)('every page', () => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  const ids: Record<string, string> = {}
  const firstId = async (path: string): Promise<string> => {
    const { data } = (await (await platform.fetch(path)).json()) as { data: { id: string }[] }
    return data.at(0)?.id ?? ''
  }
  beforeAll(async () => {
    platform = await startPlatform({})
    ids.AUTOMATION = await firstId('/api/user/automate/flows')
    ids.RUN = await firstId('/api/user/automate/runs?status=FAILED')
    ids.CONVERSATION = await firstId('/api/user/conversations')
    await platform.faults.add({ endpoint: 'numbers.buy', status: 503, times: 2 })
    ;[browser, fake] = await Promise.all([startBrowser(), startFakeInspector({ route: platformRoutes(platform) })])
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  test.each(addresses.flatMap((it) => (['light', 'dark'] as const).map((theme) => ({ address: it, theme }))))(
    '$address is accessible and keeps to the content policy ($theme)',
    async ({ address, theme }) => {
      const path = address.replaceAll(/[A-Z]+/g, (it) => ids[it] ?? it)
      const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/${path}`, {
        colorScheme: theme,
      })
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      for (const width of [360, 390, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        await screenshot(page, `${address.replaceAll(/\W+/g, '-')}-${theme}-${width}`)
        expect(await page.locator('.state.failed').allInnerTexts()).toEqual([])
        expect(await accessibilityProblems(page), `${width} px`).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `fits ${width} px`).toBe(true)
      }
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test('a page that the platform does not offer says why', async () => {
    const remote = await startFakeInspector({
      session: {
        mode: 'remote',
        read_only: true,
        pages: { clock: 'The clock needs a local platform.' },
      },
    })
    const { page, context } = await openPage(browser, `${remote.url}/_parley/clock`)
    await page.getByText('The clock needs a local platform.').waitFor()
    await page.getByText('read-only', { exact: true }).waitFor()
    await context.close()
    await remote.close()
  })

  test('an answer of an unexpected form breaks one page and not the others', async () => {
    const broken = await startFakeInspector({
      route: platformRoutes(platform, (_, path) =>
        path.startsWith('/control/overview') ? { body: { counts: null } } : undefined,
      ),
    })
    const { page, context } = await openPage(browser, `${broken.url}/_parley/overview`)
    await page.getByText('This page cannot be shown').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Calls' }).click()
    await page.getByRole('heading', { name: 'Calls' }).waitFor()
    await context.close()
    await broken.close()
  })

  test.each(addresses)('%s has no action that changes something if the platform is read-only', async (address) => {
    const remote = await startFakeInspector({
      session: { mode: 'remote', read_only: true },
      route: platformRoutes(platform),
    })
    const { page, context } = await openPage(
      browser,
      `${remote.url}/_parley/${address.replaceAll(/[A-Z]+/g, (it) => ids[it] ?? it)}`,
    )
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    const actions =
      /retry|cancel run|run again|run with|replay|restore…|remove|release|buy|disable|enable|simulate|start…|stop|freeze|advance|save|send|add a|test with/i
    expect((await page.locator('main').getByRole('button').allInnerTexts()).filter((it) => actions.test(it))).toEqual(
      [],
    )
    await context.close()
    await remote.close()
  })
})
