import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { automate } from '../../../contract/resources/automate.ts'
import type { Context } from '../../program/context.ts'
import { automationId } from '../automations/commands/view.ts'
import { readFlowFile } from '../flow-files/flow-document.ts'
import type { FiledTest } from './automation-test-schema.ts'

/** A definition for a test, and its file if it has one. */
export interface FoundDefinition {
  readonly flow: unknown
  readonly file: string | undefined
}

/**
 * Finds the definition of a test: in the file that it names, in the automations of its project, or on the platform.
 * @throws ClientFailure if there is none
 */
export async function findDefinition(
  context: Context,
  { automation, definition, path }: Pick<FiledTest, 'automation' | 'definition' | 'path'>,
): Promise<FoundDefinition> {
  if (definition !== undefined) {
    const file = resolve(dirname(path), definition)
    return { flow: (await readFlowFile(context, file, undefined)).flow, file }
  }
  const folder = dirname(path)
  for (const place of [join(folder, 'automations'), join(folder, '..', 'automations')])
    for (const name of existsSync(place) ? readdirSync(place).sort() : []) {
      if (!/\.ya?ml$/.test(name)) continue
      const found = await readFlowFile(context, join(place, name), undefined)
      if (found.name === automation) return { flow: found.flow, file: join(place, name) }
    }
  const { data } = await context.call(automate.get, { id: await automationId(context, automation) })
  return { flow: data.definition, file: undefined }
}
