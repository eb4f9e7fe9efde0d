import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { lockFileName } from '../../features/as-code/sync-lock.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { withParts } from '../../program/system.ts'
import { memorySink } from '../../program/terminal/memory-sink.ts'
import { runCommandLine, temporarySystem } from './demo-tour.ts'
import { sampleScenarios } from './sample-scenarios.ts'

/**
 * Creates a project in a new folder: the files of the sample data as `parley pull` writes them, and scenarios for its
 * assistants in `tests/`. @throws ClientFailure `usage` if the folder has files
 */
export async function createSampleProject(context: Context, given: string): Promise<ExitName> {
  const { system, out, notes } = context
  const folder = resolve(system.cwd, given)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw usageError(`The folder ${given} is not empty. Nothing was written.`, 'Pass a new folder.')
  const { tourSystem, folder: temporary } = temporarySystem(system)
  try {
    const streams = { ...system.streams, stdout: memorySink().sink }
    const exit = await runCommandLine(withParts(tourSystem, { streams }), ['pull', folder, '--quiet'])
    if (exit !== 'done') return exit
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  // The ids are those of the platform that was deleted. read-scenarios.ts reads `tests/`.
  rmSync(join(folder, lockFileName), { force: true })
  makeFolder(join(folder, 'tests'))
  for (const [name, text] of Object.entries(sampleScenarios)) writeFileSync(join(folder, 'tests', name), text)
  await out.line(`Created ${given}: the sample assistants and their tests.`)
  await notes.note(`Next: parley assistants test ${given}`)
  return 'done'
}
