import * as z from '../schema/schema.ts'
import { dataList, messageResponse, messageWithData } from './field-schemas.ts'

// The usual responses of endpoints: status, shape and risk. A resource with other responses declares them itself.

/** Returns a response with all resources of a kind in `data`. */
export const listResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: dataList(item), risk: 'read', items: 'data' }) as const

/** Returns a response with one resource in `data`. */
export const recordResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: z.object({ data: item }), risk: 'read', record: 'data' }) as const

/** Returns a response with a message and the created resource. */
export const createdResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 201, output: messageWithData(item), risk: 'write', record: 'data' }) as const

/** Returns a response with a message and the updated resource. */
export const updatedResponse = <T extends z.ZodType>(item: T) =>
  ({ status: 200, output: messageWithData(item), risk: 'write', record: 'data' }) as const

/** Response with a message about the deleted resource. */
export const deletedResponse = { status: 200, output: messageResponse, risk: 'destructive' } as const
