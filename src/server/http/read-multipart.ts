import { filePlaceholder } from '../../contract/mechanics/uploaded-files.ts'
import { decodeText } from '../../node/decode-text.ts'
import { stringifyJson } from '../../node/json.ts'

/** A form: its fields as JSON, in which a file is its name and size, and the files. */
export interface MultipartForm {
  readonly body: string
  readonly files: readonly File[]
}

const lineBreak = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')

/** Parses multipart/form-data (RFC 7578). Returns undefined for a malformed body. */
export function readMultipart(contentType: string, bytes: Buffer): MultipartForm | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = Buffer.from(`--${boundary}`)
  const fields: [string, unknown][] = []
  const files: File[] = []
  for (let at = bytes.indexOf(delimiter); ; ) {
    const start = at + delimiter.length
    if (at < 0) return undefined
    if (bytes.subarray(start, start + 2).toString('latin1') === '--') break
    const end = bytes.indexOf(Buffer.concat([lineBreak, delimiter]), start)
    const contentStart = bytes.indexOf(headerEnd, start) + headerEnd.length
    if (end < 0 || contentStart < headerEnd.length || contentStart > end) return undefined
    const headers = bytes.subarray(start, contentStart).toString('utf8')
    const name = parameter(headers, 'name')
    if (name === undefined) return undefined
    const content = bytes.subarray(contentStart, end)
    const filename = parameter(headers, 'filename')
    if (filename === undefined) fields.push([name, decodeText(content, partType(headers))])
    // A form without a chosen file sends an empty one without a name.
    else if (filename !== '' || content.length > 0) {
      const file = new File([new Uint8Array(content)], filename, { type: partType(headers) })
      files.push(file)
      fields.push([name, filePlaceholder(file)])
    }
    at = end + lineBreak.length
  }
  return { body: stringifyJson(nestFields(fields)), files }
}

/** Returns the content type of a part; empty if it has none. */
const partType = (headers: string): string => /^content-type:\s*(.+?)\s*$/im.exec(headers)?.[1] ?? ''

/** Returns a parameter of the header `content-disposition`. */
function parameter(headers: string, name: string): string | undefined {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? ''
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition) ?? []
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

function toValue(it: Branch | { readonly value: unknown }): unknown {
  if ('value' in it) return it.value
  const entries = [...it.children].map(([key, child]) => [key, toValue(child)] as const)
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n))
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
