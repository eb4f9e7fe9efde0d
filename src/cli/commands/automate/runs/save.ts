import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunRecord } from '../../../../contract/automations/run-records.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { replaceNamesWithNumbers } from '../../../../contract/resources/step-references.ts'
import { makeFolder } from '../../../../node/make-folder.ts'
import { command } from '../../../commandline/command.ts'
import { requireCapability } from '../../../connection/require-capability.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { lastRun, pickedRun } from './get.ts'

export const save = command({
  callsPlatform: true,
  summary: 'Save a run as a test of its automation',
  argument: { name: 'run', describe: 'Id of the run, or "last"' },
  flags: [
    { flags: '--as-test <file>', describe: 'File for the test; - writes to standard output' },
    { flags: '--force', describe: 'Overwrite the file' },
  ],
  exits: ['not_found', 'conflict'],
  examples: ['last --as-test -', '4f9k2m7x8q1w5e3r6t0ya --as-test tests/order.yaml'],
  notes:
    'The file has the payload of the run, the outputs of steps that reached other systems as mocks, and what the other steps do with them. Run it with "parley automate test <folder>". Telephone numbers, e-mail addresses, names and other personal data are replaced where they are recognized, and secrets are hidden. Outputs that depend on the time or on chance are not expected.',
  async run(context, { argument, flags }) {
    await requireCapability(context, automate.getRun)
    const chosen = argument ?? (await pickedRun(context, undefined))
    const run_id = chosen === 'last' ? await lastRun(context, undefined, true) : chosen
    const given = flags.asTest
    if (typeof given !== 'string')
      throw usageError('Missing --as-test. Pass the file of the test, or - for standard output.')
    const file = given === '-' ? undefined : resolve(context.system.cwd, given)
    if (file !== undefined && existsSync(file) && flags.force !== true)
      throw usageError(`${given} exists.`, 'Pass another file, or --force to overwrite it.')
    const { data: run } = await context.call(automate.getRun, { run_id, full: true })
    if (run.end_time === null && run.status === 'RUNNING')
      throw usageError(`Run ${run_id} has not ended.`, 'Save it when it has ended, or cancel it.')
    await saveTest(context, run, file, given)
  },
})

async function saveTest(context: Context, run: RunRecord, file: string | undefined, shown: string): Promise<void> {
  const [{ testFromRun }, { createSandbox }, { stringify }] = await Promise.all([
    import('../../../automation-tests/test-from-run.ts'),
    import('../../../../automation/sandbox/create-sandbox.ts'),
    import('yaml'),
  ])
  const id = run.automation_id
  const { data } =
    run.version === null
      ? await context.call(automate.get, { id, draft: true })
      : await context.call(automate.version, { id, number: run.version })
  const sandbox = createSandbox()
  const { system, notes, out } = context
  try {
    const { flow } = replaceNamesWithNumbers(data.definition)
    const { test, differences } = await testFromRun(context, run, flow, sandbox)
    const text = stringify(test, { lineWidth: 0 })
    if (file === undefined) await system.streams.stdout.write(text)
    else {
      const { replaceFile } = await import('../../../../node/replace-file.ts')
      makeFolder(resolve(file, '..'))
      replaceFile(file, text, { mode: 'keep' })
      await out.line(`Saved the run as ${shown}.`)
    }
    for (const it of differences) await notes.warn(it)
    await notes.note(
      'Personal data was replaced where it was recognized. Read the file before you share it: names in free text may remain.',
    )
  } finally {
    await sandbox.close()
  }
}
