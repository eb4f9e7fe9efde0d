import { command } from '../commandline/command.ts'

export const demo = command({
  summary: 'Walk through the main job on a throw-away platform',
  examples: [''],
  run: async (context) => (await import('../help/demo-tour.ts')).runDemoTour(context),
})
