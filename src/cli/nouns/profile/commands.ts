// Commands of `profile`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed.

import { command } from '../../program/commandline/command.ts'
import { noteActiveProfile, platformText } from '../../program/configuration/active-profile.ts'
import { maskKey, readConfiguration, updateConfiguration } from '../../program/configuration/profiles.ts'
import { settingOrigin, settingOrigins, settingSources } from '../../program/configuration/setting-origins.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import { notFoundError, usageError } from '../../program/errors/usage-error.ts'
import { budgetText, readProfileBudget } from '../../program/operations/profile-budget.ts'
import { selectIfMissing } from '../../program/prompts/prompt-if-missing.ts'
import { removeFromKeychain } from '../../program/secrets/keychain.ts'
import { forPeople } from './view.ts'

export const remove = command({
  needsPerson: true,
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
    await updateConfiguration(context.system, (configuration) => {
      const { [argument]: _, ...profiles } = configuration.profiles
      return { current: configuration.current === argument ? 'local' : configuration.current, profiles }
    })
    if (keyCommand !== undefined) await removeFromKeychain(context.system, argument, keyCommand)
    await printMessage(context, `Removed profile "${argument}".`, argument)
    await noteActiveProfile(context)
  },
})

/** Returns where a key that is not in the profile comes from, as in `profile list`. */
const keyToken = (from: string): string | null => {
  const origin = settingOrigin(from)
  return origin === 'key_command' ? 'command' : origin === 'none' ? null : origin
}

export const get = command({
  summary: 'Show the profile in use and its settings',
  examples: ['', '--profile staging', '--origin'],
  flags: [{ flags: '--origin', describe: 'Show where each value comes from' }],
  async run(context, { flags }) {
    const { profileName, profile, baseUrl, key, timeoutMs, retries, history, output, profileFrom } =
      await context.settings()
    const { isForPeople } = context.out
    const budget = await readProfileBudget(context, await context.settings())
    const fromProfile = (value: unknown): string => (value === undefined ? settingSources.builtIn : profileFrom)
    // Scripts read these fields as JSON: they are added, not renamed.
    const values = {
      profile: profileName.value,
      base_url: isForPeople ? platformText(context.system, baseUrl.value) : baseUrl.value,
      key: key.value ? maskKey(key.value) : isForPeople ? key.from : keyToken(key.from),
      output: output.value,
      timeout: timeoutMs.value / 1000,
      retries: retries.value,
      vocabulary: profile.vocabulary ?? null,
      routes: profile.routes ?? null,
      protected: profile.protected === true,
      read_only: profile.read_only === true,
      confirm_above: profile.confirm_above ?? null,
      budget: isForPeople && budget ? budgetText(budget) : budget,
      history: history.value ? 'on' : 'off',
    }
    const origin: Record<keyof typeof values, string> = {
      profile: profileName.from,
      base_url: baseUrl.from,
      key: key.from,
      output: output.from,
      timeout: timeoutMs.from,
      retries: retries.from,
      vocabulary: fromProfile(profile.vocabulary),
      routes: fromProfile(profile.routes),
      protected: fromProfile(profile.protected),
      read_only: fromProfile(profile.read_only),
      confirm_above: fromProfile(profile.confirm_above),
      budget: fromProfile(profile.budget),
      history: history.from,
    }
    const shown = forPeople(context, values, values)
    await context.out.record(
      flags.origin
        ? {
            ...shown,
            origin: isForPeople ? forPeople(context, origin, values) : settingOrigins(origin),
          }
        : shown,
      {
        view: {
          id: (it: { readonly profile: string }) => it.profile,
          columns: [{ key: 'read_only', title: 'Read-only', priority: 4, kind: 'bool' }],
          empty: '',
        },
      },
    )
  },
})

export const use = command({
  needsPerson: true,
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
          id: (it: { readonly current: string }) => it.current,
          columns: [{ key: 'current', title: 'Current profile', priority: 1 }],
          empty: '',
        },
      },
    )
    await noteActiveProfile(context, argument)
  },
})
