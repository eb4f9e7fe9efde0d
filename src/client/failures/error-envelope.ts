import { isObject } from '../../contract/values/json-object.ts'
import type { FailureDetail } from './client-failure.ts'

/** The content of an error response, independent of which of the six forms of section 7.1 it has. */
export interface ErrorEnvelope {
  readonly text?: string
  readonly code?: string
  readonly details: readonly FailureDetail[]
}

const isCode = (text: string): boolean => /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(text)
const textOf = (it: unknown): string | undefined => (typeof it === 'string' && it.trim() !== '' ? it.trim() : undefined)

/** Parses the body of an error response. Returns undefined for other forms, which say nothing about what was done. */
export function parseErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
  if (!isObject(body)) return undefined
  if (isObject(body.error)) return parseErrorEnvelope({ ...body, ...body.error, error: body.error.error })
  const message = textOf(body.message)
  const error = textOf(body.error)
  const details = readDetails(body.errors)
  const text = message ?? error
  if (text === undefined && details.length === 0) return undefined
  const code =
    textOf(body.error_code) ??
    textOf(body.code) ??
    (message !== undefined && error !== undefined && isCode(error) ? error : undefined)
  return { ...(text !== undefined && { text }), ...(code !== undefined && { code }), details }
}

/** Parses `{field: [text]}` and similar forms: `{field: text}`, `[{field, message}]`, `[text]`. */
function readDetails(errors: unknown): FailureDetail[] {
  if (Array.isArray(errors))
    return errors.flatMap((it) => (isObject(it) ? detail(it.path ?? it.field, it.message) : detail('', it)))
  if (!isObject(errors)) return []
  return Object.entries(errors).flatMap(([path, texts]) =>
    (Array.isArray(texts) ? texts : [texts]).flatMap((it) => detail(path, it)),
  )
}

function detail(path: unknown, message: unknown): FailureDetail[] {
  const text = textOf(message)
  return text === undefined
    ? []
    : [{ path: typeof path === 'string' ? path : Array.isArray(path) ? path.join('.') : '', message: text }]
}
