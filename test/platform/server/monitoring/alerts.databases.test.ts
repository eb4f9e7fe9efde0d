import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { databases } from '../../../support/databases.ts'
import { read, root } from '../../../support/sources.ts'
import { servedPlatform } from './served-platform.ts'

const folder = join(root, 'deploy/prometheus')
const rules: readonly { readonly alert: string; readonly expr: string }[] = parse(
  read('deploy/prometheus/parley-alerts.yaml'),
).groups[0].rules

/** What operators have of metrics: alerts with their tests, the dashboard, and the tables of the page. */
const used: Readonly<Record<string, string>> = {
  'the alerts': rules.map((it) => it.expr).join('\n'),
  'the tests of the alerts': read('deploy/prometheus/parley-alerts.test.yaml'),
  'the dashboard': read('deploy/grafana/parley.json'),
  'docs/operations.md': read('docs/operations.md'),
}

/** Names of metrics in a text, without what samples of a histogram add to its name. */
const namesIn = (text: string): string[] =>
  [...new Set(text.match(/\b(?:parley_(?!alerts\b)|process_)[a-z]\w*/g) ?? [])].map((name) =>
    name.replace(/(?<=_duration_seconds)_(?:bucket|sum|count)$/, ''),
  )

/** Selectors of metrics with their labels: `name{a="..", b=~".."}`. */
const selectorsIn = (text: string): { name: string; labels: string[] }[] =>
  [...text.replaceAll('\\"', '"').matchAll(/\b((?:parley|process)_\w+)\{([^}]*)\}/g)].map(
    ([, name = '', labels = '']) => ({
      name,
      labels: [...labels.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map((it) => String(it[1])),
    }),
  )

describe.each(databases)('on $name', ({ name, target }) => {
  test('every metric of alerts, dashboard and documentation is one of the server, with its labels', async () => {
    const place = await target()
    const { call } = await servedPlatform({
      ...('url' in place && { database: place.url }),
      processUsage: () => ({ cpuSeconds: 1, residentBytes: 1 }),
    })
    await call('/api/user/tools')
    const page = await (await call('/metrics')).text()
    const exposed = [...page.matchAll(/^# TYPE (\w+) /gm)].map((it) => it[1])
    // A file has no pool of connections.
    const ofPools = name === 'sqlite' ? ['parley_database_connections', 'parley_database_waiting'] : []
    for (const [where, text] of Object.entries(used)) {
      expect(namesIn(text).length, where).toBeGreaterThan(10)
      expect(
        namesIn(text).filter((it) => ![...exposed, ...ofPools].includes(it)),
        where,
      ).toEqual([])
      // Those of the scrape, and those of metrics that this server has samples of.
      for (const selector of selectorsIn(text)) {
        const sample = new RegExp(`^${selector.name}\\{(.*)\\} `, 'm').exec(page)?.[1]
        if (sample === undefined) continue
        const known = ['job', 'instance', ...[...sample.matchAll(/(\w+)="/g)].map((it) => it[1])]
        expect(
          selector.labels.filter((it) => !known.includes(it)),
          `${where}: ${selector.name}`,
        ).toEqual([])
      }
    }
  })
})

test('every alert is explained, and every metric of the dashboard has a legend', () => {
  const page = read('docs/operations.md')
  expect(rules.map((it) => it.alert).filter((it) => !page.includes(`\`${it}\``))).toEqual([])
  const { panels } = JSON.parse(read('deploy/grafana/parley.json'))
  for (const { title, targets } of panels)
    for (const { expr, legendFormat } of targets)
      expect([expr, legendFormat], title).toEqual([expr, expect.any(String)])
})

describe('promtool of Prometheus', () => {
  /** Runs promtool of the machine; undefined without one. */
  function promtool(...args: string[]): string | undefined {
    try {
      return execFileSync('promtool', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      const { code, stdout, stderr } = error as { code?: string; stdout?: string; stderr?: string }
      if (code !== 'ENOENT') throw new Error(`${stdout}${stderr}`)
      return undefined
    }
  }

  test('accepts the alerts, and each fires for what it is meant for and not for a healthy server', (context) => {
    const checked = promtool('check', 'rules', 'parley-alerts.yaml')
    if (checked === undefined) context.skip('promtool is not installed (apt-get install prometheus)')
    expect(checked).toContain(`SUCCESS: ${rules.length} rules found`)
    expect(promtool('test', 'rules', 'parley-alerts.test.yaml')).toContain('SUCCESS')
    // Each alert is in the tests.
    const tested = used['the tests of the alerts'] ?? ''
    expect(rules.map((it) => it.alert).filter((it) => !tested.includes(`alertname="${it}"`))).toEqual([])
  })
})
