import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findReachableServer } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'

/** Throws ClientFailure `conflict` while a server of a data folder runs. */
export async function requireStoppedServer({ system }: Context, folder: string): Promise<void> {
  const running = await findReachableServer(system, folder)
  if (!running) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'running',
    message: `A server is running for this data folder: ${running.url} (process ${running.pid}).`,
    hint: 'Stop it first: parley server stop.',
  })
}
