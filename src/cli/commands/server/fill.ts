import type { platform } from '../../../contract/control.ts'
import type { Context } from '../../context.ts'
import { ownFolder } from './folder.ts'
import { seedOf } from './start.ts'

/** Seeds or resets, and shows the key of the new world. A platform that is opened for this begins empty, so that `--seed` decides. */
export async function fill(context: Context, endpoint: typeof platform.seed | typeof platform.reset, seed: unknown): Promise<void> {
  await ownFolder(context)
  const answer = await context.call(endpoint, seed === undefined ? {} : { seed: seedOf(seed) })
  await context.out.record(
    { message: answer.message, key: answer.token },
    {
      view: {
        id: (it) => it.key,
        columns: [
          { key: 'message', title: 'Result', priority: 1 },
          { key: 'key', title: 'Key', priority: 1 },
        ],
        empty: '',
      },
    },
  )
}
