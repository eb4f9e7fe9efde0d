// Published definitions depend on how expressions are resolved: another result changes what they do.

import { isObject } from '../../contract/values/json-object.ts'
import { maskText } from '../../contract/values/mask-text.ts'
import { stringifyJson } from '../../node/json.ts'
import { listTexts } from '../definition/secrets.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import { type ExpressionPath, parsePath, resolvePath } from './expression-path.ts'
import { findQuotedRanges, type QuotedRange } from './quoted-text.ts'
import { type RunOptions, type Sandbox, SandboxFailure } from './sandbox.ts'
import { splitTokens, type TemplatePart } from './tokens.ts'

/** What the expressions of a step can refer to. */
export interface ExpressionScope {
  /** Output of each completed step by name, including steps of a loop while it runs; of the trigger under `trigger`. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** Messages of failed steps after which the run continued, by name: `{{step_1.error.message}}`. */
  readonly errors?: Readonly<Record<string, string>> | undefined
  /** Returns the secret of a connection. @throws StepFailure if it is missing or expired */
  connection(name: string): Promise<unknown>
}

/** A value whose expressions were replaced. Only `shown` may leave the run; `value` contains secrets. */
export interface ResolvedValue {
  readonly value: unknown
  /** The value with the secrets of connections hidden, which may be stored and displayed. */
  readonly shown: unknown
  /** Contents of tokens without a value, without duplicates. */
  readonly unresolved: readonly string[]
  /** Secret texts of connections that were inserted. */
  readonly secrets: readonly string[]
}

/** Maximum length of a resolved text in characters. */
const maxTextLength = 16 * 1024 * 1024
const maxDepth = 200

/** Value of a token. If `secret` is set, it is never displayed. */
interface TokenValue {
  readonly value: unknown
  readonly secret: boolean
  text?: string
}

/**
 * Resolves every `{{ }}` in the texts of a value; keys are not resolved.
 * A text that is a single token gets the value itself. In other texts, texts are inserted as they are and other values
 * as JSON. A token without a value or with an error becomes the empty text. Inserted text is not resolved again.
 * @throws StepFailure for a missing connection, or for a result that is too large
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

  const tokens = new Set<string>()
  for (const parts of texts.values()) for (const part of parts) if ('token' in part) tokens.add(part.token)
  const values = resolvePaths(tokens, scope) ?? (await resolveTokens(tokens, scope, sandbox, options))
  const unresolved = [...tokens].filter((it) => emptyValues.has(values.get(it) as TokenValue))
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
    const parts = templateOf(value)
    if (parts) texts.set(value, parts)
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Array.isArray(value) ? value : Object.values(value)) collectTexts(inner, texts, depth + 1)
  }
}

const ownProperty = { enumerable: true, configurable: true, writable: true }

/** Cache of the parts of texts, because every run of a step has the same ones. Null for a text without a token. */
const templates = new Map<string, readonly TemplatePart[] | null>()
const maxTemplates = 2000
/** Maximum length of a cached text. Longer ones rarely repeat and would fill the cache. */
const maxCachedLength = 2000

/** Returns the parts of a text; null if it has no token. */
function templateOf(text: string): readonly TemplatePart[] | null {
  const known = templates.get(text)
  if (known !== undefined) return known
  const parts = splitTokens(text)
  const found = parts.some((it) => 'token' in it) ? parts : null
  if (text.length <= maxCachedLength) {
    if (templates.size >= maxTemplates) templates.clear()
    templates.set(text, found)
  }
  return found
}

function rebuild(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => rebuild(it, fill))
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = rebuild((value as Record<string, unknown>)[key], fill)
    // Defined, because an assignment to this key would change the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: inner, ...ownProperty })
    else copy[key] = inner
  }
  return copy
}

const emptyValues = new WeakSet<TokenValue>()

function tokenValue(value: unknown, secret = false): TokenValue {
  const nothing = value === undefined || value === null
  const resolved: TokenValue = { value: nothing ? '' : value, secret }
  if (nothing) emptyValues.add(resolved)
  return resolved
}

/** Resolves tokens that only read from outputs. Returns undefined if there are others. */
function resolvePaths(tokens: Iterable<string>, scope: ExpressionScope): Map<string, TokenValue> | undefined {
  const values = new Map<string, TokenValue>()
  for (const token of tokens) {
    const path = parsePath(token)
    if (path === null || path.root === 'connections') return undefined
    values.set(token, tokenValue(readPath(path, scope)))
  }
  return values
}

async function resolveTokens(
  tokens: Iterable<string>,
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
    else values.set(token, tokenValue(readPath(path, scope)))
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

/**
 * Newer editors write `step_1.output.x` for `step_1.x`. The word `output` is skipped unless the output of the step has
 * a field of that name.
 */
const isOutputItself = (root: string, { outputs }: ExpressionScope): boolean =>
  Object.hasOwn(outputs, root) && !hasOwnOutput(outputs[root])
const hasOwnOutput = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'output')

/** Returns the value at a path: in the output of a step, or in the error of a step that failed. */
function readPath({ root, keys }: ExpressionPath, scope: ExpressionScope): unknown {
  const message = keys[0] === 'error' ? errorOf(root, scope) : undefined
  if (message !== undefined) return resolvePath({ message }, keys.slice(1))
  const skipsOutput = keys[0] === 'output' && isOutputItself(root, scope)
  return resolvePath(scope.outputs, [root, ...(skipsOutput ? keys.slice(1) : keys)])
}

const errorOf = (root: string, { errors = {} }: ExpressionScope): string | undefined =>
  Object.hasOwn(errors, root) ? errors[root] : undefined

const outputPattern =
  /(?<![.\w$])([A-Za-z_$][\w$]*)(?:\s*\??\.\s*output\b|\s*(?:\?\.)?\[\s*(?:'output'|"output")\s*\])(?!\s*\()/g

/** Removes the skipped word `output` from a JavaScript expression, except in its strings. */
function stripOutputAccess(expression: string, scope: ExpressionScope): string {
  if (!expression.includes('output')) return expression
  const quoted = findQuotedRanges(expression, 'expression')
  let n = 0
  return expression.replace(outputPattern, (whole, root: string, at: number) => {
    while (n < quoted.length && (quoted[n] as QuotedRange).end <= at) n++
    const isQuoted = (quoted[n]?.start ?? expression.length) < at
    return !isQuoted && isOutputItself(root, scope) ? root : whole
  })
}

async function resolveConnection(
  { keys: [name, ...rest] }: ExpressionPath,
  token: string,
  scope: ExpressionScope,
): Promise<TokenValue> {
  if (name === undefined)
    throw new StepFailure(`{{${token}}} is not a valid connection reference.`, { classification: 'missing_connection' })
  return tokenValue(resolvePath(await scope.connection(name), rest), true)
}

/**
 * Returns the output of a loop without its iterations if the expressions use only its item and index. Otherwise each
 * iteration would pass the outputs of all earlier ones. Other outputs are returned unchanged.
 */
function withoutIterations(name: string, value: unknown, expressions: readonly string[]): unknown {
  if (!isObject(value) || !Array.isArray(value.iterations)) return value
  const otherUse = new RegExp(
    String.raw`(?<![.\w$])${escapeName(name)}(?![\w$]|\s*(?:\?\.)?(?:\.?\s*|\[\s*['"])(?:item|index)\b)`,
  )
  return expressions.some((it) => otherUse.test(it)) ? value : { item: value.item, index: value.index }
}

/** Returns the output of a step that failed, with its error if the expressions use it. */
function withError(name: string, value: unknown, expressions: readonly string[], scope: ExpressionScope): unknown {
  const message = errorOf(name, scope)
  const use = new RegExp(
    String.raw`(?<![.\w$])${escapeName(name)}\s*(?:\??\.\s*error\b|(?:\?\.)?\[\s*['"]error['"]\s*\])`,
  )
  if (message === undefined || !expressions.some((it) => use.test(it))) return value
  return { ...(isObject(value) ? value : { output: value }), error: { message } }
}

const escapeName = (name: string): string => name.replaceAll('$', String.raw`\$`)

/** Evaluates expressions in the sandbox. Passes only the outputs that the expressions name. */
async function evaluate(expressions: readonly string[], scope: ExpressionScope, sandbox: Sandbox, options: RunOptions) {
  const named = new Set(expressions.flatMap((it) => it.match(/[\p{ID_Start}_$][\p{ID_Continue}$]*/gu) ?? []))
  const variables = Object.fromEntries(
    Object.entries(scope.outputs)
      .filter(([name]) => named.has(name))
      .map(([name, value]) => [name, withError(name, withoutIterations(name, value, expressions), expressions, scope)]),
  )
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

/** Matches a token with the function that editors write for the values at a path through lists. */
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
 * Resolves a text around flattened lists to a list of texts, as the original engine of these flows does.
 * The first text has the first item of each list, up to the length of the longest list. Other values are repeated in
 * each text; a shorter list is padded with empty text.
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
      return list === undefined ? textOf(token) : typeof item === 'string' ? item : stringifyJson(item)
    })
    size += text.length
    if (size > maxTextLength)
      throw new StepFailure(
        `A text value is larger than ${maxTextLength / 1024 / 1024} MB after its expressions are resolved.`,
      )
    return text
  })
}

function toText(resolved: TokenValue): string {
  if (typeof resolved.value === 'string') return resolved.value
  try {
    resolved.text ??= stringifyJson(resolved.value) ?? ''
  } catch {
    throw new StepFailure('A value is nested too deeply to be inserted into text.')
  }
  return resolved.text
}
