import * as z from 'zod'
import { type StepContext, StepFailure, type StoreScope } from '../ports.ts'
import { anything, choice, fields, flag } from './fields.ts'
import { action, done, type Piece } from './piece.ts'

const longestKey = 128
const largestValue = 512 * 1024

const key = z.preprocess((it) => (typeof it === 'number' ? String(it) : it), z.string().min(1).max(longestKey))
const scoped = {
  key,
  // COLLECTION is all automations of the account, as editors call it.
  store_scope: choice(['COLLECTION', 'FLOW', 'RUN'], 'COLLECTION'),
}

function scopeOf({ account, automation, run }: StepContext, scope: 'COLLECTION' | 'FLOW' | 'RUN'): StoreScope {
  if (scope === 'FLOW') return { account, owner: { kind: 'automation', id: automation } }
  return { account, owner: scope === 'RUN' ? { kind: 'run', id: run } : { kind: 'account' } }
}

function checked<T>(value: T): T {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > largestValue) throw new StepFailure('A stored value takes at most 512 KB.')
  return value
}

/** An action that changes one value. */
const changing = <S extends z.ZodRawShape>(title: string, shape: S, change: (value: unknown, input: Record<string, unknown>) => unknown) =>
  action({
    title,
    input: fields({ ...scoped, ...shape }),
    run: async (given, context) => {
      const it = given as Record<string, unknown> & { key: string; store_scope: 'COLLECTION' | 'FLOW' | 'RUN' }
      const act = { account: context.account, key: context.key }
      return done(await context.ports.store.change(act, scopeOf(context, it.store_scope), it.key, (value) => checked(change(value, it))))
    },
  })

/** A list that is kept: what is no list yet was its first item. */
function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}

const sameAs = (item: unknown): ((it: unknown) => boolean) => {
  const text = JSON.stringify(item)
  return (it) => JSON.stringify(it) === text
}

const get = action({
  title: 'Read a stored value',
  input: fields({ ...scoped, defaultValue: anything }),
  run: async (it, context) => done((await context.ports.store.get(scopeOf(context, it.store_scope), it.key)) ?? it.defaultValue ?? null),
})

/** Values that outlive a run. */
export const store: Piece = {
  names: ['store'],
  triggers: {},
  actions: {
    get,
    put: changing('Store a value', { value: anything }, (_, { value }) => value ?? null),
    append: changing('Append to a stored text', { value: anything, separator: z.string().optional() }, (value, it) => {
      const before = value === undefined || value === null ? [] : [asText(value)]
      return [...before, asText(it.value)].join(typeof it.separator === 'string' ? it.separator.replaceAll('\\n', '\n') : '')
    }),
    add_to_list: changing('Add to a stored list', { value: anything, ignore_if_exists: flag }, (value, it) => {
      const list = listIn(value)
      return it.ignore_if_exists && list.some(sameAs(it.value)) ? list : [...list, it.value ?? null]
    }),
    remove_from_list: changing('Remove from a stored list', { value: anything }, (value, it) => {
      const isIt = sameAs(it.value)
      return listIn(value).filter((item) => !isIt(item))
    }),
    remove_value: changing('Remove a stored value', {}, () => undefined),
  },
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value))
