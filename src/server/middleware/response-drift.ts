import { parseJson, stringifyJson } from '../../node/json.ts'

type Json = unknown
type Fields = Record<string, Json>

/** Returns the replacement of a value; undefined removes the field. */
type Change = (value: Json, parent: Fields, key: string) => Json

const isFields = (it: Json): it is Fields => typeof it === 'object' && it !== null

const changes: Readonly<Record<string, (name: string) => Change>> = {
  remove: () => () => undefined,
  rename: (name) => (value, parent) => {
    parent[name] = value
    return undefined
  },
  add: (name) => (value) => (isFields(value) ? { ...value, [name]: 'unexpected' } : value),
  null: () => () => null,
  text: () => (value) => (typeof value === 'string' ? value : isFields(value) ? stringifyJson(value) : String(value)),
  number: () => (value) => (Number.isFinite(Number(value)) ? Number(value) : 0),
  flag: () => (value) => (value ? 1 : 0),
  list: () => (value) => [value],
  wrap: (name) => (value) => ({ [name]: value }),
  unwrap: () => (value) => (isFields(value) ? (Object.values(value)[0] ?? null) : value),
}

/**
 * Returns a response with changes applied, each a line such as `remove data.*.price`. A path that does not exist
 * changes nothing.
 */
export function applyDrift(
  answer: { readonly status: number; readonly body: string },
  lines: readonly string[],
): { status: number; body: string } {
  let { status } = answer
  const root: Fields = { whole: parseJson(answer.body) as Json }
  for (const line of lines) {
    const [operation = '', path = '', name = ''] = line.split(' ')
    if (operation === 'status') status = Number(path)
    else
      visit(
        root,
        ['whole', ...(path === '.' ? [] : path.split('.'))],
        (changes[operation] as (name: string) => Change)(name),
      )
  }
  return { status, body: stringifyJson(root.whole ?? null) }
}

function visit(parent: Fields, [key = '', ...rest]: readonly string[], change: Change): void {
  if (key === '*') {
    for (const each of Object.keys(parent)) visit(parent, [each, ...rest], change)
    return
  }
  if (!Object.hasOwn(parent, key)) return
  const value = parent[key]
  if (rest.length > 0) {
    if (isFields(value)) visit(value, rest, change)
    return
  }
  const changed = change(value, parent, key)
  if (changed === undefined) delete parent[key]
  else parent[key] = changed
}
