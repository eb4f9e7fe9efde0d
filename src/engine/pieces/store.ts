import * as z from '../../contract/schema/schema.ts'
import { stringifyJson } from '../../node/json.ts'
import { anything, choice, fields, flag } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import type { StoreScope } from './ports.ts'
import type { StepContext } from './step-context.ts'
import { StepFailure } from './step-failure.ts'

const maxKeyLength = 128
const maxValueBytes = 512 * 1024

const key = z
  .preprocess(
    (it) => (typeof it === 'number' || typeof it === 'bigint' ? String(it) : it),
    z.string().min(1).max(maxKeyLength),
  )
  .describe('Name of the value; the same key of another scope is another value')
const scopeFields = {
  key,
  // COLLECTION means all automations of the account; the name comes from the editors.
  store_scope: choice(['COLLECTION', 'FLOW', 'RUN'], 'COLLECTION').describe(
    'Who shares it: all automations of the account, this automation, or this run',
  ),
}

function toScope({ account, automation, run }: StepContext, scope: 'COLLECTION' | 'FLOW' | 'RUN'): StoreScope {
  if (scope === 'FLOW') return { account, owner: { kind: 'automation', id: automation } }
  return { account, owner: scope === 'RUN' ? { kind: 'run', id: run } : { kind: 'account' } }
}

function assertSize<T>(value: T): T {
  if (Buffer.byteLength(stringifyJson(value) ?? '') > maxValueBytes)
    throw new StepFailure('A stored value can be at most 512 KB.')
  return value
}

/** Returns an action that changes one stored value. */
const changeAction = <S extends z.ZodRawShape>(
  title: string,
  shape: S,
  change: (value: unknown, input: Record<string, unknown>) => unknown,
) =>
  action({
    title,
    input: fields({ ...scopeFields, ...shape }),
    run: async (given, context) => {
      const scoped = given as Record<string, unknown> & { key: string; store_scope: 'COLLECTION' | 'FLOW' | 'RUN' }
      const act = { account: context.account, key: context.key }
      return done(
        await context.ports.store.change(act, toScope(context, scoped.store_scope), scoped.key, (value) =>
          assertSize(change(value, scoped)),
        ),
      )
    },
  })

/** Returns a stored list. A value that is not a list becomes its first item. */
function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}

const isEqualTo = (item: unknown): ((value: unknown) => boolean) => {
  const text = stringifyJson(item)
  return (it) => stringifyJson(it) === text
}

const get = action({
  title: 'Read a stored value',
  input: fields({ ...scopeFields, defaultValue: anything.describe('Output while nothing is stored (default: null)') }),
  run: async (input, context) =>
    done((await context.ports.store.get(toScope(context, input.store_scope), input.key)) ?? input.defaultValue ?? null),
})

/** Piece that stores values between runs. */
export const store: Piece = {
  names: ['store'],
  triggers: {},
  actions: {
    get,
    put: changeAction(
      'Store a value',
      { value: anything.describe('Value to store, at most 512 KB of JSON') },
      (_, { value }) => value ?? null,
    ),
    append: changeAction(
      'Append to a stored text',
      {
        value: anything.describe('Text to add at the end'),
        separator: z.string().optional().describe('Text before what is added; \\n is a new line (default: none)'),
      },
      (value, input) => {
        const before = value === undefined || value === null ? [] : [asText(value)]
        return [...before, asText(input.value)].join(
          typeof input.separator === 'string' ? input.separator.replaceAll('\\n', '\n') : '',
        )
      },
    ),
    add_to_list: changeAction(
      'Add to a stored list',
      {
        value: anything.describe('Item to add at the end'),
        ignore_if_exists: flag.describe('Whether an item that the list has is not added again'),
      },
      (value, input) => {
        const list = toList(value)
        return input.ignore_if_exists && list.some(isEqualTo(input.value)) ? list : [...list, input.value ?? null]
      },
    ),
    remove_from_list: changeAction(
      'Remove from a stored list',
      { value: anything.describe('Item to remove, each time it occurs') },
      (value, input) => {
        const isIt = isEqualTo(input.value)
        return toList(value).filter((item) => !isIt(item))
      },
    ),
    remove_value: changeAction('Remove a stored value', {}, () => undefined),
  },
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : stringifyJson(value)
