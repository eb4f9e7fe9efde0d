import type { Tool } from '../../../contract/resources/tools.ts'
import { parameterPattern } from '../../../engine/tools/tool-request.ts'
import type { Context } from '../../program/context.ts'

type Given = Partial<Pick<Tool, 'type' | 'endpoint' | 'schema' | 'headers' | 'static_fields'>>

/**
 * Warns about `{name}` in a tool that nothing fills in: in the URL without a parameter of that name, and in fixed fields
 * and headers, where only `{{variable}}` is filled in. The specification does not say that a platform refuses it.
 */
export async function warnAboutPlaceholders(context: Context, id: number | string, tool: Given): Promise<void> {
  const { type, endpoint, schema, headers, static_fields: fields } = tool
  if (type === 'automation') return
  const namesIn = (text: unknown): string[] =>
    typeof text === 'string' ? [...new Set([...text.matchAll(parameterPattern)].map(([, name]) => name as string))] : []
  const listed = <T>(it: readonly T[] | undefined): readonly T[] => (Array.isArray(it) ? it : [])
  const known = new Set(listed(schema).map((it) => it.name))
  const missing = namesIn(endpoint).filter((it) => !known.has(it))
  if (missing.length > 0)
    await context.notes.warn(
      `The URL has ${missing.map((it) => `{${it}}`).join(', ')}, and the tool has no parameter of that name, so its calls fail. To add it: parley tools update ${id} ${missing.map((it) => `--param ${it}:string:required`).join(' ')}`,
    )
  const literal = [
    ...listed(fields).map((it) => [`static field "${it.key}"`, it.value] as const),
    ...listed(headers).map((it) => [`header "${it.name}"`, it.value] as const),
  ].flatMap(([where, value]) => namesIn(value).map((name) => `{${name}} in the ${where}`))
  if (literal.length > 0)
    await context.notes.warn(
      `Sent unchanged: ${literal.join(', ')}. Parameters replace {name} in the URL only; other parameters are sent as fields. Variables are written {{name}}.`,
    )
}
