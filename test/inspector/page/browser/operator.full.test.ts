import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stateText, toneOf } from '../../../../src/contract/values/states.ts'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { accessibilityProblems, hasChromium, inNoRow, openPage, screenshot, startBrowser } from './chromium.ts'
import { type FakeAnswer, type FakeInspector, startFakeInspector } from './fake-inspector.ts'
import { platformRoutes } from './platform-routes.ts'

/** Width of a desk and of a phone. */
const widths = [1280, 390]

const unused = (n: number) => ({
  code: 'unused_number',
  severity: 'warning',
  text: `Number +1415555010${n} (${n}) costs 1.15 USD per month and is not used.`,
  command: `parley numbers release ${n}`,
  subject: { noun: 'numbers', id: String(n) },
})
const failedRuns = {
  code: 'automation_runs',
  severity: 'failed',
  text: 'Automation "Opening hours" is enabled and its last 3 runs failed.',
  command: 'parley automate runs list "Opening hours" --status FAILED',
  subject: null,
}

describe.skipIf(!hasChromium).each(widths)('an operator with a screen of %i pixels', (width) => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  let own: (method: string, path: string) => FakeAnswer | undefined = () => undefined
  beforeAll(async () => {
    platform = await startPlatform({})
    browser = await startBrowser()
    fake = await startFakeInspector({ route: platformRoutes(platform, (method, path) => own(method, path)) })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  /** Opens a page, and checks it when the test is done with it. */
  async function on(address: string, use: (page: Page) => Promise<void>): Promise<void> {
    const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/${address}`, { width })
    await use(page)
    await page.locator('h1').waitFor()
    await screenshot(page, `operator-${address.replaceAll(/\W+/g, '-')}-${width}`)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(problems).toEqual([])
    await context.close()
    own = () => undefined
  }
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    return (await platform.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as T
  }
  const focused = (page: Page): Promise<string> =>
    page.evaluate(`(document.activeElement.closest('tr, li') ?? document.activeElement).innerText`)
  const badge = (page: Page, row: string) => page.getByRole('row').filter({ hasText: row }).locator('.badge').first()

  test('sees that a number ends, in the tone of a warning, and when', async () => {
    const { data } = await ask<{ data: { id: number; phone_number: string; type: string }[] }>(
      'GET',
      '/api/user/phone-numbers/all',
    )
    const bought = data.filter((it) => it.type === 'normal').at(-1)!
    await ask('DELETE', `/api/user/phone-numbers/${bought.id}`)
    await on('numbers', async (page) => {
      await badge(page, bought.phone_number)
        .getByText(/^ends in \d+ d$/)
        .waitFor()
      expect(await badge(page, bought.phone_number).getAttribute('class')).toBe('badge pending')
      await page.locator('.tile', { hasText: 'Numbers that end' }).getByText(bought.phone_number).waitFor()
      await page.locator('.tile', { hasText: 'Next charge' }).getByText('1.30 USD').waitFor()
    })
  })

  test('reads seven identical warnings as one with a count, after the failures', async () => {
    own = (_, path) =>
      path.startsWith('/control/overview')
        ? {
            body: {
              counts: {},
              next_charges: [],
              attention: [...[1, 2, 3, 4, 5, 6, 7].map(unused), failedRuns],
            },
          }
        : undefined
    await on('overview', async (page) => {
      const findings = page.locator('.findings > li')
      await findings.first().waitFor()
      expect(await findings.count()).toBe(2)
      expect(await findings.first().innerText()).toContain('Opening hours')
      expect(await findings.last().locator('.tag').innerText()).toBe('7')
      await findings.last().getByText('Show the other 6').click()
      expect(await findings.last().locator('.rows > li').count()).toBe(6)
    })
  })

  test('sees failures and the balance before other figures', async () => {
    await on('overview', async (page) => {
      await page.locator('.tile', { hasText: 'Balance' }).getByText('25.00 USD').waitFor()
      const titles = await page.locator('.tile-title').allInnerTexts()
      expect(titles.map((it) => it.toLowerCase())).toEqual([
        'failed',
        'balance',
        'requests',
        'messages',
        'calls',
        'runs',
        'deliveries',
        'clock',
      ])
      await page.getByRole('region', { name: 'Latest failures' }).getByText('TypeError').waitFor()
    })
  })

  test('opens the failed run from the attention, and sees the kinds of usage of the terminal', async () => {
    const { data } = await ask<{ data: { id: string }[] }>('GET', '/api/user/automate/runs?status=FAILED')
    own = (_, path) =>
      path.startsWith('/control/overview')
        ? {
            body: {
              counts: {},
              next_charges: [],
              attention: [{ ...failedRuns, subject: { noun: 'run', id: data[0]?.id } }],
            },
          }
        : undefined
    // On the first days of a month, all calls of the sample data are of the one before.
    await ask('POST', '/api/user/make_call', { assistant_id: 1, phone_number: '+14155550123' })
    const usage = await ask<{ data: { key: string; charges: number; amount: number }[] }>(
      'GET',
      '/api/user/billing/usage?by=kind',
    )
    await on('overview', async (page) => {
      const month = page.getByRole('region', { name: 'This month by kind' })
      for (const kind of usage.data) await month.getByText(`${kind.key} (${kind.charges})`).waitFor()
      expect(usage.data.map((it) => it.key)).toContain('calls')
      await page.getByRole('link', { name: /^Automation "Opening hours"/ }).click()
      await page.getByRole('heading', { name: /^Run/ }).waitFor()
    })
  })

  test.each([
    'conversations',
    'calls',
    'automations',
    'automations/runs',
    'automations/AUTOMATION/versions',
    'deliveries',
    'messaging',
    'messaging/1',
    'messaging/senders',
    'messaging/templates/1',
    'messaging/windows',
    'numbers',
    'faults',
    'clock',
  ])('finds a row of the list %s after the key /', async (address) => {
    const flows = await ask<{ data: { id: string }[] }>('GET', '/api/user/automate/flows')
    await platform.faults.add({ endpoint: 'numbers.buy', status: 503, times: 2 })
    await on(address.replace('AUTOMATION', flows.data[0]?.id ?? ''), async (page) => {
      await expect.poll(() => page.locator('.loading').count()).toBe(0)
      // The first list of the page.
      const rows = page.locator('.filters:has(input[type=search])').first().locator('+ *').locator('tbody tr, > li')
      await rows.first().waitFor()
      await page.keyboard.press('/')
      expect(await page.evaluate('document.activeElement.type')).toBe('search')
      const before = await rows.count()
      await page.keyboard.type(inNoRow)
      await page.getByText(`No row of this list contains "${inNoRow}"`).waitFor()
      await expect.poll(() => page.url()).toContain(`find=${inNoRow}`)
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await expect.poll(() => rows.count()).toBe(before)
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.locator('dialog[open]').getByText('Search this page').waitFor()
      await page.keyboard.press('Escape')
    })
    await platform.faults.clear()
  })

  test.each([
    { browser: 'Chromium ignores', change: '' },
    { browser: 'Safari throws an error for', change: `throw new DOMException('Too many changes', 'SecurityError')` },
  ])(
    'keeps what is typed for a list while the browser refuses to change the address: $browser it',
    async ({ change }) => {
      await on('numbers', async (page) => {
        const field = page.getByLabel('Filter: Numbers', { exact: true })
        const rows = page.getByRole('table', { name: 'Numbers', exact: true }).locator('tbody tr')
        await field.waitFor()
        await page.evaluate(`(() => {
        window.allowChanges = () => { delete history.replaceState }
        history.replaceState = () => { ${change} }
      })()`)
        await page.keyboard.press('/')
        await page.keyboard.type('reception')
        await expect.poll(() => rows.count()).toBe(1)
        expect(await field.inputValue()).toBe('reception')
        expect(page.url()).not.toContain('find=')
        await page.evaluate('allowChanges()')
        await expect.poll(() => page.url()).toContain('find=reception')
        await page.reload()
        await expect.poll(() => rows.count()).toBe(1)
        expect(await field.inputValue()).toBe('reception')
      })
    },
  )

  test('filters the ledger by its shown amounts, and the numbers above it by their own field', async () => {
    await on('numbers', async (page) => {
      const ledger = page.getByRole('region', { name: 'Ledger' })
      await ledger.locator('tbody tr').first().waitFor()
      const amount = (await ledger.locator('tbody tr td[data-title=Amount]').first().innerText()).trim()
      const numbers = page.getByRole('table', { name: 'Numbers', exact: true }).locator('tbody tr')
      const before = await numbers.count()
      await ledger.getByLabel('Filter: Transactions, newest first').fill(amount)
      await expect.poll(() => page.url()).toContain('transaction=')
      await expect
        .poll(async () =>
          (await ledger.locator('tbody tr').allInnerTexts()).every((it) => it.replaceAll(/\s+/g, ' ').includes(amount)),
        )
        .toBe(true)
      expect(await ledger.locator('tbody tr').count()).toBeGreaterThan(0)
      expect(await numbers.count()).toBe(before)
      await page.reload()
      expect(await ledger.getByLabel('Filter: Transactions, newest first').inputValue()).toBe(amount)
    })
  })

  test('filters snapshots, and jobs that ran, by their own fields', async () => {
    own = (_, path) =>
      path === '/control/snapshots'
        ? {
            body: {
              data: ['before-import', 'nightly'].map((name) => ({
                name,
                status: 'ok',
                saved_at: '2026-11-23T10:00:00.000Z',
                time: null,
                bytes: 2_000_000,
              })),
            },
          }
        : undefined
    await on('faults', async (page) => {
      const snapshots = page.getByRole('region', { name: 'Snapshots' })
      await snapshots.getByText('nightly').first().waitFor()
      await snapshots.getByLabel('Filter: Snapshots, newest first').fill('import')
      await expect.poll(() => snapshots.locator('tbody tr').count()).toBe(1)
      await snapshots.getByLabel('Filter: Snapshots, newest first').fill('nightly 2.0')
      await expect.poll(() => snapshots.locator('tbody tr').allInnerTexts()).toHaveLength(1)
    })
    const ran = ['Renewal of +14157508612', 'Delivery 7'].map((text, n) => ({
      kind: 'delivery',
      subject: String(n),
      text,
      due_at: '2026-11-23T10:05:00.000000Z',
    }))
    own = (method, path) =>
      method === 'POST' && path.startsWith('/control/clock')
        ? { body: { now: '2026-11-23T11:00:00.000000Z', frozen: false, offset_seconds: 0, done: ran } }
        : undefined
    await on('clock', async (page) => {
      await page.getByRole('button', { name: '+1h' }).click()
      const happened = page.getByRole('region', { name: 'What happened' })
      await happened.getByLabel('Filter: Jobs that ran').fill('renewal')
      await expect.poll(() => happened.locator('li').allInnerTexts()).toHaveLength(1)
    })
  })

  test('reads the type of calls and conversations under the words of the terminal', async () => {
    await on('calls', async (page) => {
      await page.locator('td[data-title=Type]').first().waitFor()
      for (const text of await page.locator('td[data-title=Type]').allInnerTexts())
        expect(['inbound', 'outbound', 'web']).toContain(text.trim())
    })
    await on('conversations', async (page) => {
      await page.locator('td[data-title=Type]').first().waitFor()
    })
    const campaigns = await ask<{ id: number; channel: string }[]>('GET', '/api/user/campaigns')
    own = (_, path) =>
      path === '/api/user/campaigns' ? { body: campaigns.map((it) => ({ ...it, channel: 'sms' })) } : undefined
    await on('messaging', async (page) => {
      await page.locator('td[data-title=Channel]').first().waitFor()
      expect((await page.locator('td[data-title=Channel]').first().innerText()).trim()).toBe('SMS')
    })
  })

  test.each([
    { address: 'calls', path: '/api/user/calls?per_page=50', column: 'Status', field: 'status' },
    { address: 'automations', path: '/api/user/automate/flows', column: 'Status', field: 'status' },
    { address: 'automations/runs', path: '/api/user/automate/runs?limit=50', column: 'Status', field: 'status' },
    { address: 'messaging', path: '/api/user/campaigns', column: 'Status', field: 'status' },
    {
      address: 'messaging/1',
      path: '/api/user/leads?campaign_id=1&per_page=50',
      column: 'Status',
      field: 'status',
    },
    {
      address: 'messaging/senders',
      path: '/api/user/messaging/senders?status=all',
      column: 'Quality',
      field: 'quality_rating',
    },
  ])(
    'reads the states of $address in the words and tones of the terminal',
    async ({ address, path, column, field }) => {
      const answer = await ask<{ data: Record<string, string>[] } | Record<string, string>[]>('GET', path)
      const states = (Array.isArray(answer) ? answer : answer.data).map((it) => it[field] ?? '')
      await on(address, async (page) => {
        const badges = page.locator(`td[data-title="${column}"] .badge`)
        await badges.first().waitFor()
        const shown = await badges.evaluateAll((all) => all.map((it) => `${it.className}: ${it.textContent}`))
        expect(shown.toSorted()).toEqual(
          states.map((it) => `badge ${toneOf(it) ?? 'plain'}: ${stateText(it)}`).toSorted(),
        )
      })
    },
  )

  test('reads the check of each finding as a title in words', async () => {
    await on('overview', async (page) => {
      await page.locator('.finding-title b').first().waitFor()
      for (const text of await page.locator('.finding-title b').allInnerTexts())
        expect(text).toMatch(/^[A-Z][a-zA-Z ]+$/)
    })
  })

  test('finds the conversation of a customer by name', async () => {
    await on('conversations', async (page) => {
      const rows = page.locator('.table tbody tr')
      await rows.nth(1).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('anna kell')
      await expect.poll(() => rows.count()).toBe(1)
      await page.getByRole('link', { name: 'Anna Keller, +14155550142' }).waitFor()
    })
  })

  test('does not see the key / where a page has no search', async () => {
    await on('overview', async (page) => {
      await page.keyboard.press('?')
      await page.locator('dialog[open]').getByText('Show this list').waitFor()
      expect(await page.locator('dialog[open]').getByText('Search this page').count()).toBe(0)
      await page.keyboard.press('Escape')
    })
  })

  test('sees a running balance in the ledger, and estimates with at most three decimals', async () => {
    await on('numbers', async (page) => {
      const rows = page.getByRole('region', { name: 'Ledger' }).locator('tbody tr')
      await rows.first().waitFor()
      const amounts = await rows.evaluateAll((all) =>
        all.map((row) => [1, 4].map((at) => Number.parseFloat(row.querySelectorAll('td')[at]?.textContent ?? ''))),
      )
      for (const [n, [amount, after]] of amounts.entries()) {
        const before = amounts[n + 1]?.[1] ?? 0
        expect(after).toBeCloseTo(before + (amount as number), 6)
      }
      const month = await page.getByRole('region', { name: 'This month' }).locator('.fields').innerText()
      for (const name of ['Average per day', 'Forecast of the month', 'Card charges of the month'])
        expect(month.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`${name} [\\d.]*\\.\\d{2,3} USD`))
    })
  })

  test('sees a balance of minutes in minutes', async () => {
    const { data } = await ask<{ data: object }>('GET', '/api/user/billing/summary')
    own = (_, path) =>
      path === '/api/user/billing/summary' ? { body: { data: { ...data, unit: 'minute', balance: 12.5 } } } : undefined
    await on('numbers', async (page) => {
      await page.locator('.tile', { hasText: 'Balance' }).getByText('12.50 minutes').waitFor()
    })
  })

  test('sees who wrote, and which conversations wait for a person', async () => {
    await on('conversations', async (page) => {
      await page.getByRole('link', { name: 'Anna Keller, +14155550142' }).waitFor()
      await page.getByRole('link', { name: 'patient-1042' }).waitFor()
      await page.getByText('AI replies off').waitFor()
      await page.getByRole('link', { name: 'Anna Keller, +14155550142' }).click()
      await page.getByRole('heading', { name: 'Conversation with Anna Keller' }).waitFor()
      await expect
        .poll(() => page.title())
        .toBe('Conversation with Anna Keller, +14155550142 · local · Parley inspector')
    })
  })

  test('sees the last run of each automation and how many failed, and opens the run', async () => {
    await on('automations', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'Opening hours' })
      await row.getByText('1 of 2').waitFor()
      await page.getByRole('row').filter({ hasText: 'Move a visit' }).getByText('never ran').waitFor()
      await row.getByRole('link', { name: /ago|\d{4}-/ }).click()
      await page.getByRole('heading', { name: /^Run/ }).waitFor()
    })
  })

  test('chooses the country of a number from a list, and sees its prices', async () => {
    await on('numbers', async (page) => {
      await page.getByRole('button', { name: 'Buy a number…' }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.getByText('[local · simulated] Buy a number').waitFor()
      await dialog.getByLabel('Country').selectOption({ label: 'United Kingdom (GB)' })
      await dialog.getByText('1.30 USD/month').first().waitFor()
      await dialog.getByText('address: local').first().waitFor()
      expect(await dialog.getByText(/^\+44/).count()).toBeGreaterThan(0)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Buy a number…')
    })
  })

  test('reads why a run failed before anything else', async () => {
    const { data } = await ask<{ data: { id: string }[] }>('GET', '/api/user/automate/runs?status=FAILED')
    await on(`automations/runs/${data[0]?.id}`, async (page) => {
      const error = page.locator('.notice.bad').first()
      await error.getByText('TypeError: inputs.day.toLowerCase is not a function').waitFor()
      const top = async (name: string): Promise<number> =>
        (await page.getByRole('button', { name }).boundingBox())?.y ?? 0
      expect((await error.boundingBox())!.y).toBeLessThan(await top('Retry from the failed step'))
      expect((await error.boundingBox())!.y).toBeLessThan(500)
    })
  })

  test('sees what happened in the timeline before successful reads', async () => {
    await on('timeline', async (page) => {
      const entry = (text: string) => page.locator('.entry-text', { hasText: text })
      await entry('GET …/phone-numbers/all').waitFor()
      expect(await entry('GET …/phone-numbers/all').getAttribute('class')).toContain('muted')
      expect(await entry('TypeError: inputs.day.toLowerCase').getAttribute('class')).not.toContain('muted')
    })
  })

  test('goes from a failed delivery to the call it is about', async () => {
    await on('deliveries/1', async (page) => {
      await page.getByText('The receiver returned status 503.').waitFor()
      await page.getByRole('link', { name: 'Open call 3' }).click()
      await page.getByRole('heading', { name: /^Call 3/ }).waitFor()
      await page.getByRole('link', { name: /^Everything of \+/ }).waitFor()
    })
  })

  test('sees what a campaign does next, and how far its leads are', async () => {
    await on('messaging/1', async (page) => {
      await page.getByText('Next: nothing until it is started again').waitFor()
      await page.getByRole('list', { name: 'Leads by status' }).waitFor()
    })
  })

  test.each([
    { address: 'conversations', opens: /\/conversations\/[\w-]{36}$/ },
    { address: 'calls', opens: /\/calls\/\d+$/ },
    { address: 'automations', opens: /\/automations\/\w{21}$/ },
    { address: 'automations/runs', opens: /\/automations\/\w{21}\/runs\/\w{21}$/ },
    { address: 'deliveries', opens: /\/deliveries\/\d+$/ },
    { address: 'messaging', opens: /\/messaging\/\d+$/ },
    { address: 'messaging/senders', opens: /\/messaging\/templates\/\d+$/ },
    { address: 'messaging/windows', opens: /\/timeline\?search=%2B\d+$/ },
    { address: 'messaging/1', opens: /\/timeline\?search=%2B\d+$/ },
    { address: 'numbers', opens: /\/numbers\/\d+$/ },
  ])('moves with j and k in the list $address, and Enter opens the row', async ({ address, opens }) => {
    await on(address, async (page) => {
      const rows = page.locator('.table tbody tr')
      await rows.first().waitFor()
      const texts = await rows.allInnerTexts()
      await page.keyboard.press('j')
      expect(await focused(page)).toBe(texts[0])
      await page.keyboard.press('j')
      expect(await focused(page)).toBe(texts[1] ?? texts[0])
      await page.keyboard.press('k')
      expect(await focused(page)).toBe(texts[0])
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toMatch(opens)
    })
  })

  test.each(['overview', 'clock', 'faults', 'messaging/templates/1', 'automations/AUTOMATION/versions'])(
    'moves with j and k in the lists of the page %s',
    async (address) => {
      const flows = await ask<{ data: { id: string }[] }>('GET', '/api/user/automate/flows')
      await platform.faults.add({ endpoint: 'numbers.buy', status: 503, times: 2 })
      await on(address.replace('AUTOMATION', flows.data[0]?.id ?? ''), async (page) => {
        const rows = page.locator('.table tbody tr, .rows > li, .findings > li, .cards > li')
        await rows.first().waitFor()
        await page.keyboard.press('j')
        expect(await focused(page)).toBe(await rows.first().innerText())
      })
      await platform.faults.clear()
    },
  )

  test('finds a filter again after a reload', async () => {
    await on('automations/runs', async (page) => {
      await page.getByRole('button', { name: 'failed', exact: true }).click()
      await expect.poll(() => page.url()).toContain('?status=FAILED')
      await page.reload()
      await page.locator('.table tbody tr').first().waitFor()
      expect(await page.locator('.table tbody tr').count()).toBe(1)
      expect(await page.getByRole('button', { name: 'failed', exact: true }).getAttribute('aria-pressed')).toBe('true')
    })
  })
})

describe.skipIf(!hasChromium).each(widths)('an operator of a remote platform with a screen of %i pixels', (width) => {
  let browser: Browser
  let platform: TestPlatform
  let fake: FakeInspector
  beforeAll(async () => {
    platform = await startPlatform({})
    browser = await startBrowser()
    fake = await startFakeInspector({
      session: { mode: 'remote', read_only: true, profile: 'production', platform: 'https://assistants.example' },
      route: platformRoutes(platform, (_, path) =>
        path.startsWith('/control/') ? { status: 404, body: { message: 'There is no endpoint.' } } : undefined,
      ),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await fake?.close()
    await platform?.close()
  })

  test('sees the failing automation, the next charge and the latest runs first', async () => {
    const flows = (await (await platform.fetch('/api/user/automate/flows')).json()) as { data: { id: string }[] }
    await platform.fetch(`/automate/api/v1/webhooks/${flows.data[0]?.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"day":7}',
    })
    const lastStatus = async () =>
      ((await (await platform.fetch('/api/user/automate/runs?limit=1')).json()) as { data: { status: string }[] })
        .data[0]?.status
    await expect.poll(lastStatus).toBe('FAILED')
    const { page, context, problems } = await openPage(browser, `${fake.url}/_parley/`, { width })
    await page.getByRole('region', { name: 'Needs attention' }).getByText('TypeError').waitFor()
    await page.locator('.tile', { hasText: 'Next charge' }).waitFor()
    await page.getByText('parley doctor --profile production').waitFor()
    await page.getByRole('button', { name: 'Copy the command parley doctor --profile production' }).waitFor()
    expect(await page.title()).toBe('Overview · production · Parley inspector')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(problems).toEqual([])
    await context.close()
  })

  test('finds the conversations and calls of a number in the timeline', async () => {
    const { page, context } = await openPage(browser, `${fake.url}/_parley/timeline?search=%2B14155550142`, { width })
    await page.getByText('Anna Keller, +14155550142').waitFor()
    await page.getByText('+14155550142, outbound').waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await context.close()
  })
})
