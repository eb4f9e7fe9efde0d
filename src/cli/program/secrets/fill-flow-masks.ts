import { isAnyMask } from '../../../client/requests/require-no-masks.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { findMasks, type Place, placeWithin, rootPlace } from '../../../contract/values/mask.ts'
import type { Context } from '../context.ts'
import { type FillOptions, fillMasks, type LostMask, requireNoLostMasks } from './masked-values.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Replaces every mask in a definition by the live credential of automation `id` at the same path, in the step of the
 * same name and piece. The automation is read only if there is a mask: once masked and once with `include_secrets`.
 *
 * @throws ClientFailure with every path for which the platform shows no credential: `usage`, or `conflict` for a text
 * that looks like a mask
 */
export async function fillFlowMasks<T>(context: Context, id: string, flow: T): Promise<T> {
  if (findMasks(flow, isAnyMask).length === 0) return flow
  const [{ data: shown }, { data: plain }] = await Promise.all([
    context.call(automate.get, { id }),
    context.call(automate.get, { id, include_secrets: true }),
  ])
  const live = { shown: stepsByName(shown.definition), plain: stepsByName(plain.definition) }
  const lost: LostMask[] = []
  const filled = fillStepMasks(flow, live, { place: { ...rootPlace, path: 'flow' }, onLost: (it) => lost.push(it) })
  const isShown = findMasks(plain.definition, isAnyMask).length === 0
  requireNoLostMasks(context, lost, {
    why: isShown ? `Automation ${id} has no credential at that path.` : 'The platform does not show the credential.',
    hint: `Enter the credential. To show the stored value: parley automate get ${id} --unmask -o yaml.`,
  })
  return filled as T
}

/** Returns all nodes with settings by name, at any depth. */
function stepsByName(definition: unknown): Map<string, Fields> {
  const found = new Map<string, Fields>()
  const stack: unknown[] = [definition]
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isStep(value) && !found.has(value.name)) found.set(value.name, value)
    for (const [name, inner] of Object.entries(value)) if (name !== 'settings') stack.push(inner)
  }
  return found
}

const isStep = (value: unknown): value is Fields & { readonly name: string; readonly settings: Fields } =>
  isObject(value) && typeof value.name === 'string' && isObject(value.settings)

/** Returns whether two steps use the same piece. A credential must never be sent to another service. */
const isSamePiece = (a: Fields, b: Fields | undefined): b is Fields =>
  b !== undefined &&
  ['pieceName', 'actionName', 'triggerName'].every(
    (name) => (a.settings as Fields)[name] === (b.settings as Fields)[name],
  )

type Steps = ReadonlyMap<string, Fields>

function fillStepMasks(
  value: unknown,
  live: { readonly shown: Steps; readonly plain: Steps },
  options: FillOptions & { readonly place: Place },
): unknown {
  if (typeof value !== 'object' || value === null)
    return fillMasks(value, { plain: undefined, shown: undefined }, options)
  const within = (name: string) => ({ ...options, place: placeWithin(value, name, options.place) })
  if (Array.isArray(value)) return value.map((one, n) => fillStepMasks(one, live, within(String(n))))
  const plain = isStep(value) ? live.plain.get(value.name) : undefined
  const shown = isStep(value) ? live.shown.get(value.name) : undefined
  const known = isStep(value) && isSamePiece(value, plain) ? { plain, shown } : { plain: undefined, shown: undefined }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      // The settings, and every other field in which there are no steps.
      isStep(value) && (name === 'settings' || stepsByName(inner).size === 0)
        ? fillMasks(inner, { plain: known.plain?.[name], shown: known.shown?.[name] }, within(name))
        : fillStepMasks(inner, live, within(name)),
    ]),
  )
}
