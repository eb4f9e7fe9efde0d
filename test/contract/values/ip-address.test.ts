import { isIPv4, isIPv6 } from 'node:net'
import { expect, test } from 'vitest'
import { ipAddressOrRange, isIpv6 } from '../../../src/contract/values/ip-address.ts'

const isIpRange = (text: string): boolean => ipAddressOrRange.safeParse(text).success

const v4 = [
  '0.0.0.0',
  '203.0.113.7',
  '255.255.255.255',
  '256.1.1.1',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '1.2.3.4 ',
  '',
  'a.b.c.d',
  '1..2.3',
]
const v6 = [
  '::',
  '::1',
  '1::',
  '2001:db8::',
  '2001:db8::7',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7::',
  '::2:3:4:5:6:7:8',
  '::ffff:203.0.113.7',
  '64:ff9b::203.0.113.7',
  '1:2:3:4:5:6:203.0.113.7',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  ':::',
  ':1',
  '1:',
  '12345::',
  'g::1',
  '::203.0.113.300',
  '203.0.113.7::',
  '1:2:3:4:5:6:7:203.0.113.7',
  '203.0.113.7',
  'sip.example',
  '',
]

test('the same texts are addresses as in the runtime', () => {
  for (const address of v4) expect([address, isIpRange(address)]).toEqual([address, isIPv4(address)])
  for (const address of v6) expect([address, isIpv6(address)]).toEqual([address, isIPv6(address)])
})

test.each(['203.0.113.7', '0.0.0.0/0', '10.0.0.0/8', '203.0.113.7/32', '::/0', '2001:db8::/32', '::1/128'])(
  '%s is an address or a range',
  (address) => {
    expect(isIpRange(address)).toBe(true)
  },
)

test.each([
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/08',
  '10.0.0.0/-1',
  '10.0.0/8',
  '2001:db8::/129',
  '2001:db8::/55.5',
  '/8',
  'pbx.example',
  '',
  '10.0.0.1-10.0.0.9',
])('%j is not an address', (address) => {
  expect(isIpRange(address)).toBe(false)
})
