import type { ProxyAgent } from 'undici'

/**
 * Loads only the proxy agent of undici, from files inside the package: the whole package takes three times as long to
 * load. `undici.d.ts` declares these files.
 */
export async function loadProxyAgent(): Promise<typeof ProxyAgent> {
  const [{ default: Agent }, { default: Dispatcher }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
  ])
  // The package's index adds all methods; the agent needs only this one, for its tunnels.
  Object.assign(Dispatcher.prototype, { connect })
  return Agent
}
