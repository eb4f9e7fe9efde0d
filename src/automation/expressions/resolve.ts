import { maskText } from '../definition/mask.ts'
import { textsIn } from '../definition/secrets.ts'
import { StepFailure } from '../ports.ts'
import { type RunOptions, type Sandbox, SandboxFailure } from '../sandbox/sandbox.ts'
import { follow, type Path, pathOf } from './path.ts'
import { type Part, partsOf } from './tokens.ts'

export interface Scope {
  /** Output of each step that ran, by its name; the trigger's under `trigger`. A loop's own steps among them while it runs. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** The secret of a connection. @throws StepFailure where it is missing or has expired */
  connection(name: string): Promise<unknown>
}

export interface Resolved {
  readonly value: unknown
  /** The same with secrets of connections hidden: what may be kept and shown. */
  readonly shown: unknown
  /** Insides of tokens that came to nothing, each once. */
  readonly unresolved: readonly string[]
  /** Texts of connections that were filled in. */
  readonly secrets: readonly string[]
}

/** Characters a text may grow to. */
const largest = 16 * 1024 * 1024
const deepest = 200

/** What a token stands for. `secret` is not shown to anybody. */
interface Meaning {
  readonly value: unknown
  readonly secret: boolean
  text?: string
}

/**
 * A value with every `{{ }}` in its texts filled in; keys are left as they are. A text that is one token keeps the kind of what it stands for, in others
 * it is spliced in: texts as they are, all else as JSON. What leads nowhere or fails is the empty text. Nothing that was filled in is looked at again.
 * @throws StepFailure for a connection that is missing, or for more than can be held
 */
export async function resolve(value: unknown, scope: Scope, sandbox: Sandbox, options: RunOptions = {}): Promise<Resolved> {
  const texts = new Map<string, readonly Part[]>()
  collect(value, texts, 0)
  if (texts.size === 0) return { value, shown: value, unresolved: [], secrets: [] }

  const tokens = [...new Set([...texts.values()].flatMap((parts) => parts.flatMap((it) => ('token' in it ? [it.token] : []))))]
  const meanings = await meaningsOf(tokens, scope, sandbox, options)
  const unresolved = tokens.filter((it) => isNothing.has(meanings.get(it) as Meaning))
  const fill = (text: string, hide: boolean): unknown => {
    const parts = texts.get(text)
    return parts === undefined ? text : filled(parts, meanings, hide)
  }
  const resolved = rebuild(value, (text) => fill(text, false))
  const hidden = [...meanings.values()].filter((it) => it.secret)
  const shown = hidden.length > 0 ? rebuild(value, (text) => fill(text, true)) : resolved
  return { value: resolved, shown, unresolved, secrets: hidden.flatMap((it) => textsIn(it.value)) }
}

function collect(value: unknown, texts: Map<string, readonly Part[]>, depth: number): void {
  if (depth > deepest) throw new StepFailure('The input is nested too deeply.')
  if (typeof value === 'string') {
    if (!value.includes('{{') || texts.has(value)) return
    const parts = partsOf(value)
    if (parts.some((it) => 'token' in it)) texts.set(value, parts)
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Array.isArray(value) ? value : Object.values(value)) collect(inner, texts, depth + 1)
  }
}

function rebuild(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => rebuild(it, fill))
  // fromEntries defines keys such as __proto__ and never assigns them.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rebuild(inner, fill)]))
}

const isNothing = new WeakSet<Meaning>()

function meaning(value: unknown, secret = false): Meaning {
  const nothing = value === undefined || value === null
  const it: Meaning = { value: nothing ? '' : value, secret }
  if (nothing) isNothing.add(it)
  return it
}

async function meaningsOf(tokens: readonly string[], scope: Scope, sandbox: Sandbox, options: RunOptions): Promise<Map<string, Meaning>> {
  const meanings = new Map<string, Meaning>()
  const slow: string[] = []
  for (const token of tokens) {
    const path = pathOf(token)
    if (path === null) slow.push(token)
    else if (path.root === 'connections') meanings.set(token, await connected(path, token, scope))
    else meanings.set(token, meaning(follow(scope.outputs, [path.root, ...withoutOutput(path, scope)])))
  }
  if (slow.length > 0) {
    const found = await evaluate(
      slow.map((it) => shortened(it, scope)),
      scope,
      sandbox,
      options,
    )
    for (const [at, token] of slow.entries()) meanings.set(token, meaning(found[at]?.value))
  }
  return meanings
}

/** Newer editors write `step_1.output.x` for `step_1.x`: the word is passed over unless the step really gave a field of that name. */
const isOutputItself = (root: string, { outputs }: Scope): boolean => Object.hasOwn(outputs, root) && !hasOwnOutput(outputs[root])
const hasOwnOutput = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, 'output')

const withoutOutput = ({ root, keys }: Path, scope: Scope): readonly string[] => (keys[0] === 'output' && isOutputItself(root, scope) ? keys.slice(1) : keys)

// Texts in quotes are matched first, so that nothing in them is taken for a step.
const outputAt =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![.\w$])([A-Za-z_$][\w$]*)(?:\s*\??\.\s*output\b|\s*(?:\?\.)?\[\s*(?:'output'|"output")\s*\])(?!\s*\()/g

/** The same in an expression of the language. */
const shortened = (expression: string, scope: Scope): string =>
  expression.includes('output')
    ? expression.replace(outputAt, (whole, root: string | undefined) => (root !== undefined && isOutputItself(root, scope) ? root : whole))
    : expression

async function connected({ keys: [name, ...rest] }: Path, token: string, scope: Scope): Promise<Meaning> {
  if (name === undefined) throw new StepFailure(`{{${token}}} names no connection.`, { classification: 'missing_connection' })
  return meaning(follow(await scope.connection(name), rest), true)
}

/** Only what the expressions name goes along. */
async function evaluate(expressions: readonly string[], scope: Scope, sandbox: Sandbox, options: RunOptions) {
  const named = new Set(expressions.flatMap((it) => it.match(/[A-Za-z_$][\w$]*/g) ?? []))
  const variables = Object.fromEntries(Object.entries(scope.outputs).filter(([name]) => named.has(name)))
  try {
    return await sandbox.evaluate(expressions, variables, options)
  } catch (error) {
    if (!(error instanceof SandboxFailure) || error.reason === 'lost') throw error
    throw new StepFailure(`{{${expressions[0]}}}${expressions.length > 1 ? ' and others' : ''}: ${error.message}`)
  }
}

function filled(parts: readonly Part[], meanings: ReadonlyMap<string, Meaning>, hide: boolean): unknown {
  const [first] = parts
  const shown = (it: Meaning): unknown => (hide && it.secret ? maskText : it.value)
  if (parts.length === 1 && first && 'token' in first) return shown(meanings.get(first.token) as Meaning)
  const found = (token: string): unknown => shown(meanings.get(token) as Meaning)
  const textOf = (token: string): string => (hide && meanings.get(token)?.secret ? maskText : written(meanings.get(token) as Meaning))
  return parts.some((it) => 'token' in it && flattens.test(it.token)) ? zipped(parts, found, textOf) : joined(parts, textOf)
}

/** A token of the function that editors write for the values at a path through lists. */
const flattens = /^flattenNestedKeys\b/

function joined(parts: readonly Part[], textOf: (token: string) => string): string {
  let text = ''
  for (const part of parts) {
    text += 'text' in part ? part.text : textOf(part.token)
    if (text.length > largest) throw new StepFailure(`A text grows to more than ${largest / 1024 / 1024} MB.`)
  }
  return text
}

/**
 * A text around flattened lists is a list of texts, as in the engine whose flows these are: the first has the first item of each list, and so on as
 * far as the longest list goes. Values that are not lists stand in each of them, and where a shorter list has ended there is nothing.
 */
function zipped(parts: readonly Part[], found: (token: string) => unknown, textOf: (token: string) => string): string[] {
  const lists = new Map<string, readonly unknown[]>()
  for (const part of parts) {
    const value = 'token' in part ? found(part.token) : undefined
    if ('token' in part && Array.isArray(value)) lists.set(part.token, value)
  }
  const length = Math.max(0, ...[...lists.values()].map((it) => it.length))
  let size = 0
  return Array.from({ length }, (_, at) => {
    const text = joined(parts, (token) => {
      const list = lists.get(token)
      const item = list?.[at] ?? ''
      return list === undefined ? textOf(token) : typeof item === 'string' ? item : JSON.stringify(item)
    })
    size += text.length
    if (size > largest) throw new StepFailure(`A text grows to more than ${largest / 1024 / 1024} MB.`)
    return text
  })
}

function written(it: Meaning): string {
  if (typeof it.value === 'string') return it.value
  try {
    it.text ??= JSON.stringify(it.value) ?? ''
  } catch {
    throw new StepFailure('A value is nested too deeply to be written into a text.')
  }
  return it.text
}
