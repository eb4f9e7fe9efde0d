// Makes docs/inspector.png from the sample data: npm run build && node scripts/run.mjs scripts/inspector-picture.ts
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serve } from '../src/platform/serve.ts'
import { openPage, startBrowser } from '../test/inspector/page/browser/chromium.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'parley-picture-'))
const server = await serve({
  dataDir: folder,
  durable: false,
  host: '127.0.0.1',
  port: 0,
  pid: process.pid,
  isAlive: () => true,
  seed: 7,
  frozenAt: '2026-11-23T14:00:00Z',
  inspectorFolder: join(root, 'dist/inspector'),
  version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
})
const browser = await startBrowser()
try {
  const { path } = JSON.parse((await server.control('POST', '/control/inspector/logins')).body) as { path: string }
  const runs = encodeURIComponent('/_parley/automations/runs')
  const { page } = await openPage(browser, `${server.url}${path}&next=${runs}`, { width: 1040, height: 700 })
  await page.getByRole('button', { name: 'failed' }).click()
  await page.getByRole('row').filter({ hasText: 'Opening hours' }).getByRole('link').click()
  await page.locator('.step.failed').waitFor()
  await page.locator('.connection.live').waitFor()
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(root, 'docs/inspector.png') })
} finally {
  await browser.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
