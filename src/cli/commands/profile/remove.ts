import { command } from '../../commandline/command.ts'
import { noteActiveProfile } from '../../configuration/active-profile.ts'
import { readConfiguration, updateConfiguration } from '../../configuration/profiles.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { usageError } from '../../errors/usage-error.ts'
import { selectIfMissing } from '../../prompts/prompt-if-missing.ts'

export const remove = command({
  summary: 'Forget a profile and its key',
  risk: 'destructive',
  argument: { name: 'name', describe: 'Name of the profile' },
  examples: ['staging', 'staging --yes'],
  async run(context, { argument: given }) {
    const known = Object.keys(readConfiguration(context.world).profiles)
    const argument = await selectIfMissing(
      context,
      given,
      known.filter((it) => it !== 'local'),
      {
        question: 'Which profile?',
        missingMessage: 'Which profile? Give its name.',
        hint: 'List them: parley profile list.',
      },
    )
    if (argument === 'local') throw usageError('The profile "local" is always there.')
    if (!known.includes(argument))
      throw usageError(`There is no profile "${argument}".`, 'List them: parley profile list.')
    await requireConfirmation(context, {
      question: `Forget the profile "${argument}" and its key?`,
      refusalMessage: `Forgetting the profile "${argument}" loses its key and needs consent.`,
    })
    await updateConfiguration(context.world, (it) => {
      const { [argument]: _, ...profiles } = it.profiles
      return { current: it.current === argument ? 'local' : it.current, profiles }
    })
    await printMessage(context, `Profile ${argument} forgotten.`, argument)
    await noteActiveProfile(context)
  },
})
