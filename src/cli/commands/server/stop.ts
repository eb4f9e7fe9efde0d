import { ClientFailure } from '../../../client/failure.ts'
import { command } from '../../command.ts'
import { findRunning, findServer } from '../../connect.ts'
import { confirmDone } from '../../deletion.ts'
import { ownFolder } from '../../own-platform.ts'
import { local } from '../../profiles.ts'
import { usage } from '../../usage.ts'

/** How long a server may take for the requests it has. */
const patienceMs = 15_000

export const stop = command({
  asks: true,
  summary: 'Stop the server of the data folder; it answers what it has first',
  risk: 'write',
  examples: [''],
  async run(context) {
    const { world } = context
    const folder = await ownFolder(context)
    const { baseUrl } = await context.settings()
    if (baseUrl.value !== local.base_url)
      throw usage(
        `The server at ${baseUrl.value} can only be stopped on its own machine.`,
        'Without --base-url and with --profile local, this stops the one of the data folder.',
      )
    const server = await findRunning(world, folder)
    if (!server) return confirmDone(context, 'No server runs for this data folder.', 0)
    world.end(server.pid)
    const end = world.now() + patienceMs
    while (findServer(world, folder)) {
      if (world.now() > end)
        throw new ClientFailure({
          exit: 'internal',
          code: 'still_running',
          message: `Process ${server.pid} was asked to stop and still runs after ${patienceMs / 1000} s.`,
          hint: `End it by hand: kill -9 ${server.pid}. Nothing acknowledged is lost by that.`,
        })
      await world.sleep(50)
    }
    await confirmDone(context, `Stopped ${server.url}.`, server.pid)
  },
})
