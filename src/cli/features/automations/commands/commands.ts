import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import {
  type Automation,
  AutomationTemplate,
  type BuiltAutomation,
  type TemplateParam,
} from '../../../../contract/automations/automation-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { stateText } from '../../../../contract/values/states.ts'
import { type DefinitionDiff, diff as differenceOf } from '../../../../engine/analysis/diff.ts'
import { maskDefinition, unmaskDefinition } from '../../../../engine/definition/mask.ts'
import { previewTemplate } from '../../../../engine/templates/template-preview.ts'
import { type CommandInput, command, type Invocation } from '../../../program/commandline/command.ts'
import { deleteCommand } from '../../../program/commandline/delete-command.ts'
import { requireCapability } from '../../../program/connection/require-capability.ts'
import { previewRequest } from '../../../program/connection/send-request.ts'
import { confirmRepeatedSteps } from '../../../program/consent/confirm-repeated-steps.ts'
import { sendWithConfirmation } from '../../../program/consent/confirm-side-effects.ts'
import { inUseNote } from '../../../program/consent/delete-resource.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { saveSample } from '../../../program/history/test-samples.ts'
import { parseCount } from '../../../program/input/count-flag.ts'
import { resolveItem } from '../../../program/input/resolve-target.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../../program/lists/selection.ts'
import { idView, type View } from '../../../program/output/format.ts'
import { printList } from '../../../program/output/print-list.ts'
import { toSentence } from '../../../program/output/print-result.ts'
import { describeTime } from '../../../program/output/time.ts'
import { promptMissingFields } from '../../../program/prompts/prompt-fields.ts'
import { fitText } from '../../../program/terminal/wrap-text.ts'
import { changeAutomation, describeFailedTest, disableAutomation } from '../change-automation.ts'
import { differenceLines } from '../flow-files/difference-lines.ts'
import {
  createRequestParser,
  flowDocument,
  flowFlag,
  promptFlowFile,
  readFlowFile,
} from '../flow-files/flow-document.ts'
import { readForeignFlow } from '../flow-files/read-flow.ts'
import { resolveFlowNames } from '../flow-files/resolve-flow-names.ts'
import { builtView, printBuilt } from '../print-built.ts'
import {
  findLiveVersion,
  historyEntriesOf,
  listVersions,
  maxListedVersions,
  previousNumber,
  resolveRestoreTarget,
} from '../restore/restore-targets.ts'
import { noteTestEffects } from '../test-effects.ts'
import { parseParams } from './apply.ts'
import { confirmRepeatFlag, latestFlag, latestHint, resolveRunId, retryOptions, runFlag } from './runs/run-flag.ts'
import { findRunByAutomation, type ShownRun } from './runs/runs-by-automation.ts'
import { argument, automationId, target, templatesTarget, view, webhookUrl } from './view.ts'

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Describes what is lost with an automation: its URL, versions and runs, and when it last ran. */
async function describeLosses(context: Context, id: string): Promise<string> {
  const [address, history, last] = await Promise.all([
    unlessFailed(context, async () => describeAddress(context, (await context.call(automate.get, { id })).data)),
    unlessFailed(context, () => describeHistory(context, id)),
    unlessFailed(context, () => describeLastRun(context, id)),
  ])
  return [
    address ?? 'Its URL stops working.',
    history ?? 'Its versions and its runs are deleted.',
    last ?? 'When it last ran is unknown.',
  ]
    .filter((it) => it !== '')
    .join(' ')
}

/** Returns the result, or undefined if the platform does not answer: the deletion itself reports why. */
async function unlessFailed<T>({ system }: Context, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (system.signal.aborted) throw error
    return undefined
  }
}

async function describeAddress(context: Context, automation: Automation): Promise<string> {
  const url = await webhookUrl(context, automation)
  return url === undefined ? '' : `Its URL ${url} stops working.`
}

async function describeHistory(context: Context, id: string): Promise<string> {
  if (!(await context.supports('versions'))) return 'Its versions and its runs are deleted.'
  const versions = await listVersions(context, id)
  const runs = versions.reduce((sum, it) => sum + (it.runs ?? 0), 0)
  const more = versions.length === maxListedVersions ? 'at least ' : ''
  return findLiveVersion(versions)?.runs === undefined
    ? `Its ${more}${count(versions.length, 'version')} and its runs are deleted.`
    : `Its ${more}${count(versions.length, 'version')} and ${more}${count(runs, 'live run')} are deleted.`
}

async function describeLastRun(context: Context, id: string): Promise<string> {
  const [run] = (await context.supports('runs'))
    ? (await context.call(automate.listRuns, { automation_id: id, test: false, limit: 1 })).data
    : await newestRuns(context, id)
  return run ? `It last ran at ${describeTime(run.start_time)}.` : 'It has never run.'
}

async function newestRuns(context: Context, id: string): Promise<readonly { readonly start_time: string }[]> {
  const answer = await context.call(automate.runs, { id, limit: 1 })
  return 'runs' in answer ? answer.runs : []
}

export const create = command({
  exits: ['finding'],
  endpoint: automate.create,
  document: flowDocument,
  documentParser: createRequestParser,
  acceptsLists: true,
  examples: [
    '--file automation.yaml',
    '--name "Greeting too" --file flow.json --sample \'{"name": "Ada"}\'',
    '--name Note --file sending.json --confirm-side-effects',
  ],
  notes: `The file can hold {name, flow, sample, ...}, a definition alone ({trigger, steps}), output of "parley automate get -o json", a file of "parley automate pull", or an editor export. When it holds several flows, --flow chooses one by name or number.
The definition is tested with the sample and enabled when the test passes. When the test fails, the automation stays disabled and the exit code is 20.`,
  view: builtView,
  async run(context, { input: given, flags }) {
    const { enabled, ...input } = await resolveFlowNames(
      context,
      await promptMissingFields(context, automate.create, await withFile(context, given)),
      flags.file,
    )
    await noteTestEffects(context, input.flow, input.sample)
    const answer = await sendWithConfirmation(context, automate.create, input, 'Building and testing the automation')
    if (!answer) return
    if (input.sample !== undefined) await saveSample(context, String(answer.automation_id), input.sample)
    const exit = await printBuilt(context, answer, 'created')
    if (enabled === false && answer.status !== 'test_failed') await switchOffNew(context, answer)
    return exit
  },
})

/** Prompts for a file on a terminal if the definition is missing. */
async function withFile(context: Context, input: CommandInput): Promise<CommandInput> {
  if (input.flow !== undefined) return input
  if (!context.interactive)
    throw usageError(
      'Missing definition.',
      'Pass a file with --file automation.yaml, or start from a template: parley automate templates.',
    )
  return { ...(await readFlowFile(context, await promptFlowFile(context, undefined), undefined)), ...input }
}

/** Disables the automation if its file has `enabled: false`. */
async function switchOffNew(context: Context, { automation_id: id }: BuiltAutomation): Promise<void> {
  await context.call(automate.update, { id, enabled: false })
  await context.notes.note('Disabled, because the file has enabled: false.')
}

export const remove = deleteCommand({
  endpoint: automate.delete,
  argument,
  examples: ['Greeting', 'Greeting --yes'],
  notes: inUseNote,
  target,
  dependencyKind: 'automate',
  async buildQuestion(called, { id }, context) {
    const losses = await describeLosses(context, String(id))
    return {
      question: `Delete automation ${called}? ${losses} Its assistant is no longer bound to it.`,
      refusalMessage: `Deleting automation ${called} requires confirmation. ${losses}`,
    }
  },
})

export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare versions, or the live one with a file',
  argument,
  flags: [
    {
      flags: '--from <n>',
      describe: 'Version to compare from (default: the previous version; with --file, the live version)',
    },
    { flags: '--to <n>', describe: 'Version to compare with (default: the live version)' },
    {
      flags: '-f, --file <path>',
      describe: 'JSON or YAML file to compare with; - for standard input',
    },
    flowFlag,
  ],
  examples: ['Greeting', 'Greeting --from 2', 'Greeting --from 2 --to 4 --json', 'Greeting --file flow.json'],
  notes: `Shows added, removed and moved steps, and each changed field. Secrets are not shown; a masked secret in the file counts as unchanged. On a deployment that does not list versions, numbers are entries of the local history. The exit code is 20 when there are differences.`,
  async run(context, { argument, flags }) {
    if (flags.file !== undefined && flags.to !== undefined)
      throw usageError('--file and --to cannot be combined. Pass one of them.')
    const id = await automationId(context, argument)
    const { from, to } = await sidesOf(context, id, flags)
    const isMasked = from.isMasked || to.isMasked
    const shown = (it: Side): AutomationNode => (isMasked ? maskDefinition(it.definition) : it.definition)
    const difference: DefinitionDiff = differenceOf(shown(from), shown(to))
    await context.notes.note(`Comparing ${from.called} with ${to.called}`)
    const lines = differenceLines(difference)
    const { out } = context
    const print = async (): Promise<void> => {
      for (const line of lines.length > 0 ? lines : ['No differences.'])
        await out.line(await fitText(line, out.settings))
    }
    await out.result(difference, print, { view: idView(() => id) })
    return lines.length > 0 ? 'finding' : 'done'
  },
})

/** A definition to compare. */
interface Side {
  readonly called: string
  readonly definition: AutomationNode
  /** Whether its credentials are masked: then those of the other side are masked too. */
  readonly isMasked: boolean
}

async function sidesOf(
  context: Context,
  id: string,
  flags: Invocation['flags'],
): Promise<{ readonly from: Side; readonly to: Side }> {
  const { data } = await context.call(automate.get, { id, include_secrets: true })
  const live: Side = { called: 'the live version', definition: data.definition as AutomationNode, isMasked: false }
  const [from, to] = [
    parseCount(flags.from as string | undefined, '--from'),
    parseCount(flags.to as string | undefined, '--to'),
  ]
  if (typeof flags.file === 'string') {
    const start = from === undefined ? live : await versionSide(context, id, from)
    return { from: start, to: await fileSide(context, flags, start.definition) }
  }
  const end = to === undefined ? live : await versionSide(context, id, to)
  return {
    from: from === undefined ? await beforeSide(context, id, to) : await versionSide(context, id, from),
    to: end,
  }
}

async function fileSide(
  context: Context,
  { file, flow: chosen }: Invocation['flags'],
  unmaskedFrom: AutomationNode,
): Promise<Side> {
  const path = String(file)
  const { flow } = await resolveFlowNames(context, await readFlowFile(context, path, chosen), path)
  const { definition } = await readForeignFlow(flow, path, undefined, { structureOnly: true })
  return { called: path, definition: unmaskDefinition(definition, unmaskedFrom).definition, isMasked: false }
}

async function versionSide(context: Context, id: string, number: number): Promise<Side> {
  const { label, definition, source } = await resolveRestoreTarget(context, id, number)
  return { called: label, definition: definition as AutomationNode, isMasked: source !== 'platform' }
}

/** Returns the version before the live one, or before `to`. */
async function beforeSide(context: Context, id: string, to: number | undefined): Promise<Side> {
  if (await context.supports('versions')) {
    return versionSide(context, id, to === undefined ? await previousNumber(context, id) : Math.max(1, to - 1))
  }
  const [newest] = await historyEntriesOf(context, id)
  if (!newest)
    throw usageError(
      'Missing --file.',
      'Pass a file with a definition. This deployment lists no versions, and the local history has none.',
    )
  return versionSide(context, id, newest.entry)
}

export const disable = command({
  confirmsName: true,
  endpoint: automate.update,
  exits: ['finding', 'unknown', 'partial', 'consent'],
  summary: 'Disable an automation',
  risk: 'write',
  reducesHarm: true,
  argument: { ...argument, optional: true },
  flags: [selectionFlag('enabled automations')],
  changesSelected: true,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting', '--filter "recent_failures>3" --yes', '--filter "name~reminder" --dry-run'],
  view,
  notes: `Lists what uses the automation first. When it is in use, for example by a tool of an assistant or by an event, type its name to confirm, or pass --yes.\n${selectionNote}`,
  async run(context, invocation) {
    const { argument, flags } = invocation
    if (flags.filter === undefined)
      return disableAutomation(context, await automationId(context, argument), { enabled: false }, flags.confirm)
    return changeSelected(context, invocation, {
      list: 'automate list',
      noun: 'automate',
      called: ['automation', 'automations'],
      verb: ['Disable', 'disabled'],
      isMeant: ({ status }) => status === 'enabled',
      loss: 'What uses them gets no answer of them.',
      endpoint: automate.update,
      inputOf: ({ id }) => ({ id, enabled: false }),
      apply: ({ call }, { id }) => call(automate.update, { id: String(id), enabled: false }),
    })
  },
})

export const enable = command({
  endpoint: automate.update,
  exits: ['finding', 'unknown'],
  summary: 'Enable an automation',
  risk: 'write',
  argument,
  filledFields: Object.keys(automate.update.body.shape),
  allowedFields: [],
  examples: ['Greeting'],
  view,
  async run(context, { argument }) {
    const id = await automationId(context, argument)
    await changeAutomation(context, id, { enabled: true })
    const { dryRun, printCurl } = context.globals
    if (dryRun || printCurl) return
    // It is enabled, whatever can be read of its tests.
    const failedTest = await describeFailedTest(context, id).catch(() => undefined)
    if (failedTest !== undefined) await context.notes.warn(`It runs now, but ${failedTest}`)
  },
})

const retryView: View<{ readonly run_id: string }> = idView((it) => it.run_id)

/** Resolves the automation and its run. Without `--run`, the argument may be the id of a run. */
async function resolveRun(
  context: Context,
  argument: string | undefined,
  run: unknown,
): Promise<{ readonly id: string; readonly run_id: string }> {
  const id = await automationId(context, argument)
  try {
    return { id, run_id: await resolveRunId(context, id, String(run ?? 'last'), 'FAILED') }
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status !== 404 || id !== argument) throw error
    const found = await findRun(context, id)
    if (found?.automation_id) return { id: found.automation_id, run_id: id }
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `No automation or run with the id "${id}".`,
      hint: 'Pass the automation, and the run with --run: parley automate retry <automation> --run <run>. List failed runs: parley automate runs list --status FAILED.',
    })
  }
}

/** Returns a run by its id, on any platform; undefined if there is none. */
async function findRun(context: Context, run_id: string): Promise<Pick<ShownRun, 'automation_id'> | undefined> {
  try {
    return (await context.supports('runs'))
      ? (await context.call(automate.getRun, { run_id })).data
      : await findRunByAutomation(context, run_id, undefined)
  } catch (error) {
    if ((error as ClientFailure).exit === 'not_found') return undefined
    throw error
  }
}

/** Asks before the failed step of a run has its effects again. An unknown run is left to the platform to refuse. */
async function confirmRepeat(
  context: Context,
  { id, run_id }: { readonly id: string; readonly run_id: string },
  { isConfirmed, onLatest }: { readonly isConfirmed: boolean; readonly onLatest: boolean },
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (isConfirmed || dryRun || printCurl) return
  try {
    const run = (await context.supports('runs'))
      ? (await context.call(automate.getRun, { run_id })).data
      : await findRunByAutomation(context, run_id, id)
    await confirmRepeatedSteps(context, [run], { isConfirmed, onLatest })
  } catch (error) {
    if ((error as ClientFailure).exit !== 'not_found') throw error
  }
}

export const retry = command({
  endpoint: automate.retry,
  argument,
  flags: [{ ...runFlag, describe: 'Id of the run (default: the last failed run)' }, latestFlag, confirmRepeatFlag],
  exits: ['finding'],
  examples: ['Greeting', 'Greeting --run last', 'Greeting --latest'],
  notes:
    'The argument may also be the id of the run. Steps that ran before the failed step are not run again. The failed step runs again. If its request got no response, it may already have taken effect, and is sent a second time; a step that may have effects outside is named and requires confirmation. To see its error and its input: parley automate runs get <run>. With --latest, the run is rejected when the live version lacks a step that already ran. The exit code is 20 when the run fails again.',
  view: retryView,
  async run(context, { argument, flags }) {
    const onLatest = flags.latest === true
    if (onLatest) await requireCapability(context, automate.getRun)
    if (context.globals.printCurl && onLatest)
      throw usageError('--print-curl cannot show --latest, which is a header.', 'Remove one of them.')
    const { id, run_id } = await resolveRun(context, argument, flags.run)
    await confirmRepeat(
      context,
      { id, run_id },
      {
        isConfirmed: flags.confirmSideEffects === true,
        onLatest,
      },
    )
    if (await previewRequest(context, automate.retry, { id, run_id })) return
    const answer = await context.call(automate.retry, { id, run_id }, retryOptions(onLatest))
    const { out, notes } = context
    const sentence = `${toSentence(answer.note)} Status: ${stateText(String(answer.status ?? 'unknown'))}`
    await out.result(answer, sentence, { schema: automate.retry.output, view: retryView })
    if (out.isForPeople) await notes.note(`Next: parley automate runs get ${run_id}`)
    if (answer.status === 'FAILED' && !onLatest && (await context.supports('runs')))
      await notes.note(latestHint(run_id))
    return answer.status === 'FAILED' ? 'finding' : undefined
  },
})

const needed = ({ params }: AutomationTemplate): string | null =>
  (Array.isArray(params) ? params : [])
    .flatMap((it) => (it?.required && typeof it.key === 'string' ? [it.key] : []))
    .join(', ') || null

const templatesView: View<AutomationTemplate> = {
  id: (it) => it.key,
  columns: [
    { key: 'key', title: 'Key', priority: 1 },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'binding', title: 'Binding', priority: 4 },
    { key: 'requires_assistant', title: 'Assistant', priority: 5, kind: 'bool' },
    { key: needed, title: 'Needs', priority: 3, flexible: true },
    { key: 'use_when', title: 'Use when', priority: 2, flexible: true },
  ],
  empty: 'No templates.',
}

const paramView: View<TemplateParam> = {
  id: (it) => it.key,
  columns: [
    { key: 'key', title: 'Parameter', priority: 1 },
    { key: 'required', title: 'Required', priority: 1, kind: 'bool' },
    { key: (it) => it.default ?? it.auto, field: 'default', title: 'Default', priority: 2 },
    { key: 'example', title: 'Example', priority: 3 },
    { key: 'description', title: 'Description', priority: 1, flexible: true },
  ],
  empty: 'The template has no parameters.',
}

export const templates = command({
  endpoint: automate.templates,
  argument: { name: 'key', describe: 'Key of the template (default: all templates)', optional: true },
  isList: true,
  flags: [
    { flags: '--definition', describe: 'Print the definition of the template, with example values for its parameters' },
    { flags: '--param <key=value>', describe: 'Value of a parameter in the definition; repeatable', repeatable: true },
  ],
  examples: ['', '--json', 'post-call-callback', 'lead-intake-webhook --definition > flow.json'],
  notes:
    'With --definition, the definition is that of this version of Parley, as JSON. Change it and pass it to "parley automate create --file". What its steps are: parley help pieces.',
  view: templatesView,
  async run(context, { argument, input, flags }) {
    if (flags.definition && argument === undefined)
      throw usageError('--definition requires the key of a template.', 'List templates: parley automate templates.')
    if (flags.param !== undefined && !flags.definition)
      throw usageError('--param requires --definition.', 'To create an automation: parley automate apply <key>.')
    if (argument === undefined) return printList(context, automate.templates, input)
    if (await previewRequest(context, automate.templates, input)) return
    const found = (await resolveItem(context, argument, templatesTarget)) as unknown as AutomationTemplate
    const { out, system, notes } = context
    if (flags.definition) return printDefinition(context, found, parseParams(flags))
    if (!out.isForPeople) return out.record(found, { schema: AutomationTemplate, view: templatesView })
    const { params, test_sample: _, ...about } = found
    await out.record(about)
    await system.streams.stdout.write('\n')
    await out.list(Array.isArray(params) ? params : [], { view: paramView })
    await notes.note(`Next: parley automate apply ${found.key}`)
  },
})

/** Prints the definition of a template. Parameters that were not given have their default or example. */
async function printDefinition(
  context: Context,
  { key, params, requires_assistant: isBound }: AutomationTemplate,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const filled = Object.fromEntries(
    (Array.isArray(params) ? params : []).flatMap((param) => {
      const value = param.default ?? param.choices?.[0] ?? param.example
      return param.required && value !== undefined ? [[param.key, value]] : []
    }),
  )
  const values = { ...filled, ...given }
  const found = await previewTemplate(key, values, {
    assistant: isBound ? exampleAssistant : null,
    now: context.system.now(),
  })
  if (!found)
    throw usageError(
      `The template ${key} has no definition with these parameters.`,
      `See its parameters: parley automate templates ${key}.`,
    )
  const { out, notes } = context
  const shownDefinition = { trigger: found.trigger }
  await out.result(shownDefinition, () => out.json(shownDefinition), { view: idView(() => '') })
  const examples = Object.keys(filled).filter((it) => given[it] === undefined)
  const shown = [...examples.map((it) => `${it}=${values[it]}`), ...(isBound ? [`assistant ${exampleAssistant}`] : [])]
  if (shown.length > 0) await notes.note(`Examples, to be replaced: ${shown.join(', ')}.`)
}

/** Assistant in the definition of a template that belongs to one. */
const exampleAssistant = 1
