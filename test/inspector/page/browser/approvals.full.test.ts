import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPlace, type Place, parley } from '../../../e2e/support/built-program.ts'
import { listedNumbers } from '../../../e2e/support/holdings.ts'
import { credentialsOf, numbersForSale, serve } from '../../../e2e/support/server-process.ts'
import { accessibilityProblems, evaluate, hasChromium, openPage, startBrowser } from './chromium.ts'

// A coding agent asks on its machine, a person approves in the inspector of the server on a telephone, and the agent buys.

describe.skipIf(!hasChromium)('approvals in the inspector', () => {
  const agent = { CLAUDECODE: '1' }
  let browser: Browser
  let server: Awaited<ReturnType<typeof serve>>
  let at: Place
  let approver: string
  let forSale: string[]
  beforeAll(async () => {
    server = await serve(newPlace())
    forSale = await numbersForSale(server.at)
    approver = (await parley('server accounts key 1 --name Ada --scope approve -o id', { at: server.at })).stdout.trim()
    at = newPlace()
    const set = await parley(`profile set staging --url ${server.url} --api-key-stdin`, { at, input: server.key })
    expect(set, set.stderr).toMatchObject({ exitCode: 0 })
    browser = await startBrowser()
  })
  afterAll(async () => browser?.close())

  const ask = async (number: string): Promise<string> => {
    const { exitCode, stderr } = await parley(`numbers buy ${number} --yes --profile staging`, { at, env: agent })
    expect(exitCode, stderr).toBe(10)
    return JSON.parse(stderr.trim().split('\n').at(-1) as string).error.operation
  }
  const openInspector = async (width: number, height: number) => {
    const { control } = credentialsOf(server.at)
    const login = await fetch(`${server.url}/control/inspector/logins`, {
      method: 'POST',
      headers: { 'parley-control': control },
    })
    const { path } = (await login.json()) as { path: string }
    return openPage(browser, `${server.url}${path}&next=${encodeURIComponent('/_parley/approvals')}`, { width, height })
  }
  const ledger = async (): Promise<unknown[]> =>
    JSON.parse((await parley('server accounts ledger 1 --json', { at: server.at })).stdout)

  test('an agent asks, a person approves on a telephone, and the agent buys it once', async () => {
    const number = forSale.shift() as string
    const [entries, id] = [await ledger(), await ask(number)]
    const { page, context, problems } = await openInspector(390, 844)
    await page.getByText(`Buy ${number}`).first().click()
    await page.getByText(`{"phone_number":"${number}"}`).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByLabel('API key with the scope approve').fill(approver)
    await page.getByRole('button', { name: 'Approve…' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Approved. The agent can run it now.').waitFor()
    expect(await ledger()).toEqual(entries)
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(stored).not.toContain(approver)
    expect(problems).toEqual([])
    await context.close()
    const ran = await parley(`ops run ${id} --profile staging --json`, { at, env: agent })
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
    expect((await parley(`ops run ${id} --profile staging`, { at, env: agent })).exitCode).toBe(5)
    expect((await listedNumbers(server.at)).filter((it) => it === number)).toHaveLength(1)
  })

  test('a sign-in without the key decides nothing, and a wrong key neither', async () => {
    const number = forSale.shift() as string
    const id = await ask(number)
    const { page, context } = await openInspector(1280, 800)
    await page.getByText(`Buy ${number}`).first().click()
    expect(await page.getByRole('button', { name: 'Approve…' }).isDisabled()).toBe(true)
    const refused = await evaluate(
      page,
      `fetch('/_parley/api/api/user/approvals/${id}/decision', { method: 'POST', headers: { 'Parley-Inspector': '1', 'Content-Type': 'application/json' }, body: '{"decision":"approved","hash":"${'0'.repeat(64)}"}' }).then((it) => it.status)`,
    )
    expect(refused).toBe(403)
    await page.getByLabel('API key with the scope approve').fill(server.key)
    await page.getByRole('button', { name: 'Approve…' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Approve', exact: true }).click()
    await page.locator('dialog[open]').getByRole('alert').waitFor()
    await page.reload()
    expect(await page.getByLabel('API key with the scope approve').inputValue()).toBe('')
    await context.close()
    const shown = await parley(`ops get ${id} --profile staging --json`, { at })
    expect(JSON.parse(shown.stdout).state).toBe('pending')
  })
})
