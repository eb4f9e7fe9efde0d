// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Notes for which generation of the engine a version was published. Versions from before are of the first. */
export const versionEngine: Migration = {
  version: 15,
  name: 'version-engine',
  up: ['alter table automation_version add column engine integer not null default 1'],
}
