import type { controlContract } from '../../../contract/control/index.ts'
import { type LoadedResource, loadedResource } from '../../server/handlers/loaded-resource.ts'
import type { NodeDeps } from './nodes.ts'
import type { PlatformDeps } from './platform.ts'

/** Returns the control resources, each loaded on first use. */
export const controlResources = (
  deps: PlatformDeps & NodeDeps,
): Readonly<Record<keyof typeof controlContract, () => Promise<LoadedResource>>> => ({
  accounts: async () =>
    loadedResource(
      (await import('../../../contract/control/accounts.ts')).accounts,
      (await import('./accounts.ts')).accountHandlers(deps),
    ),
  clock: async () =>
    loadedResource(
      (await import('../../../contract/control/clock.ts')).clock,
      (await import('./clock.ts')).clockHandlers(deps),
    ),
  connections: async () =>
    loadedResource(
      (await import('../../../contract/control/connections.ts')).connections,
      (await import('./connections.ts')).connectionHandlers(deps),
    ),
  deliveries: async () =>
    loadedResource(
      (await import('../../../contract/control/deliveries.ts')).deliveries,
      (await import('./deliveries.ts')).deliveryHandlers(deps),
    ),
  events: async () =>
    loadedResource(
      (await import('../../../contract/control/events.ts')).events,
      (await import('./events.ts')).eventHandlers(deps),
    ),
  faults: async () =>
    loadedResource(
      (await import('../../../contract/control/faults.ts')).faults,
      (await import('./faults.ts')).faultHandlers(deps),
    ),
  inspector: async () =>
    loadedResource(
      (await import('../../../contract/control/inspector.ts')).inspector,
      (await import('../inspection/inspector-handlers.ts')).inspectorHandlers(deps),
    ),
  mails: async () =>
    loadedResource(
      (await import('../../../contract/control/mails.ts')).mails,
      (await import('./mails.ts')).mailHandlers(deps),
    ),
  nodes: async () =>
    loadedResource(
      (await import('../../../contract/control/nodes.ts')).nodes,
      (await import('./nodes.ts')).nodeHandlers(deps),
    ),
  platform: async () =>
    loadedResource(
      (await import('../../../contract/control/platform.ts')).platform,
      (await import('./platform.ts')).platformHandlers(deps),
    ),
  turns: async () =>
    loadedResource(
      (await import('../../../contract/control/turns.ts')).turns,
      (await import('./turns.ts')).turnHandlers(deps),
    ),
  requests: async () =>
    loadedResource(
      (await import('../../../contract/control/requests.ts')).requests,
      (await import('./requests.ts')).requestHandlers(deps),
    ),
  sheets: async () =>
    loadedResource(
      (await import('../../../contract/control/sheets.ts')).sheets,
      (await import('./sheets.ts')).sheetHandlers(deps),
    ),
  simulate: async () =>
    loadedResource(
      (await import('../../../contract/control/simulate.ts')).simulate,
      (await import('../simulate/simulate-handlers.ts')).simulateHandlers(deps),
    ),
  snapshots: async () =>
    loadedResource(
      (await import('../../../contract/control/snapshots.ts')).snapshots,
      (await import('./snapshots.ts')).snapshotHandlers(deps),
    ),
  webhooks: async () =>
    loadedResource(
      (await import('../../../contract/control/webhooks.ts')).webhooks,
      (await import('./webhooks.ts')).webhookHandlers(deps),
    ),
})
