import { maskedValueFailure } from '../../client/requests/refuse-masks.ts'
import { automate } from '../../contract/resources/automate.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { findMasks, maskText } from '../../contract/values/mask.ts'
import type { Context } from '../context.ts'
import { fillMasks } from './fill-masks.ts'

type Fields = Readonly<Record<string, unknown>>

/** The live settings of a step: as the platform shows them, and with credentials. */
interface LiveDefinition {
  readonly masked: Fields | undefined
  readonly plain: Fields | undefined
}

/**
 * Replaces every mask in a definition by the live credential of automation `id` at the same path, in the step of the
 * same name and piece. The automation is read only if there is a mask: once masked and once with `include_secrets`.
 *
 * @throws ClientFailure `usage` (exit 2) with every path for which the platform shows no credential
 */
export async function fillFlowMasks<T>(context: Context, id: string, flow: T): Promise<T> {
  if (findMasks(flow).length === 0) return flow
  const [{ data: shown }, { data: plain }] = await Promise.all([
    context.call(automate.get, { id }),
    context.call(automate.get, { id, include_secrets: true }),
  ])
  const live = { shown: stepsByName(shown.definition), plain: stepsByName(plain.definition) }
  const missing: string[] = []
  const filled = fillStepMasks(flow, live, 'flow', missing)
  if (missing.length === 0) return filled as T
  const isShown = findMasks(plain.definition).length === 0
  throw maskedValueFailure(missing, {
    why: isShown ? `Automation ${id} has no credential at that path.` : 'The platform does not show the credential.',
    hint: `Enter the credential. To show the stored value: parley automate get ${id} --unmask -o yaml.`,
  })
}

/** Returns all nodes with settings by name, at any depth. */
function stepsByName(definition: unknown): Map<string, Fields> {
  const found = new Map<string, Fields>()
  const stack: unknown[] = [definition]
  for (let it = stack.pop(); it !== undefined; it = stack.pop()) {
    if (typeof it !== 'object' || it === null) continue
    if (isStep(it) && !found.has(it.name)) found.set(it.name, it)
    for (const [name, inner] of Object.entries(it)) if (name !== 'settings') stack.push(inner)
  }
  return found
}

const isStep = (it: unknown): it is Fields & { readonly name: string; readonly settings: Fields } =>
  isObject(it) && typeof it.name === 'string' && isObject(it.settings)

/** Returns whether two steps use the same piece. A credential must never be sent to another service. */
const isSamePiece = (a: Fields, b: Fields | undefined): b is Fields =>
  b !== undefined &&
  ['pieceName', 'actionName', 'triggerName'].every(
    (name) => (a.settings as Fields)[name] === (b.settings as Fields)[name],
  )

function fillStepMasks(
  it: unknown,
  live: { readonly shown: Map<string, Fields>; readonly plain: Map<string, Fields> },
  path: string,
  missing: string[],
): unknown {
  if (Array.isArray(it)) return it.map((one, n) => fillStepMasks(one, live, `${path}.${n}`, missing))
  if (!isObject(it)) {
    if (typeof it === 'string' && it.includes(maskText)) missing.push(path)
    return it
  }
  const plain = isStep(it) ? live.plain.get(it.name) : undefined
  const shown = isStep(it) ? live.shown.get(it.name) : undefined
  const known: LiveDefinition = isSamePiece(it, plain)
    ? { plain: plain.settings as Fields, masked: shown?.settings as Fields | undefined }
    : { plain: undefined, masked: undefined }
  return Object.fromEntries(
    Object.entries(it).map(([name, inner]) => {
      const at = `${path}.${name}`
      return [
        name,
        name === 'settings' && isStep(it)
          ? fillMasks(inner, known.plain, known.masked, at, missing)
          : fillStepMasks(inner, live, at, missing),
      ]
    }),
  )
}
