import { stringifyJson } from '../../../../node/json.ts'
import type { Context } from '../../../program/context.ts'
import type { Finding } from '../check-run.ts'
import { type Cassette, cassettePath, readCassette, writeCassette } from '../model/cassette.ts'
import { type ModelEndpoint, type ModelSession, startModelSession } from '../model/model-recorder.ts'
import { openAccount } from './open-account.ts'
import type { ProjectFiles } from './project-files.ts'
import { runScenario, type ScenarioRun } from './run-scenario.ts'
import { sampleAccount } from './sample-account.ts'
import type { TestScenario } from './scenario-schema.ts'
import { openTestPlatform } from './test-platform.ts'
import { createToolMocks } from './tool-mocks.ts'

/** What a scenario can end with. The words are in JSON and JUnit reports, so they are added and not renamed. */
export const verdicts = ['passed', 'failed', 'flaky', 'stale', 'skipped'] as const

/** The result of a scenario over all its runs. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ScenarioResult {
  readonly name: string
  readonly file: string
  readonly line: number | null
  readonly assistant: string
  readonly channel: TestScenario['channel']
  readonly verdict: (typeof verdicts)[number]
  /** Why it is stale or skipped. */
  readonly reason: string | null
  readonly model: 'local' | 'recorded' | 'live' | 'remote'
  readonly runs: number
  readonly failed_runs: number
  readonly turns: number
  /** Slowest reply of all runs in milliseconds. */
  readonly latency_ms: number
  /** Cost of one run in USD; null on a remote deployment. */
  readonly cost_usd: number | null
  /** What of the project the local platform has not, and what is used instead, a sentence each. */
  readonly replaced: readonly string[]
  /** Of the first run that failed. */
  readonly findings: readonly Finding[]
  readonly transcript: readonly {
    readonly customer: string
    readonly assistant: string
    readonly calls: readonly string[]
  }[]
}

/** How scenarios are run. */
export interface SuiteOptions {
  readonly project: ProjectFiles
  /** Folder of the scenarios, for cassettes. */
  readonly testsFolder: string
  readonly parallel: number
  readonly repeat: number
  readonly record: boolean
  /** Asks the real model without cassettes. */
  readonly isLiveModel: boolean
  /** Calls the real tools. */
  readonly isLiveTools: boolean
  /** Runs on the deployment of the profile. */
  readonly isRemote: boolean
  readonly endpoint: ModelEndpoint | undefined
  /** Whether some scenario of the project is recorded, so that one without a recording needs one. */
  readonly isRecorded: boolean
  /** Script of the local model. */
  readonly script: string | undefined
  readonly onResult?: (result: ScenarioResult) => void
}

/** A result and its runs, for coverage. */
export interface CheckedScenario {
  readonly scenario: TestScenario
  readonly result: ScenarioResult
  readonly runs: readonly ScenarioRun[]
}

/** Runs scenarios, several at once, and returns their results in order. */
export async function runSuite(
  context: Context,
  scenarios: readonly TestScenario[],
  options: SuiteOptions,
): Promise<readonly CheckedScenario[]> {
  const results: CheckedScenario[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let n = next++; n < scenarios.length; n = next++) {
      context.system.signal.throwIfAborted()
      const checked = await checkScenario(context, scenarios[n] as TestScenario, options)
      results[n] = checked
      options.onResult?.(checked.result)
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(options.parallel, scenarios.length) }, work))
  const failed = outcomes.find((it) => it.status === 'rejected')
  if (failed) {
    // What was in progress on a temporary platform is gone with it, so that its outcome does not matter.
    if (!options.isRemote) context.system.signal.throwIfAborted()
    throw failed.reason
  }
  return results
}

const noRecording =
  'This scenario has no recording, and others have one. Record it with a language model, or write "model: local" in it.'

async function checkScenario(
  context: Context,
  scenario: TestScenario,
  options: SuiteOptions,
): Promise<CheckedScenario> {
  const path = cassettePath(options.testsFolder, scenario)
  const isLocal = scenario.model === 'local' && !options.isRemote
  const cassette = options.record || options.isLiveModel || options.isRemote || isLocal ? undefined : readCassette(path)
  // On a deployment, a model only plays the customer and judges.
  const isAsking = cassette !== undefined || (options.endpoint !== undefined && !isLocal)
  const model = options.isRemote ? 'remote' : cassette ? 'recorded' : isAsking ? 'live' : 'local'
  const line = Number(/:(\d+)$/.exec(scenario.locate('name'))?.[1] ?? /:(\d+)$/.exec(scenario.locate('assistant'))?.[1])
  const base = {
    name: scenario.name,
    file: scenario.file,
    line: line || null,
    assistant: scenario.assistant,
    channel: scenario.channel,
    model,
  } as const
  const empty = {
    runs: 0,
    failed_runs: 0,
    turns: 0,
    latency_ms: 0,
    cost_usd: null,
    replaced: [],
    findings: [],
    transcript: [],
  }
  if (options.isRemote && scenario.channel !== 'chat')
    return {
      scenario,
      runs: [],
      result: {
        ...base,
        ...empty,
        verdict: 'skipped',
        reason: `The channel ${scenario.channel} needs a local platform.`,
      },
    }
  if (model === 'local' && !isLocal && options.script === undefined && options.isRecorded)
    return { scenario, runs: [], result: { ...base, ...empty, verdict: 'stale', reason: noRecording } }
  const runs: ScenarioRun[] = []
  let stale: string | undefined
  let recorded: Cassette['entries'] | undefined
  for (let n = 0; n < options.repeat && stale === undefined; n++) {
    const session = isAsking ? await startModelSession(cassette, options.endpoint, context.system) : undefined
    try {
      const run = await runOnce(context, scenario, options, session, cassette?.model)
      stale = session?.stale()
      const problem = session?.problem()
      runs.push(problem === undefined ? run : withProblem(run, problem))
      if (problem === undefined) recorded = session?.recorded()
    } finally {
      await session?.close()
    }
  }
  if (model === 'live' && !options.isLiveModel && recorded && recorded.length > 0)
    writeCassette(path, { version: 1, model: options.endpoint?.model ?? '', entries: recorded })
  const failures = runs.filter((it) => it.findings.length > 0)
  const shown = failures[0] ?? (runs[0] as ScenarioRun)
  const verdict =
    stale !== undefined
      ? 'stale'
      : failures.length === 0
        ? 'passed'
        : failures.length < runs.length
          ? 'flaky'
          : 'failed'
  const result: ScenarioResult = {
    ...base,
    verdict,
    reason: stale ?? null,
    runs: runs.length,
    failed_runs: failures.length,
    turns: shown.exchanges.length,
    latency_ms: Math.max(0, ...runs.flatMap((it) => it.exchanges.map((one) => one.latencyMs))),
    cost_usd: shown.costUsd,
    replaced: shown.replaced ?? [],
    findings: verdict === 'stale' ? [] : shown.findings,
    transcript: shown.exchanges.map(({ say, reply, calls }) => ({
      customer: say,
      assistant: reply,
      calls: calls.map((it) => `${it.name} ${stringifyJson(it.arguments)}`),
    })),
  }
  return { scenario, result, runs }
}

/** Adds why the model gave no response, in place of what run-scenario.ts reports of a failed reply, as the expectation `reply`. */
function withProblem(run: ScenarioRun, problem: string): ScenarioRun {
  if (run.findings.some((it) => it.happened === problem)) return run
  const isReply = run.findings.some((it) => it.expectation === 'reply')
  const turn = isReply ? run.exchanges.length + 1 : null
  const finding = {
    turn,
    expectation: isReply ? 'reply' : 'language model',
    expected: isReply ? 'a reply' : 'a response',
    happened: problem,
  }
  return { ...run, findings: [finding, ...run.findings.filter((it) => it.expectation !== 'reply')] }
}

async function runOnce(
  context: Context,
  scenario: TestScenario,
  { project, isLiveTools, isRemote, script }: SuiteOptions,
  session: ModelSession | undefined,
  recordedModel: string | undefined,
): Promise<ScenarioRun> {
  const { system } = context
  if (isRemote)
    return runScenario(scenario, {
      context,
      call: context.call as never,
      platform: undefined,
      ask: session?.ask,
      recordedMs: session?.recordedMs,
      signal: system.signal,
    })
  const mocks = createToolMocks(scenario)
  const open = (data: object) =>
    openTestPlatform(system, {
      data,
      frozenAt: scenario.time,
      language: session
        ? { url: session.url, model: recordedModel ?? 'model' }
        : script === undefined
          ? {}
          : { script },
      ...(!isLiveTools && { answer: mocks.answer }),
    })
  const { platform, replaced } = await openAccount(
    sampleAccount(project, scenario, { env: system.env, isLive: isLiveTools }),
    open,
    {
      project,
      own: `${scenario.locate('data')}: the account of the scenario "${scenario.name}" is invalid`,
      hint: 'Fix the files of the project, or the data of the scenario.',
    },
  )
  try {
    const run = await runScenario(scenario, {
      context,
      call: platform.call,
      platform,
      ask: session?.ask,
      recordedMs: session?.recordedMs,
      signal: system.signal,
    })
    const unanswered = [...mocks.missing].map(
      (name): Finding => ({
        turn: null,
        expectation: 'mocks',
        expected: `a mock for ${name}`,
        happened: `${name} was called, and the scenario has no mock that fits. Add mocks.${name}, or pass --live-tools.`,
      }),
    )
    return { ...run, replaced, findings: [...run.findings, ...unanswered] }
  } finally {
    await platform.close()
  }
}
