import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, hasChromium, openPage, startBrowser } from './chromium.ts'
import { type FakeAnswer, type FakeInspector, startFakeInspector } from './fake-inspector.ts'

const hostile = '<img src=x onerror="document.title=\'attacked\'"><script>document.title="attacked"</script>'
const rightToLeft = '\u202eמרפאת שיניים 👩🏽‍⚕️🦷 عيادة'
const name = `${hostile} ${rightToLeft} ${'x'.repeat(300)}`
const megabyte = 'Hello 👋🏽 <b>bold</b> '.repeat(50_000)

const answers: Readonly<Record<string, FakeAnswer>> = {
  '/control/timeline': {
    body: {
      data: [
        {
          id: 'message:1',
          kind: 'message',
          at: '2026-01-01T00:00:00Z',
          account: 1,
          status: name,
          title: name,
          text: name,
          subject: { noun: 'conversation', id: '../../evil?x=#' },
        },
      ],
      next: null,
    },
    command: `parley numbers list --search '${hostile}'`,
  },
  '/api/user/conversations': {
    body: {
      data: [{ id: 'c1', assistant_name: name, type: 'widget', message_count: 2, total_cost: 0.01, ai_enabled: true }],
      last_page: 1,
    },
  },
  '/api/conversations/c1': {
    body: {
      history: [
        { role: 'user', content: name },
        {
          role: 'assistant',
          content: megabyte,
          function_calls: [{ name: hostile, arguments: { [hostile]: hostile }, result: { text: megabyte } }],
        },
      ],
      variables: { [hostile]: rightToLeft },
      customer: { name, phone: '+14155550142' },
    },
  },
  '/api/user/automate/flows': {
    body: { data: [{ id: 'a1', name, status: 'enabled', binding: null }] },
  },
  '/api/user/automate/flows/a1': {
    body: {
      data: {
        id: 'a1',
        name,
        status: 'enabled',
        binding: null,
        updated_at: '2026-01-01T00:00:00Z',
        definition: { name: 'trigger', displayName: name, type: 'PIECE_TRIGGER', settings: { input: hostile } },
      },
    },
  },
  '/api/user/automate/runs': { body: { data: [], next_cursor: null } },
  '/control/clock': { body: { now: '2026-01-01T00:00:00Z', frozen: true, offset_seconds: 0, done: [] } },
}

describe.skipIf(!hasChromium)('hostile content', () => {
  let browser: Browser
  let fake: FakeInspector
  beforeAll(async () => {
    browser = await startBrowser()
    fake = await startFakeInspector({
      session: {
        profile: name,
        accounts: [
          { id: 1, name },
          { id: 2, name: rightToLeft },
        ],
      },
      route: (_, path) => answers[path.split('?')[0] as string],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
  })

  test.each(['timeline', 'timeline/message:1', 'conversations', 'conversations/c1', 'automations', 'automations/a1'])(
    '%s shows it as text, in the width of a phone',
    async (address) => {
      const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/${address}`, { width: 360 })
      await page.getByText('onerror=').first().waitFor({ state: 'attached' })
      expect(await page.title()).not.toBe('attacked')
      expect(await page.locator('main img, main script').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await accessibilityProblems(page)).toEqual([])
      expect(problems).toEqual([])
      await context.close()
    },
  )

  test('a message of one megabyte is cut, and shown completely on request', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/conversations/c1`)
    const size = (): Promise<number> =>
      page.evaluate(`document.querySelector('.bubble.assistant > p').textContent.length`)
    await page.waitForSelector('.bubble.assistant')
    expect(await size()).toBeLessThan(10_000)
    await page
      .getByRole('button', { name: /Show all \d+ kB/ })
      .first()
      .click()
    await expect.poll(size).toBeGreaterThan(megabyte.length / 2)
    await context.close()
  })
})
