import type * as z from 'zod'
import { checked, mismatch, type Parse, parseObject, undecided } from './parse.ts'
import { boundedPlan, defaultPlan, excludingPlan, nullablePlan, optionalPlan, type SchemaPlan } from './schema-plan.ts'
import { loadZod, type Zod } from './zod.ts'

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns the schema that zod created, for arguments of zod. Other values, and schemas in lists and objects, likewise. */
export function createdSchema(it: unknown): unknown {
  if (it instanceof DeferredSchema) return it.created
  if (Array.isArray(it)) return it.map(createdSchema)
  if (typeof it !== 'object' || it === null || Object.getPrototypeOf(it) !== Object.prototype) return it
  return Object.fromEntries(Object.entries(it).map(([name, value]) => [name, createdSchema(value)]))
}

/** Creates a schema that zod creates when it is needed. Callers use it as if it were zod's. */
export const defer = (create: (zod: Zod) => unknown, plan: SchemaPlan = {}): z.ZodType =>
  new DeferredSchema(create, plan) as unknown as z.ZodType

/** Returns the plan of a schema; empty for one that was created by zod. */
export const planOf = (it: z.ZodType): SchemaPlan =>
  it instanceof DeferredSchema ? (it as unknown as DeferredSchema).plan : {}

/** Returns the function that parses values of a schema without zod; undefined if only zod can. */
export const parserOf = (it: z.ZodType): Parse | undefined =>
  it instanceof DeferredSchema ? (it as unknown as DeferredSchema).parser : undefined

/**
 * Schema that zod creates when it is first needed, because creating the schemas of the contract, and loading zod, take
 * longer than most commands. Lists, objects and plain values are described and parsed without it.
 */
export class DeferredSchema {
  readonly plan: SchemaPlan
  readonly #create: (zod: Zod) => unknown
  #created: z.ZodType | undefined
  #parser: Parse | null | undefined

  constructor(create: (zod: Zod) => unknown, plan: SchemaPlan) {
    this.#create = create
    this.plan = plan
  }

  /** The schema of zod. */
  get created(): z.ZodType {
    return (this.#created ??= this.#create(loadZod()) as z.ZodType)
  }

  get parser(): Parse | undefined {
    if (this.#parser === undefined) this.#parser = this.plan.parse?.() ?? null
    return this.#parser ?? undefined
  }

  get _zod(): unknown {
    return this.created._zod
  }

  get description(): string | undefined {
    return this.plan.definition ? this.plan.description : this.created.description
  }

  get shape(): Shape | undefined {
    const { definition } = this.plan
    return definition ? definition.shape : (this.created as z.ZodObject).shape
  }

  get element(): z.ZodType | undefined {
    return this.plan.definition?.element ?? (this.created as z.ZodArray<z.ZodType>).element
  }

  get options(): unknown {
    const { entries } = this.plan.definition ?? {}
    return entries ? Object.values(entries) : (this.created as z.ZodEnum).options
  }

  safeParse(value: unknown, params?: never): unknown {
    const data = this.parser?.(value)
    if (this.parser && data !== mismatch) return { success: true, data }
    return this.created.safeParse(value, params)
  }

  parse(value: unknown, params?: never): unknown {
    const data = this.parser?.(value)
    return this.parser && data !== mismatch ? data : this.created.parse(value, params)
  }

  optional(): z.ZodType {
    return defer(() => this.created.optional(), optionalPlan(this))
  }

  nullable(): z.ZodType {
    return defer(() => this.created.nullable(), nullablePlan(this))
  }

  nullish(): z.ZodType {
    return this.nullable().optional()
  }

  default(value: unknown): z.ZodType {
    return defer(() => this.created.default(value as never), defaultPlan(this, value))
  }

  describe(description: string): z.ZodType {
    return defer(() => this.created.describe(description), { ...this.plan, parse: () => this.parser, description })
  }

  meta(...given: readonly [Readonly<Record<string, unknown>>?]): unknown {
    const [data] = given
    if (!data) return this.created.meta()
    return defer(() => this.created.meta(data as never), {
      ...this.plan,
      parse: () => this.parser,
      ...('description' in data && { description: data.description as string | undefined }),
    })
  }

  min(value: number, params?: never): z.ZodType {
    return this.#bounded('min', value, params, (size) => size >= value)
  }

  max(value: number, params?: never): z.ZodType {
    return this.#bounded('max', value, params, (size) => size <= value)
  }

  regex(pattern: RegExp, params?: never): z.ZodType {
    return this.#checked('regex', [pattern, params], (value) => {
      pattern.lastIndex = 0
      return pattern.test(value as string)
    })
  }

  refine(isValid: (value: unknown) => unknown, params?: never): z.ZodType {
    return this.#checked('refine', [isValid, params], (value) => Boolean(isValid(value)))
  }

  superRefine(find: (value: unknown, context: object) => void, params?: never): z.ZodType {
    return this.#checked('superRefine', [find, params], (value) => {
      let isValid = true
      find(value, { value, issues: [], addIssue: () => (isValid = false) })
      return isValid
    })
  }

  transform(convert: never): z.ZodType {
    const self = this as unknown as z.ZodType
    const out = defer((zod) => zod.transform(convert), { definition: { type: 'transform' } })
    return defer(() => this.created.transform(convert), { definition: { type: 'pipe', in: self, out } })
  }

  exclude(names: readonly string[]): z.ZodType {
    return defer(() => (this.created as z.ZodEnum).exclude(names as never), excludingPlan(this, names))
  }

  extend(shape: Shape): z.ZodType {
    return this.#reshaped('extend', shape, (own) => ({ ...own, ...shape }))
  }

  partial(...given: readonly [Readonly<Record<string, true>>?]): z.ZodType {
    const [names] = given
    return this.#reshaped('partial', names, (own) =>
      Object.fromEntries(
        Object.entries(own).map(([name, it]) => [name, !names || Object.hasOwn(names, name) ? it.optional() : it]),
      ),
    )
  }

  pick(names: Readonly<Record<string, true>>): z.ZodType {
    return this.#reshaped('pick', names, (own) =>
      Object.fromEntries(Object.keys(names).map((name) => [name, own[name] as z.ZodType])),
    )
  }

  omit(names: Readonly<Record<string, true>>): z.ZodType {
    return this.#reshaped('omit', names, (own) =>
      Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(names, name))),
    )
  }

  #bounded(name: 'min' | 'max', value: number, params: unknown, isValid: (size: number) => boolean): z.ZodType {
    return this.#checked(
      name,
      [value, params],
      (it) => isValid(typeof it === 'number' ? it : (it as string | readonly unknown[]).length),
      boundedPlan(this.plan, name === 'min' ? 'greater_than' : 'less_than', value),
    )
  }

  #checked(
    method: 'min' | 'max' | 'regex' | 'refine' | 'superRefine',
    given: readonly unknown[],
    isValid: (value: unknown) => boolean,
    plan = this.plan,
  ): z.ZodType {
    const create = (): z.ZodType => (this.created as unknown as Methods)[method]?.(...given) as z.ZodType
    return defer(create, {
      ...plan,
      parse: () => this.parser && checked(this.parser, isValid),
      hasRules: true,
    })
  }

  #reshaped(method: 'extend' | 'partial' | 'pick' | 'omit', given: unknown, change: (own: Shape) => Shape): z.ZodType {
    const { definition, hasRules } = this.plan
    const create = (): z.ZodType =>
      (this.created as unknown as Methods)[method]?.(
        ...(given === undefined ? [] : [createdSchema(given)]),
      ) as z.ZodType
    if (!definition?.shape) return defer(create)
    const shape = change(definition.shape)
    return defer(create, {
      definition: { ...definition, shape },
      parse: () => (hasRules || definition.catchall ? undefined : objectParser(shape)),
      ...(hasRules && { hasRules }),
    })
  }
}

type Methods = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>

/** Returns the function that parses objects of a shape. */
export const objectParser = (shape: Shape): Parse =>
  parseObject(
    Object.entries(shape).map(([name, schema]) => {
      const { absence, isOptionalResult } = planOf(schema)
      return {
        name,
        parse: parserOf(schema) ?? undecided,
        absence: absence?.() ?? 'required',
        isOptionalResult: isOptionalResult?.() ?? false,
      }
    }),
  )

/** Methods of zod's schemas that return another schema, which is created when it is needed. */
const otherMethods = [
  'catch',
  'catchall',
  'check',
  'extract',
  'int',
  'length',
  'multipleOf',
  'nonnegative',
  'overwrite',
  'pipe',
  'positive',
  'prefault',
  'strict',
  'trim',
  'toLowerCase',
]

for (const name of otherMethods)
  Object.defineProperty(DeferredSchema.prototype, name, {
    value(this: DeferredSchema, ...given: readonly unknown[]) {
      return defer(() => (this.created as unknown as Methods)[name]?.(...given.map(createdSchema)))
    },
  })

// Everything else is asked of the schema of zod.
Object.setPrototypeOf(
  DeferredSchema.prototype,
  new Proxy(Object.prototype, {
    get(target, name, receiver: DeferredSchema) {
      if (typeof name === 'symbol' || name in target || name === 'then' || name === 'toJSON')
        return Reflect.get(target, name, receiver)
      const { created } = receiver
      const found: unknown = Reflect.get(created, name)
      return typeof found === 'function' ? found.bind(created) : found
    },
  }),
)
