import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { versionHeader } from '../../../contract/automations/automation-headers.ts'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { Automation } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { diff } from '../../../engine/analysis/diff.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { isMasked, mayBeEqual } from '../../program/secrets/masked-values.ts'

/** The live state of an automation at one time. */
export interface LiveAutomation {
  readonly automation: Automation
  /** Id of the live version, if the platform reports it. */
  readonly version: string | undefined
  /** SHA-256 of the definition, independent of its version. */
  readonly fingerprint: string
}

/** Fields that a platform sets and may change on publishing. */
const platformFields: ReadonlySet<string> = new Set(['valid', 'lastUpdatedDate', 'inputUiInfo', 'sampleData'])

function withoutPlatformFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlatformFields)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(
    ([name, value]) => !platformFields.has(name) && value !== null && value !== undefined,
  )
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutPlatformFields(value)]))
}

/**
 * Returns the fingerprint of a definition as a platform shows it. Entries of the journal have it, and a later version compares
 * it to finish an interrupted update or restore: the fingerprint of a definition never changes.
 */
export async function fingerprintDefinition(definition: unknown): Promise<string> {
  return hashJson(withoutPlatformFields(definition ?? null) as AutomationNode)
}

/**
 * Reads the live automation, with credentials if the platform shows them; they stay in memory. @throws ClientFailure,
 * `not_found` among others
 */
export async function readLiveAutomation(context: Context, id: string, signal?: AbortSignal): Promise<LiveAutomation> {
  const { output, headers } = await context.call.raw(automate.get, { id, include_secrets: true }, signal && { signal })
  return {
    automation: output.data,
    version: headers[versionHeader],
    fingerprint: await fingerprintDefinition(output.data.definition),
  }
}

/**
 * Reads an automation right before it is replaced. @throws ClientFailure `conflict` if another version is live than the
 * one that was read before
 */
export async function requireSameVersion(context: Context, shown: LiveAutomation): Promise<void> {
  const now = await readLiveAutomation(context, shown.automation.id)
  const { name, id, updated_at: at } = now.automation
  if (now.fingerprint === shown.fingerprint && at === shown.automation.updated_at) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'version_changed',
    message: `"${name}" (${id}) was changed by someone else at ${at}, after it was read. Nothing was sent.`,
    hint: `Compare the versions and try again: parley automate diff ${id}`,
  })
}

/** Returns the refusal of a write whose version guard failed with exit 5 and a hint; any other error unchanged. */
export function explainVersionChange(error: unknown, id: string): unknown {
  if (!(error instanceof ClientFailure) || error.code !== 'version_changed') return error
  const { code, message, status, requestId, details } = error
  return new ClientFailure({
    exit: 'conflict',
    code,
    message,
    details,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    cause: error,
    hint: `Compare the versions and try again: parley automate diff ${id}`,
  })
}

/**
 * Returns the fields of a sent definition that are not live, as `step_1 settings.input.url`. Fields that the platform
 * adds and credentials that it masks do not count. Undefined if this cannot be determined, for example for unknown
 * steps.
 */
export async function fieldsNotLive(
  sent: unknown,
  { automation }: LiveAutomation,
): Promise<readonly string[] | undefined> {
  const { validateDefinition } = await import('../../../engine/definition/validate-definition.ts')
  const [sentTree, live] = [
    await validateDefinition(sent, undefined, { structureOnly: true }),
    await validateDefinition({ trigger: automation.definition }, undefined, { structureOnly: true }),
  ]
  if (!sentTree.ok || !live.ok) return undefined
  const { added, removed, moved, changed } = diff(sentTree.definition, live.definition)
  return [
    ...[...added, ...removed, ...moved].map(({ step }) => step),
    ...changed.flatMap(({ step, fields }) =>
      fields
        .filter((it) => !includesSent(it.after, it.before) && !/pieceVersion$/.test(it.path))
        .map(({ path }) => `${step} ${path}`),
    ),
  ]
}

/** Returns whether a live value equals or contains the value that was sent. */
function includesSent(live: unknown, sent: unknown): boolean {
  if (isMasked(live) && isMasked(sent)) return mayBeEqual(live, sent)
  if (sent === undefined || sent === null || isMasked(live) || isMasked(sent)) return true
  if (Array.isArray(sent))
    return Array.isArray(live) && sent.length === live.length && sent.every((it, n) => includesSent(live[n], it))
  if (isObject(sent))
    return (
      isObject(live) &&
      Object.entries(sent).every(([name, value]) => platformFields.has(name) || includesSent(live[name], value))
    )
  return String(live) === String(sent)
}

const isText = (it: unknown): it is string => typeof it === 'string' && it !== ''

/** Describes the live state: `It is enabled and bound to post_call of "Front desk" (1).` */
export function describeState({ automation }: LiveAutomation): string {
  const { status, binding } = automation
  const bound =
    isObject(binding) && isText(binding.type)
      ? ` and bound to ${binding.type} of ${stringifyJson(binding.assistant_name ?? 'assistant')} (${binding.assistant_id})`
      : ''
  return `It is ${status}${bound}.`
}
