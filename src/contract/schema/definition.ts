import type * as z from 'zod'

/**
 * The parts of zod's internal definition of a schema that the program reads. Zod does not promise them: another version of it
 * may have others.
 */
export interface SchemaDefinition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly getter?: () => z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly element?: z.ZodType
  readonly keyType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly discriminator?: string
  readonly entries?: Readonly<Record<string, string | number>>
  readonly values?: readonly unknown[]
  readonly defaultValue?: unknown
  readonly format?: string
  readonly checks?: readonly SchemaCheck[]
}

/** A rule of a schema, as zod represents it. */
interface SchemaCheck {
  readonly _zod: {
    readonly def: {
      readonly check: string
      readonly format?: string
      readonly value?: number
      readonly inclusive?: boolean
    }
  }
}
