import { realTime, sleep } from '../node/real-time.ts'
import type { Platform } from './platform-settings.ts'
import type { ListeningServer } from './server/http/listen.ts'
import type { LogWriter } from './server/monitoring/log-writer.ts'

/** How long a server takes to stop, in milliseconds. */
export interface DrainLimits {
  /** Time in which requests are still accepted, so that load balancers notice that it is not ready (default: 0). */
  readonly delayMs?: number
  /** Time after which unfinished work is aborted (default: 30 000). */
  readonly limitMs?: number
}

/** The parts of a server that end one after the other. */
export interface DrainedServer {
  readonly server: ListeningServer
  readonly loop: { stop(): Promise<void> }
  readonly platform: Platform
  /** Removes the lock file. */
  readonly release: () => void
  readonly log: LogWriter | undefined
}

const defaultLimitMs = 30_000
/** Milliseconds at the end of the limit that are left for automation steps to end and for the data to be closed. */
const closingMs = 6000

/**
 * Stops a server. It reports that it is not ready, takes no more jobs, finishes requests and jobs in progress, hands its
 * leases back and closes the data. Never takes longer than the limit.
 */
export async function drainServer(
  { server, loop, platform, release, log }: DrainedServer,
  { delayMs = 0, limitMs = defaultLimitMs }: DrainLimits = {},
): Promise<void> {
  const end = realTime.monotonicMs() + limitMs
  const left = (): number => Math.max(0, end - realTime.monotonicMs())
  log?.event('Draining. No new jobs are started, and requests in progress are finished.')
  server.drain()
  const announced = platform.startDraining().catch((error: Error) => log?.problem(error.message))
  const jobs = loop.stop()
  if (delayMs > 0) await sleep(Math.min(delayMs, left()))
  const workMs = Math.max(left() - closingMs, left() / 2)
  const [, , areJobsDone] = await Promise.all([within(announced, workMs), server.close(workMs), within(jobs, workMs)])
  if (!areJobsDone) log?.problem('Jobs in progress did not end in time. Other servers repeat them.')
  release()
  const isClosed = await within(platform.close(), left())
  // Other servers need not wait until the leases expire.
  if (!isClosed) await within(platform.leaveServers(), 1000)
  log?.event('Stopped.')
  await log?.flush()
}

/** Waits for work, at most `ms` milliseconds. Returns whether it has ended. */
async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(ms, timer.signal).then(
        () => false,
        () => false,
      ),
    ])
  } finally {
    timer.abort()
  }
}
