import { maskText } from '../definition/mask.ts'
import { listTexts } from '../definition/secrets.ts'
import { StepFailure } from '../pieces/ports.ts'
import { type ExpressionPath, parsePath, resolvePath } from './expression-path.ts'
import { type RunOptions, type Sandbox, SandboxFailure } from './sandbox.ts'
import { splitTokens, type TemplatePart } from './tokens.ts'

export interface ExpressionScope {
  /** Output of each step that ran, by its name; the trigger's under `trigger`. A loop's own steps among them while it runs. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** The secret of a connection. @throws StepFailure where it is missing or has expired */
  connection(name: string): Promise<unknown>
}

export interface ResolvedValue {
  readonly value: unknown
  /** The same with secrets of connections hidden: what may be kept and shown. */
  readonly shown: unknown
  /** Insides of tokens that came to nothing, each once. */
  readonly unresolved: readonly string[]
  /** Texts of connections that were filled in. */
  readonly secrets: readonly string[]
}

/** Characters a text may grow to. */
const maxTextLength = 16 * 1024 * 1024
const maxDepth = 200

/** What a token stands for. `secret` is not shown to anybody. */
interface TokenValue {
  readonly value: unknown
  readonly secret: boolean
  text?: string
}

/**
 * A value with every `{{ }}` in its texts filled in; keys are left as they are. A text that is one token keeps the kind of what it stands for, in others
 * it is spliced in: texts as they are, all else as JSON. What leads nowhere or fails is the empty text. Nothing that was filled in is looked at again.
 * @throws StepFailure for a connection that is missing, or for more than can be held
 */
export async function resolveExpressions(
  value: unknown,
  scope: ExpressionScope,
  sandbox: Sandbox,
  options: RunOptions = {},
): Promise<ResolvedValue> {
  const texts = new Map<string, readonly TemplatePart[]>()
  collectTexts(value, texts, 0)
  if (texts.size === 0) return { value, shown: value, unresolved: [], secrets: [] }

  const tokens = [
    ...new Set([...texts.values()].flatMap((parts) => parts.flatMap((it) => ('token' in it ? [it.token] : [])))),
  ]
  const values = await resolveTokens(tokens, scope, sandbox, options)
  const unresolved = tokens.filter((it) => emptyValues.has(values.get(it) as TokenValue))
  const fill = (text: string, hide: boolean): unknown => {
    const parts = texts.get(text)
    return parts === undefined ? text : fillParts(parts, values, hide)
  }
  const resolved = rebuild(value, (text) => fill(text, false))
  const hidden = [...values.values()].filter((it) => it.secret)
  const shown = hidden.length > 0 ? rebuild(value, (text) => fill(text, true)) : resolved
  return { value: resolved, shown, unresolved, secrets: hidden.flatMap((it) => listTexts(it.value)) }
}

function collectTexts(value: unknown, texts: Map<string, readonly TemplatePart[]>, depth: number): void {
  if (depth > maxDepth) throw new StepFailure('The input is nested too deeply.')
  if (typeof value === 'string') {
    if (!value.includes('{{') || texts.has(value)) return
    const parts = splitTokens(value)
    if (parts.some((it) => 'token' in it)) texts.set(value, parts)
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Array.isArray(value) ? value : Object.values(value)) collectTexts(inner, texts, depth + 1)
  }
}

function rebuild(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => rebuild(it, fill))
  // fromEntries defines keys such as __proto__ and never assigns them.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rebuild(inner, fill)]))
}

const emptyValues = new WeakSet<TokenValue>()

function tokenValue(value: unknown, secret = false): TokenValue {
  const nothing = value === undefined || value === null
  const it: TokenValue = { value: nothing ? '' : value, secret }
  if (nothing) emptyValues.add(it)
  return it
}

async function resolveTokens(
  tokens: readonly string[],
  scope: ExpressionScope,
  sandbox: Sandbox,
  options: RunOptions,
): Promise<Map<string, TokenValue>> {
  const values = new Map<string, TokenValue>()
  const complexTokens: string[] = []
  for (const token of tokens) {
    const path = parsePath(token)
    if (path === null) complexTokens.push(token)
    else if (path.root === 'connections') values.set(token, await resolveConnection(path, token, scope))
    else values.set(token, tokenValue(resolvePath(scope.outputs, [path.root, ...skipOutputKey(path, scope)])))
  }
  if (complexTokens.length > 0) {
    const found = await evaluate(
      complexTokens.map((it) => stripOutputAccess(it, scope)),
      scope,
      sandbox,
      options,
    )
    for (const [at, token] of complexTokens.entries()) values.set(token, tokenValue(found[at]?.value))
  }
  return values
}

/** Newer editors write `step_1.output.x` for `step_1.x`: the word is passed over unless the step really gave a field of that name. */
const isOutputItself = (root: string, { outputs }: ExpressionScope): boolean =>
  Object.hasOwn(outputs, root) && !hasOwnOutput(outputs[root])
const hasOwnOutput = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'output')

const skipOutputKey = ({ root, keys }: ExpressionPath, scope: ExpressionScope): readonly string[] =>
  keys[0] === 'output' && isOutputItself(root, scope) ? keys.slice(1) : keys

// Texts in quotes are matched first, so that nothing in them is taken for a step.
const outputPattern =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![.\w$])([A-Za-z_$][\w$]*)(?:\s*\??\.\s*output\b|\s*(?:\?\.)?\[\s*(?:'output'|"output")\s*\])(?!\s*\()/g

/** The same in an expression of the language. */
const stripOutputAccess = (expression: string, scope: ExpressionScope): string =>
  expression.includes('output')
    ? expression.replace(outputPattern, (whole, root: string | undefined) =>
        root !== undefined && isOutputItself(root, scope) ? root : whole,
      )
    : expression

async function resolveConnection(
  { keys: [name, ...rest] }: ExpressionPath,
  token: string,
  scope: ExpressionScope,
): Promise<TokenValue> {
  if (name === undefined)
    throw new StepFailure(`{{${token}}} is not a valid connection reference.`, { classification: 'missing_connection' })
  return tokenValue(resolvePath(await scope.connection(name), rest), true)
}

/** Only what the expressions name goes along. */
async function evaluate(expressions: readonly string[], scope: ExpressionScope, sandbox: Sandbox, options: RunOptions) {
  const named = new Set(expressions.flatMap((it) => it.match(/[A-Za-z_$][\w$]*/g) ?? []))
  const variables = Object.fromEntries(Object.entries(scope.outputs).filter(([name]) => named.has(name)))
  try {
    return await sandbox.evaluate(expressions, variables, options)
  } catch (error) {
    if (!(error instanceof SandboxFailure) || error.reason === 'lost') throw error
    throw new StepFailure(`{{${expressions[0]}}}${expressions.length > 1 ? ' and others' : ''}: ${error.message}`)
  }
}

function fillParts(parts: readonly TemplatePart[], values: ReadonlyMap<string, TokenValue>, hide: boolean): unknown {
  const [first] = parts
  const shown = (it: TokenValue): unknown => (hide && it.secret ? maskText : it.value)
  if (parts.length === 1 && first && 'token' in first) return shown(values.get(first.token) as TokenValue)
  const found = (token: string): unknown => shown(values.get(token) as TokenValue)
  const textOf = (token: string): string =>
    hide && values.get(token)?.secret ? maskText : toText(values.get(token) as TokenValue)
  return parts.some((it) => 'token' in it && flattenPattern.test(it.token))
    ? zipLists(parts, found, textOf)
    : joinParts(parts, textOf)
}

/** A token of the function that editors write for the values at a path through lists. */
const flattenPattern = /^flattenNestedKeys\b/

function joinParts(parts: readonly TemplatePart[], textOf: (token: string) => string): string {
  let text = ''
  for (const part of parts) {
    text += 'text' in part ? part.text : textOf(part.token)
    if (text.length > maxTextLength)
      throw new StepFailure(
        `A text value is larger than ${maxTextLength / 1024 / 1024} MB after its expressions are resolved.`,
      )
  }
  return text
}

/**
 * A text around flattened lists is a list of texts, as in the engine whose flows these are: the first has the first item of each list, and so on as
 * far as the longest list goes. Values that are not lists stand in each of them, and where a shorter list has ended there is nothing.
 */
function zipLists(
  parts: readonly TemplatePart[],
  found: (token: string) => unknown,
  textOf: (token: string) => string,
): string[] {
  const lists = new Map<string, readonly unknown[]>()
  for (const part of parts) {
    const value = 'token' in part ? found(part.token) : undefined
    if ('token' in part && Array.isArray(value)) lists.set(part.token, value)
  }
  const length = Math.max(0, ...[...lists.values()].map((it) => it.length))
  let size = 0
  return Array.from({ length }, (_, at) => {
    const text = joinParts(parts, (token) => {
      const list = lists.get(token)
      const item = list?.[at] ?? ''
      return list === undefined ? textOf(token) : typeof item === 'string' ? item : JSON.stringify(item)
    })
    size += text.length
    if (size > maxTextLength)
      throw new StepFailure(
        `A text value is larger than ${maxTextLength / 1024 / 1024} MB after its expressions are resolved.`,
      )
    return text
  })
}

function toText(it: TokenValue): string {
  if (typeof it.value === 'string') return it.value
  try {
    it.text ??= JSON.stringify(it.value) ?? ''
  } catch {
    throw new StepFailure('A value is nested too deeply to be inserted into text.')
  }
  return it.text
}
