import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { readLocalCredentials } from '../../program/connection/account-cache.ts'
import { findReachableServer, type ServerLock } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/** Default of `--wait` in seconds. */
const defaultWaitSeconds = 60
/** Characters of the log that an error shows. */
const shownLogLength = 2000

/**
 * A server in the background that answers requests. `server start --detach` prints it as JSON: fields are added, not
 * renamed.
 */
export interface DetachedServer {
  readonly url: string
  readonly key: string | null
  /** Token of the control API. */
  readonly control_token: string | null
  readonly pid: number
  /** File with the output of the server. */
  readonly log: string
}

/** Returns the milliseconds of `--wait`. @throws ClientFailure `usage` */
export function parseWait(given: unknown): number {
  if (given === undefined) return defaultWaitSeconds * 1000
  if (!/^\d{1,5}$/.test(String(given)) || Number(given) < 1)
    throw usageError(`Invalid --wait "${given}". Use seconds, such as 60.`)
  return Number(given) * 1000
}

/**
 * Starts this command again as a process of its own, and waits until it answers requests. Its output goes to
 * `server.log` in the data folder. @throws ClientFailure if it ends, or does not answer in time; it is stopped then
 */
export async function startDetached(
  { system }: Context,
  dir: string,
  waitMs = defaultWaitSeconds * 1000,
): Promise<DetachedServer> {
  makeFolder(dir)
  const log = join(dir, 'server.log')
  const descriptor = openSync(log, 'a', 0o600)
  const start = statSync(log).size
  const child = await system.startAgain({
    // The output of the command is not the one of the server, whose log must not have the key.
    without: {
      '--detach': 'alone',
      '--wait': 'with_value',
      '--json': 'alone',
      '-o': 'with_value',
      '--output': 'with_value',
    },
    // Also where the environment or the profile has another format.
    more: ['--output', 'table'],
    output: descriptor,
  })
  closeSync(descriptor)
  const end = system.now() + waitMs
  for (;;) {
    const server = await findReachableServer(system, dir)
    if (server?.pid === child.pid) return { ...reachable(server, dir), log }
    const ended = child.ended()
    if (ended !== undefined) throw failure('ended', `The server ended with ${ended} before it was ready.`, log, start)
    if (system.now() > end) {
      system.terminate(child.pid)
      throw failure('not_ready', `The server was not ready after ${waitMs / 1000} s, so it was stopped.`, log, start)
    }
    await system.sleep(50, system.signal).catch((reason) => {
      system.terminate(child.pid)
      throw reason
    })
  }
}

function reachable({ url, pid }: ServerLock, dir: string): Omit<DetachedServer, 'log'> {
  const credentials = readLocalCredentials(dir)
  return { url, key: credentials?.key ?? null, control_token: credentials?.control ?? null, pid }
}

function failure(code: string, message: string, log: string, start: number): ClientFailure {
  const text = readFileSync(log).subarray(start).toString('utf8').trim().slice(-shownLogLength)
  return new ClientFailure({
    exit: 'internal',
    code,
    message: text ? `${message}\n${text}` : message,
    hint: `Its output is in ${log}.`,
  })
}
