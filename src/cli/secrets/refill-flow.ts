import { maskRefusal } from '../../client/masked-body.ts'
import { automate } from '../../contract/automate.ts'
import { masksIn, maskText } from '../../contract/mask.ts'
import type { Context } from '../context.ts'
import { isObject } from '../hidden.ts'
import { refill } from './refill.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the automation has now: as the platform shows it, and with its credentials. */
interface Live {
  readonly shown: Fields | undefined
  readonly plain: Fields | undefined
}

/**
 * A definition in which every mask is replaced by the credential that the automation `id` has at that place: in the step of the same name and
 * piece. The automation is read only where there is a mask, once masked and once with `include_secrets`; nothing is written.
 * @throws ClientFailure `usage` (exit 2) naming every place for which the platform shows no credential
 */
export async function refillFlow<T>(context: Context, id: string, flow: T): Promise<T> {
  if (masksIn(flow).length === 0) return flow
  const [{ data: shown }, { data: plain }] = await Promise.all([context.call(automate.get, { id }), context.call(automate.get, { id, include_secrets: true })])
  const live = { shown: stepsByName(shown.definition), plain: stepsByName(plain.definition) }
  const lost: string[] = []
  const filled = refillSteps(flow, live, 'flow', lost)
  if (lost.length === 0) return filled as T
  const isShown = masksIn(plain.definition).length === 0
  throw maskRefusal(
    lost,
    isShown ? ` Automation ${id} has no credential there to use.` : ' The platform does not show the credential.',
    `Write the credential there. To see what is stored: parley automate get ${id} --unmask -o yaml.`,
  )
}

/** Every node with settings by its name, wherever it is in the tree. */
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

/** A credential never goes from one service to another: the step has to be of the same piece. */
const isAlike = (a: Fields, b: Fields | undefined): b is Fields =>
  b !== undefined && ['pieceName', 'actionName', 'triggerName'].every((name) => (a.settings as Fields)[name] === (b.settings as Fields)[name])

function refillSteps(it: unknown, live: { readonly shown: Map<string, Fields>; readonly plain: Map<string, Fields> }, path: string, lost: string[]): unknown {
  if (Array.isArray(it)) return it.map((one, n) => refillSteps(one, live, `${path}.${n}`, lost))
  if (!isObject(it)) {
    if (typeof it === 'string' && it.includes(maskText)) lost.push(path)
    return it
  }
  const plain = isStep(it) ? live.plain.get(it.name) : undefined
  const shown = isStep(it) ? live.shown.get(it.name) : undefined
  const known: Live = isAlike(it, plain)
    ? { plain: plain.settings as Fields, shown: shown?.settings as Fields | undefined }
    : { plain: undefined, shown: undefined }
  return Object.fromEntries(
    Object.entries(it).map(([name, inner]) => {
      const at = `${path}.${name}`
      return [name, name === 'settings' && isStep(it) ? refill(inner, known.plain, known.shown, at, lost) : refillSteps(inner, live, at, lost)]
    }),
  )
}
