import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { command } from '../../commandline/command.ts'
import { localProfile } from '../../configuration/profiles.ts'
import { findReachableServer, findServer } from '../../connection/connect.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { usageError } from '../../errors/usage-error.ts'

/** Milliseconds that a server may take to finish requests in flight, and that one may take beyond its own limit. */
const minTimeoutMs = 15_000
const graceMs = 2000

export const stop = command({
  callsPlatform: true,
  summary: 'Stop the server of the data folder gracefully',
  risk: 'write',
  examples: [''],
  async run(context) {
    const { system } = context
    const folder = await requireControlAccess(context)
    const { baseUrl } = await context.settings()
    if (baseUrl.value !== localProfile.base_url)
      throw usageError(
        `The server at ${baseUrl.value} can only be stopped on the machine where it runs.`,
        'To stop the server of the data folder, pass --profile local without --base-url.',
      )
    const server = await findReachableServer(system, folder)
    if (!server) return printMessage(context, 'No server is running for this data folder.', 0)
    system.terminate(server.pid)
    const timeoutMs = Math.max(minTimeoutMs, (server.stop_limit_ms ?? 0) + graceMs)
    const end = system.now() + timeoutMs
    while (findServer(system, folder)) {
      if (system.now() > end)
        throw new ClientFailure({
          exit: 'internal',
          code: 'still_running',
          message: `Process ${server.pid} is still running ${timeoutMs / 1000} s after the stop request.`,
          hint: `Kill it: kill -9 ${server.pid}. Acknowledged writes are not lost.`,
        })
      await system.sleep(50)
    }
    await printMessage(context, `Stopped ${server.url}.`, server.pid)
  },
})
