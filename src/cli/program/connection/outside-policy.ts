import { hostReach } from '../../../engine/http/address-policy.ts'
import { defaultPolicy, type HttpPolicy } from '../../../engine/http/http-client.ts'
import { platformSettings } from '../../../platform/environment-settings.ts'
import type { Context } from '../context.ts'
import { userAgentOf } from '../system.ts'

/** The rules for requests to addresses that a platform has named. */
export interface OutsidePolicy {
  readonly policy: HttpPolicy
  /** Returns the headers of a request to an address: the key is sent to the platform itself only. */
  headersFor(url: string): Promise<Readonly<Record<string, string>>>
}

/**
 * Returns the rules for requests to addresses that a platform has named, such as those of recordings. A private address is refused, unless
 * PARLEY_PRIVATE_ADDRESSES allows it or the platform itself is on it. `maxBytes` limits a response.
 */
export async function outsidePolicy(context: Context, maxBytes: number): Promise<OutsidePolicy> {
  const { system } = context
  const { baseUrl } = await context.settings()
  const platform = /^https?:/.test(baseUrl.value) ? new URL(baseUrl.value) : undefined
  const { privateAddresses = [] } = platformSettings(system.env, system.os)
  // A public name may be given a private address later, which must not open this computer to the platform.
  const own = platform && hostReach(platform.hostname) === 'private' ? [platform.hostname.replace(/^\[|\]$/g, '')] : []
  return {
    policy: {
      ...defaultPolicy,
      maxBytes,
      allowPrivate: typeof privateAddresses === 'boolean' ? privateAddresses : [...privateAddresses, ...own],
      privateHint: 'Set PARLEY_PRIVATE_ADDRESSES to its host name to allow it.',
    },
    async headersFor(url) {
      const headers = { 'user-agent': userAgentOf(system) }
      const key = platform?.origin === new URL(url).origin ? await (await context.connection()).key() : undefined
      return key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` }
    },
  }
}
