import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { AutomationBrief } from '../../../../contract/automations/automation-records.ts'
import { accounts } from '../../../../contract/control/accounts.ts'
import { connections } from '../../../../contract/control/connections.ts'
import { linksOf } from '../../../../contract/references/resource-links.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { user } from '../../../../contract/resources/user.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { stateText } from '../../../../contract/values/states.ts'
import { type DefinitionDiff, diff } from '../../../../engine/analysis/diff.ts'
import { findRequiredConnections } from '../../../../engine/analysis/required-connections.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { localProfile } from '../../../program/configuration/profiles.ts'
import type { Context } from '../../../program/context.ts'
import { createAccountReader } from '../../../program/dependencies/account-reader.ts'
import { runsInFlight } from '../../../program/dependencies/dependents.ts'
import { findLinkTarget } from '../../../program/dependencies/usages.ts'
import { isSameId } from '../../../program/input/ids.ts'
import { resources } from '../../../program/resources/registry.ts'
import { differenceLines } from '../flow-files/difference-lines.ts'
import type { LiveAutomation } from '../live-automation.ts'
import { listVersions, type RestoreTarget } from './restore-targets.ts'

/**
 * Returns the connections that a definition needs and their state. The state is `unknown` if the platform does not list
 * connections.
 */
async function connectionStates(context: Context, definition: object): Promise<Requirement[]> {
  const { kinds, names } = findRequiredConnections(definition as never)
  const wanted = [...new Set<string>([...kinds, ...names])]
  if (wanted.length === 0) return []
  const known = await listAccountConnections(context)
  return wanted.map((id) => {
    if (!known) return { kind: 'connection', id, state: 'unknown' }
    // A step that needs only a kind accepts any connection of that kind.
    const found =
      known.find((it) => it.name === id) ??
      known.filter((it) => it.kind === id).sort((a, b) => (a.status < b.status ? -1 : 1))[0]
    return { kind: 'connection', id, state: !found ? 'missing' : found.status === 'expired' ? 'expired' : 'present' }
  })
}

/** Returns the connections of the account of the API key; undefined if they cannot be listed. */
async function listAccountConnections(
  context: Context,
): Promise<readonly { readonly name: string; readonly kind: string; readonly status: string }[] | undefined> {
  const { baseUrl } = await context.settings()
  if (baseUrl.value !== localProfile.base_url && !context.system.env.PARLEY_CONTROL_TOKEN) return undefined
  try {
    const { email, name } = await context.call(user.me, {})
    const { data } = await context.call(accounts.list, {})
    const matches = data.filter((it) => it.email === email && it.name === name)
    if (matches.length !== 1) return undefined
    return (await context.call(connections.list, { account: (matches[0] as { id: number }).id })).data
  } catch {
    return undefined
  }
}

/** A resource that an earlier version needs, and whether it exists. */
interface Requirement {
  /** `connection`, `assistant`, `number` and so on. */
  readonly kind: string
  readonly id: string
  readonly state: 'present' | 'missing' | 'expired' | 'unknown'
}

/**
 * Changes that result if an earlier version goes live. `automate restore --dry-run` prints it as JSON: fields and words
 * are added, not renamed.
 */
export interface RestorePreview {
  readonly to: { readonly number: number | null; readonly source: RestoreTarget['source'] }
  /** Live runs of the earlier version. Null if the platform does not count them. */
  readonly live_runs: { readonly runs: number; readonly failures: number } | null
  /** Null if the earlier version cannot be read before it is live. */
  readonly difference: DefinitionDiff | null
  readonly status: string
  readonly binding: unknown
  readonly next_binding: unknown
  /** Runs in progress or waiting, with the version they started with. */
  readonly runs_in_flight: readonly { readonly id: string; readonly status: string }[]
  readonly needs: readonly Requirement[]
  /** Another automation that is bound to the event. */
  readonly conflict: { readonly id: string; readonly name: string } | null
}

/** Determines what a restore would change, without sending it. Parts that cannot be read are unknown. */
export async function previewRestore(
  context: Context,
  { automation }: LiveAutomation,
  target: RestoreTarget,
): Promise<RestorePreview> {
  const { definition, binding } = target
  const [runs, needs, conflict] = [
    await runsInFlight(context, automation.id),
    definition ? await findRequirements(context, automation, definition, binding) : [],
    await findEventHolder(context, automation.id, binding),
  ]
  return {
    to: { number: target.number ?? null, source: target.source },
    live_runs: await countLiveRuns(context, automation.id, target),
    difference:
      definition && isObject(automation.definition)
        ? await diffWithTarget(automation.definition as never, target)
        : null,
    status: automation.status,
    binding: automation.binding ?? null,
    next_binding: binding === undefined ? null : binding,
    runs_in_flight: runs,
    needs,
    conflict,
  }
}

/**
 * Compares the live version with the target. A history entry has its credentials masked, so the live version is masked
 * as well.
 */
async function diffWithTarget(live: never, { definition, source }: RestoreTarget): Promise<DefinitionDiff> {
  return source === 'platform'
    ? diff(live, definition as never)
    : diff(maskDefinition(live), maskDefinition(definition as never))
}

async function countLiveRuns(
  context: Context,
  id: string,
  { number, source }: RestoreTarget,
): Promise<RestorePreview['live_runs']> {
  if (number === undefined || source !== 'platform') return null
  const version = (await listVersions(context, id).catch(() => [])).find((it) => it.number === number)
  const { runs, failures } = version ?? {}
  return runs === undefined || failures === undefined ? null : { runs, failures }
}

/** Returns the connections and resources that a definition references, each once. */
async function findRequirements(
  context: Context,
  automation: object,
  definition: object,
  binding: RestoreTarget['binding'],
): Promise<Requirement[]> {
  const found = new Map<string, Requirement>()
  for (const state of await connectionStates(context, definition)) found.set(`connection ${state.id}`, state)
  const account = createAccountReader(context.call, context.system.signal)
  const links = linksOf('automate', { ...automation, definition })
  const bound = binding
    ? [
        {
          from: 'automate',
          item: {},
          path: 'binding',
          by: 'binding',
          to: 'assistants',
          id: binding.assistant_id,
        },
      ]
    : []
  for (const link of [...links, ...bound] as ReturnType<typeof linksOf>) {
    if (link.id === undefined) continue
    const there = await findLinkTarget(account, link)
    const kind = resources[link.to].singular
    found.set(`${kind} ${link.id}`, {
      kind,
      id: String(link.id),
      state: there === 'missing' || there === 'unknown' ? there : 'present',
    })
  }
  return [...found.values()]
}

/** Returns another automation that is bound to the event. */
async function findEventHolder(
  context: Context,
  id: string,
  binding: RestoreTarget['binding'],
): Promise<RestorePreview['conflict']> {
  if (!binding) return null
  const answer = await context.call(automate.list, {}).catch(() => undefined)
  const holder = (answer?.data ?? []).find(
    (automation: AutomationBrief) =>
      automation.id !== id &&
      automation.binding?.type === binding.type &&
      isSameId(automation.binding.assistant_id, binding.assistant_id),
  )
  return holder ? { id: String(holder.id), name: String(holder.name) } : null
}

/** Describes a binding: `post_call of "Front desk" (1)`, or `no event`. */
export const describeBinding = (value: unknown): string =>
  isObject(value) && typeof value.type === 'string'
    ? `${value.type} of ${typeof value.assistant_name === 'string' ? `"${value.assistant_name}" (${value.assistant_id})` : `assistant ${value.assistant_id}`}`
    : 'no event'

/** Describes the differences, one per line. */
export function describeDifference({ difference }: RestorePreview): string[] {
  if (!difference) return ['Changes unknown: this deployment does not show the previous version before it is restored.']
  const lines = differenceLines(difference)
  return lines.length > 0 ? lines : ['No differences in the definitions.']
}

/** Describes the state afterwards, bindings, runs and needed resources, one per line. */
export function describeCircumstances(
  { status, binding, next_binding: next, runs_in_flight: runs, needs, to, live_runs: past }: RestorePreview,
  nextStatus = status,
): string[] {
  const bound =
    to.source === 'unknown' || stringifyJson(bindingKey(binding)) === stringifyJson(bindingKey(next))
      ? `Bound to: ${describeBinding(binding)}.`
      : `Bound to: ${describeBinding(binding)}. The restored version is bound to ${describeBinding(next)}.`
  const flight =
    runs.length === 0
      ? 'No runs in progress.'
      : `Runs in progress: ${runs.length} (${runs.map((it) => `${it.id} ${stateText(it.status)}`).join(', ')}). They finish with the version they started with.`
  const failed =
    past === null
      ? []
      : past.runs === 0
        ? [`Version ${to.number} had no live runs.`]
        : [`Of ${past.runs} live ${past.runs === 1 ? 'run' : 'runs'} of version ${to.number}, ${past.failures} failed.`]
  const needed =
    needs.length === 0
      ? []
      : [
          `Needs: ${needs.map(({ kind, id, state }) => `${kind} ${id} (${state === 'unknown' ? 'not checked' : state})`).join(', ')}.`,
        ]
  const state =
    status === nextStatus ? `The automation stays ${status}.` : `The automation is ${status} and becomes ${nextStatus}.`
  return [
    nextStatus === 'enabled' ? `${state} The next trigger uses the restored version.` : state,
    bound,
    flight,
    ...failed,
    ...needed,
  ]
}

const bindingKey = (it: unknown): unknown => (isObject(it) ? [it.type, String(it.assistant_id)] : null)

/**
 * Rejects a restore that the platform would refuse after publishing, or that would run without a needed resource.
 *
 * @throws ClientFailure exit 5 for an event that another automation is bound to, exit 6 for a missing connection or
 * assistant; nothing was sent
 */
export function requirePossible({ needs, conflict, next_binding: next }: RestorePreview, label: string): void {
  if (conflict)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'binding_conflict',
      message: `Cannot restore ${label}: its event, ${describeBinding(next)}, already starts the automation "${conflict.name}" (${conflict.id}). Nothing was sent.`,
      hint: `Detach the other automation first: parley automate disable ${conflict.id}, or delete it.`,
    })
  const gone = needs.filter(
    ({ kind, state }) =>
      (kind === 'connection' && state !== 'present' && state !== 'unknown') ||
      (kind === 'assistant' && state === 'missing'),
  )
  if (gone.length === 0) return
  const connection = gone.find((it) => it.kind === 'connection')
  throw new ClientFailure({
    exit: 'rejected',
    code: connection
      ? connection.state === 'expired'
        ? 'needs_reconnection'
        : 'needs_connection'
      : 'assistant_not_found',
    message: `Cannot restore ${label}: ${gone.map(({ kind, id, state }) => `${kind} ${id} is ${state}`).join(', ')}. Nothing was sent.`,
    hint: connection
      ? 'Connect the account in the application; on a local platform: parley server connections create.'
      : 'Restore the assistant first, or restore another version with --to.',
  })
}
