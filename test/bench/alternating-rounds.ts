import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Load, Loaded } from './load.ts'
import { type Figure, median, quantile, ratio } from './measurements.ts'
import type { Running } from './processes.ts'

/** Request that is sent repeatedly. */
export interface Sent {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Request and the server that receives it. Of several requests, each connection sends one. */
export interface Subject {
  readonly server: Running
  readonly sent: Sent | readonly Sent[]
}

export interface Rounds {
  readonly perSecond: readonly number[]
  /** CPU time per request in microseconds. */
  readonly cpuUs: readonly number[]
}

/** What a server has done and used for requests. */
export interface Measurement {
  readonly requests: number
  readonly perSecond: number
  /** Of a request: CPU time in microseconds, and `writes` and `pauses` of `Usage`. */
  readonly cpuUs: number
  readonly writes: number
  readonly pauses: number
}

/** Number of concurrent connections. */
export const connections = 16

/** Requests that a server answers before it is measured, because V8 compiles its code in steps, and the time this may take. */
const warmUp = { requests: 10_000, ms: 30_000 }

/** Lets a server answer requests until its code is compiled. */
export const warm = (subject: Subject): Promise<unknown> => measure(subject, warmUp.ms, connections, warmUp.requests)

/**
 * Runs rounds of each subject in turns, so that other load on the machine affects all of them. Before, each answers
 * requests as a warm-up.
 */
export async function inTurns(
  subjects: readonly Subject[],
  rounds: number,
  roundMs: number,
): Promise<readonly Rounds[]> {
  const all = subjects.map(() => ({ perSecond: [] as number[], cpuUs: [] as number[] }))
  for (const subject of subjects) await warm(subject)
  for (let round = 0; round < rounds; round++)
    for (const [n, subject] of subjects.entries()) {
      const { perSecond, cpuUs } = await measure(subject, roundMs)
      all[n]?.perSecond.push(perSecond)
      all[n]?.cpuUs.push(cpuUs)
    }
  return all
}

/** Sends the request of a subject for some time, at most `limit` times. */
export async function measure(
  { server, sent }: Subject,
  ms: number,
  concurrency = connections,
  limit?: number,
): Promise<Measurement> {
  const before = await server.usage()
  const request = Array.isArray(sent) ? sent.map(onTheWire) : onTheWire(sent as Sent)
  const done = await inOwnProcess({
    port: server.port,
    connections: concurrency,
    ms,
    request,
    ...(limit !== undefined && { limit }),
  })
  const after = await server.usage()
  if (done.bad > 0 || done.requests === 0)
    throw new Error(`${[sent].flat()[0]?.what}: ${done.bad} of ${done.requests} answers were not 200`)
  return {
    perSecond: (done.requests / done.ms) * 1000,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / done.requests,
    writes: (after.writes - before.writes) / done.requests,
    pauses: (after.pauses - before.pauses) / done.requests,
    requests: done.requests,
  }
}

export function onTheWire({ method, path, headers, body = '' }: Sent): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/**
 * Returns the requests per second relative to a floor, and the CPU time per request of each. On a busy machine only the
 * ratio of the CPU times is meaningful.
 */
export function figuresOf(
  section: string,
  what: string,
  floorName: string,
  [ours, floor]: readonly [Rounds, Rounds],
  budget?: Figure['budget'],
): Figure[] {
  const { perSecond, cpuUs } = ours
  return [
    { section, what: `${what} / ${floorName}`, ...ratio(perSecond, floor.perSecond), ...(budget && { budget }) },
    { section, what: '  CPU time, floor / ours', ...ratio(floor.cpuUs, cpuUs) },
    {
      section,
      what: '  requests a second',
      value: median(perSecond),
      unit: '/s',
      spread: [quantile(perSecond, 0.25), quantile(perSecond, 0.75)],
    },
    {
      section,
      what: '  CPU time of a request',
      value: median(cpuUs),
      unit: 'us',
      spread: [quantile(cpuUs, 0.25), quantile(cpuUs, 0.75)],
    },
    { section, what: `  requests a second, ${floorName}`, value: median(floor.perSecond), unit: '/s' },
    { section, what: `  CPU time of a request, ${floorName}`, value: median(floor.cpuUs), unit: 'us' },
  ]
}

/** Sends one request `count` times, at most `perSecond` of them in a second. */
export async function burst(server: Running, sent: Sent, count: number, perSecond?: number): Promise<void> {
  const done = await inOwnProcess({
    port: server.port,
    connections,
    ms: 60_000,
    limit: count,
    ...(perSecond !== undefined && { perSecond }),
    request: onTheWire(sent),
  })
  if (done.bad > 0 || done.requests < count)
    throw new Error(`${[sent].flat()[0]?.what}: ${done.bad} of ${done.requests} answers were not 200`)
}

/** Runs a load in a separate process: this file, started as the load. */
export async function inOwnProcess(load: Load): Promise<Loaded> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', '--load', JSON.stringify(load)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk)
  })
  await once(child, 'close')
  return JSON.parse(text) as Loaded
}
