import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { code, hook } from '../../../support/flow-definitions.ts'
import { accessibilityProblems, hasChromium, inNoRow, openPage, screenshot, startBrowser } from './chromium.ts'
import { type FakeAnswer, type FakeInspector, startFakeInspector } from './fake-inspector.ts'
import { platformRoutes } from './platform-routes.ts'

/** Writing direction and name differ. */
const customers = ['محمد علي', 'Bert Ohm']
const phone = (n: number): string => `+1415555${1000 + n}`
const conversations = 104
const leads = 60
const completed = 7
const runs = 60

describe.skipIf(!hasChromium).each([1280, 390])('a busy account on a screen of %i pixels', (width) => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  let campaign = 0
  let automation = ''
  let own: (method: string, path: string) => FakeAnswer | undefined = () => undefined
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    return (await platform.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as T
  }
  beforeAll(async () => {
    platform = await startPlatform({})
    browser = await startBrowser()
    fake = await startFakeInspector({ route: platformRoutes(platform, (method, path) => own(method, path)) })
    for (let n = 0; n < conversations; n++)
      await platform.control('POST', 'simulate/message', {
        sender: 1,
        from: phone(n),
        text: 'When are you open today?',
        name: customers[n % customers.length],
      })
    const made = await ask<{ data: { id: number } }>('POST', '/api/user/campaign', {
      name: 'Spring recall of patients without a visit in twelve months',
      assistant_id: 1,
    })
    campaign = made.data.id
    for (let n = 0; n < leads; n++) {
      const { data } = await ask<{ data: { id: number } }>('POST', '/api/user/lead', {
        campaign_id: campaign,
        phone_number: phone(n),
      })
      if (n < completed) await ask('PUT', `/api/user/leads/${data.id}`, { status: 'completed' })
    }
    const flow = await ask<{ automation_id: string }>('POST', '/api/user/automate/flows', {
      name: 'Nightly sync',
      flow: { trigger: hook, steps: [code('inputs.missing.field')] },
      sample: { n: 1 },
    })
    automation = flow.automation_id
    await ask('PUT', `/api/user/automate/flows/${automation}`, { enabled: true })
    for (let n = 0; n < runs; n++) await platform.fetch(`/automate/api/v1/webhooks/${automation}`, { method: 'POST' })
    await platform.control('POST', 'drain', {})
    for (const n of [1, 3])
      await ask('POST', '/api/user/messaging/send-freeform', {
        sender_id: 1,
        recipient_phone: phone(n),
        message: `Your appointment is slot-${n}.`,
      })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  /** Opens a page, and checks it when the test is done with it. */
  async function on(address: string, use: (page: Page) => Promise<void>): Promise<void> {
    const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/${address}`, { width })
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    await use(page)
    await screenshot(page, `busy-${address.replaceAll(/\W+/g, '-')}-${width}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(problems).toEqual([])
    await context.close()
    own = () => undefined
  }
  const rows = (page: Page) => page.locator('.table tbody tr')

  test.each(['conversations', 'calls', 'automations', 'automations/runs', 'messaging', 'messaging/windows'])(
    'reads whole words in the columns of %s, and each time on one line',
    async (address) => {
      await on(address, async (page) => {
        await rows(page).first().waitFor()
        const broken = await page.evaluate(`(() => {
          const lines = (range) => new Set([...range.getClientRects()].map((it) => Math.round(it.top))).size
          const found = []
          const walker = document.createTreeWalker(document.querySelector('.table'), NodeFilter.SHOW_TEXT)
          while (walker.nextNode()) {
            const node = walker.currentNode
            const pattern = node.parentElement.closest('time') ? /.+/g : /\\S+/g
            for (const it of node.data.matchAll(pattern)) {
              const range = document.createRange()
              range.setStart(node, it.index)
              range.setEnd(node, it.index + it[0].length)
              if (it[0].length < 25 && lines(range) > 1) found.push(it[0])
            }
          }
          return found
        })()`)
        expect(broken).toEqual([])
      })
    },
  )

  test('reads the number of a customer from left to right, also beside an Arabic name', async () => {
    await on('conversations', async (page) => {
      const cell = rows(page).filter({ hasText: 'محمد علي' }).locator('td').first()
      await cell.waitFor()
      const [plus, last] = await cell.evaluate((td) => {
        const { ownerDocument } = td
        const walker = ownerDocument.createTreeWalker(td, 4)
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const text = node.textContent ?? ''
          const start = text.indexOf('+')
          const leftOf = (index: number): number => {
            const range = ownerDocument.createRange()
            range.setStart(walker.currentNode, index)
            range.setEnd(walker.currentNode, index + 1)
            return range.getBoundingClientRect().left
          }
          if (start >= 0) return [leftOf(start), leftOf(text.length - 1)] as const
        }
        return [0, 0] as const
      })
      expect(plus).toBeLessThan(last)
      const link = await cell.locator('a').evaluate((it) => it.getBoundingClientRect().left)
      const heading = await cell.evaluate((it) => it.getBoundingClientRect().left)
      if (width > 640) expect(link - heading).toBeLessThan(20)
    })
  })

  test.each([
    { address: 'messaging/windows', pages: 3 },
    { address: () => `messaging/${campaign}`, pages: 2 },
  ])('reaches the rows after the first 50', async ({ address, pages }) => {
    await on(typeof address === 'string' ? address : address(), async (page) => {
      await page.getByText(`Page 1 of ${pages}`).waitFor()
      const first = await rows(page).first().innerText()
      await page.getByRole('button', { name: 'Older' }).click()
      await page.getByText(`Page 2 of ${pages}`).waitFor()
      await expect.poll(() => rows(page).first().innerText()).not.toBe(first)
    })
  })

  test('sees how far all leads of a campaign are, and opens those with a status', async () => {
    await on(`messaging/${campaign}`, async (page) => {
      const progress = page.getByRole('region', { name: 'Progress' })
      await progress.getByText(`${leads} leads`).waitFor()
      const bars = progress.getByRole('list', { name: 'Leads by status' }).getByRole('listitem')
      const texts = async () => (await bars.allInnerTexts()).map((it) => it.replaceAll(/\s+/g, ' ').trim())
      await expect.poll(texts).toEqual([`created ${leads - completed}`, `completed ${completed}`])
      await bars.getByRole('link', { name: 'completed' }).click()
      await expect.poll(() => rows(page).count()).toBe(completed)
      await expect.poll(texts).toEqual([`created ${leads - completed}`, `completed ${completed}`])
      await expect.poll(() => page.url()).toContain('status=completed')
    })
  })

  test('sees of which runs the figures are, and reaches older runs', async () => {
    await on('automations/runs', async (page) => {
      await page.getByText('The newest 50 runs by status:').waitFor()
      const first = await rows(page).first().locator('a').getAttribute('href')
      await page.getByRole('button', { name: 'Older' }).click()
      await page.getByText(/^These \d+ runs by status:$/).waitFor()
      expect(await rows(page).first().locator('a').getAttribute('href')).not.toBe(first)
      await page.getByRole('button', { name: 'failed', exact: true }).click()
      await expect.poll(() => rows(page).first().locator('a').getAttribute('href')).toBe(first)
      await expect.poll(() => page.url()).not.toContain('cursor=')
    })
  })

  test('disables the AI replies of a conversation that is older than the newest hundred', async () => {
    const { data } = await ask<{ data: { id: string }[] }>('GET', '/api/user/conversations?per_page=100&page=2')
    const oldest = data.at(-1)?.id ?? ''
    await on(`conversations/${oldest}`, async (page) => {
      await page.getByRole('button', { name: /able AI replies$/ }).waitFor()
      await page.locator('.page-head .badge').waitFor()
    })
  })

  test('sees that a list of deliveries ends, and where the others are', async () => {
    const delivery = {
      event: 'post_call',
      assistant_id: 1,
      url: 'https://hooks.example/calls',
      status: 'failed',
      attempts: 4,
      attempts_left: 0,
      next_attempt_at: null,
      last_status: 503,
      last_error: 'The receiver returned status 503.',
      created_at: '2026-11-23T10:00:00Z',
      finished_at: null,
    }
    own = (_, path) =>
      path.startsWith('/control/deliveries?')
        ? { body: { data: Array.from({ length: 200 }, (_it, id) => ({ ...delivery, id, message_id: `msg_${id}` })) } }
        : undefined
    await on('deliveries', async (page) => {
      await page.getByText('The newest 200 deliveries are listed.').waitFor()
      await page.getByRole('link', { name: 'All deliveries in the timeline' }).click()
      await expect.poll(() => page.url()).toContain('search=kind%3Adelivery')
    })
  })

  const received = Array.from({ length: 12 }, (_, n) => ({
    id: 12 - n,
    at: new Date(Date.UTC(2026, 10, 23, 10, 0) - n * 60_000).toISOString(),
    method: 'POST',
    path: '/_parley/receiver',
    headers: { 'webhook-id': `msg_${n}`, 'webhook-signature': 'v1,abc=' },
    body: JSON.stringify(
      n % 2
        ? { conversation_id: '1de4ef1e-6611-4767-91ff-c342eaa0d1b4', reason: 'silence' }
        : { id: 40 + n, customer_phone: phone(n), transcript: Array.from({ length: 30 }, () => ({ text: 'Hello' })) },
    ),
    status: n === 3 ? 503 : 200,
  }))

  test('sees what each received request is about in one line, and opens its body', async () => {
    own = (_, path) => (path === '/received' ? { body: { data: received } } : undefined)
    await on('deliveries/receiver', async (page) => {
      await expect.poll(() => rows(page).count()).toBe(12)
      await page.keyboard.press('j')
      expect(await page.evaluate('document.activeElement.innerText')).toBe(`Call 40, ${phone(0)}`)
      await rows(page).filter({ hasText: '503' }).getByText('Conversation').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('"webhook-signature"').waitFor()
      await expect.poll(() => page.url()).toContain('/deliveries/receiver/12')
      await page.getByRole('link', { name: `Call 40, ${phone(0)}` }).waitFor()
      expect(await page.getByRole('link', { name: 'msg_0' }).getAttribute('href')).toBe(
        '/_parley/deliveries?find=msg_0',
      )
    })
  })

  test.each([
    { address: () => 'messaging/messages', word: 'slot-3', opens: /\/timeline\?search=/ },
    { address: () => 'deliveries/receiver', word: 'msg_4', opens: /\/deliveries\/receiver\/8$/ },
    { address: () => `automations/${automation}/runs`, word: 'failed', opens: /\/runs\/\w{21}$/ },
    { address: () => `messaging/${campaign}`, word: phone(59), opens: /\/timeline\?search=/ },
  ])('finds a row of a list by a word, and opens it with the keyboard: $word', async ({ address, word, opens }) => {
    own = (_, path) => (path === '/received' ? { body: { data: received } } : undefined)
    await on(address(), async (page) => {
      await rows(page).first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type(inNoRow)
      await page.getByText(`No row of this list contains "${inNoRow}"`).waitFor()
      await page.keyboard.press('Control+A')
      await page.keyboard.type(word)
      await expect
        .poll(async () => {
          const texts = await rows(page).allInnerTexts()
          return texts.length > 0 && texts.every((it) => it.includes(word))
        })
        .toBe(true)
      await page.keyboard.press('Escape')
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toMatch(opens)
    })
  })

  const failure = (n: number, kind: string, title: string, text: string) => ({
    id: `${kind}:${n}`,
    kind,
    at: new Date(Date.UTC(2026, 10, 23, 10, 0) - n * 60_000).toISOString(),
    account: 1,
    status: kind === 'request' ? '500' : 'failed',
    title,
    text,
    subject: null,
  })

  test('reads the same failure once with a count, so that others are seen', async () => {
    own = (_, path) =>
      path.startsWith('/control/timeline')
        ? {
            body: {
              data: [
                ...Array.from({ length: 40 }, (_it, n) =>
                  failure(n, 'request', 'POST /api/user/messaging/send-freeform', `${n}.5 ms`),
                ),
                failure(41, 'run', 'Nightly sync', 'Compute: TypeError'),
                failure(42, 'call', 'outbound call', phone(2)),
              ],
              next: null,
            },
          }
        : undefined
    await on('overview', async (page) => {
      const items = page.getByRole('region', { name: 'Latest failures' }).getByRole('listitem')
      await items.first().waitFor()
      expect(await items.count()).toBe(3)
      await items.first().getByText('40 times').waitFor()
      expect(await items.first().innerText()).not.toContain(' ms')
      await items.nth(1).getByText('Run Nightly sync: Compute: TypeError').waitFor()
      await items
        .last()
        .getByRole('link', { name: `Outbound call: ${phone(2)}`, exact: true })
        .waitFor()
    })
  })

  test('reaches the complete list from each short list of the overview, and the page of each finding', async () => {
    own = (_, path) =>
      path.startsWith('/control/overview')
        ? {
            body: {
              counts: {},
              next_charges: [
                { at: '2026-12-03T10:36:50Z', amount: 1.3, text: phone(1), subject: { noun: 'number', id: 4 } },
              ],
              attention: [
                { code: 'faults', severity: 'warning', text: 'Fault rules are active: 1.', command: null },
                {
                  code: 'sender_assistant',
                  severity: 'warning',
                  text: 'Sender 5 has no assistant.',
                  command: null,
                  subject: { noun: 'senders', id: '5' },
                },
              ],
            },
          }
        : undefined
    await on('overview', async (page) => {
      const link = (region: string, name: string) =>
        page.getByRole('region', { name: region }).getByRole('link', { name })
      await link('Next charges', 'All numbers').waitFor()
      expect(await link('Next charges', 'All numbers').getAttribute('href')).toBe('/_parley/numbers')
      expect(await link('This month by kind', 'All transactions').getAttribute('href')).toBe('/_parley/numbers')
      expect(await link('Latest failures', 'All failures').getAttribute('href')).toContain('status%3Afailed')
      expect(await link('Needs attention', 'Fault rules are active: 1.').getAttribute('href')).toBe('/_parley/faults')
      await link('Needs attention', 'Sender 5 has no assistant.').click()
      await page.getByRole('heading', { name: 'Templates of Northwind Surveys' }).waitFor()
      await page.getByRole('link', { name: 'Senders and templates' }).click()
      await expect.poll(() => rows(page).count()).toBe(6)
    })
  })

  test('sees which assistant answers for each sender, and its limit without the unit of the heading', async () => {
    await on('messaging/senders', async (page) => {
      const row = rows(page).filter({ hasText: 'Northwind Dental' })
      await row.getByText('Front desk').waitFor()
      expect((await row.locator('td').last().innerText()).trim()).toMatch(/^[\d,]+$/)
      await rows(page).filter({ hasText: 'Northwind Surveys' }).getByText('none: cannot send').waitFor()
    })
  })

  test('opens the resource of a scheduled job', async () => {
    const job = (kind: string, subject: string, text: string) => ({
      kind,
      subject,
      text,
      due_at: '2026-11-23T10:05:00.000000Z',
      attempts: 0,
    })
    own = (_, path) =>
      path.startsWith('/control/due')
        ? {
            body: {
              data: [
                job('call', '3', 'call 3'),
                job('conversation.silence', '7', 'end of conversation fc66b306-8689-4442-bb90-f8a40f5329ac'),
                job('subscription', '2', `renewal of ${phone(1)}, 1.15 USD`),
              ],
              next: null,
            },
          }
        : undefined
    await on('clock', async (page) => {
      const links = page.locator('.rows.due a')
      await links.first().waitFor()
      expect(await links.evaluateAll((all) => all.map((it) => it.getAttribute('href')))).toEqual([
        '/_parley/calls/3',
        '/_parley/conversations/fc66b306-8689-4442-bb90-f8a40f5329ac',
        `/_parley/numbers?find=${encodeURIComponent(phone(1))}`,
      ])
    })
  })
})
