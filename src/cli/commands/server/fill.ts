import type { platform } from '../../../contract/control.ts'
import type { Context } from '../../context.ts'
import type { View } from '../../output/form.ts'
import { ownFolder } from '../../own-platform.ts'
import { send } from '../../requests.ts'
import { seedOf } from './start.ts'

interface Filled {
  readonly message: string
  readonly key: string
}

export const view: View<Filled> = {
  id: (it) => it.key,
  columns: [
    { key: 'message', title: 'Result', priority: 1 },
    { key: 'key', title: 'Key', priority: 1 },
  ],
  empty: '',
}

/** Seeds or resets, and shows the key of the new world. A platform that is made for this begins empty, so that `--seed` decides. */
export async function fill(context: Context, endpoint: typeof platform.seed | typeof platform.reset, seed: unknown): Promise<void> {
  await ownFolder(context)
  const answer = await send(context, endpoint, seed === undefined ? {} : { seed: seedOf(seed) })
  if (answer) await context.out.record<Filled>({ message: answer.message, key: answer.token }, { view })
}
