import * as z from 'zod'
import { dataOf, said, saidOf } from './shared.ts'

// What endpoints usually answer: status, shape, and what was done for it. A resource whose answers look otherwise writes them out.

/** All things of a kind, in `data`. */
export const listOf = <T extends z.ZodType>(item: T) => ({ status: 200, output: dataOf(item), risk: 'read', items: 'data' }) as const

/** One thing, in `data`. */
export const oneOf = <T extends z.ZodType>(item: T) => ({ status: 200, output: z.object({ data: item }), risk: 'read', record: 'data' }) as const

/** A sentence and the thing that was made. */
export const madeOf = <T extends z.ZodType>(item: T) => ({ status: 201, output: saidOf(item), risk: 'write', record: 'data' }) as const

/** A sentence and the thing that was changed. */
export const changedOf = <T extends z.ZodType>(item: T) => ({ status: 200, output: saidOf(item), risk: 'write', record: 'data' }) as const

/** A sentence about what is gone. */
export const gone = { status: 200, output: said, risk: 'destructive' } as const
