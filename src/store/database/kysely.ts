import * as kysely from './kysely-exports.ts'

/** Loads kysely. The build replaces this module, so that a command loads kysely only to build a query. */
export const loadKysely = (): typeof kysely => kysely
