import { command } from '../../commandline/command.ts'
import { noteActiveProfile } from '../../configuration/active-profile.ts'
import { readConfiguration, updateConfiguration } from '../../configuration/profiles.ts'
import { notFoundError } from '../../errors/usage-error.ts'
import { selectIfMissing } from '../../prompts/prompt-if-missing.ts'

export const use = command({
  summary: 'Set the default profile',
  risk: 'write',
  argument: { name: 'name', describe: 'Name of the profile' },
  examples: ['staging', 'local'],
  async run(context, { argument: given }) {
    const { profiles } = readConfiguration(context.system)
    const argument = await selectIfMissing(context, given, Object.keys(profiles), {
      question: 'Which profile?',
      missingMessage: 'Missing profile. Pass its name.',
      hint: 'List them: parley profile list.',
    })
    if (!Object.hasOwn(profiles, argument))
      throw notFoundError(`Profile "${argument}" not found.`, 'List profiles: parley profile list.')
    await updateConfiguration(context.system, (it) => ({ ...it, current: argument }))
    await context.out.record(
      { current: argument },
      {
        view: {
          id: (it) => it.current,
          columns: [{ key: 'current', title: 'Current profile', priority: 1 }],
          empty: '',
        },
      },
    )
    await noteActiveProfile(context, argument)
  },
})
