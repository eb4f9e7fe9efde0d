import * as z from 'zod'
import { dataList, messageResponse, messageWithData } from './field-schemas.ts'

// What endpoints usually answer: status, shape, and what was done for it. A resource whose answers look otherwise writes them out.

/** All things of a kind, in `data`. */
export const listResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: dataList(item), risk: 'read', items: 'data' }) as const

/** One thing, in `data`. */
export const recordResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: z.object({ data: item }), risk: 'read', record: 'data' }) as const

/** A sentence and the thing that was made. */
export const createdResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 201, output: messageWithData(item), risk: 'write', record: 'data' }) as const

/** A sentence and the thing that was changed. */
export const updatedResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: messageWithData(item), risk: 'write', record: 'data' }) as const

/** A sentence about what is gone. */
export const deletedResponse = { status: 200, output: messageResponse, risk: 'destructive' } as const
