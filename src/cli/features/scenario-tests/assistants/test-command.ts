import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { conversations } from '../../../../contract/resources/conversations.ts'
import { usd } from '../../../../contract/values/money.ts'
import { replaceFile } from '../../../../node/replace-file.ts'
import { command, type Invocation } from '../../../program/commandline/command.ts'
import { localProfile } from '../../../program/configuration/profiles.ts'
import {
  confirmTerms,
  guardWrite,
  requireConfirmation,
  type Terms,
} from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { budgetFlag } from '../../../program/operations/billing-flags.ts'
import { compareWithBudget, platformPrices } from '../../../program/operations/budget.ts'
import type { View } from '../../../program/output/format.ts'
import { safeText } from '../../../program/terminal/safe-text.ts'
import { missingFolderError } from '../../as-code/project-layout.ts'
import { listRecordings, unusedRecordings } from '../model/cassette.ts'
import { modelEndpoint, modelScriptFlag, requireScript } from '../model/model-flags.ts'
import { comparisonLines, parseOtherVersion, readVersion, runOtherVersion } from './compare-versions.ts'
import { type CoverageItem, measureCoverage } from './coverage.ts'
import { type ProjectFiles, readProject } from './project-files.ts'
import { chooseScenarios, parseTestedPath, readScenarios, requireKnownNames } from './read-scenarios.ts'
import { type CheckedScenario, runSuite, type ScenarioResult } from './run-suite.ts'
import type { TestScenario } from './scenario-schema.ts'

/**
 * Confirms scenarios on a remote deployment: what they cost at most, and that tools are really called. @throws
 * ClientFailure `conflict` above the budget, `consent` without confirmation
 */
async function confirmRemoteRun(
  context: Context,
  scenarios: readonly TestScenario[],
  { repeat, confirm }: { readonly repeat: number; readonly confirm: unknown },
): Promise<void> {
  const countMessages = (of: readonly TestScenario[]): number =>
    of.reduce((sum, it) => sum + (it.customer?.max_turns ?? it.turns.length), 0)
  const messages = countMessages(scenarios.filter((it) => it.type === 'widget' && it.channel === 'chat'))
  const allMessages = countMessages(scenarios)
  await guardWrite(context, confirm as string | undefined)
  const { baseUrl } = await context.settings()
  const read = async (): Promise<Terms & { readonly costUsd: number | undefined }> => {
    // Test conversations are free (section 4.9).
    const price = messages === 0 ? 0 : (await platformPrices(context))?.chat_message
    const costUsd = Number.isFinite(price) ? messages * repeat * Number(price) : undefined
    if (context.writeSettings.budgetUsd !== undefined) compareWithBudget(context, costUsd)
    const cost = costUsd === undefined ? 'unknown' : usd(costUsd)
    const text = `Scenarios on ${baseUrl.value}: ${scenarios.length}. Maximum cost: ${cost}. The real tools of the assistants are called`
    return {
      question: `${text}. Run them?`,
      refusalMessage: `${text}. This requires confirmation.`,
      terms: { 'The maximum cost': cost },
      costUsd,
    }
  }
  const terms = await read()
  await context.approvals.requirePlan(() => ({
    summary: terms.question,
    content: { scenarios, repeat },
    allows: { [conversations.send.name]: allMessages * repeat },
    maximumUsd: terms.costUsd ?? null,
  }))
  await confirmTerms(context, terms, read)
}

/** What a run of scenarios was about. */
interface FinishedRun {
  readonly checked: readonly CheckedScenario[]
  /** All scenarios of the project. */
  readonly all: readonly TestScenario[]
  readonly testsFolder: string
  /** Whether the responses of the model were recorded. */
  readonly isRecording: boolean
}

/** Writes the hints about recordings and latency after a run. */
async function writeRunNotes(
  { notes, system }: Context,
  { checked, all, testsFolder, isRecording }: FinishedRun,
): Promise<void> {
  const folder = relative(system.cwd, join(testsFolder, 'cassettes'))
  const recorded = checked.filter((it) => it.result.model === 'live').length
  if (isRecording && recorded > 0 && listRecordings(testsFolder).length > 0)
    await notes.note(
      `Recorded the responses of the language model for ${recorded} ${recorded === 1 ? 'scenario' : 'scenarios'} in ${folder}. Commit them.`,
    )
  const unused = checked.length === all.length ? unusedRecordings(testsFolder, all) : []
  if (unused.length > 0)
    await notes.note(`Recordings without a scenario in ${folder}, which can be deleted: ${unused.join(', ')}.`)
  const untimed = checked.filter(
    ({ scenario: { expect, turns }, result }) =>
      result.model === 'local' && [expect, ...turns.map((it) => it.expect)].some((it) => it?.max_latency_ms),
  )
  if (untimed.length > 0)
    await notes.note(
      safeText(
        `Not checked with the local model, whose latency is that of this machine: max_latency_ms of ${untimed.map((it) => `"${it.result.name}"`).join(', ')}.`,
      ),
    )
  if (checked.some((it) => it.result.verdict === 'stale'))
    await notes.note('Record stale scenarios again: add --record.')
}

const view: View<ScenarioResult> = {
  id: (it) => it.name,
  columns: [
    { key: 'verdict', title: 'Verdict', priority: 1, kind: 'status' },
    { key: 'name', title: 'Scenario', priority: 1, flexible: true },
    { key: 'assistant', title: 'Assistant', priority: 2 },
    { key: 'channel', title: 'Channel', priority: 4 },
    { key: 'turns', title: 'Turns', priority: 3, kind: 'number' },
    { key: 'failed_runs', title: 'Failed runs', priority: 3, kind: 'number' },
    { key: 'runs', title: 'Runs', priority: 5, kind: 'number' },
    { key: 'latency_ms', title: 'Latency', priority: 5, kind: 'number' },
  ],
  empty: 'No scenarios.',
}
const coverageView: View<CoverageItem> = {
  id: (it) => it.name,
  columns: [
    { key: 'covered', title: 'Covered', priority: 1, kind: 'bool' },
    { key: 'kind', title: 'Kind', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'assistant', title: 'Assistant', priority: 2 },
  ],
  empty: 'The files have nothing to cover.',
}

export const test = command({
  callsPlatform: true,
  risk: 'write',
  exits: ['finding', 'usage', 'conflict', 'interrupted'],
  summary: 'Run the test scenarios of assistants',
  argument: {
    name: 'folder',
    describe: 'Folder of the project, or a file of its scenarios (default: parley)',
    optional: true,
  },
  flags: [
    { flags: '--assistant <name>', describe: 'Only the scenarios of this assistant' },
    { flags: '--scenario <name>', describe: 'Only the scenario with this name; /.../ is a regular expression' },
    { flags: '--parallel <n>', describe: 'Number of scenarios that run at once (default: 4)' },
    { flags: '--repeat <n>', describe: 'Number of runs of each scenario, to find unreliable ones (default: 1)' },
    { flags: '--record', describe: 'Call the language model and record its responses again' },
    { flags: '--live-model', describe: 'Call the language model without using or changing recorded responses' },
    { flags: '--live-tools', describe: 'Call the real tools instead of the mocks of the scenarios' },
    modelScriptFlag,
    { flags: '--coverage', describe: 'Print what the scenarios cover instead of their results' },
    {
      flags: '--against <path>',
      describe: 'Also run another version (assistant file or project folder) and print what changed',
    },
    {
      flags: '--against-profile <name>',
      describe: 'Also run the deployed version of a profile and print what changed',
    },
    { flags: '--junit <file>', describe: 'Also write the results to a file as JUnit XML' },
    { flags: '--annotations <format>', describe: 'Also print annotations for a pull request', choices: ['github'] },
    { flags: budgetFlag, describe: 'Maximum cost in USD on a remote deployment' },
    { flags: '--confirm <name>', describe: 'Name of the protected profile, to confirm' },
  ],
  examples: ['', 'practice --assistant "Front desk"', 'practice --repeat 3 --junit results.xml', '--coverage --json'],
  notes:
    'Runs the scenarios in the "tests" folder of the project, each on a temporary local platform. The assistants and tools are those of the files. Nothing is sent to other systems: tools are answered by the mocks of the scenario, unless --live-tools is given.\nReplies come from the local model, or from the language model in PARLEY_MODEL_URL, PARLEY_MODEL and PARLEY_MODEL_KEY. Its responses are recorded in tests/cassettes and reused. A scenario is stale when its requests to the model differ from the recorded ones.\nWith --profile, the scenarios run as chats with the deployed assistants, which call their real tools. This requires confirmation.\nThe exit code is 20 when a scenario fails, is unreliable or is stale, and 2 when a scenario is invalid.',
  view,
  async run(context, { argument, flags }) {
    const { folder, file } = parseTestedPath(context.system.cwd, argument ?? 'parley')
    if (!existsSync(folder))
      throw missingFolderError(folder, {
        cwd: context.system.cwd,
        here: 'parley assistants test .',
        pull: `parley pull ${argument ?? ''}`.trimEnd(),
      })
    const report = await import('../reports.ts')
    const { system, out, notes, globals } = context
    const shown = relative(system.cwd, folder)
    const all = await readScenarios(system, folder, shown)
    const chosen = chooseScenarios(all, { file, assistant: flags.assistant, scenario: flags.scenario })
    const isRemote =
      globals.profile !== undefined || globals.baseUrl !== undefined ? await isDeployment(context) : false
    const options = {
      parallel: count(flags, 'parallel', 4),
      repeat: count(flags, 'repeat', 1),
      record: flags.record === true,
      isLiveModel: flags.liveModel === true,
      isLiveTools: flags.liveTools === true,
      isRemote,
      endpoint: await modelEndpoint(context, flags),
      script: typeof flags.modelScript === 'string' ? requireScript(system, flags.modelScript) : undefined,
    }
    if (isRemote)
      await confirmRemoteRun(context, chosen, {
        repeat: options.repeat,
        confirm: flags.confirm,
      })
    else if (options.isLiveTools)
      await requireConfirmation(
        context,
        {
          question: 'This calls the real tools of the assistants, which may change data. Run the scenarios?',
          refusalMessage: 'Calling the real tools of the assistants may change data and requires confirmation.',
        },
        { reachesOutside: true },
      )
    const project: ProjectFiles = isRemote
      ? { assistants: [], tools: [], automations: [] }
      : await readProject(context, folder)
    if (!isRemote) requireKnownNames(project, chosen)
    const isTable = out.isForPeople
    const version = parseOtherVersion(flags.against, flags.againstProfile, isRemote)
    const other = version && (await readVersion(context, project, version))
    const testsFolder = existsSync(join(folder, 'tests')) ? join(folder, 'tests') : folder
    const suite = {
      ...options,
      project,
      testsFolder,
      isRecorded: listRecordings(testsFolder).length > unusedRecordings(testsFolder, all).length,
    }
    const checked = await context.progress.showWhile(
      `Running ${chosen.length} scenarios`,
      runSuite(context, chosen, suite),
    )
    const own = checked.map((it) => it.result)
    const compared = other && (await runOtherVersion(context, chosen, suite, other, own))
    const results = compared ?? own
    const coverage = measureCoverage(project, checked)
    if (flags.coverage === true) await out.list(coverage, { view: coverageView })
    else if (isTable) {
      for (const result of results) for (const line of report.resultLines(result)) await out.line(line)
      await out.line(report.summaryLine(results))
      for (const line of compared ? comparisonLines(compared) : []) await out.line(line)
    } else await out.list(results, { view })
    // After the results, which a file that cannot be written must not hide.
    if (typeof flags.junit === 'string') replaceFile(resolve(system.cwd, flags.junit), report.junitReport(results))
    if (flags.annotations === 'github')
      for (const line of report.githubAnnotations(results, system)) await system.streams.stderr.write(`${line}\n`)
    const unchecked = isRemote ? report.uncheckedText(chosen) : undefined
    if (unchecked !== undefined) await notes.warn(unchecked)
    const replaced = report.replacedText(own)
    if (replaced !== undefined) await notes.warn(replaced)
    const gaps =
      isTable && flags.coverage !== true && chosen.length === all.length ? report.coverageLine(coverage) : undefined
    if (gaps !== undefined) await notes.note(gaps)
    await writeRunNotes(context, {
      checked,
      all,
      testsFolder,
      isRecording: !isRemote && !options.isLiveModel,
    })
    const { problems = [] } = project
    if (problems.length > 0)
      await notes.warn(`The scenarios ran without these automations, which are invalid:\n${problems.join('\n')}`)
    const isPassed = results.every((it) => it.verdict === 'passed' || it.verdict === 'skipped')
    return isPassed && problems.length === 0 ? 'done' : 'finding'
  },
})

async function isDeployment(context: Context): Promise<boolean> {
  return (await context.settings()).baseUrl.value !== localProfile.base_url
}

function count(flags: Invocation['flags'], name: string, usual: number): number {
  const given = flags[name]
  if (given === undefined) return usual
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw usageError(`Invalid --${name} "${given}". Use a whole number from 1 to 1000.`)
  return value
}
