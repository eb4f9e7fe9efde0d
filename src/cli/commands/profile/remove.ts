import { command } from '../../commandline/command.ts'
import { noteActiveProfile } from '../../configuration/active-profile.ts'
import { readConfiguration, updateConfiguration } from '../../configuration/profiles.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { notFoundError, usageError } from '../../errors/usage-error.ts'
import { selectIfMissing } from '../../prompts/prompt-if-missing.ts'

export const remove = command({
  summary: 'Remove a profile and its API key',
  risk: 'destructive',
  argument: { name: 'name', describe: 'Name of the profile' },
  examples: ['staging', 'staging --yes'],
  async run(context, { argument: given }) {
    const { profiles: existing } = readConfiguration(context.system)
    const known = Object.keys(existing)
    const argument = await selectIfMissing(
      context,
      given,
      known.filter((it) => it !== 'local'),
      {
        question: 'Which profile?',
        missingMessage: 'Missing profile. Pass its name.',
        hint: 'List profiles: parley profile list.',
      },
    )
    if (argument === 'local') throw usageError('The profile "local" cannot be removed.')
    if (!known.includes(argument))
      throw notFoundError(`Profile "${argument}" not found.`, 'List profiles: parley profile list.')
    const { base_url: baseUrl = '', api_key_command: keyCommand } = existing[argument] ?? {}
    await requireConfirmation(
      context,
      {
        question: `Remove profile "${argument}" and its API key?`,
        refusalMessage: `Removing profile "${argument}" deletes its API key and requires confirmation.`,
      },
      {
        settings: {
          profileName: { value: argument, from: 'argument' },
          baseUrl: { value: baseUrl, from: `profile ${argument}` },
        },
      },
    )
    await updateConfiguration(context.system, (it) => {
      const { [argument]: _, ...profiles } = it.profiles
      return { current: it.current === argument ? 'local' : it.current, profiles }
    })
    if (keyCommand !== undefined)
      await (await import('../../secrets/keychain.ts')).removeFromKeychain(context.system, argument, keyCommand)
    await printMessage(context, `Removed profile "${argument}".`, argument)
    await noteActiveProfile(context)
  },
})
