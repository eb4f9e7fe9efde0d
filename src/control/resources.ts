import type { Served } from '../server/resources.ts'
import type { PlatformDeps } from './platform.ts'

/** The control resources, loaded when first asked for. */
export const controlResources = (deps: PlatformDeps): Readonly<Record<string, () => Promise<Served>>> => ({
  accounts: async () => served((await import('../contract/control.ts')).accounts, (await import('./accounts.ts')).accountHandlers(deps)),
  clock: async () => served((await import('../contract/clock.ts')).clock, (await import('./clock.ts')).clockHandlers(deps)),
  connections: async () => served((await import('../contract/connections.ts')).connections, (await import('./connections.ts')).connectionHandlers(deps)),
  deliveries: async () => served((await import('../contract/deliveries.ts')).deliveries, (await import('./deliveries.ts')).deliveryHandlers(deps)),
  events: async () => served((await import('../contract/events.ts')).events, (await import('./events.ts')).eventHandlers(deps)),
  faults: async () => served((await import('../contract/faults.ts')).faults, (await import('./faults.ts')).faultHandlers(deps)),
  mails: async () => served((await import('../contract/mails.ts')).mails, (await import('./mails.ts')).mailHandlers(deps)),
  platform: async () => served((await import('../contract/control.ts')).platform, (await import('./platform.ts')).platformHandlers(deps)),
  turns: async () => served((await import('../contract/turns.ts')).turns, (await import('./turns.ts')).turnHandlers(deps)),
  requests: async () => served((await import('../contract/requests.ts')).requests, (await import('./requests.ts')).requestHandlers(deps)),
  simulate: async () => served((await import('../contract/simulate.ts')).simulate, (await import('./scenarios.ts')).simulateHandlers(deps)),
  snapshots: async () => served((await import('../contract/snapshots.ts')).snapshots, (await import('./snapshots.ts')).snapshotHandlers(deps)),
  webhooks: async () => served((await import('../contract/deliveries.ts')).webhooks, (await import('./webhooks.ts')).webhookHandlers(deps)),
})

const served = (endpoints: object, handlers: object): Served => ({ endpoints, handlers }) as Served
