import { readFileSync } from 'node:fs'
import * as z from '../../../contract/schema/schema.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { stringifyJson } from '../../../node/json.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'

/** The operator's configuration cannot be used. The message says what is wrong and where. lazy-model.ts, which loads this file later, recognizes it by its name. */
export class ModelConfigurationError extends Error {
  readonly exit = 'usage'
  override readonly name = 'ModelConfigurationError'
}

/** The form of an intent in the files of users (docs/local-platform.md): names are added, not renamed. */
const Intent = z.strictObject({
  when: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  assistant: z.string().optional(),
  call: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  say: z.string().optional(),
  fail: z.string().optional(),
})

const ScriptFile = z.strictObject({ intents: z.array(Intent).default([]), otherwise: z.string().optional() })

/** An intent of a script: when its pattern matches, it calls a function, replies or fails. */
export interface Intent {
  /** Returns the groups of the first matching pattern, the whole match first; undefined when none matches. */
  match(text: string): readonly string[] | undefined
  readonly assistant: string | undefined
  readonly call: string | undefined
  readonly with: Readonly<Record<string, unknown>>
  readonly reply: string | undefined
  readonly failure: string | undefined
}

/** A script of the local model. The first matching intent wins. */
export interface ModelScript {
  readonly intents: readonly Intent[]
  /** The reply when no intent and no function matches. */
  readonly fallback: string | undefined
}

/** Reads a script of intents, YAML or JSON. @throws ModelConfigurationError */
export async function readScript(file: string): Promise<ModelScript> {
  const scriptError = (why: string): ModelConfigurationError =>
    new ModelConfigurationError(`Model script ${file}: ${why}`)
  const { parse } = await loadYaml()
  let value: unknown
  try {
    value = parse(decodeText(readFileSync(file)))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw scriptError(
      code === 'ENOENT'
        ? 'file not found.'
        : code === undefined || !/^E[A-Z]+$/.test(code)
          ? `could not be read: ${message.trimEnd()}`
          : `could not be read (${code}).`,
    )
  }
  const read = ScriptFile.safeParse(value ?? {})
  if (!read.success) {
    const [issue] = read.error.issues
    throw scriptError(`invalid value at ${issue?.path.join('.') || 'the top level'}: ${issue?.message}.`)
  }
  const { intents, otherwise } = read.data
  return {
    fallback: otherwise,
    intents: intents.map((it, at) => toIntent(it, (why) => scriptError(`invalid value at intents.${at}: ${why}`))),
  }
}

function toIntent(
  { when, say: reply, fail: failure, call, with: args = {}, assistant }: z.output<typeof Intent>,
  scriptError: (why: string) => ModelConfigurationError,
): Intent {
  if (reply === undefined && failure === undefined && call === undefined)
    throw scriptError('one of say, call and fail is required.')
  const patterns = [when].flat().map((it) => toPattern(it, scriptError))
  return {
    match(text) {
      for (const pattern of patterns) {
        const found = pattern.exec(text)
        if (found) return [...found].map((it) => it ?? '')
      }
      return undefined
    },
    assistant,
    call,
    with: args,
    reply,
    failure,
  }
}

/**
 * Returns the pattern of an intent: `/.../` is a regular expression, any other text matches as whole words anywhere.
 */
function toPattern(text: string, scriptError: (why: string) => ModelConfigurationError): RegExp {
  const [, body] = /^\/(.+)\/i?$/s.exec(text) ?? []
  try {
    if (body !== undefined) return new RegExp(body, 'iu')
  } catch (error) {
    throw scriptError(`${(error as Error).message}.`)
  }
  const words = text
    .trim()
    .split(/\s+/)
    .map((it) => it.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}_])${words.join('\\s+')}(?![\\p{L}\\p{N}_])`, 'iu')
}

/**
 * Fills placeholders in a text: `{{1}}` is a group of the pattern, `{{result.path}}` a value of the function's result,
 * and `{{name}}` a variable. Unknown placeholders stay.
 */
export const fillPlaceholders = (
  text: string,
  known: { readonly groups: readonly string[]; readonly result?: unknown; readonly variables: object },
): string =>
  text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (given, path: string) => {
    const [first = '', ...rest] = path.split('.')
    const from = /^\d+$/.test(first)
      ? known.groups[Number(first)]
      : first === 'result'
        ? known.result
        : getProperty(known.variables, first)
    const value = rest.reduce<unknown>(getProperty, from)
    return value === undefined || value === null ? given : typeof value === 'string' ? value : stringifyJson(value)
  })

const getProperty = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Fills placeholders in all texts of a value. */
export function fillPlaceholdersIn(value: unknown, known: Parameters<typeof fillPlaceholders>[1]): unknown {
  if (typeof value === 'string') return fillPlaceholders(value, known)
  if (Array.isArray(value)) return value.map((it) => fillPlaceholdersIn(it, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillPlaceholdersIn(inner, known)]))
}
