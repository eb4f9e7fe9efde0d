import type { PlainRequest } from '../../contract/endpoint/http-message.ts'
import { fileFor } from '../../contract/endpoint/uploaded-files.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { parseJson } from '../../node/json.ts'

/** Encodes a request with files as multipart/form-data. */
export async function encodeMultipart(request: PlainRequest): Promise<PlainRequest> {
  const { files = [], body = '{}' } = request
  const form = new FormData()
  for (const [name, value] of formFields(parseJson(body))) {
    const file = fileFor(value, files)
    if (file) form.append(name, file, file.name)
    else form.append(name, String(value))
  }
  const encoded = new Response(form)
  const bytes = new Uint8Array(await encoded.arrayBuffer())
  return {
    ...request,
    headers: {
      ...request.headers,
      'content-type': encoded.headers.get('content-type') as string,
      'content-length': String(bytes.byteLength),
    },
    bytes,
  }
}

/**
 * Returns the fields of a form: nested values as `links[0][link]`, booleans as 1 and 0, null as an empty text. An object with
 * `filename` and `size` is a file (`filePlaceholder` of uploaded-files.ts). --print-curl prints the same fields.
 */
export function formFields(value: unknown, name = ''): [string, unknown][] {
  const isPlaceholder = isObject(value) && 'filename' in value && 'size' in value
  if (typeof value !== 'object' || value === null || isPlaceholder)
    return [[name, value === null ? '' : typeof value === 'boolean' ? Number(value) : value]]
  return Object.entries(value).flatMap(([key, child]) => formFields(child, name === '' ? key : `${name}[${key}]`))
}
