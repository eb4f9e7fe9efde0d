import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { PrivateAccess } from '../ports.ts'

// Which addresses a platform contacts for its accounts. Every connection is checked with classifyAddress on the address to which
// its name was resolved: that is the barrier. hostReach judges a name alone, as a hint for a person.

/**
 * `never`: link-local addresses and metadata services, which are always blocked. `private`: this machine and networks
 * that are not public.
 */
export type AddressClass = 'public' | 'private' | 'never'

// In addition to link-local: metadata addresses of clouds that use other networks, multicast and broadcast, and the
// translation prefix for local use (RFC 8215), in which each network places the IPv4 address differently.
const neverAllowed = blockList(
  '169.254.0.0/16 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32 224.0.0.0/4 255.255.255.255/32',
  'fe80::/10 fec0::/10 ff00::/8 fd00:ec2::254/128 fd20:ce::254/128 64:ff9b:1::/48',
)
// The zero network is private and not blocked, because 0.0.0.0 is this machine.
const privateNetworks = blockList(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4',
  '::/128 ::1/128 fc00::/7 100::/64 2001:db8::/32',
)

/** Classifies an IP address, with or without brackets and zone. Text that is not an IP address is `never` allowed. */
export function classifyAddress(text: string): AddressClass {
  const address = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
  if (family === undefined || neverAllowed.check(address, family)) return 'never'
  return privateNetworks.check(address, family) ? 'private' : 'public'
}

/**
 * Returns whether a host with a private address may be contacted. `name` is the host as the request names it. Allowed
 * hosts are names, addresses, and networks such as 10.1.0.0/16.
 */
export function isPrivateAllowed(access: PrivateAccess, name: string, address: string): boolean {
  if (typeof access === 'boolean') return access
  if (typeof access === 'function') return access()
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return access.some((range) => {
    const [network = '', bits] = range.toLowerCase().replace(/[[\]]/g, '').split('/')
    if (bits === undefined) return network === name.toLowerCase() || network === address
    const list = new BlockList()
    list.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6')
    return list.check(address, family)
  })
}

/** Creates a block list. IPv4 networks also as mapped, translated (RFC 6052, RFC 2765), compatible and 6to4 IPv6. */
function blockList(ipv4: string, ipv6: string): BlockList {
  const list = new BlockList()
  for (const [network, bits] of parseNetworks(ipv4)) {
    list.addSubnet(network, bits, 'ipv4')
    for (const prefix of ['::ffff:', '64:ff9b::', '::ffff:0:', '::'])
      list.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6')
    list.addSubnet(`2002:${toHexGroups(network)}::`, 16 + bits, 'ipv6')
  }
  for (const [network, bits] of parseNetworks(ipv6)) list.addSubnet(network, bits, 'ipv6')
  return list
}

function parseNetworks(text: string): (readonly [network: string, bits: number])[] {
  return text.split(' ').map((part) => {
    const [network = '', bits = ''] = part.split('/')
    return [network, Number(bits)] as const
  })
}

/** Returns an IPv4 address as two groups of an IPv6 address: 10.0.0.1 is a00:1. */
function toHexGroups(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** Host names of cloud metadata services. */
const metadataHosts = new Set(['metadata.google.internal', 'metadata', 'instance-data', 'instance-data.ec2.internal'])

/**
 * Classifies a host by its name: `never` for hosts that are always refused, `private` for this machine or its network.
 */
export function hostReach(hostname: string): AddressClass {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (metadataHosts.has(host)) return 'never'
  if (/^\[.*\]$|^\d+(\.\d+){3}$/.test(host)) return classifyAddress(host)
  return host === 'localhost' || !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host)
    ? 'private'
    : 'public'
}
