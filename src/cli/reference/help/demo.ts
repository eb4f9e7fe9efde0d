import { command } from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { runDemoTour } from './demo-tour.ts'
import { createSampleProject } from './sample-project.ts'

export const demo = command({
  summary: 'Walk through the main workflow on a temporary platform',
  flags: [
    {
      flags: '--project <folder>',
      describe: 'Instead, create a project in this folder: files of the sample assistants, with twenty tests',
    },
    { flags: '--step', describe: 'Wait for Enter before each command' },
  ],
  examples: ['', '--step', '--project sample-desk'],
  notes:
    'The tour needs no account and no network, and deletes its platform at the end. With --project, run parley assistants test <folder> next. The folder must be empty or new.',
  async run(context, { flags }) {
    if (flags.project !== undefined) {
      if (flags.step === true) throw usageError('--step cannot be combined with --project.', 'Remove one of them.')
      return createSampleProject(context, String(flags.project))
    }
    if (flags.step === true && !context.interactive)
      throw usageError('--step requires a terminal.', 'Without one: parley demo.')
    return runDemoTour(context, flags.step === true)
  },
})
