import type { RecordedResource } from '../resources/registry.ts'

/** Returns the path parameters of a resource from the input of a write. */
export function idsOf(
  { pathParameters = ['id'] }: Pick<RecordedResource, 'pathParameters'>,
  input: Readonly<Record<string, unknown>>,
): Record<string, number | string> {
  const own = (name: string): unknown => input[name] ?? (name === 'id' ? input.assistant_id : undefined)
  return Object.fromEntries(pathParameters.map((name) => [name, own(name) as number | string]))
}
