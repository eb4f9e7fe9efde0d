const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const v4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`)
const group = /^[0-9A-Fa-f]{1,4}$/

/** Returns whether a text is an IPv4 address without leading zeros, which some parsers read as octal. */
export const isIpv4 = (text: string): boolean => v4.test(text)

/** Returns whether a text is an IPv6 address (RFC 4291). Allows `::` and an IPv4 address at the end, but no zone. */
export function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const last = all.at(-1) ?? ''
  const tail = last.includes('.') && !text.endsWith('::')
  if (tail && !isIpv4(last)) return false
  if (!(tail ? all.slice(0, -1) : all).every((it) => group.test(it))) return false
  const count = all.length + (tail ? 1 : 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

/** Returns whether a text is an IP address or a range of them in CIDR notation. */
export function isIpRange(text: string): boolean {
  const [address = '', prefix, more] = text.split('/')
  const bits = isIpv4(address) ? 32 : isIpv6(address) ? 128 : undefined
  if (bits === undefined || more !== undefined) return false
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits)
}
