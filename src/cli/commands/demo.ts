import { command } from '../commandline/command.ts'

export const demo = command({
  summary: 'Walk through the main workflow on a temporary platform',
  examples: [''],
  run: async (context) => (await import('../help/demo-tour.ts')).runDemoTour(context),
})
