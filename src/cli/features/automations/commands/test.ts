import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { replaceNamesWithNumbers } from '../../../../contract/references/step-references.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { compileDefinition } from '../../../../engine/definition/compile-definition.ts'
import { getOwn, nodeSettings } from '../../../../engine/definition/node.ts'
import type { UnknownPiece } from '../../../../engine/definition/problems.ts'
import { listRouterBranches } from '../../../../engine/definition/router-branches.ts'
import { listUnknownReferences } from '../../../../engine/runs/local-check.ts'
import {
  type SimulatedRun,
  type SimulatedStep,
  type SimulationOptions,
  sampleOutputs,
  simulateRun,
  unrunnableSteps,
} from '../../../../engine/runs/simulate-run.ts'
import { createSandbox } from '../../../../engine/sandbox/create-sandbox.ts'
import { createTriggerPayload } from '../../../../engine/templates/event-samples.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { command, type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readValue } from '../../../program/input/read-document.ts'
import { idView, type View } from '../../../program/output/format.ts'
import { safeLine } from '../../../program/terminal/safe-text.ts'
import { runAutomationTests } from '../../scenario-tests/automations/run-automation-tests.ts'
import { flowFlag, readFlowFile } from '../flow-files/flow-document.ts'
import { describeProblem, type ForeignFlow, readForeignFlow } from '../flow-files/read-flow.ts'
import { mockedSteps, readMocks, stepTitles } from '../flow-files/step-mocks.ts'
import { automationId } from './view.ts'

interface RanStep {
  readonly name: string
  readonly output: unknown
}

/**
 * Returns what the steps are that a ROUTER was converted to, by name. The ROUTER itself has the name of the branches it
 * took, the others the branch that they decide on: their names are not in the file. They are recognized by what normalize.ts of the
 * engine gives them: `routerBranch`, and a name that ends in `_otherwise`.
 */
async function createRouterNotes(definition: unknown): Promise<(step: RanStep) => string> {
  const routers = new Set<string>()
  const branches = new Map<string, string>()
  const isFallback = (name: string): boolean =>
    name.endsWith('_otherwise') && routers.has(name.replace(/_otherwise$/, ''))
  for (const { node } of walkSteps(definition)) {
    const name = String(node.name)
    if (node.type !== 'BRANCH') continue
    if (listRouterBranches(node)) routers.add(name)
    else if (getOwn(nodeSettings(node), 'routerBranch') !== undefined || isFallback(name))
      branches.set(name, String(node.displayName ?? name))
  }
  return ({ name, output }) => {
    const branch = branches.get(name)
    if (branch !== undefined) return `branch "${branch}" of the ROUTER`
    const evaluated = routers.has(name) ? getOwn(output, 'branches') : undefined
    if (!Array.isArray(evaluated)) return ''
    const taken = evaluated.filter((it) => getOwn(it, 'evaluation') === true)
    return taken.length === 0
      ? 'took no branch'
      : `took ${taken.map((it) => `"${getOwn(it, 'branchName')}"`).join(', ')}`
  }
}

const viewOf = (routerNote: (step: SimulatedStep) => string): View<SimulatedStep> => ({
  id: (it) => it.path,
  columns: [
    { key: 'path', title: 'Step', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    {
      key: (it) => it.error ?? (it.unresolved.length > 0 ? `no value for ${it.unresolved.join(', ')}` : routerNote(it)),
      title: 'Note',
      priority: 2,
      flexible: true,
    },
    { key: (it) => stringifyJson(it.output ?? null), field: 'output', title: 'Output', priority: 3, flexible: true },
  ],
  empty: 'No step was started.',
})

const view = viewOf(() => '')

export const test = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Run a definition locally without sending anything',
  argument: {
    name: 'id',
    describe: 'Id or name of the automation whose definition to run, or a folder with tests',
    optional: true,
  },
  flags: [
    { flags: '-f, --file <path>', describe: 'JSON or YAML file with the definition; - for standard input' },
    flowFlag,
    { flags: '--sample <json>', describe: 'Trigger input (JSON, YAML or @file)' },
    {
      flags: '--mock <step=json>',
      describe: 'Output of a step, used instead of running it (JSON, YAML or @file); repeatable',
      repeatable: true,
    },
    { flags: '--junit <file>', describe: 'Also write the results of a folder to a file as JUnit XML' },
    {
      flags: '--annotations <format>',
      describe: 'Also print annotations of a folder for a pull request',
      choices: ['github'],
    },
    {
      flags: '--mock-unknown',
      describe:
        'Generate outputs for steps that cannot run locally: unknown pieces, external requests, incomplete input, code with packages',
    },
  ],
  examples: [
    'automation-tests --junit results.xml',
    '--file flow.json --sample \'{"name": "Ada"}\'',
    'Greeting --mock step_1=@answer.json',
    '--file flow.json --mock \'step_1={"status": 200}\'',
  ],
  notes: `Branches, loops, code, storage and responses run for real, and delays end immediately. Steps that would contact a server, send a message or place a call are not run: their output is the value of --mock, or empty. Steps and triggers of unknown pieces need --mock or --mock-unknown, which generates outputs from the fields that later steps read. The exit code is 20 when a step fails. "parley automate create" runs the steps for real.
With a folder, runs the tests in it or in its subfolder "automation-tests", as written by "parley automate runs save". Definitions come from the files of the project or from the platform. The exit code is 20 when a test fails.`,
  view,
  async run(context, { argument, flags }) {
    const folder = argument === undefined ? undefined : testFolder(context, argument)
    if (folder !== undefined) return runFolder(context, folder, flags)
    if (flags.junit !== undefined || flags.annotations !== undefined)
      throw usageError('--junit and --annotations require a folder with tests.')
    const { flow, sample: savedSample } = await given(context, argument, flags)
    const sample = typeof flags.sample === 'string' ? await sampleIn(context, flags.sample) : savedSample
    const sandbox = createSandbox()
    try {
      const file = typeof flags.file === 'string' ? flags.file : undefined
      const texts = repeatedFlag(flags, 'mock')
      const isMade = flags.mockUnknown === true
      const read = await readForeignFlow(replaceNamesWithNumbers(flow).flow, file, sandbox, {
        mocked: mockedSteps(texts),
        allowIncomplete: isMade,
      })
      const { definition, unknown } = read
      const mocks = await readMocks(context, texts, definition)
      if (!isMade)
        requireKnownPieces(
          unknown.filter((it) => !Object.hasOwn(mocks, it.step) && !(it.step === 'trigger' && sample !== undefined)),
          file,
        )
      const prepared = await prepare(read, { mocks, sample, isMade, now: context.system.now() * 1000 })
      return await print(
        context,
        await simulateRun({ ...prepared, mocks, sandbox, signal: context.system.signal }),
        read,
      )
    } finally {
      await sandbox.close()
    }
  },
})

/** Returns the absolute path of an argument that is a folder; undefined for an automation. */
function testFolder({ system }: Context, argument: string): string | undefined {
  const path = resolve(system.cwd, argument)
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined
}

async function runFolder(context: Context, folder: string, flags: Invocation['flags']): Promise<'finding' | 'done'> {
  if ([flags.file, flags.flow, flags.sample, flags.mockUnknown].some((it) => it !== undefined && it !== false))
    throw usageError('A folder of tests takes only --junit and --annotations.', 'The files have payloads and mocks.')
  return runAutomationTests(context, folder, flags)
}

/** Rejects unknown pieces. @throws ClientFailure `usage` with the steps and the flags that mock them */
function requireKnownPieces(unknown: readonly UnknownPiece[], file: string | undefined): void {
  const [first] = unknown
  if (!first) return
  const titles = unknown.map(({ step, title, message }) => `${step} (${title}): ${message}`).join('\n')
  throw usageError(
    `${file ?? 'The definition'} uses ${unknown.some((it) => it.isPieceKnown) ? 'actions or triggers' : 'pieces'} that Parley does not have:\n${titles}`,
    `Pass an output for each with --mock ${first.step}=@output.json, or add --mock-unknown to generate them.`,
  )
}

interface Options {
  readonly mocks: Readonly<Record<string, unknown>>
  readonly sample: unknown
  /** Whether outputs of unknown steps are generated. */
  readonly isMade: boolean
  readonly now: number
}

async function prepare(
  { definition, invalid }: ForeignFlow,
  { mocks, sample, isMade, now }: Options,
): Promise<Pick<SimulationOptions, 'trigger' | 'payload' | 'generated' | 'now'>> {
  const trigger = await compileDefinition(definition)
  const payload = Object.hasOwn(mocks, 'trigger') ? mocks.trigger : createTriggerPayload(trigger, sample, now)
  if (!isMade) return { trigger, payload, now }
  const { trigger: received, ...generated } = sampleOutputs(trigger, unrunnableSteps(trigger, invalid))
  const isGiven = sample !== undefined || Object.hasOwn(mocks, 'trigger')
  return { trigger, payload: isGiven ? payload : merged(received, payload), generated, now }
}

/** Merges a generated output with the known parts: a request always has its method and headers. */
function merged(generated: unknown, known: unknown): unknown {
  if (isObject(known) && Object.keys(known).length === 0) return generated
  if (!isObject(generated) || !isObject(known)) return known ?? generated
  const names = new Set([...Object.keys(generated), ...Object.keys(known)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in generated && name in known ? merged(generated[name], known[name]) : (known[name] ?? generated[name]),
    ]),
  )
}

async function given(
  context: Context,
  argument: string | undefined,
  { file, flow }: Invocation['flags'],
): Promise<Record<string, unknown>> {
  if (typeof file === 'string' && argument !== undefined) throw usageError('Pass an automation or --file, not both.')
  if (typeof file === 'string') return readFlowFile(context, file, flow)
  if (argument === undefined && !context.interactive)
    throw usageError(
      'Missing automation or --file.',
      'Pass the id or name of an automation, or a file with its definition.',
    )
  const { data } = await context.call(automate.get, { id: await automationId(context, argument) })
  return { flow: data.definition }
}

async function sampleIn({ system }: Context, text: string): Promise<unknown> {
  return readValue(system, text, '--sample')
}

async function print(
  context: Context,
  rehearsal: SimulatedRun,
  { definition, invalid }: ForeignFlow,
): Promise<'finding' | 'done'> {
  const { out, notes } = context
  const { status, steps, response } = rehearsal
  const printSteps = async (): Promise<void> => {
    await out.list(steps, { view: viewOf(await createRouterNotes(definition)) })
    if (response) await out.line(safeLine(`Response: ${response.status} ${stringifyJson(response.body)}`))
    await out.line(`${outcome[status]} Nothing was sent.`)
  }
  await out.result(rehearsal, printSteps, { view: idView(() => status) })
  for (const reference of await listUnknownReferences(definition)) await notes.warn(reference)
  const unmocked = steps.filter((it) => it.status === 'NOT_RUN').map((it) => it.name)
  if (unmocked.length > 0)
    await notes.note(
      `Not run, with empty output: ${[...new Set(unmocked)].join(', ')}. Pass their output: --mock ${unmocked[0]}=@answer.json`,
    )
  const generated = [...new Set(steps.filter((it) => it.status === 'GENERATED').map((it) => it.name))]
  const titles = stepTitles(definition)
  if (generated.length > 0)
    await notes.note(
      `Generated outputs: ${generated.map((it) => (titles.has(it) ? `${it} (${titles.get(it)})` : it)).join(', ')}. Pass real outputs: --mock ${generated[0]}=@output.json`,
    )
  const waiting = status === 'PAUSED' ? steps.findLast((it) => it.status === 'PAUSED') : undefined
  if (waiting)
    await notes.note(
      `What follows ${waiting.name} was not tested. Pass its output: --mock ${waiting.name}=@output.json`,
    )
  if (invalid.length > 0)
    await notes.note(`Invalid locally, so these steps were not run:\n${invalid.map(describeProblem).join('\n')}`)
  return status === 'FAILED' ? 'finding' : 'done'
}

const outcome: Readonly<Record<SimulatedRun['status'], string>> = {
  SUCCEEDED: 'Test passed.',
  FAILED: 'Test failed.',
  PAUSED: 'Test paused: the run waits for a callback.',
}
