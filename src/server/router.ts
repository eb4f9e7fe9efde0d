/** One line of the generated route table: method, path with `{names}`, resource, verb. */
export type Route = readonly [method: string, path: string, resource: string, verb: string]

export interface Match {
  readonly resource: string
  readonly verb: string
  readonly params: Readonly<Record<string, string>>
}

/** Where a segment of a path leads: on by its own word, on by whatever stands there, or to an endpoint. */
interface Step {
  readonly words: Map<string, Step>
  any?: Step
  end?: { readonly resource: string; readonly verb: string; readonly names: readonly string[] }
}

/** Longest path parameter that is looked at. */
const longest = 500

/**
 * Finds the endpoint of a request; a word of a path goes before a parameter, and one slash at the end does not matter.
 * `methods` are those the path exists under, empty when it does not. Our own, since building find-my-way's tables takes longer than a whole command may.
 */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match | { readonly methods: readonly string[] } {
  const trees = new Map<string, Step>()
  for (const [method, path, resource, verb] of routes) {
    let step = getOr(trees, method, newStep)
    const names: string[] = []
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1))
        step.any ??= newStep()
        step = step.any
      } else step = getOr(step.words, segment, newStep)
    }
    step.end = { resource, verb, names }
  }
  return (method, path) => {
    const segments = (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/')
    const tree = trees.get(method)
    const values: string[] = []
    const end = tree && follow(tree, segments, 0, values)
    if (!end) return { methods: [...trees].flatMap(([name, it]) => (name !== method && follow(it, segments, 0, []) !== undefined ? [name] : [])) }
    const params: Record<string, string> = {}
    for (const [n, name] of end.names.entries()) params[name] = values[n] ?? ''
    return { resource: end.resource, verb: end.verb, params }
  }
}

/** Walks on from segment `at`; `values` holds those of the parameters passed. */
function follow(step: Step, segments: readonly string[], at: number, values: string[]): Step['end'] {
  const segment = segments[at]
  if (segment === undefined) return step.end
  const word = step.words.get(segment)
  const found = word && follow(word, segments, at + 1, values)
  if (found || !step.any) return found
  const value = decoded(segment)
  if (value === undefined) return undefined
  values.push(value)
  const end = follow(step.any, segments, at + 1, values)
  if (!end) values.pop()
  return end
}

/** The text of a segment; undefined where none can be one: empty, too long, broken escapes. */
function decoded(segment: string): string | undefined {
  if (segment === '' || segment.length > longest) return undefined
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const newStep = (): Step => ({ words: new Map() })

function getOr<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
