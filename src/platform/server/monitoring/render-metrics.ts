/** A value of a metric, with its labels. */
export interface MetricSample {
  /** Added to the name of the metric, such as `_bucket`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A metric and all its values. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly MetricSample[]
}

/** Media type of the text format of Prometheus. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

/** Returns metrics in the text format of Prometheus (version 0.0.4). */
export function renderMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${escapeHelp(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ({ suffix = '', labels = {}, value }) => `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

function renderLabels(labels: NonNullable<MetricSample['labels']>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function renderValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
