import { filePlaceholder } from '../../../contract/endpoint/uploaded-files.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { stringifyJson } from '../../../node/json.ts'

/** A form: its fields as JSON, in which a file is its name and size, and the files. */
interface MultipartForm {
  readonly body: string
  readonly files: readonly File[]
}

/** Parses multipart/form-data. Returns undefined for a malformed body. */
export function readMultipart(contentType: string, bytes: Buffer): MultipartForm | undefined {
  const form = splitForm(contentType, bytes)
  if (!form?.isComplete) return undefined
  const fields: [string, unknown][] = []
  const files: File[] = []
  for (const { name, filename, type, content } of form.parts) {
    if (name === undefined) return undefined
    if (filename === undefined) fields.push([name, decodeText(content, type)])
    // A form without a chosen file sends an empty one without a name.
    else if (filename !== '' || content.length > 0) {
      const file = new File([new Uint8Array(content)], filename, { type })
      files.push(file)
      fields.push([name, filePlaceholder(file)])
    }
  }
  return { body: stringifyJson(nestFields(fields)), files }
}

/** Part of a form: a field, or a file if `filename` is defined. */
export interface FormPart {
  readonly name: string | undefined
  readonly filename: string | undefined
  /** The content type; empty if it has none. */
  readonly type: string
  readonly content: Buffer
}

/** Maximum number of bytes in which the headers of a part end. */
const maxHeadBytes = 64 * 1024

/**
 * Splits multipart/form-data (RFC 7578) at its boundary. Some senders write LF alone. A form without a boundary at its
 * end is not complete. Returns undefined for a content type without a boundary.
 */
export function splitForm(
  contentType: string,
  bytes: Buffer,
): { readonly parts: readonly FormPart[]; readonly isComplete: boolean } | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType) ?? []
  if ((quoted ?? plain) === undefined) return undefined
  const mark = Buffer.from(`--${quoted ?? plain}`)
  const lineBreak = Buffer.from(bytes[bytes.indexOf('\n', bytes.indexOf(mark)) - 1] === 13 ? '\r\n' : '\n')
  const separator = Buffer.concat([lineBreak, mark])
  const end = bytes.subarray(-lineBreak.length).equals(lineBreak) ? bytes.length - lineBreak.length : bytes.length
  const parts: FormPart[] = []
  for (let at = bytes.indexOf(mark); at >= 0; ) {
    const start = at + mark.length
    if (bytes.toString('latin1', start, start + 2) === '--') return { parts, isComplete: true }
    const next = bytes.indexOf(separator, start)
    parts.push(readPart(bytes.subarray(start, next < 0 ? end : next)))
    at = next < 0 ? next : next + lineBreak.length
  }
  return { parts, isComplete: false }
}

function readPart(bytes: Buffer): FormPart {
  const { index = 0, 0: space = '' } = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, maxHeadBytes)) ?? {}
  const head = bytes.toString('utf8', 0, index)
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? ''
  return {
    name: parameterOf(disposition, 'name'),
    filename: parameterOf(disposition, 'filename'),
    type: /^content-type:\s*(.+?)\s*$/im.exec(head)?.[1] ?? '',
    content: bytes.subarray(index + space.length),
  }
}

/** Returns a parameter of the header `content-disposition`. */
export function parameterOf(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition) ?? []
  return (quoted ?? plain)?.replace(/%22/g, '"').replace(/\\(.)/g, '$1')
}

interface Branch {
  readonly children: Map<string, Branch | { readonly value: unknown }>
}

/** Returns fields such as `links[0][link]` as nested values. */
function nestFields(fields: readonly (readonly [string, unknown])[]): unknown {
  const root: Branch = { children: new Map() }
  for (const [name, value] of fields) {
    const keys = [name.replace(/\[.*$/s, ''), ...[...name.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key ?? '')]
    let branch = root
    for (const [n, key] of keys.slice(0, 10).entries()) {
      const own = key === '' ? String(branch.children.size) : key
      if (n === keys.length - 1) {
        const before = branch.children.get(own)
        // A field that occurs more than once is a list.
        branch.children.set(own, { value: before && 'value' in before ? [before.value, value].flat() : value })
      } else {
        const next = branch.children.get(own)
        const child: Branch = next && 'children' in next ? next : { children: new Map() }
        branch.children.set(own, child)
        branch = child
      }
    }
  }
  return toValue(root)
}

function toValue(branch: Branch | { readonly value: unknown }): unknown {
  if ('value' in branch) return branch.value
  const entries = [...branch.children].map(([key, child]) => [key, toValue(child)] as const)
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n))
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
