import type { Endpoint } from '../../contract/endpoint.ts'
import { readOnlyFields } from '../../contract/read-only.ts'
import type { Input, Reads } from '../command.ts'
import type { Context } from '../context.ts'
import { isObject } from '../hidden.ts'
import { usage } from '../usage.ts'
import type { AsCode } from './kind.ts'

interface Pulled {
  readonly kind: () => Promise<AsCode>
  readonly update: Endpoint
  /** Fields that only the platform sets, beside those that the contract's update shows. */
  readonly readOnly?: readonly string[]
  /** Leaves fields that only the platform sets to the update, which tells when somebody edited one. */
  readonly keepsReadOnly?: boolean
}

/**
 * Reads a document that `pull` wrote or `get` printed: names become ids, references such as `${CRM_KEY}` what the environment has, and what only the
 * platform sets is left out, which --verbose tells.
 */
export const readsPulled =
  ({ kind, update, readOnly = [], keepsReadOnly = false }: Pulled): Reads =>
  async (context, document, where) => {
    if (!isObject(document)) throw usage(`${where} must hold an object with fields.`, "Pass JSON or YAML: '{name: value}'.")
    const own = new Set(['id', ...readOnly, ...readOnlyFields(update)])
    const dropped = Object.keys(document).filter((name) => own.has(name))
    const isRecord = dropped.length > 0
    if (isRecord && !keepsReadOnly && context.globals.verbose) await context.notes.note(`Not sent, read-only: ${dropped.join(', ')}.`)
    const left = keepsReadOnly ? { ...document } : Object.fromEntries(Object.entries(document).filter(([name]) => !own.has(name)))
    const named = await withIds(context, await kind(), left, where)
    if (isRecord) return named
    const { withEnvironment } = await import('./secrets.ts')
    return withEnvironment(named, '', { env: context.world.env, file: where }) as Input
  }

async function withIds(context: Context, kind: AsCode, fields: Input, where: string): Promise<Input> {
  const [{ idsIn }, { Names }] = await Promise.all([import('./named-content.ts'), import('./names.ts')])
  return (await idsIn(new Names(context), kind, fields, where, ({ to, name, path }) => {
    throw usage(`${where}: ${path}: there is no "${name}" in ${to}.`, 'Write the name of one that exists, or its id.')
  })) as Input
}
