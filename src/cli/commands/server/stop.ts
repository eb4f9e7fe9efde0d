import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { command } from '../../commandline/command.ts'
import { localProfile } from '../../configuration/profiles.ts'
import { findReachableServer, findServer } from '../../connection/connect.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { usageError } from '../../errors/usage-error.ts'

/** How long a server may take for the requests it has. */
const stopTimeoutMs = 15_000

export const stop = command({
  callsPlatform: true,
  summary: 'Stop the server of the data folder; it answers what it has first',
  risk: 'write',
  examples: [''],
  async run(context) {
    const { world } = context
    const folder = await requireControlAccess(context)
    const { baseUrl } = await context.settings()
    if (baseUrl.value !== localProfile.base_url)
      throw usageError(
        `The server at ${baseUrl.value} can only be stopped on its own machine.`,
        'Without --base-url and with --profile local, this stops the one of the data folder.',
      )
    const server = await findReachableServer(world, folder)
    if (!server) return printMessage(context, 'No server runs for this data folder.', 0)
    world.terminate(server.pid)
    const end = world.now() + stopTimeoutMs
    while (findServer(world, folder)) {
      if (world.now() > end)
        throw new ClientFailure({
          exit: 'internal',
          code: 'still_running',
          message: `Process ${server.pid} was asked to stop and still runs after ${stopTimeoutMs / 1000} s.`,
          hint: `End it by hand: kill -9 ${server.pid}. Nothing acknowledged is lost by that.`,
        })
      await world.sleep(50)
    }
    await printMessage(context, `Stopped ${server.url}.`, server.pid)
  },
})
