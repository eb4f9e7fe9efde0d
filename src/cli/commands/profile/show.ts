import { command } from '../../commandline/command.ts'
import { platformText } from '../../configuration/active-profile.ts'
import { maskKey } from '../../configuration/profiles.ts'
import { settingOrigin, settingOrigins } from '../../configuration/setting-origins.ts'
import { forPeople } from './view.ts'

/** Returns where a key that is not in the profile comes from, as in `profile list`. */
const keyToken = (from: string): string | null => {
  const origin = settingOrigin(from)
  return origin === 'key_command' ? 'command' : origin === 'none' ? null : origin
}

export const show = command({
  summary: 'Show the profile in use and its settings',
  examples: ['', '--profile staging', '--origin'],
  flags: [{ flags: '--origin', describe: 'Show where each value comes from' }],
  async run(context, { flags }) {
    const { profileName, profile, baseUrl, key, timeoutMs, retries, history, output, profileFrom } =
      await context.settings()
    const { settings: outputSettings } = context.out
    const isForPeople = outputSettings.form === 'table' && !outputSettings.fields
    const fromProfile = (value: unknown): string => (value === undefined ? 'built-in' : profileFrom)
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
      } as never,
    )
  },
})
