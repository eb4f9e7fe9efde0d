import * as z from '../schema/schema.ts'

// The expression is needed too, because zod 4.6 accepts a prefix length such as 55.5.
const ipv6Range = z.cidrv6().regex(/\/\d+$/)

/** IPv4 or IPv6 address or, with a prefix length after a slash, a range of them (CIDR). */
export const ipAddressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), ipv6Range])

const ipv6 = z.ipv6()

/** Returns whether a text is an IPv6 address without brackets and zone. */
export const isIpv6 = (text: string): boolean => ipv6.safeParse(text).success
