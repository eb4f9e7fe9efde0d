import { command } from '../../program/commandline/command.ts'
import { runDemoTour } from './demo-tour.ts'
import { createSampleProject } from './sample-project.ts'

export const demo = command({
  summary: 'Walk through the main workflow on a temporary platform',
  flags: [
    {
      flags: '--project <folder>',
      describe: 'Instead, create a project in this folder: files of the sample assistants, with twenty tests',
    },
  ],
  examples: ['', '--project sample-desk'],
  notes: 'With --project, run parley assistants test <folder> next. The folder must be empty or new.',
  async run(context, { flags }) {
    if (flags.project !== undefined) return createSampleProject(context, String(flags.project))
    return runDemoTour(context)
  },
})
