import * as zod from './zod-exports.ts'

/** The parts of zod that schemas of the program use. */
export type Zod = typeof zod

/** Loads zod. The build replaces this module, so that a command loads zod only when it needs one of its schemas. */
export const loadZod = (): Zod => zod
