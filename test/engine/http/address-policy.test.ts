import { expect, test } from 'vitest'
import { type AddressClass, classifyAddress } from '../../../src/engine/http/address-policy.ts'

const table: Record<AddressClass, string> = {
  never:
    '169.254.169.254 169.254.0.1 168.63.129.16 100.100.100.200 224.0.0.1 255.255.255.255 fe80::1 fe80::1%eth0 [fe80::1] ff02::1 fd00:ec2::254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 ::169.254.169.254 64:ff9b:1::1 64:ff9b:1:a9fe:a9:fe00:: 64:ff9b:1:ffff::808:808 nonsense 1.2.3',
  private:
    '127.0.0.1 127.8.8.8 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 0.0.0.0 198.18.0.1 ::1 :: fc00::1 fd12::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::10.0.0.1 2002:7f00:1:: 2001:db8::1',
  public:
    '8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 169.253.0.1 192.167.0.1 2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 2002:808:808::1 64:ff9b::8.8.8.8',
}

for (const [reach, addresses] of Object.entries(table)) {
  test.each(addresses.split(' '))(`%s is ${reach}`, (address) => expect(classifyAddress(address)).toBe(reach))
}
