import { automate } from '../../contract/automate.ts'
import { versionHeader } from '../../contract/automation-headers.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Automation } from '../../contract/automation-records.ts'
import type { Context } from '../context.ts'
import { isHidden, isObject } from '../hidden.ts'

/** What runs of an automation at one moment. */
export interface Live {
  readonly automation: Automation
  /** Id of the live version, where the platform says it. */
  readonly version: string | undefined
  /** SHA-256 of the definition: the same for the same content, whatever its version. */
  readonly content: string
}

/** Fields that a platform sets itself, and may set anew when it publishes. */
const ownFields: ReadonlySet<string> = new Set(['valid', 'lastUpdatedDate', 'inputUiInfo', 'sampleData'])

function withoutOwn(it: unknown): unknown {
  if (Array.isArray(it)) return it.map(withoutOwn)
  if (!isObject(it)) return it
  const entries = Object.entries(it).filter(([name, value]) => !ownFields.has(name) && value !== null && value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutOwn(value)]))
}

/** Fingerprint of a definition as a platform shows it. */
export async function contentOf(definition: unknown): Promise<string> {
  const { contentHash } = await import('../../automation/definition/publish.ts')
  return contentHash(withoutOwn(definition ?? null) as AutomationNode)
}

/** Reads what is live, with credentials where the platform shows them: they stay in memory. @throws ClientFailure `not_found` and others */
export async function readLive(context: Context, id: string, signal?: AbortSignal): Promise<Live> {
  const { output, headers } = await context.call.raw(automate.get, { id, include_secrets: true }, signal && { signal })
  return { automation: output.data, version: headers[versionHeader], content: await contentOf(output.data.definition) }
}

/**
 * Fields of a definition that was sent and that are not live, as `step_1 settings.input.url`. What the platform adds to a definition, and credentials it
 * hides, are no difference. Undefined where that cannot be told, such as for steps that are not known here.
 */
export async function notLive(sent: unknown, { automation }: Live): Promise<readonly string[] | undefined> {
  const { examine } = await import('../../automation/definition/examine.ts')
  const [own, live] = [await examine(sent, undefined, { tree: true }), await examine({ trigger: automation.definition }, undefined, { tree: true })]
  if (!own.ok || !live.ok) return undefined
  const { diff } = await import('../../automation/definition/diff.ts')
  const { added, removed, moved, changed } = diff(own.definition, live.definition)
  return [
    ...[...added, ...removed, ...moved].map(({ step }) => step),
    ...changed.flatMap(({ step, fields }) =>
      fields.filter((it) => !holds(it.after, it.before) && !/pieceVersion$/.test(it.path)).map(({ path }) => `${step} ${path}`),
    ),
  ]
}

/** Whether a live value is the one that was sent, or has all of it. */
function holds(live: unknown, sent: unknown): boolean {
  if (sent === undefined || sent === null || isHidden(live) || isHidden(sent)) return true
  if (Array.isArray(sent)) return Array.isArray(live) && sent.length === live.length && sent.every((it, n) => holds(live[n], it))
  if (isObject(sent)) return isObject(live) && Object.entries(sent).every(([name, it]) => ownFields.has(name) || holds(live[name], it))
  return String(live) === String(sent)
}

const isText = (it: unknown): it is string => typeof it === 'string' && it !== ''

/** `version 4XfQ...`, or nothing where the platform does not say which. */
export const versionIn = ({ version }: Pick<Live, 'version'>): string => (isText(version) ? ` (version ${version})` : '')

/** What is live now, in a sentence: `It is enabled and bound to post_call of "Front desk" (1).` */
export function stateOf({ automation }: Live): string {
  const { status, binding } = automation
  const bound =
    isObject(binding) && isText(binding.type)
      ? ` and bound to ${binding.type} of ${JSON.stringify(binding.assistant_name ?? 'assistant')} (${binding.assistant_id})`
      : ''
  return `It is ${status}${bound}.`
}
