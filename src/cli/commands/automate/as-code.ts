import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ClientFailure } from '../../../client/failure.ts'
import { automate } from '../../../contract/automate.ts'
import type { AutomationNode } from '../../../contract/automation-node.ts'
import { contentOf, flowOf } from '../../as-code/automation-content.ts'
import { compare, type Item, type Remote, type Side, type Standing } from '../../as-code/compare.ts'
import { Lock } from '../../as-code/lock.ts'
import type { Context } from '../../context.ts'
import { readDocument } from '../../options.ts'
import type { View } from '../../output/form.ts'
import { usage } from '../../usage.ts'
import { flowDocument, withFlow } from './flow-document.ts'
import { readFlow } from './read-flow.ts'

/** Files of automations below a folder, what a platform has, and what both were when they were last the same. */
export interface Compared {
  readonly folder: string
  readonly lock: Lock
  readonly items: readonly Item[]
}

/** A file holds what create takes, and whether it is on. */
const fileDocument = flowDocument.extend({ enabled: automate.update.body.shape.enabled })

export const folderFlag = { flags: '--folder <path>', describe: 'Folder of the files; "automations" unless given' } as const
export const checkFlag = { flags: '--check', describe: 'Change nothing; exit 20 when files and platform differ' } as const

type Shown = Pick<Item, 'file' | 'name' | 'standing' | 'id'>

/** Items without their contents. */
export const shown = (items: readonly Item[]): Shown[] => items.map(({ file, name, standing, id }) => ({ file, name, standing, id }))

export const itemView: View<Shown> = {
  id: (it) => it.file,
  columns: [
    { key: 'file', title: 'File', priority: 1 },
    { key: 'name', title: 'Name', priority: 2, flexible: true },
    { key: 'standing', title: 'State', priority: 1 },
    { key: 'id', title: 'ID', priority: 3 },
  ],
  empty: 'Files and platform are the same.',
}

export const folderOf = ({ world }: Context, given: unknown): string => resolve(world.cwd, typeof given === 'string' ? given : 'automations')

export async function compared(context: Context, given: unknown): Promise<Compared> {
  const folder = folderOf(context, given)
  const { baseUrl } = await context.settings()
  const lock = new Lock(folder, baseUrl.value, context.world.pid)
  const files = new Map<string, Side>()
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : [])
    if (/\.ya?ml$/.test(file)) files.set(file, await sideOf(await readFile(context, join(folder, file))))
  const { data: all } = await context.call(automate.list, {})
  const remotes: Remote[] = []
  for (const { id } of all) {
    const content = contentOf((await context.call(automate.get, { id })).data)
    remotes.push({ ...(await sideOf(content)), id, name: String(content.name) })
  }
  return { folder, lock, items: compare(files, remotes, lock, fileFor) }
}

export async function sideOf(content: Readonly<Record<string, unknown>>): Promise<Side> {
  const { contentHash } = await import('../../../automation/definition/publish.ts')
  return { content, hash: contentHash(content as AutomationNode) }
}

/** A file as it would be written after it was pushed. @throws UsageError naming the file */
async function readFile(context: Context, file: string): Promise<Record<string, unknown>> {
  const { name, enabled, assistant_id, bind_webhook, flow } = withFlow((await readDocument(context.world, file, fileDocument, file)) as Record<string, unknown>)
  const definition = await readFlow(flow, file)
  if (typeof name !== 'string') throw usage(`${file}: name is missing.`)
  return {
    name,
    enabled: enabled !== false,
    ...(assistant_id !== undefined && { assistant_id }),
    ...(bind_webhook !== undefined && { bind_webhook }),
    flow: flowOf(definition),
  }
}

function fileFor({ name, id }: Remote, taken: ReadonlySet<string>): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const file = `${slug || 'automation'}.yaml`
  return taken.has(file) ? `${slug || 'automation'}-${id.slice(0, 6)}.yaml` : file
}

/** Nothing is done while anything was changed on both sides. */
export function refuseConflicts(items: readonly Item[]): void {
  const files = items.filter((it) => it.standing === 'conflict').map((it) => it.file)
  if (files.length > 0)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'conflict',
      message: `Changed on both sides since they were last the same: ${files.join(', ')}. Nothing was done.`,
      hint: 'See what differs: parley automate diff <id> --file <file>. Then make one like the other.',
    })
}

export const differs = ({ standing }: { readonly standing: Standing }): boolean => standing !== 'same'
