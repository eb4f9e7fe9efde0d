import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { RunRecord } from '../../../../../contract/automations/run-records.ts'
import type { ExitName } from '../../../../../contract/errors/exit-codes.ts'
import { replaceNamesWithNumbers } from '../../../../../contract/references/step-references.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import type { Sandbox } from '../../../../../engine/expressions/sandbox.ts'
import { createSandbox } from '../../../../../engine/sandbox/create-sandbox.ts'
import { makeFolder } from '../../../../../node/make-folder.ts'
import { loadYaml } from '../../../../../node/parse-yaml.ts'
import { replaceFile } from '../../../../../node/replace-file.ts'
import { replacedNote } from '../../../../nouns/conversations/anonymizer.ts'
import { command, type Invocation, repeatedFlag } from '../../../../program/commandline/command.ts'
import { requireCapability } from '../../../../program/connection/require-capability.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { idView, type View } from '../../../../program/output/format.ts'
import { readTest, testsFolder } from '../../../scenario-tests/automations/read-automation-tests.ts'
import { checkExpectations, simulateTest } from '../../../scenario-tests/automations/run-automation-tests.ts'
import { testFromRun } from '../../../scenario-tests/automations/test-from-run.ts'
import { givenRun, pickedRun } from './get.ts'

export const save = command({
  callsPlatform: true,
  summary: 'Save a run as a test of its automation',
  argument: { name: 'run', describe: 'Id of the run, or "last"' },
  flags: [
    {
      flags: '--as-test <file>',
      describe:
        'File for the test; - writes to standard output (default: automation-tests/<automation>-<run>.yaml, in the project folder if there is one)',
    },
    {
      flags: '--keep <path>',
      describe: 'Keep the recorded value at a path, such as payload.body.phone; repeatable',
      repeatable: true,
    },
    { flags: '--force', describe: 'Overwrite the file' },
  ],
  exits: ['not_found', 'conflict', 'finding'],
  examples: ['last', 'last --as-test -', '4f9k2m7x8q1w5e3r6t0ya --as-test tests/order.yaml'],
  notes:
    'The file contains the payload of the run, the outputs of steps that contacted other systems, as mocks, and the expected results of the other steps. Run it with "parley automate test <folder>". Phone numbers, email addresses, names and other personal data are replaced where they are recognized, and secrets are hidden. The test does not check outputs that depend on the time or on random values.\nThe saved test is run once. The exit code is 20 when its result differs from that of the run, for example because the run failed on a value that was replaced. Such values are listed: keep them with --keep, or replace them with others that fail too.',
  async run(context, { argument, flags }) {
    await requireCapability(context, automate.getRun)
    const chosen = argument ?? (await pickedRun(context, undefined))
    const run_id = await givenRun(context, chosen, undefined, true)
    const { cwd } = context.system
    const given = typeof flags.asTest === 'string' ? flags.asTest : undefined
    if (given !== undefined && given !== '-') requireFree(resolve(cwd, given), given, flags)
    const { data: run } = await context.call(automate.getRun, { run_id, full: true })
    if (run.end_time === null && run.status === 'RUNNING')
      throw usageError(`Run ${run_id} has not ended.`, 'Save it when it has ended, or cancel it.')
    const shown = given ?? defaultFile(cwd, run)
    if (given === undefined) requireFree(resolve(cwd, shown), shown, flags)
    const file = shown === '-' ? undefined : resolve(cwd, shown)
    return saveTest(context, run, { file, shown, wholePaths: repeatedFlag(flags, 'keep') })
  },
})

/** Rejects a file that exists, without --force. */
function requireFree(file: string, shown: string, { force }: Invocation['flags']): void {
  if (existsSync(file) && force !== true)
    throw usageError(`${shown} already exists.`, 'Pass another file with --as-test, or --force to overwrite it.')
}

/** Returns the file for a run in the folder that "parley automate test" reads. */
function defaultFile(cwd: string, { id, automation_name }: RunRecord): string {
  const slug = automation_name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const folder = existsSync(join(cwd, 'parley')) ? `parley/${testsFolder}` : testsFolder
  return `${folder}/${slug === '' ? 'run' : slug}-${id.slice(0, 8)}.yaml`
}

const savedView: View<{ readonly file: string }> = idView((it) => it.file)

interface SavedFile {
  /** Absolute path; undefined for standard output. */
  readonly file: string | undefined
  readonly shown: string
  /** Paths of values to keep. */
  readonly wholePaths: readonly string[]
}

async function saveTest(context: Context, run: RunRecord, { file, shown, wholePaths }: SavedFile): Promise<ExitName> {
  const { stringify } = await loadYaml()
  const id = run.automation_id
  const { data } =
    run.version === null
      ? await context.call(automate.get, { id, draft: true })
      : await context.call(automate.version, { id, number: run.version })
  const sandbox = createSandbox()
  const { system, notes, out } = context
  try {
    const { flow } = replaceNamesWithNumbers(data.definition)
    const { test, differences, causes } = await testFromRun(context, run, flow, sandbox, wholePaths)
    const text = stringify(test, { lineWidth: 0 })
    if (file === undefined) await system.streams.stdout.write(text)
    else {
      makeFolder(resolve(file, '..'))
      replaceFile(file, text, { mode: 'keep' })
      await out.result({ run: run.id, file: shown }, `Saved the run as ${shown}.`, { view: savedView })
    }
    const failed = file === undefined ? [] : await failuresOf(context, file, flow, sandbox)
    for (const text of [...differences, ...failed]) await notes.warn(text)
    if (causes.length > 0)
      await notes.warn(
        `The run failed because of ${causes.length === 1 ? 'a value that was' : 'values that were'} replaced: ${causes.join(', ')}. To keep the recorded ${causes.length === 1 ? 'value' : 'values'}, which may be personal: ${causes.map((it) => `--keep ${it}`).join(' ')}`,
      )
    if (file !== undefined) await notes.note(`Next: parley automate test ${relative(system.cwd, dirname(file)) || '.'}`)
    await notes.note(replacedNote)
    return differences.length + failed.length > 0 ? 'finding' : 'done'
  } finally {
    await sandbox.close()
  }
}

/** Reads the saved test, runs it with the definition of the run, and returns what it does not meet, a sentence each. */
async function failuresOf(context: Context, file: string, flow: unknown, sandbox: Sandbox): Promise<string[]> {
  const problems: string[] = []
  const test = await readTest(context.system, file, problems)
  if (!test) return problems
  const simulated = await simulateTest(context, { flow, file: undefined }, test, sandbox)
  return checkExpectations(test, simulated).map((it) => `The saved test fails at ${it.expectation}.`)
}
