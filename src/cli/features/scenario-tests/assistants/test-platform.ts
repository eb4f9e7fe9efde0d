import { type Client, createClient } from '../../../../client/create-client.ts'
import { inProcessTransport } from '../../../../client/transport/in-process-transport.ts'
import type { System } from '../../../program/system.ts'

/** Milliseconds that a reply may take; the platform ends it earlier (`replyTimeoutMs` of platform/services/conversations/generate-reply.ts). */
const replyTimeoutMs = 200_000
/** Milliseconds for the jobs after a conversation. */
const jobsTimeoutMs = 30_000

/** A temporary platform and a client with its keys. */
export interface TestPlatform {
  readonly call: Client
  /** Runs the jobs that are due. */
  runJobs(): Promise<void>
  close(): Promise<void>
}

/** Opens a temporary platform for one scenario. */
export async function openTestPlatform(
  system: System,
  options: Parameters<System['openTemporaryPlatform']>[0],
): Promise<TestPlatform> {
  const platform = await system.openTemporaryPlatform(options)
  const { key, control } = platform.credentials()
  const call = createClient({
    transport: inProcessTransport(platform.handle),
    key: async () => key ?? undefined,
    controlToken: control,
    retries: 0,
    timeoutMs: replyTimeoutMs,
    sleep: system.sleep,
    random: system.random,
    now: system.now,
  })
  return { call, runJobs: () => platform.drain(jobsTimeoutMs), close: () => platform.close() }
}
