import type * as z from 'zod'
import type { SchemaCheck, SchemaDefinition } from './definition.ts'
import { type Absence, mismatch, type Parse, parseWithDefault, undecided } from './parse.ts'

/** What is known of a schema without zod. */
export interface SchemaPlan {
  readonly definition?: SchemaDefinition
  /** Returns the function that parses values without zod; undefined if only zod can. */
  readonly parse?: (() => Parse | undefined) | undefined
  /** What happens if a field with this schema is absent (default: it is required). */
  readonly absence?: () => Absence
  readonly isOptionalResult?: () => boolean
  readonly description?: string | undefined
  /** Whether rules were added to an object. */
  readonly hasRules?: boolean
}

/** What plans read of a schema. */
interface Planned {
  readonly plan: SchemaPlan
  readonly parser: Parse | undefined
}

const asSchema = (it: Planned): z.ZodType => it as unknown as z.ZodType

/** Returns the plan of the optional form of a schema. */
export const optionalPlan = (inner: Planned): SchemaPlan => ({
  definition: { type: 'optional', innerType: asSchema(inner) },
  parse: () => {
    const { parser, plan } = inner
    // Whether zod would replace undefined is unknown.
    if (!parser) return undefined
    const isDefaulted = plan.absence?.() === 'defaulted'
    return (value) => (value === undefined && !isDefaulted ? undefined : parser(value))
  },
  absence: () => (!inner.parser ? 'required' : inner.plan.absence?.() === 'defaulted' ? 'defaulted' : 'optional'),
  isOptionalResult: () => true,
})

/** Returns the plan of the nullable form of a schema. */
export const nullablePlan = (inner: Planned): SchemaPlan => ({
  definition: { type: 'nullable', innerType: asSchema(inner) },
  parse: () => {
    const { parser = undecided } = inner
    return (value) => (value === null ? null : parser(value))
  },
  absence: () => inner.plan.absence?.() ?? 'required',
  isOptionalResult: () => inner.plan.isOptionalResult?.() ?? false,
})

/** Returns the plan of a schema with a default: a value, or a function that returns it. */
export function defaultPlan(inner: Planned, value: unknown): SchemaPlan {
  const defaultValue = (): unknown => (typeof value === 'function' ? value() : value)
  return {
    definition: {
      type: 'default',
      innerType: asSchema(inner),
      get defaultValue() {
        return defaultValue()
      },
    },
    parse: () => inner.parser && parseWithDefault(inner.parser, defaultValue),
    absence: () => 'defaulted',
  }
}

/** Returns the plan of an enum without some of its values. */
export function excludingPlan({ plan }: Planned, names: readonly string[]): SchemaPlan {
  const entries = Object.entries(plan.definition?.entries ?? {}).filter(([name]) => !names.includes(name))
  const values = new Set<unknown>(entries.map(([, value]) => value))
  return {
    definition: { type: 'enum', entries: Object.fromEntries(entries) },
    parse: () => (value) => (values.has(value) ? value : mismatch),
  }
}

const boundary = (kind: string, value: number, inclusive: boolean): SchemaCheck => ({
  _zod: { def: { check: kind, value, inclusive } },
})

/** Returns the plan with a bound of its numbers. Bounds of texts and lists are not in definitions. */
export function boundedPlan(plan: SchemaPlan, kind: 'greater_than' | 'less_than', value: number): SchemaPlan {
  const { definition } = plan
  if (definition?.type !== 'number') return plan
  return { ...plan, definition: { ...definition, checks: [...(definition.checks ?? []), boundary(kind, value, true)] } }
}
