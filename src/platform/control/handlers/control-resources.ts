import type { controlContract } from '../../../contract/control/index.ts'
import type { LoadedResource } from '../../server/handlers/handler.ts'
import type { NodeDeps } from './nodes.ts'
import type { PlatformDeps } from './platform.ts'

/** What the platform has recorded: events, mails, turns and requests. */
const recorded = () => import('./recorded.ts')

/** Returns the control resources, each loaded on first use. */
export const controlResources = (
  deps: PlatformDeps & NodeDeps,
): Readonly<Record<keyof typeof controlContract, () => Promise<LoadedResource>>> => ({
  accounts: async () => (await import('./accounts.ts')).accountResource(deps),
  clock: async () => (await import('./clock.ts')).clockResource(deps),
  connections: async () => (await import('./connections.ts')).connectionResource(deps),
  deliveries: async () => (await import('./deliveries.ts')).deliveryResource(deps),
  events: async () => (await recorded()).eventResource(deps),
  faults: async () => (await import('./faults.ts')).faultResource(deps),
  inspector: async () => (await import('../inspection/inspector-handlers.ts')).inspectorResource(deps),
  mails: async () => (await recorded()).mailResource(deps),
  nodes: async () => (await import('./nodes.ts')).nodeResource(deps),
  platform: async () => (await import('./platform.ts')).platformResource(deps),
  turns: async () => (await recorded()).turnResource(deps),
  requests: async () => (await recorded()).requestResource(deps),
  sheets: async () => (await import('./sheets.ts')).sheetResource(deps),
  simulate: async () => (await import('./simulations.ts')).simulateResource(deps),
  snapshots: async () => (await import('./snapshots.ts')).snapshotResource(deps),
  webhooks: async () => (await import('./webhooks.ts')).webhookResource(deps),
})
