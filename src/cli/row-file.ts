import type { World } from '../world.ts'
import type { Invocation } from './command.ts'

/** The flags a body is read from, without `--file` where that holds rows. Where one may hold either, what is in it tells. */
export async function withoutRows(_world: World, _rows: 'always' | 'maybe', { flags }: Invocation): Promise<Invocation['flags']> {
  const { file: _file, ...rest } = flags
  return rest
}
