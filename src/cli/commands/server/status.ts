import { platform } from '../../../contract/control.ts'
import { command } from '../../command.ts'
import { findRunning } from '../../connect.ts'
import { ownFolder } from '../../own-platform.ts'

export const status = command({
  asks: true,
  summary: 'Show whether a server runs, and what the platform holds',
  examples: ['', '--json'],
  async run(context) {
    const folder = await ownFolder(context)
    const server = await findRunning(context.world, folder)
    const state = await context.call(platform.status, {})
    const shown = {
      running: server !== undefined,
      url: server?.url ?? null,
      pid: server?.pid ?? null,
      started_at: server?.started_at ?? null,
      vocabulary: typeof server?.vocabulary === 'object' ? 'its own' : (server?.vocabulary ?? 'neutral'),
      data_folder: folder,
      ...state,
    }
    await context.out.record(shown, { view: { id: (it) => it.url ?? it.data_folder, columns: [], empty: '' } })
  },
})
