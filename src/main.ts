import { findCommand } from './cli/words.ts'
import { type ExitName, exits } from './contract/exits.ts'
import type { World } from './world.ts'

/** One command line in, one exit code out. Never exits the process: bin/ does. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const found = findCommand(argv)
  const name = await (found.node?.load
    ? (await import('./cli/run.ts')).runCommand(world, found, found.node)
    : (await import('./cli/guide.ts')).guide(world, found))
  return exits[name satisfies ExitName].code
}
