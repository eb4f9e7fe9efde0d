import { availableParallelism } from 'node:os'
import { realTime } from '../../node/real-time.ts'
import { type SandboxLimits, SandboxThread, type ThreadEvents } from './sandbox-thread.ts'

/** Milliseconds after which an unused thread ends. */
const keepMs = 5000

/**
 * Threads without a job that closed sandboxes left. Starting a thread takes 50 ms of CPU time, and a process may open
 * many platforms, each with its sandbox, as tests do.
 */
const idle = new Map<SandboxThread, NodeJS.Timeout>()

/** Keeps a free thread of a closed sandbox for the next sandbox. Ends the oldest one if there are too many. */
export async function keepThread(thread: SandboxThread): Promise<void> {
  const forget = (): void => {
    realTime.clearTimeout(idle.get(thread))
    idle.delete(thread)
  }
  idle.set(thread, realTime.setTimeout(() => thread.end(undefined), keepMs).unref())
  thread.handOver(thread.limits, { ended() {}, free() {}, gone: forget })
  const [oldest] = idle.keys()
  if (idle.size > availableParallelism()) await oldest?.end(undefined)
}

/** Returns an idle thread that was started with these limits, or undefined. */
export function takeThread(limits: SandboxLimits, on: ThreadEvents): SandboxThread | undefined {
  for (const [thread, timer] of idle) {
    if (thread.startLimits !== SandboxThread.startLimits(limits)) continue
    realTime.clearTimeout(timer)
    idle.delete(thread)
    thread.handOver(limits, on)
    return thread
  }
  return undefined
}
