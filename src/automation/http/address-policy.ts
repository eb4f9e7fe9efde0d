import { isIpv4, isIpv6 } from '../../contract/values/ip-address.ts'

/**
 * `never`: link-local addresses and metadata services, which are always blocked. `private`: this machine and networks
 * that are not public.
 */
export type AddressClass = 'public' | 'private' | 'never'

type Range = readonly [base: bigint, bits: number]

const parseIpv4 = (text: string): bigint =>
  text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(Number(octet)), 0n)

/** Returns the numeric value of an IPv6 address in any notation. */
function parseIpv6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const plain = dotted
    ? `${dotted[1]}${(parseIpv4(dotted[2] ?? '') >> 16n).toString(16)}:${(parseIpv4(dotted[2] ?? '') & 0xffffn).toString(16)}`
    : text
  const [head = '', tail] = plain.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const filled =
    tail === undefined
      ? before
      : [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
  return filled.reduce((sum, group) => (sum << 16n) | BigInt(Number.parseInt(group, 16)), 0n)
}

const ranges = (read: (text: string) => bigint, texts: string): readonly Range[] =>
  texts.split(' ').map((it) => {
    const [base = '', bits = ''] = it.split('/')
    return [read(base), Number(bits)] as const
  })

// In addition to link-local: cloud metadata addresses outside it, broadcast, multicast, and the unroutable zero network
// except 0.0.0.0, which is this machine.
const never4 = ranges(
  parseIpv4,
  '169.254.0.0/16 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32 224.0.0.0/4 255.255.255.255/32',
)
const private4 = ranges(
  parseIpv4,
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4',
)
const never6 = ranges(parseIpv6, 'fe80::/10 fec0::/10 ff00::/8 fd00:ec2::254/128 fd20:ce::254/128')
const private6 = ranges(parseIpv6, '::/128 ::1/128 fc00::/7 100::/64 2001:db8::/32')
/** IPv6 ranges whose addresses contain an IPv4 address, with its distance from the right in bits. */
const embeddedIpv4Ranges: readonly (readonly [Range, number])[] = [
  [[parseIpv6('::ffff:0:0'), 96], 0],
  [[parseIpv6('64:ff9b::'), 96], 0],
  [[parseIpv6('::ffff:0:0:0'), 96], 0],
  [[parseIpv6('::'), 96], 0],
  [[parseIpv6('2002::'), 16], 80],
]

const isInRange = (address: bigint, width: number, [base, bits]: Range): boolean =>
  address >> BigInt(width - bits) === base >> BigInt(width - bits)

/** Returns the class of an IP address. Text that is not an IP address is `never`. */
export function classifyAddress(text: string): AddressClass {
  const plain = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIpv4(plain)) return classifyIpv4(parseIpv4(plain))
  if (!isIpv6(plain)) return 'never'
  const address = parseIpv6(plain)
  if (never6.some((it) => isInRange(address, 128, it))) return 'never'
  if (private6.some((it) => isInRange(address, 128, it))) return 'private'
  const carrier = embeddedIpv4Ranges.find(([range]) => isInRange(address, 128, range))
  return carrier ? classifyIpv4((address >> BigInt(carrier[1])) & 0xffffffffn) : 'public'
}

function classifyIpv4(address: bigint): AddressClass {
  if (never4.some((it) => isInRange(address, 32, it))) return 'never'
  return private4.some((it) => isInRange(address, 32, it)) ? 'private' : 'public'
}
