import type { Clock } from '../events/clock.ts'
import type { Connection } from '../store/connection.ts'
import type { Providers } from './ports.ts'

/** What services are made of; each names the part it needs. */
export interface Deps {
  readonly connection: Connection
  readonly clock: Clock
  readonly providers: Providers
  /** A secret of letters and digits: random, or made from the seed and `label` when the platform was started with a seed. */
  readonly secret: (label: string, length: number) => string
  /** This process, as leases name it. */
  readonly owner: string
  /** Wall time in milliseconds, for leases only. */
  readonly wall: () => number
}
