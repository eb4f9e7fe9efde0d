import { givenOrPicked } from '../../asking.ts'
import { command } from '../../command.ts'
import { consent } from '../../consent.ts'
import { confirmDone } from '../../deletion.ts'
import { noteProfileInUse } from '../../profile-in-use.ts'
import { changeConfiguration, readConfiguration } from '../../profiles.ts'
import { usage } from '../../usage.ts'

export const remove = command({
  summary: 'Forget a profile and its key',
  risk: 'destructive',
  argument: { name: 'name', describe: 'Name of the profile' },
  examples: ['staging', 'staging --yes'],
  async run(context, { argument: given }) {
    const known = Object.keys(readConfiguration(context.world).profiles)
    const argument = await givenOrPicked(
      context,
      given,
      known.filter((it) => it !== 'local'),
      {
        question: 'Which profile?',
        missing: 'Which profile? Give its name.',
        hint: 'List them: parley profile list.',
      },
    )
    if (argument === 'local') throw usage('The profile "local" is always there.')
    if (!known.includes(argument)) throw usage(`There is no profile "${argument}".`, 'List them: parley profile list.')
    await consent(context, {
      ask: `Forget the profile "${argument}" and its key?`,
      without: `Forgetting the profile "${argument}" loses its key and needs consent.`,
    })
    await changeConfiguration(context.world, (it) => {
      const { [argument]: _, ...profiles } = it.profiles
      return { current: it.current === argument ? 'local' : it.current, profiles }
    })
    await confirmDone(context, `Profile ${argument} forgotten.`, argument)
    await noteProfileInUse(context)
  },
})
