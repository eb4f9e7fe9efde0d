// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Marks the entries of the ledger that set a balance as corrections. They were charges or top-ups before. */
export const corrections: Migration = {
  version: 16,
  name: 'corrections',
  up: ["update ledger set kind = 'correction' where reason = 'Balance set' and kind in ('top_up', 'charge')"],
}
