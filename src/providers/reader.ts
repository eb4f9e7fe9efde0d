import type { Reader, WebsiteSource } from '../services/ports.ts'
import { type Gate, throughGate } from './gate.ts'
import { unreadableHost } from './magic.ts'

const isUnreadable = (address: string): boolean => URL.canParse(address) && new URL(address).hostname === unreadableHost

const addresses = ({ url, links = [] }: WebsiteSource): readonly string[] => [...(url === undefined ? [] : [url]), ...links]

/** Takes every website as read without a look at it, but for those of one host. */
export const localReader = ({ gate }: { gate?: Gate | undefined }): Reader => ({
  name: 'local',
  description: `Takes every website as read, without fetching it. Those on ${unreadableHost} fail.`,

  read: (source) =>
    throughGate(gate, 'reader.read', async () =>
      addresses(source).some(isUnreadable) ? { ok: false, reason: 'The website could not be read.' } : { ok: true },
    ),
})
