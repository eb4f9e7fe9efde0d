import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isAnyMask } from '../../../client/requests/require-no-masks.ts'
import { ToolHeader } from '../../../contract/resources/tools.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { findMasks } from '../../../contract/values/mask.ts'
import type { Context } from '../context.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks the headers of a tool, before masks are filled in. Headers with a mask are not checked: the live credential replaces it before
 * the request is sent.
 *
 * @throws ClientFailure `usage` for the first name or value that HTTP cannot send, such as `headers.0.value (X-Api-Key)`
 */
export function requireSendableHeaders({ headers }: Fields, file = ''): void {
  for (const [n, header] of (Array.isArray(headers) ? (headers as readonly unknown[]) : []).entries()) {
    if (!isObject(header) || findMasks({ headers: [header] }, isAnyMask).length > 0) continue
    for (const field of ['name', 'value'] as const) {
      const issue = ToolHeader.shape[field].safeParse(header[field]).error?.issues[0]
      if (issue?.code !== 'invalid_format') continue
      const path = `headers.${n}.${field}`
      const label = field === 'value' ? ` (${String(header.name)})` : ''
      throw new ClientFailure({
        exit: 'usage',
        code: 'usage',
        message: `${file}${path}${label}: HTTP cannot send this header. Nothing was sent.`,
        hint: `${issue.message} Correct it.`,
        details: [{ path, message: issue.message }],
      })
    }
  }
}

/**
 * Returns the fields of a tool with headers without spaces and line breaks around their names and values, as `ToolHeader` of the
 * contract stores them. Files of tools are compared with the platform in this form.
 */
export function trimmedHeaders<T extends Fields>(fields: T): T {
  if (!Array.isArray(fields.headers)) return fields
  const trim = (it: unknown): unknown => (typeof it === 'string' ? it.trim() : it)
  const trimAll = (header: object): object =>
    Object.fromEntries(
      Object.entries(header).map(([name, value]) => [name, /^(name|value)$/.test(name) ? trim(value) : value]),
    )
  const headers = (fields.headers as readonly unknown[]).map((it) => (isObject(it) ? trimAll(it) : it))
  return { ...fields, headers }
}

/**
 * Returns the fields of a tool as they are sent: headers without spaces and line breaks around their names and values, as
 * the platform stores them. A note names each header that this changes.
 *
 * @throws ClientFailure `usage` for a header that HTTP cannot send
 */
export async function sendableHeaders<T extends Fields>(context: Context, fields: T): Promise<T> {
  requireSendableHeaders(fields)
  const trimmed = trimmedHeaders(fields)
  const given = Array.isArray(fields.headers) ? (fields.headers as readonly unknown[]) : []
  for (const [n, header] of (Array.isArray(trimmed.headers) ? (trimmed.headers as readonly unknown[]) : []).entries())
    if (isObject(header) && !isDeepStrictEqual(header, given[n]))
      await context.notes.note(`Removed spaces or line breaks around header ${String(header.name)}.`)
  return trimmed
}
