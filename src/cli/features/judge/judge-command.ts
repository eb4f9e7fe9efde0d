import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { describeWriteError } from '../../../node/file-error.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { createFile } from '../../../node/replace-file.ts'
import { assistantFlag } from '../../nouns/assistants/view.ts'
import { periodFlags } from '../../nouns/conversations/period.ts'
import { type Command, command, type Invocation } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import type { View } from '../../program/output/format.ts'
import { reportFlags, writeReports } from '../../program/output/report-files.ts'
import { modelEndpoint } from '../scenario-tests/model/model-flags.ts'
import type { ModelEndpoint } from '../scenario-tests/model/model-recorder.ts'
import { askAll, askedHash, confirmQuestions, describeQuestions, type Question, usageText } from './ask-all.ts'
import { type CriterionResult, CriterionSummary, JudgedItem } from './criterion-result.ts'
import { changeText, junitReport, markdownReport, scoreText, summaryLine, whyText } from './judge-reports.ts'
import type { JudgedRecord } from './judged-record.ts'
import { expects, judgedScenario } from './judged-scenario.ts'
import { type JudgedSource, judgedSources } from './judged-sources.ts'
import { readRecords, type SampleOptions } from './read-records.ts'
import { openResults } from './results-file.ts'
import { isAsked, type Rubric, readRubric, totalId } from './rubric.ts'
import { applies, runCheck } from './run-checks.ts'
import { scoreOf, summarize } from './score.ts'

const view: View<JudgedItem> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'result', title: 'Result', priority: 1, kind: 'status' },
    { key: 'score', title: 'Score', priority: 1, kind: 'number' },
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'assistant', title: 'Assistant', priority: 4, flexible: true },
    { key: 'created_at', title: 'Started', priority: 5, kind: 'time' },
    { key: 'messages', title: 'Messages', priority: 6, kind: 'number' },
    {
      key: whyText,
      field: 'criteria',
      title: 'Why',
      priority: 2,
      flexible: true,
    },
    { key: 'scenario', title: 'Scenario', priority: 7, flexible: true },
  ],
  empty: 'Nothing to judge.',
}

const summaryView: View<CriterionSummary> = {
  id: (it) => it.criterion,
  columns: [
    { key: 'criterion', title: 'Criterion', priority: 1 },
    { key: 'score', title: 'Score', priority: 1, kind: 'number' },
    { key: 'judged', title: 'Judged', priority: 2, kind: 'number' },
    { key: 'unjudged', title: 'Unjudged', priority: 2, kind: 'number' },
    { key: 'gate_score', title: 'Unjudged as 0', priority: 4, kind: 'number' },
    { key: 'previous', title: 'Before', priority: 2, kind: 'number' },
    { key: 'change', title: 'Change', priority: 2, kind: 'number' },
  ],
  empty: 'Nothing was judged.',
}

/** What the flags say about a run. */
interface Options extends SampleOptions {
  readonly min: number | undefined
  /** Price of a million tokens in USD. */
  readonly price: number | undefined
  readonly model: ModelEndpoint | undefined
  readonly isAgain: boolean
  readonly scenarios: string | undefined
  /** Whether only what this computer knows is judged: nothing is sent to a model and nothing is written. */
  readonly isDry: boolean
}

/** @throws ClientFailure `usage` */
async function parseOptions(context: Context, { flags }: Pick<Invocation, 'flags'>, rubric: Rubric): Promise<Options> {
  const isAskedFor = flags.checksOnly !== true
  if (!isAskedFor && flags.model !== undefined) throw usageError('Pass either --model or --checks-only.')
  const number = (name: string, flag: string, max: number): number | undefined => {
    const given = flags[name]
    if (given === undefined) return undefined
    const value = Number(given)
    if (typeof given !== 'string' || !/^\d+(\.\d+)?$/.test(given) || value > max)
      throw usageError(`Invalid ${flag} "${given}". Use a number from 0 to ${max}.`)
    return value
  }
  const min = number('min', '--min', 1)
  const price = number('tokenPrice', '--token-price', 1_000_000)
  const seed = number('seed', '--seed', 2 ** 32 - 1)
  if (seed !== undefined && !Number.isInteger(seed))
    throw usageError(`Invalid --seed "${flags.seed}". Use a whole number.`)
  if (seed !== undefined && flags.sample === undefined)
    throw usageError('--seed chooses a sample. Pass --sample with its size too.')
  const asked = rubric.criteria.filter(isAsked).length
  const model = isAskedFor && asked > 0 ? await modelEndpoint(context, flags) : undefined
  if (min !== undefined && isAskedFor && asked > 0 && !model)
    throw usageError(
      `--min needs a language model: ${asked === 1 ? 'a criterion of the rubric is' : `${asked} criteria of the rubric are`} judged by one.`,
      'Set PARLEY_MODEL_URL, PARLEY_MODEL and PARLEY_MODEL_KEY, or pass --checks-only.',
    )
  return {
    count: parseCount(flags.sample as string | undefined, '--sample'),
    seed,
    min,
    price,
    model,
    isAgain: flags.again === true,
    scenarios: typeof flags.toTest === 'string' ? flags.toTest : undefined,
    isDry: context.globals.dryRun === true,
  }
}

/** Returns the results of all criteria of a record. `fromModel` are those that a model gave. */
function resultsOf(rubric: Rubric, record: JudgedRecord, fromModel: readonly CriterionResult[]): CriterionResult[] {
  return rubric.criteria.map((criterion) => {
    const { id, check } = criterion
    const without = { id, by: check ? ('check' as const) : ('model' as const), score: null, quotes: [] }
    if (!applies(criterion, record))
      return { ...without, status: 'not_applicable', reason: 'The customer said nothing of "when".' }
    if (check) return runCheck(criterion, check, record)
    return fromModel.find((it) => it.id === id) ?? { ...without, status: 'skipped', reason: 'No model was asked.' }
  })
}

/** What was written of the failures of a run. */
interface WrittenScenarios {
  /** Number of files that existed with the same expectations. */
  existing: number
  /** Failures whose file existed without what was not met, and the ids of these criteria. */
  readonly lacking: { readonly file: string; readonly ids: readonly string[] }[]
  /** Whether a model decides in one. */
  hasJudge: boolean
  /** Number of failures that a scenario would not show, by criterion. */
  readonly untestable: Map<string, number>
}

/** Makes the folder of scenarios before a model is paid. @throws ClientFailure `usage` if it cannot be made */
function makeScenarioFolder({ system }: Context, folder: string): void {
  try {
    makeFolder(resolve(system.cwd, folder))
  } catch (error) {
    throw usageError(`--to-test: Could not make the folder ${folder}: ${describeWriteError(error)}.`)
  }
}

/**
 * Writes a scenario for a failure, and returns its path; null if a test would pass. An earlier one of the same name is unchanged, and
 * null as well unless it expects what was not met.
 */
async function writeScenario(
  { system }: Context,
  folder: string,
  failure: Parameters<typeof judgedScenario>,
  written: WrittenScenarios,
): Promise<string | null> {
  const { scenario, expected, untestable } = judgedScenario(...failure)
  for (const id of untestable) written.untestable.set(id, (written.untestable.get(id) ?? 0) + 1)
  if (!scenario) return null
  const { parse, stringify } = await loadYaml()
  const file = join(resolve(system.cwd, folder), `${scenario.name.replaceAll(' ', '-')}.yaml`)
  try {
    if (!createFile(file, stringify(scenario, { lineWidth: 0, aliasDuplicateObjects: false }))) {
      const earlier = readEarlier(file, parse)
      const ids = [...expected].flatMap(([id, wanted]) => (expects(earlier, wanted) ? [] : [id]))
      if (ids.length > 0) {
        written.lacking.push({ file: relative(system.cwd, file), ids })
        return null
      }
      written.existing++
    }
    written.hasJudge ||= scenario.expect.judge !== undefined
    return relative(system.cwd, file)
  } catch (error) {
    throw usageError(`--to-test: Could not write ${relative(system.cwd, file)}: ${describeWriteError(error)}.`)
  }
}

/** Returns the content of a scenario that existed; undefined if it cannot be read as YAML. */
function readEarlier(file: string, parse: (text: string) => unknown): unknown {
  const text = readFileSync(file, 'utf8')
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Says where the scenarios of failures are, and what they do not show. */
async function noteScenarios(
  { notes }: Context,
  folder: string,
  isAny: boolean,
  { existing, lacking, hasJudge, untestable }: WrittenScenarios,
): Promise<void> {
  if (isAny) {
    const unchanged = existing === 0 ? '' : `; ${existing} existed and were not changed`
    const verdicts = hasJudge ? ' A language model decides about "judge" again, and may decide otherwise.' : ''
    await notes.note(
      `Scenarios of failures are in ${folder}${unchanged}. Read them before you share them: names in free text may remain.${verdicts}`,
    )
  }
  if (lacking.length > 0)
    await notes.warn(
      `Not written, because the file exists without it: ${lacking.map(({ file, ids }) => `${file} (${ids.join(', ')})`).join('; ')}. Pass another folder with --to-test, or rename the files.`,
    )
  if (untestable.size > 0)
    await notes.warn(
      `Not in a scenario, because the same messages of the customer do not show it in a test: ${[...untestable].map(([id, count]) => `${id} (${count})`).join(', ')}.`,
    )
}

/** Judges what the flags select. */
async function judge(context: Context, invocation: Invocation, source: JudgedSource): Promise<ExitName> {
  const { system, out, notes } = context
  const { flags } = invocation
  const rubric = await readRubric(system, flags.rubric, source.noun)
  const options = await parseOptions(context, invocation, rubric)
  const selected = await source.select(context, invocation)
  if (await previewRequest(context, source.endpoint, selected.filters)) return 'done'
  const results = await openResults(context, source.noun, rubric)
  try {
    const {
      records,
      listed,
      silent,
      total: all,
      selection,
      seed,
      isContinued,
      start,
    } = await readRecords(context, invocation, {
      source,
      results,
      options,
      selected,
    })
    if (system.signal.aborted) return interruptedExit(system.signal)
    if (seed !== undefined)
      await notes.note(
        isContinued
          ? `Continues the interrupted run with the seed ${seed}.`
          : `Sample: ${Math.min(options.count ?? 0, listed)} of ${listed} ${source.noun}. Seed: ${seed}.`,
      )
    if (silent > 0) await notes.note(`Not judged: ${silent} of ${all} ${source.noun}, because ${source.silentReason}.`)
    const { model, isDry, scenarios } = options
    const earlier = new Map<string, CriterionResult[]>()
    const open = records.flatMap((record): Question[] => {
      if (!model) return []
      const asked = rubric.criteria.filter((it) => isAsked(it) && applies(it, record))
      const known = options.isAgain ? [] : asked.flatMap((it) => results.find(askedHash(model, record, it)) ?? [])
      earlier.set(record.id, known)
      const criteria = asked.filter(({ id }) => !known.some((it) => it.id === id))
      return criteria.length > 0 ? [{ record, criteria }] : []
    })
    const done = [...earlier.values()].filter((it) => it.length > 0).length
    if (done > 0) await notes.note(`Judged before, and not asked again: ${done}.`)
    if (scenarios !== undefined && !isDry) makeScenarioFolder(context, scenarios)
    if (model && open.length > 0) {
      const text = describeQuestions(source, open, model, options.price)
      if (isDry) await notes.note(`${text}.`)
      else await confirmQuestions(context, text)
    }
    if (!isDry) start()
    const asked = model && open.length > 0 && !isDry ? await askAll(context, open, model, results) : undefined
    const usage = asked && usageText(asked.usage, options.price)
    if (usage !== undefined) await notes.note(usage)
    if (system.signal.aborted) {
      await notes.note(`Judged ${asked?.found.size ?? 0} of ${open.length}. Run the same command again to continue.`)
      return interruptedExit(system.signal)
    }
    const items: JudgedItem[] = []
    const written: WrittenScenarios = { existing: 0, lacking: [], hasJudge: false, untestable: new Map() }
    for (const record of records) {
      const fromModel = [...(earlier.get(record.id) ?? []), ...(asked?.found.get(record.id) ?? [])]
      const criteria = resultsOf(rubric, record, fromModel)
      const scored = scoreOf(rubric, criteria)
      const scenario =
        scored.result === 'failed' && scenarios !== undefined && !isDry
          ? await writeScenario(context, scenarios, [rubric, record, criteria], written)
          : null
      const { id, assistant, created_at, said } = record
      items.push({ id, assistant, created_at, ...scored, messages: said.length, criteria, scenario })
    }
    const previous = results.previous(model?.model ?? null)
    const summaries = summarize(rubric, items, previous?.summaries ?? [])
    const total = summaries.find((it) => it.criterion === totalId)
    const unproven =
      options.min !== undefined && total?.score == null
        ? { gate: `--min ${options.min}`, reason: `Nothing was judged, so that --min ${options.min} is not reached.` }
        : undefined
    const reports = {
      markdown: () => markdownReport(rubric, source.noun, items, summaries),
      junit: () => junitReport(rubric, source, items, unproven),
    }
    if (flags.summary === true) await out.list(summaries, { view: summaryView, schema: CriterionSummary })
    else await out.list(items, { view, schema: JudgedItem })
    const at = new Date(system.now()).toISOString()
    // After they were printed: a run whose results could not be printed has not ended, and the next one continues its sample.
    if (!isDry) {
      results.end({ at, rubric: rubric.hash, model: model?.model ?? null, selection, summaries })
      // After the results, which a file that cannot be written must not hide.
      await writeReports(system, flags, reports)
    }
    await notes.note(summaryLine(items, summaries))
    if (previous && total && total.change !== null)
      await notes.note(
        `Before: ${scoreText(total.previous)}, change: ${changeText(total.change)}.${previous.rubric === rubric.hash ? '' : ' The rubric has changed since.'}${previous.selection === selection ? '' : ' The run before had another period, sample size or other filters.'}`,
      )
    const skipped = model ? 0 : rubric.criteria.filter(isAsked).length
    if (skipped > 0)
      await notes.warn(
        `Not judged, because ${flags.checksOnly === true ? 'of --checks-only' : 'no language model is configured'}: ${rubric.criteria
          .filter(isAsked)
          .map((it) => it.id)
          .join(', ')}.`,
      )
    if (scenarios !== undefined)
      await noteScenarios(
        context,
        scenarios,
        items.some((it) => it.scenario !== null),
        written,
      )
    if (isDry) await notes.note('Dry run. Nothing was sent to a model, and nothing was written.')
    if (options.min === undefined || isDry) return 'done'
    if (unproven) {
      await notes.warn(unproven.reason)
      return 'finding'
    }
    const reached = total?.gate_score ?? 0
    if (reached >= options.min) return 'done'
    await notes.warn(`The score ${scoreText(reached)} is below --min ${options.min}.`)
    return 'finding'
  } finally {
    results.close()
  }
}

const judgeCommand = (source: JudgedSource, examples: readonly string[], notes: string): Command =>
  command({
    endpoint: source.endpoint,
    exits: ['finding', 'usage', 'conflict', 'consent', 'interrupted'],
    summary: 'Judge by a rubric',
    filledFields: ['assistant_id', 'page', 'per_page'],
    flags: [
      { flags: '--rubric <file>', describe: 'YAML file with the criteria; - is standard input' },
      assistantFlag,
      ...periodFlags(source.noun),
      { flags: '--sample <n>', describe: `Number of ${source.noun} to choose at random (default: all)` },
      { flags: '--seed <n>', describe: 'Seed of the sample, to choose the same again (default: random, and printed)' },
      { flags: '--model <name>', describe: 'Model at PARLEY_MODEL_URL (default: PARLEY_MODEL)' },
      { flags: '--checks-only', describe: 'Ask no model: judge only the criteria with a check' },
      { flags: '--token-price <usd>', describe: 'Price of a million tokens in USD, to estimate the cost' },
      { flags: '--again', describe: 'Ask the model again about what it has judged before' },
      {
        flags: '--min <score>',
        describe: 'Exit with code 20 if the score is below this, from 0 to 1, or nothing was judged',
      },
      { flags: '--summary', describe: `Print the score of each criterion instead of the ${source.noun}` },
      { flags: '--to-test <folder>', describe: 'Write a test scenario for each failure into this folder' },
      ...reportFlags,
    ],
    examples,
    notes,
    view,
    otherView: summaryView,
    run: (context, invocation) => judge(context, invocation, source),
  })

const about =
  'The rubric has criteria with a check, which this computer runs, and criteria with a question, which the language model in PARLEY_MODEL_URL, PARLEY_MODEL and PARLEY_MODEL_KEY answers with a score. Without a model only the checks are judged.\nThe model sees text in which personal data is masked as by "conversations export --redact". Each score needs quotes that occur in that text; one without is refused, asked once more, and is then unjudged. --min counts unjudged criteria as 0.\nWhat a model judged is saved on this computer and not paid for again, also after an interruption. Number of requests and tokens are shown before they are sent, which requires confirmation; --dry-run only shows them. Ctrl-C waits for answers to requests in flight, at most for PARLEY_MODEL_TIMEOUT or --request-timeout; Ctrl-C again ends at once. The score is compared with that of the run before by the same rubric and model that judged something.\nWith --min, the exit code is 20 when the score is below it, and when nothing was judged.\nA small rubric: {version: 1, name: Front desk, criteria: [{id: answered, question: "Did the assistant answer what was asked?"}, {id: said_price, when: [how much], check: {says_price: true}}]}. All of its fields: parley schema rubric.'

export const judgeConversations = judgeCommand(
  judgedSources.conversations,
  [
    '--rubric rubric.yaml --sample 50 --since 7d --yes',
    '--rubric rubric.yaml --checks-only --min 0.9 --junit judged.xml',
    '--rubric rubric.yaml --assistant "Front desk" --summary --json --yes',
    '--rubric rubric.yaml --since 7d --to-test parley/tests --yes',
  ],
  about,
)

export const judgeCalls = judgeCommand(
  judgedSources.calls,
  [
    '--rubric rubric.yaml --sample 50 --since 7d --yes',
    '--rubric rubric.yaml --checks-only --min 0.9 --markdown judged.md',
    '--rubric rubric.yaml --assistant Recall --summary --json --yes',
  ],
  `${about}\nOnly calls with a transcript that have ended are judged. Transcripts do not contain the tools that the assistant called, so that a rubric with "called" or "not_called" is refused.`,
)
