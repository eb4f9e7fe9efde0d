import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { RunRecord, RunStepRecord } from '../../../../contract/automations/run-records.ts'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import type { Sandbox } from '../../../../engine/expressions/sandbox.ts'
import { reachesOutside, type SimulatedRun, type SimulatedStep } from '../../../../engine/runs/simulate-run.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { Anonymizer } from '../../../nouns/conversations/anonymizer.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readForeignFlow } from '../../automations/flow-files/read-flow.ts'
import type { AutomationTest } from './automation-test-schema.ts'
import { type Simulated, simulateTest } from './run-automation-tests.ts'

/** Maximum number of replaced values that are tried. */
const maxTried = 30

/** Returns the value at a path such as `payload.body.phone`; undefined if there is none. */
const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)]
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, root)

/** Returns the paths at which two values of the same form differ. */
function differentPaths(before: unknown, after: unknown, path: readonly string[] = []): string[][] {
  const isNested = (Array.isArray(before) && Array.isArray(after)) || (isObject(before) && isObject(after))
  if (!isNested) return stringifyJson(before) === stringifyJson(after) ? [] : [[...path]]
  return Object.keys(before as object).flatMap((name) =>
    differentPaths((before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name], [
      ...path,
      name,
    ]),
  )
}

/** Returns a copy with the value of another at a path. */
function withValueOf(after: unknown, before: unknown, path: readonly string[]): unknown {
  const copy = structuredClone(after)
  let [to, from] = [copy as Record<string, unknown>, before as Record<string, unknown>]
  for (const name of path.slice(0, -1))
    [to, from] = [to[name] as Record<string, unknown>, from[name] as Record<string, unknown>]
  const last = path.at(-1) as string
  to[last] = from[last]
  return copy
}

/** Returns the paths of replaced values that make a run fail again when one of them is the recorded one. */
async function valuesThatFail<T extends object>(
  recorded: T,
  replaced: T,
  fails: (value: T) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = []
  for (const path of differentPaths(recorded, replaced).slice(0, maxTried))
    if (await fails(withValueOf(replaced, recorded, path) as T)) found.push(path.join('.'))
  return found
}

/** Maximum characters of an output that is expected. */
const maxExpectedLength = 4000
const dayMicros = 86_400_000_000

/** A test made from a run, and how its local run differs from the recorded one. */
interface SavedTest {
  readonly test: AutomationTest
  readonly differences: readonly string[]
  /** Paths of replaced values without which the run does not fail, such as `payload.body.phone`. */
  readonly causes: readonly string[]
}

/**
 * Returns a test that repeats a run: its payload, outputs of the steps that reached other systems as mocks, and what
 * the definition does with them locally. Personal data is replaced, except at the paths in `wholePaths`, and secrets stay
 * hidden. @throws ClientFailure `usage` for a path that the run does not have
 */
export async function testFromRun(
  context: Context,
  run: RunRecord,
  flow: unknown,
  sandbox: Sandbox,
  wholePaths: readonly string[] = [],
): Promise<SavedTest> {
  const { definition, unknown } = await readForeignFlow(flow, undefined, sandbox, {
    mocked: new Set(run.steps.map((it) => it.name)),
  })
  const nodes = new Map(
    [...walkSteps(definition)].map(({ node }): [string, AutomationNode] => [String(node.name), node]),
  )
  const unknownSteps = new Set(unknown.map((it) => it.step))
  const isOutside = ({ name }: RunStepRecord): boolean => {
    const node = nodes.get(name)
    return node === undefined || unknownSteps.has(name) || reachesOutside(node)
  }
  const outside = run.steps.filter(isOutside)
  const recorded = {
    payload: run.trigger,
    mocks: Object.fromEntries(
      outside.filter((it) => it.status === 'SUCCEEDED').map((it): [string, unknown] => [it.path, it.output]),
    ),
  }
  const anonymous = new Anonymizer()
  for (const path of wholePaths) {
    const value = valueAt(recorded, path)
    if (value === undefined)
      throw usageError(`--keep ${path}: the run has no such value.`, 'Pass a path such as payload.body.phone.')
    anonymous.keep(value)
  }
  anonymous.learn(run.trigger)
  for (const step of outside) anonymous.learn(step.output)
  const simulated: Simulated = {
    payload: anonymous.value(recorded.payload),
    mocks: anonymous.value(recorded.mocks) as Record<string, unknown>,
    failures: Object.fromEntries(
      outside
        .filter((it) => it.status === 'FAILED')
        .map((it) => [it.path, anonymous.text(it.error ?? 'The step failed.')]),
    ),
  }
  const found = { flow, file: undefined }
  const now = Date.parse(run.start_time) * 1000
  const first = await simulateTest(context, found, simulated, sandbox, now)
  // What differs a day later depends on the time or on chance, and cannot be expected.
  const later = await simulateTest(context, found, simulated, sandbox, now + dayMicros + 61_000_000)
  const { payload, mocks = {}, failures = {} } = simulated
  const test: AutomationTest = {
    name: `${run.automation_name} ${run.id.slice(0, 8)}`,
    automation: run.automation_name,
    payload,
    ...(Object.keys(mocks).length > 0 && { mocks }),
    ...(Object.keys(failures).length > 0 && { failures }),
    expect: expectationsOf(first, later),
  }
  const causes =
    run.status !== 'FAILED' || first.status === 'FAILED'
      ? []
      : await valuesThatFail(recorded, { payload, mocks }, async (candidate) => {
          const tried = await simulateTest(context, found, { ...candidate, failures }, sandbox, now)
          return tried.status === 'FAILED'
        })
  return { test, differences: differencesOf(run, first), causes }
}

function expectationsOf(first: SimulatedRun, later: SimulatedRun): AutomationTest['expect'] {
  const laterSteps = new Map(later.steps.map((it): [string, SimulatedStep] => [it.path, it]))
  const isStable = (path: string, side: 'input' | 'output', value: unknown): boolean => {
    const text = stringifyJson(value) ?? ''
    return text.length <= maxExpectedLength && text === stringifyJson(laterSteps.get(path)?.[side])
  }
  const pick = (side: 'input' | 'output', isMocked: boolean): Record<string, unknown> =>
    Object.fromEntries(
      first.steps
        .filter((it) => (it.status === 'MOCKED' || it.status === 'NOT_RUN') === isMocked)
        .filter((it) => it[side] !== null && isStable(it.path, side, it[side]))
        .map((it) => [it.path, it[side]]),
    )
  const error = first.steps.findLast((it) => it.status === 'FAILED')?.error
  const { response } = first
  const inputs = pick('input', true)
  // The output of the step that answered is expected once, as the response.
  const outputs = Object.fromEntries(
    Object.entries(pick('output', false)).filter(
      ([, field]) =>
        !(
          response &&
          isObject(field) &&
          'status' in field &&
          stringifyJson(field.body) === stringifyJson(response.body)
        ),
    ),
  )
  const isResponseStable = stringifyJson(response?.body) === stringifyJson(later.response?.body)
  return {
    status: first.status,
    ...(first.status === 'FAILED' &&
      error &&
      error === later.steps.findLast((it) => it.status === 'FAILED')?.error && { error }),
    steps: first.steps.map((it) => it.path),
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(Object.keys(outputs).length > 0 && { outputs }),
    ...(response && isResponseStable && { response: { status: response.status, body: response.body } }),
  }
}

/** Returns what the local run does differently from the recorded one, a sentence each. */
function differencesOf(run: RunRecord, local: SimulatedRun): string[] {
  const found: string[] = []
  const status = run.status === 'CANCELLED' ? 'FAILED' : run.status
  if (status !== local.status) found.push(`The run was ${run.status}, and is ${local.status} locally.`)
  const at = run.steps.findIndex((it, n) => it.path !== local.steps[n]?.path)
  if (at >= 0)
    found.push(`Step ${at + 1} was ${run.steps[at]?.path}, and is ${local.steps[at]?.path ?? 'not run'} locally.`)
  return found
}
