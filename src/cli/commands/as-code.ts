import { resolve } from 'node:path'
import type { Layout } from '../as-code/folder.ts'
import type { AsCode } from '../as-code/kind.ts'
import type { Context } from '../context.ts'
import { usage } from '../usage.ts'

export const argument = { name: 'folder', describe: 'Folder of the files; "parley" unless given', optional: true } as const

/** What is pointed to comes before what points to it. */
const kinds: Readonly<Record<string, () => Promise<AsCode>>> = {
  tools: async () => (await import('../as-code/kinds/tools.ts')).tools,
  assistants: async () => (await import('../as-code/kinds/assistants.ts')).assistants,
  automations: async () => (await import('../as-code/kinds/automations.ts')).automations,
}

export const only = { flags: '--only <kinds>', describe: 'Only these of assistants, tools and automations, separated by commas' } as const

export const folderOf = ({ world }: Context, given: string | undefined): string => resolve(world.cwd, given ?? 'parley')

/** @throws ClientFailure `usage` for a kind there is not */
export async function layoutOf(chosen: unknown): Promise<Layout> {
  const names =
    chosen === undefined
      ? Object.keys(kinds)
      : String(chosen)
          .split(',')
          .map((it) => it.trim())
  const wrong = names.find((it) => !Object.hasOwn(kinds, it))
  if (wrong !== undefined) throw usage(`--only takes ${Object.keys(kinds).join(', ')}, not "${wrong}".`)
  return Promise.all(Object.entries(kinds).flatMap(([name, load]) => (names.includes(name) ? [load().then((kind) => [name, kind] as const)] : [])))
}
